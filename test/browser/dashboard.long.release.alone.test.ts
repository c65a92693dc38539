// The dashboard: requests, links and faults show without a reload, and all their controls work.
import type { Page } from 'playwright-core';
import t from 'tap';
import { type DashboardTests, testDashboard } from './dashboard-access.js';
import { call, card, expectCount, expectValue, makeLink } from './dashboard-page.js';
import { COMPLETE_POLICY } from './host.js';

const define = ({ test, journey, bare, start, open }: DashboardTests) => {
  journey('a new link gets the focus and opens; its submission shows', async ({ t, mock, page, context }) => {
    const links = card(page, 'links');
    const sessions = card(page, 'sessions').getByRole('listitem');
    await sessions.first().waitFor();
    const count = await sessions.count();

    await links.getByText('Make a link').click();
    await page.getByLabel('Step to start at').selectOption('incident');
    await links.getByText('Policy to prefill').click();
    await links.getByLabel('Policy as JSON').fill(JSON.stringify(COMPLETE_POLICY));
    await page.getByRole('button', { name: 'Make the link' }).click();
    const opener = links.getByRole('link', { name: 'Open the link of user-1 in a new tab' });
    await opener.waitFor();
    await links.locator('a:focus').waitFor();
    const [second] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Enter')]);
    await links.getByText('opened', { exact: true }).waitFor();
    t.match(
      await second.locator('.step[data-current]').innerText(),
      /incident/i,
      'at the step that was chosen',
    );
    for (let step = 0; step < 2; step++) await second.getByRole('button', { name: 'Next' }).click();
    await second.getByRole('button', { name: 'Send claim' }).click();

    await links.getByText('submitted', { exact: true }).waitFor();
    await sessions.nth(count).waitFor();
    const [link] = await mock.links();
    await links.getByText(link?.reference ?? 'no reference').waitFor();
    await card(page, 'sessions')
      .getByText(link?.reference ?? 'no reference')
      .waitFor();
    const rows = await card(page, 'requests').getByRole('listitem').allInnerTexts();
    t.match(rows[0], `POST link ${link?.linkId.slice(0, 8)} of user-1`);
  });

  test('a link opens as a timeline of its history and of the requests to its pages', async ({
    t,
    mock,
    page,
  }) => {
    const { url, linkId } = await makeLink(mock, 'user-1');
    await fetch(url);
    await mock.revokeLink(url);
    await page.getByText(`History of ${linkId.slice(0, 8)}`).click();
    const rows = page.locator('.timeline li');
    await rows.getByText('link.revoked').waitFor();
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/^[\d-]+ [\d:]+ /, ''));
    t.same(texts.sort(), ['GET openLink · 200', 'link.created', 'link.opened', 'link.revoked']);
    t.notMatch((await page.locator('.timeline').innerText()) ?? '', /verify|token/);
  });

  bare(
    'the history of a link that is locked has the button Unlock; that of another link has none',
    async (t) => {
      const settings = { recipientCheck: ['/policy/number'] } as const;
      await using mock = await start({ clients: [{ clientId: 'demo', apiKey: 'clk_test_demo', settings }] });
      const createLink = (currentUserId: string) =>
        mock.createLink('demo', {
          callbackUrl: 'https://example.com/done',
          config: {
            contact: { email: 'claims@example.com', phone: '1' },
            currentUserId,
            policy: { number: 'P-2026' },
          },
        });
      const [locked, other] = [await createLink('user-1'), await createLink('user-2')];
      const body = () => new URLSearchParams({ action: 'check', answer: 'wrong' });
      for (let count = 0; count < 6; count++) await fetch(locked.url, { method: 'POST', body: body() });

      const { page, assertClean } = await open(t, mock);
      const histories = page.locator('.timeline');
      for (const { linkId } of [other, locked])
        await page.getByText(`History of ${linkId.slice(0, 8)}`).click();
      await histories.getByText('link.created').nth(1).waitFor();
      await histories.getByText('link.locked').waitFor();
      const unlock = page.getByRole('button', { name: /^Unlock/ });
      t.match(await unlock.allInnerTexts(), [/user-1/]);
      t.equal(await unlock.count(), 1);
      await unlock.press('Enter');
      await histories.getByText('link.unlocked').waitFor();
      await unlock.waitFor({ state: 'detached' });
      assertClean();
    },
  );

  test('links are submitted, expired and revoked; the row keeps the focus', async ({ t, mock, page }) => {
    const links = card(page, 'links');
    for (const [action, state] of [
      ['Submit', 'submitted'],
      ['Expire', 'expired'],
      ['Revoke', 'revoked'],
    ] as const) {
      await makeLink(mock, `user-${state}`);
      await links.getByRole('button', { name: `${action} the link of user-${state}` }).press('Enter');
      await links.getByText(state, { exact: true }).waitFor();
      t.match(await focusedText(page), new RegExp(`^${state}`));
    }
    t.same(
      (await mock.links()).map(({ state }) => state),
      ['revoked', 'expired', 'submitted'],
    );
  });

  test('all fields of the form are in the link', async ({ t, mock, page, context }) => {
    const links = card(page, 'links');
    await links.getByText('Make a link').click();
    await links.getByLabel('User id').fill('user-7');
    await links.getByLabel('Callback URL').fill('https://example.com/done?r={SESSION_REFERENCE}');
    await links.getByLabel('Redirect immediately').check();
    await links.getByText('Policy to prefill').click();
    await links.getByLabel('Policy as JSON').fill('{"number":"P-77"}');
    await links.getByText('Help and privacy').click();
    await links.getByLabel('Contact email').fill('help@example.com');
    await links.getByLabel('Contact phone').fill('+41 44 111 22 33');
    await links.getByLabel('Contact link').fill('https://example.com/help');
    await links.getByLabel('Privacy policy URL').fill('https://example.com/rules');
    await links.getByRole('button', { name: 'Make the link' }).click();
    const opener = links.getByRole('link', { name: 'Open the link of user-7 in a new tab' });
    const [tab] = await Promise.all([context.waitForEvent('page'), opener.click()]);
    t.equal(await tab.getByLabel('Policy number').inputValue(), 'P-77');
    const hrefs = await tab.evaluate<string[]>('[...document.links].map(({ href }) => href)');
    for (const href of ['help@example.com', 'https://example.com/help', 'https://example.com/rules'])
      t.ok(
        hrefs.some((each) => each.includes(href)),
        href,
      );
    t.match(await tab.evaluate<string>('document.body.innerText'), '+41 44 111 22 33');
    const [request] = await mock.requests({ route: 'openLink' });
    t.equal(request?.userId, 'user-7');
  });

  test('a link leads to the sessions of its user; older links show on request', async ({ t, mock, page }) => {
    for (let number = 1; number <= 7; number++) await makeLink(mock, `user-${number}`);
    const links = card(page, 'links');
    await links.getByText('6 of 7').waitFor();
    await expectCount(page, '#links .link', 6);
    await links.getByRole('button', { name: 'Show more' }).click();
    await expectCount(page, '#links .link', 7);
    await links.getByRole('button', { name: 'Sessions of user-1' }).click();
    t.equal(await card(page, 'sessions').getByLabel('User id').inputValue(), 'user-1');
    await links.getByRole('button', { name: 'Sessions of user-5' }).click();
    await page.getByRole('list', { name: 'Sessions of user-5' }).waitFor();
    await page.locator('#sessions-title:focus').waitFor();
  });

  test('a link that expires by time alone is shown expired, without any event', async ({ mock, page }) => {
    const { expiresAt } = await makeLink(mock);
    await mock.setClock({ now: new Date(expiresAt.getTime() - 1500) }, { clientId: 'demo' });
    await card(page, 'links').getByText('expired', { exact: true }).waitFor();
  });

  test('a fresh dashboard shows curl lines, and makes a first link', async ({ t, mock, page }) => {
    const requests = card(page, 'requests');
    t.match(
      await requests.getByLabel('List sessions').inputValue(),
      `curl '${mock.publicUrl}/demo/sessions/user-1'`,
    );
    t.match(await requests.getByLabel('Create a link').inputValue(), `curl '${mock.publicUrl}/demo/link'`);
    await page.getByRole('button', { name: 'Make the first link' }).press('Enter');
    await card(page, 'links').locator('a:focus').waitFor();
    t.match(await mock.links(), [{ userId: 'user-1', state: 'created' }]);
    await call(mock, '/demo/sessions/user-1');
    await expectCount(page, '#requests textarea', 0);
  });

  test('a request opens to show its problems, headers and bodies', async ({ t, mock, page }) => {
    const requests = card(page, 'requests');
    await requests.getByText('No request matches the filters.').waitFor();
    await call(mock, '/demo/link', { body: { callbackUrl: 'https://example.com/', note: 'sent' } });
    await requests.getByText('request_invalid').click();
    await requests.getByText('/config', { exact: true }).first().waitFor();
    t.match(await requests.getByLabel('Request body').inputValue(), /"note": "sent"/);
    t.match(await requests.getByLabel('Response body').inputValue(), /"code": "request_invalid"/);
    t.notMatch(await requests.getByLabel('Request headers').inputValue(), 'clk_test_demo');
    t.match(
      await requests.getByLabel('Response headers').inputValue(),
      'content-type: application/problem+json',
    );
  });

  test('a request leads to the sessions of its user; older requests show on request', async ({
    t,
    mock,
    page,
  }) => {
    for (let number = 1; number <= 13; number++) await call(mock, `/demo/sessions/user-${number}`);
    const requests = card(page, 'requests');
    await requests.getByText('12 of 13').waitFor();
    await expectCount(page, '#requests .rows > li', 12);
    await requests.getByRole('button', { name: 'Show more' }).click();
    await expectCount(page, '#requests .rows > li', 13);
    await requests.getByText('GET /demo/sessions/user-1', { exact: true }).click();
    await requests.getByRole('button', { name: 'Show the sessions of user-1', exact: true }).click();
    await page.getByRole('list', { name: 'Sessions of user-1', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear all requests' }).click();
    await requests.getByText('No request matches the filters.').waitFor();
    t.equal(await mock.countRequests(), 0);
  });

  test('the form of a client is changed as JSON, and its problems show', async ({ t, mock, page }) => {
    const client = card(page, 'client');
    const settings = async () => (await mock.clients())[0]?.settings;
    await client.getByText('Form of the client').click();
    const text = client.getByLabel('Form as JSON');
    const save = client.getByRole('button', { name: 'Change the form' });
    await text.fill('{ "fields": { "/incident/place": "always" } }');
    await save.click();
    await client
      .getByText(/must be (?:one of|equal)/)
      .first()
      .waitFor();
    t.equal((await settings())?.form, undefined);
    for (const form of [{ fields: { '/incident/place': 'required' } }, { contacts: 'email_or_phone' }]) {
      await text.fill(JSON.stringify(form));
      await save.click();
      // The stored form is shown on several lines.
      await expectValue(page, '[name="/settings/form"]', JSON.stringify(form, null, 2));
      t.same((await settings())?.form, form);
    }
    await text.fill('');
    await save.click();
    await expectValue(page, '[name="/settings/form"]', '{}');
    t.equal((await settings())?.form, undefined);
  });

  test('the request log is filtered and cleared', async ({ t, mock, page }) => {
    const requests = card(page, 'requests');
    const rows = requests.getByRole('listitem');
    await call(mock, '/demo/sessions/user-1');
    await call(mock, '/demo/sessions/user-2');
    await call(mock, '/demo/sessions/user-2', { key: 'wrong' });
    await call(mock, '/demo/link', { body: {} });
    await mock.failNext({ effect: 'truncate' });
    await call(mock, '/demo/sessions/user-3');
    await expectCount(page, '#requests li', 5);
    await requests.getByText('no client').waitFor();
    await requests.getByLabel('Client').selectOption('demo');
    await expectCount(page, '#requests li', 4);
    await requests.getByLabel('Status').selectOption('4xx');
    await expectCount(page, '#requests li', 1);
    await requests.getByLabel('Status').selectOption({ label: 'failures only' });
    await expectCount(page, '#requests li', 2);
    await requests.getByLabel('Status').selectOption('');
    await requests.getByLabel('Route').selectOption('listSessions');
    await requests.getByLabel('User').fill('user-2');
    await expectCount(page, '#requests li', 1);
    t.match(await rows.first().innerText(), '/demo/sessions/user-2');
    await page.getByRole('button', { name: 'Clear requests of this client' }).click();
    await requests.getByText('No request matches the filters.').waitFor();
    t.equal(await mock.countRequests(), 1, 'the request of no client is still there');
  });

  journey('a fault is set with all its members, counts hits, and is cleared', async ({ t, mock, page }) => {
    const faults = card(page, 'faults');
    const initial = (await mock.faults()).length;
    await expectCount(page, '#faults li', initial);
    await faults.getByLabel('Route').selectOption('listSessions');
    await faults.getByLabel('Status').fill('429');
    await faults.getByLabel('Delay in ms').fill('1-5');
    await faults.getByLabel('Requests').fill('2');
    await faults.getByText('User, share, body, headers').click();
    await faults.getByLabel('User id').fill('user-2');
    await faults.getByLabel('Body as JSON').fill('{"slow":true}');
    await faults.getByLabel('Headers as JSON').fill('{"retry-after":"7"}');
    await faults.getByRole('button', { name: 'Set the fault' }).click();
    await faults.getByText('user user-2 · listSessions · 2 left · 0 hits', { exact: true }).waitFor();
    t.equal(await faults.getByLabel('Status').inputValue(), '503', 'the form is empty again');

    t.equal((await call(mock, '/demo/sessions/user-1')).status, 200);
    const response = await call(mock, '/demo/sessions/user-2');
    t.equal(response.status, 429);
    t.equal(response.headers.get('retry-after'), '7');
    t.same(await response.json(), { slow: true });
    await faults.getByText('1 left · 1 hit').waitFor();
    await card(page, 'requests').getByText('fault: status=429').waitFor();
    await faults
      .getByRole('button', { name: 'Clear the fault: wait 1-5 ms, then respond 429' })
      .press('Enter');
    await expectCount(page, '#faults li', initial);
    await page.locator('#faults-title:focus').waitFor();
    t.equal((await call(mock, '/demo/sessions/user-2')).status, 200);
  });

  test('each choice of the form sets the fault that it names', async ({ t, mock, page }) => {
    await mock.clearFaults();
    const faults = card(page, 'faults');
    const choices: [choice: string, text: string, fault: object][] = [
      ['reset-before', 'reset the connection before any effect', { effect: 'reset-before' }],
      ['reset-after', 'reset the connection after the effect', { effect: 'reset-after' }],
      ['truncate', 'end the response inside its body', { effect: 'truncate' }],
      ['malformed', 'send a malformed body', { effect: 'malformed' }],
      ['slow', 'send the body slowly', { effect: 'slow', bytesPerSecond: 50 }],
      ['cut-upload', 'cut the connection inside the request body', { effect: 'cut-upload', afterBytes: 70 }],
      ['pass', 'let the request pass', { effect: 'pass' }],
      ['delay', 'wait 250 ms', { delayMs: 250 }],
      ['status', 'respond 418', { status: 418 }],
    ];
    t.same(
      (await faults.getByLabel('The mock will').locator('option').evaluateAll(valuesOf)).sort(),
      choices.map(([choice]) => choice).sort(),
    );
    for (const [choice, text, fault] of choices) {
      await faults.getByLabel('The mock will').selectOption(choice);
      if (choice === 'delay') await faults.getByLabel('Delay in ms').fill('250');
      if (choice === 'status') await faults.getByLabel('Status').fill('418');
      if (choice === 'slow') await faults.getByLabel('Bytes per second').fill('50');
      if (choice === 'cut-upload') await faults.getByLabel('After bytes').fill('70');
      await faults.getByLabel('Requests').fill('');
      await faults.getByText('User, share, body, headers').click();
      await faults.getByLabel('Share, 0 to 1').fill('0.25');
      await faults.getByRole('button', { name: 'Set the fault' }).click();
      await faults.getByRole('listitem').getByText(text, { exact: true }).waitFor();
      if (choice === 'slow') await faults.getByRole('listitem').getByText('50 bytes per second').waitFor();
      const set = (await mock.faults()).at(-1);
      t.match(set, { clientId: 'demo', rate: 0.25, times: undefined, ...fault });
      t.equal('status' in (set ?? {}), choice === 'status');
      await faults.getByText('User, share, body, headers').click();
    }
  });

  test('the faults of a client are cleared together; faults of all clients show and stay', async ({
    t,
    mock,
    page,
  }) => {
    await mock.clearFaults();
    await mock.addClient({ clientId: 'acme' });
    await mock.addFault({ status: 500 });
    for (const clientId of ['demo', 'demo', 'acme']) await mock.addFault({ clientId, status: 503 });
    const faults = card(page, 'faults');
    await expectCount(page, '#faults li', 3);
    await faults.getByRole('button', { name: 'Clear those of this client' }).click();
    await faults.getByText('all clients · every route · 0 hits').waitFor();
    await expectCount(page, '#faults li', 1);
    t.match(await mock.faults(), [{ status: 500 }, { clientId: 'acme' }]);
  });

  test('problems show at their fields, in folded parts as well, the first gets the focus, and each goes with its correction', async ({
    t,
    page,
  }) => {
    await card(page, 'links').getByText('Make a link').click();
    const callback = page.getByLabel('Callback URL');
    const email = page.getByLabel('Contact email');
    await callback.fill('http://example.com/');
    await page.getByText('Help and privacy').click();
    await email.fill('nothing');
    await page.getByText('Help and privacy').click();
    await email.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Make the link' }).click();
    await email.waitFor();
    t.equal(await callback.getAttribute('aria-invalid'), 'true');
    await page.locator('[name="/request/callbackUrl"]:focus').waitFor();
    await callback.fill('https://example.com/done');
    await expectCount(page, '#links [aria-invalid]', 1);
    await page.locator('[name="/request/callbackUrl"]:focus').waitFor();
    await email.fill('help@example.com');
    await expectCount(page, '#links :is([role=alert], [aria-invalid])', 0);
    await page.getByText('Policy to prefill').click();
    await page.getByLabel('Policy as JSON').fill('{"holder":{"firstName":5}}');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await card(page, 'links').getByText('/holder/firstName').waitFor();
    t.equal(await page.getByText('must be string').count(), 1);
    await page.getByLabel('Policy as JSON').fill('{');
    await expectCount(page, '#links :is([role=alert], [aria-invalid])', 0);
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.locator('#links [aria-invalid]').waitFor();
    await page.getByLabel('Policy as JSON').fill('');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await card(page, 'links').getByText('created', { exact: true }).waitFor();
    t.equal(await page.locator('[aria-invalid]').count(), 0);
  });
};
await testDashboard(t, define);

function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.innerText');
}

function valuesOf(options: unknown[]): string[] {
  return options.map((option) => (option as { value: string }).value);
}
