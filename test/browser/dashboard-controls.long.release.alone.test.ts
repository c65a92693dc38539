// The dashboard in Chromium: clock, reset, sessions, clients; its connection, its token, and links to its sections.
import type { Page } from 'playwright-core';
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { CREDENTIALS, clientsOf, type DashboardTests, TOKEN, testDashboard } from './dashboard-access.js';
import { call, card, expectCount, makeLink, openDashboard } from './dashboard-page.js';
import { skipsShortRun } from './launch.js';

const define = ({ test, journey, bare, start, open }: DashboardTests) => {
  journey('the clock is advanced, set, frozen and reset', async ({ t, mock, page }) => {
    const clock = card(page, 'clock');
    const read = () => mock.clock({ clientId: 'demo' });
    await makeLink(mock);
    await clock.getByRole('button', { name: '+1 day on the clock' }).click();
    await clock.getByText('24.0 h ahead of the system time').waitFor();
    await card(page, 'links').getByText('expired', { exact: true }).waitFor();
    await clock.getByText('Set the clock', { exact: true }).click();
    await clock.getByRole('button', { name: 'Freeze the clock' }).click();
    await clock.getByText('frozen').waitFor();
    await clock.getByLabel('Time to set (UTC)').fill('2031-02-03T04:05:06');
    await clock.getByRole('button', { name: 'Set', exact: true }).click();
    await clock.getByText('2031-02-03 04:05:06').waitFor();
    t.same(await read().then(({ now }) => now), new Date('2031-02-03T04:05:06Z'));
    await clock.getByRole('button', { name: 'Resume the clock' }).click();
    await clock.getByText('ahead of the system time').waitFor();
    t.equal((await read()).isFrozen, false);
    await clock.getByRole('button', { name: 'Reset the clock' }).click();
    await clock.getByText('the system time', { exact: true }).waitFor();
    t.equal((await read()).offsetMs, 0);
  });

  test('the selected client decides for every card', async ({ t, mock, page }) => {
    await mock.addClient({
      clientId: 'acme',
      branding: { displayName: 'Acme' },
      locale: 'de',
      settings: { redirectAfterSeconds: 120 },
    });
    await makeLink(mock);
    await card(page, 'links').getByText('created', { exact: true }).waitFor();
    await page.getByRole('banner').getByRole('combobox').selectOption('acme');
    await card(page, 'client').getByText('Acme · de').waitFor();
    await card(page, 'client').getByText('redirectAfterSeconds: 120').waitFor();
    await card(page, 'links').getByText('No links yet.').waitFor();
    await card(page, 'sessions').getByRole('button', { name: 'Add a session' }).click();
    await card(page, 'faults').getByRole('button', { name: 'Set the fault' }).click();
    await card(page, 'faults').getByText('respond 503', { exact: true }).waitFor();
    await card(page, 'clock').getByRole('button', { name: '+1 h on the clock' }).click();
    await card(page, 'clock').getByText('1.0 h ahead of the system time').waitFor();
    t.equal((await mock.clock({ clientId: 'demo' })).offsetMs, 0);
    t.match(await mock.faults({ clientId: 'acme' }), [{ status: 503 }]);
    t.same(await mock.faults({ clientId: 'demo' }), []);

    await press(page, 'Reset this client', 'accept');
    await card(page, 'clock').getByText('the system time', { exact: true }).waitFor();
    t.same(await mock.faults({ clientId: 'acme' }), []);
    t.match(await mock.links({ clientId: 'demo' }), [{ state: 'created' }]);
  });

  test('the selector of clients shows the name and the id of each', async ({ t, mock, page }) => {
    await mock.addClient({ clientId: 'client-0', name: 'Worker 0' });
    await mock.addClient({ clientId: 'client-1' });
    const options = page.getByRole('banner').getByRole('combobox').getByRole('option');
    await options.nth(2).waitFor({ state: 'attached' });
    t.same((await options.allTextContents()).slice(1), ['Worker 0 (client-0)', 'client-1']);
  });

  test('an action that fails shows why, until its message is closed', async ({ page }) => {
    await page.route('**/__mock/reset', (route) =>
      route.fulfill({ status: 409, json: { code: 'conflict', detail: 'It is not possible now.' } }),
    );
    await press(page, 'Reset this client', 'accept');
    await page.getByRole('alert').getByText('It is not possible now.').waitFor();
    await page.getByRole('button', { name: 'Close this message' }).click();
    await expectCount(page, '[role=alert]', 0);
  });

  test('the sessions of any user are shown, added and removed', async ({ t, mock, page }) => {
    const sessions = card(page, 'sessions');
    const rows = '#sessions .rows > li';
    await sessions.getByLabel('User id').fill('user-empty');
    await sessions.getByRole('button', { name: 'Show', exact: true }).click();
    await sessions.getByText('user-empty has no sessions.').waitFor();
    await sessions.getByRole('button', { name: 'Add a session to user-empty' }).click();
    await expectCount(page, rows, 1);
    const [row] = await mock.sessions('demo', 'user-empty');
    await sessions.getByText(row?.reference ?? 'no reference').click();
    t.match(await sessions.getByLabel(`Session ${row?.reference}`).inputValue(), '"status": "submitted"');
    await mock.setSessions('demo', 'user-empty', []);
    await sessions.getByText('user-empty has no sessions.').waitFor();
  });

  test('the status of a session is changed in its row', async ({ t, mock, page }) => {
    const [session] = await mock.sessions('demo', 'user-1');
    const row = card(page, 'sessions').getByRole('listitem').first();
    await row.getByText(session?.reference ?? 'no reference').click();
    await row.getByLabel('Status', { exact: true }).fill('s'.repeat(101));
    await row.getByRole('button', { name: 'Change' }).click();
    await row.locator('[aria-invalid]').waitFor();
    await row.getByLabel('Status', { exact: true }).fill('paid');
    await row.getByRole('button', { name: 'Change' }).click();
    await row.getByText('paid', { exact: true }).waitFor();
    t.equal(await row.getByLabel('Status', { exact: true }).inputValue(), 'paid');
    t.match(await mock.sessions('demo', 'user-1'), [{ reference: session?.reference, status: 'paid' }]);
  });

  test('a list of sessions shows more rows on request', async ({ page }) => {
    const sessions = card(page, 'sessions');
    await sessions.getByLabel('User id').fill('user-many');
    await sessions.getByLabel('User id').press('Enter');
    await sessions.getByText('6 of 250').waitFor();
    await expectCount(page, '#sessions .rows > li', 6);
    await sessions.getByRole('button', { name: 'Show more' }).click();
    await sessions.getByText('12 of 250').waitFor();
    await expectCount(page, '#sessions .rows > li', 12);
  });

  journey('a client that is added is shown with its own state, and removed', async ({ t, mock, page }) => {
    await makeLink(mock);
    const callbackOrigins = ['https://a.example', 'https://b.example'];
    await mock.addClient({ clientId: 'acme', name: 'Acme Insurance', callbackOrigins });
    await page.getByRole('banner').getByRole('combobox').selectOption('acme');
    await page.waitForURL('**/?client=acme');
    await card(page, 'client').getByRole('heading', { name: 'Acme Insurance' }).waitFor();
    await card(page, 'client').getByText('https://a.example, https://b.example').waitFor();
    await card(page, 'links').getByText('No links yet.').waitFor();
    t.match(await press(page, 'Reset this client', 'dismiss'), /^Reset acme\?/);
    t.match(await press(page, 'Remove this client', 'dismiss'), /^Remove acme /);
    t.equal((await mock.clients()).length, 2, 'the page asks first');
    await press(page, 'Remove this client', 'accept');
    await page.waitForURL('**/?client=demo');
    await card(page, 'links').getByText('created', { exact: true }).waitFor();
    t.equal((await mock.clients()).length, 1);
  });

  bare('among 200 clients each is found in the list', async (t) => {
    await using mock = await start({ clients: clientsOf(200) });
    const { page } = await open(t, mock);
    await page.getByRole('banner').getByRole('combobox').selectOption('demo-200');
    await card(page, 'client').getByText('clk_test_demo-200', { exact: true }).waitFor();
    await page.reload();
    await card(page, 'client').getByText('clk_test_demo-200', { exact: true }).waitFor();
    t.equal(await page.getByRole('banner').locator('option').count(), 200);
    t.ok((await page.evaluate<number>('document.documentElement.scrollHeight')) < 3000);
  });

  bare('key and link are copied, and a request as a curl line with the key of its client', async (t) => {
    await using mock = await start();
    const { url } = await makeLink(mock);
    const { page, assertClean } = await open(t, mock, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied = async (name: string) => {
      await page.getByRole('button', { name: `Copy ${name}` }).click();
      await page.getByRole('button', { name: `Copied ${name}` }).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    t.equal(await copied('the client id'), 'demo');
    t.equal(await copied('the API key'), 'clk_test_demo');
    t.equal(await copied('the base URL'), mock.publicUrl);
    t.equal(await copied('the URL of the link of user-1'), url);
    await call(mock, '/demo/sessions/user-2');
    await card(page, 'requests').getByText('/demo/sessions/user-2').click();
    await page.getByRole('button', { name: 'Copy as curl Request for curl' }).click();
    await page.getByRole('button', { name: 'Copied Request for curl' }).waitFor();
    const line = await page.evaluate<string>('navigator.clipboard.readText()');
    t.ok(line.startsWith(`curl '${mock.url}/demo/sessions/user-2' \\\n`), line);
    t.match(line, `-H 'x-api-key: clk_test_demo'`);
    assertClean();
  });

  test('the page says that the browser rejects copying', async ({ page }) => {
    await page.evaluate(
      "navigator.clipboard.writeText = () => Promise.reject(new DOMException('Denied.', 'NotAllowedError'))",
    );
    await page.getByRole('button', { name: 'Copy the API key' }).click();
    await page.getByText('The browser does not let this page copy.').waitFor();
  });

  bare('the client card leads to the OpenAPI document of the control API', async (t) => {
    await using mock = await start();
    const { page } = await open(t, mock);
    await page.getByRole('link', { name: 'Control API as OpenAPI' }).click();
    await page.waitForURL('**/__mock/openapi.json');
    t.match(await page.evaluate<string>('document.body.innerText'), '"openapi":"3.1.0"');
  });

  test('text that is being typed and the focus survive the events around them', async ({ t, mock, page }) => {
    await card(page, 'links').getByText('Make a link').click();
    await page.getByLabel('Callback URL').fill('https://example.com/ha');
    await makeLink(mock, 'user-2');
    await card(page, 'links').getByRole('button', { name: 'Sessions of user-2' }).waitFor();
    await page.keyboard.type('lf');
    t.equal(await page.getByLabel('Callback URL').inputValue(), 'https://example.com/half');
    await call(mock, '/demo/link', { body: {} });
    const row = card(page, 'requests').getByText('request_invalid');
    await row.click();
    await call(mock, '/demo/sessions/user-1');
    await expectCount(page, '#requests .rows > li', 2);
    t.equal(await card(page, 'requests').getByLabel('Request body').count(), 1, 'the open row is still open');
  });

  bare('the page says that the mock is gone, and is up to date when it is back', async (t) => {
    const first = await start();
    const { page } = await open(t, first);
    await first.close();
    await page.getByRole('alert').getByText('The mock does not respond.').waitFor();
    await page.getByText('offline', { exact: true }).waitFor();
    await using second = await start({ port: first.port });
    await makeLink(second);
    await page.getByText('live', { exact: true }).waitFor();
    await card(page, 'links').getByText('created', { exact: true }).waitFor();
    t.equal(await page.getByRole('alert').count(), 0);
  });

  for (const width of [390, 1280]) {
    bare(`at ${width} px links lead to the sections by keyboard`, async (t) => {
      await using mock = await start();
      const { page, assertClean } = await open(t, mock, { viewport: { width, height: 844 } });
      const sections = page.getByRole('navigation', { name: 'Sections' });
      for (const section of ['clock', 'faults', 'client', 'sessions', 'links', 'requests']) {
        await sections.getByRole('link', { name: section }).press('Enter');
        await page.waitForFunction(
          `(() => {
            const { top } = document.getElementById('${section}-title').getBoundingClientRect();
            const header = document.querySelector('header').getBoundingClientRect();
            return header.top === 0 && top >= header.bottom && top < innerHeight;
          })()`,
        );
      }
      assertClean();
    });
  }
};

const browser = skipsShortRun(t, 'every control of the dashboard')
  ? undefined
  : await testDashboard(t, define);

if (browser !== undefined) {
  t.test('with a control token the browser asks for it, and the page works', async (t) => {
    await using mock = await startMockServer({ port: 0, controlToken: TOKEN });
    const withoutToken = await browser.newPage();
    t.teardown(() => withoutToken.close());
    // Without an answer to the dialog Chromium reports an error, and its headless shell shows the response.
    const outcome = await withoutToken.goto(mock.dashboardUrl).then(
      (response) => String(response?.status()),
      (error) => String(error),
    );
    t.match(outcome, /^401$|ERR_INVALID_AUTH_CREDENTIALS/);

    const { page, assertClean } = await openDashboard(t, browser, mock, CREDENTIALS);
    await card(page, 'links').getByText('Make a link').click();
    await page.getByRole('button', { name: 'Make the link' }).click();
    await card(page, 'links').getByText('created', { exact: true }).waitFor();
    await card(page, 'faults').getByRole('button', { name: 'Set the fault' }).click();
    await card(page, 'faults').getByText('respond 503', { exact: true }).waitFor();
    await card(page, 'clock').getByRole('button', { name: 'Freeze the clock' }).click();
    await card(page, 'clock').getByText('frozen').waitFor();
    await card(page, 'faults').getByRole('button', { name: 'Clear the fault: respond 503' }).click();
    await card(page, 'faults').getByText('respond 503', { exact: true }).waitFor({ state: 'detached' });
    assertClean();
  });
}

/** Presses a button that asks, answers, and returns the question. */
async function press(page: Page, name: string, answer: 'accept' | 'dismiss'): Promise<string> {
  const [dialog] = await Promise.all([
    page.waitForEvent('dialog').then(async (dialog) => {
      await dialog[answer]();
      return dialog;
    }),
    page.getByRole('button', { name }).click(),
  ]);
  return dialog.message();
}
