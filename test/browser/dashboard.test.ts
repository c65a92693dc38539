// The dashboard in real Chromium: what happens to the mock shows by itself, and nothing the reader does is lost by it.
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { list, send } from '../mock-server/client.js';
import { mintLink } from '../mock-server/links.js';
import { launchChromium } from './chromium.js';
import { focusedId, live, openDashboard, stateOf } from './dashboard-page.js';

const browser = await launchChromium(t);
if (browser !== undefined) {
  const open = (t: Test, mock: MockServer) => openDashboard(t, browser, mock);

  t.test(
    'a link is made, opened in a second tab and submitted: the first tab shows it all by itself',
    async (t) => {
      await using mock = await startMockServer({ port: 0 });
      const { page, context, assertClean } = await open(t, mock);
      await page.getByRole('button', { name: 'Make the link' }).click();
      await stateOf(page, 'created').waitFor();
      const count = await live(page, 'sessions').getByRole('row').count();
      const [second] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: 'Open it in a new tab' }).click(),
      ]);
      await stateOf(page, 'opened').waitFor();
      for (let step = 0; step < 3; step++) await second.getByRole('button', { name: 'Next' }).click();
      await second.getByRole('button', { name: 'Send claim' }).click();
      await second.getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
      const reference = await second.locator('[data-reference]').innerText();

      await stateOf(page, 'submitted').waitFor();
      await live(page, 'sessions').getByRole('cell', { name: reference }).waitFor();
      t.equal(await live(page, 'sessions').getByRole('row').count(), count + 1);
      await live(page, 'links').getByText(reference).waitFor();
      const calls = await live(page, 'journal').getByRole('listitem').allInnerTexts();
      t.match(calls[0], /200[\s\S]*POST[\s\S]*\/verify\/[\s\S]*submitClaim/);
      t.match(calls[1], /200[\s\S]*GET[\s\S]*openLink/);
      t.match(await page.locator('#announcer').innerText(), /submitted|came in/, 'a screen reader is told');
      assertClean();
    },
  );

  t.test('a fault is set, happens, and its hit is shown', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page, assertClean } = await open(t, mock);
    await page.getByLabel('Route').selectOption('listSessions');
    await page.getByLabel('Status', { exact: true }).fill('429');
    await page.getByLabel('Times').fill('2');
    await page.getByRole('button', { name: 'Set the fault' }).click();
    await live(page, 'faults').getByText('2 left · 0 hits').waitFor();
    t.equal(await page.getByLabel('Status', { exact: true }).inputValue(), '503', 'the form is fresh again');
    t.equal((await list(mock.url, 'user-1')).status, 429);
    await live(page, 'faults').getByText('1 left · 1 hit').waitFor();
    await live(page, 'journal').getByText('fault: 429').waitFor();
    await page.getByRole('button', { name: 'Clear the fault answer 429' }).click();
    await live(page, 'faults').getByText('None: the service answers').waitFor();
    t.equal((await list(mock.url, 'user-1')).status, 200);
    await live(page, 'journal').locator('.status.good').waitFor();
    assertClean();
  });

  t.test('the clock is advanced and the link expires; a reset brings everything back', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page, assertClean } = await open(t, mock);
    const url = await mintLink(mock.url);
    await stateOf(page, 'created').waitFor();
    await page.getByRole('button', { name: '+1 day on the clock' }).click();
    await stateOf(page, 'expired').waitFor();
    await live(page, 'clock').getByText('1 d ahead of the real time').waitFor();
    t.equal((await send(url)).status, 410);
    await page.getByRole('button', { name: 'Freeze the clock' }).click();
    await live(page, 'clock').getByText('frozen').waitFor();
    await page.getByRole('button', { name: 'Reset demo' }).click();
    await live(page, 'links').getByText('No links yet.').waitFor();
    await live(page, 'journal').getByText('No requests yet.').waitFor();
    await live(page, 'clock').getByText('the real time', { exact: true }).waitFor();
    t.equal(mock.clock.read({ clientId: 'demo' }).offsetMs, 0);
    assertClean();
  });

  t.test('a link that expires by time alone is shown expired, without any event', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page, assertClean } = await open(t, mock);
    await mintLink(mock.url);
    await stateOf(page, 'created').waitFor();
    const [link] = mock.links();
    // The turn of the clock is an event; the end of the link, a second later, is none.
    mock.clock.set(new Date((link?.expiresAt.getTime() ?? 0) - 1000), { clientId: 'demo' });
    await stateOf(page, 'expired').waitFor();
    assertClean();
  });

  t.test('what others do to the mock shows: clients, snapshots restored, links revoked', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page, assertClean } = await open(t, mock);
    await mintLink(mock.url);
    await stateOf(page, 'created').waitFor();
    const snapshot = mock.snapshot({ clientId: 'demo' });
    await mock.revokeLink(mock.links()[0]?.id ?? '');
    await stateOf(page, 'revoked').waitFor();
    mock.restore(snapshot);
    await stateOf(page, 'created').waitFor();
    await mock.addClient({ clientId: 'added-elsewhere' });
    await page.getByRole('link', { name: 'added-elsewhere' }).waitFor();
    assertClean();
  });

  t.test('focus, what is being typed and what is open outlive the changes around them', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page, assertClean } = await open(t, mock);
    await page.getByText('Policy to prefill').click();
    await page.getByLabel('Provider').fill('Half a na');
    await mintLink(mock.url);
    await stateOf(page, 'created').waitFor();
    await page.keyboard.type('me');
    t.equal(await page.getByLabel('Provider').inputValue(), 'Half a name');
    t.equal(await page.getByLabel('Provider').isVisible(), true);

    const button = live(page, 'links')
      .getByRole('button', { name: /^Revoke/ })
      .last();
    await button.focus();
    await mintLink(mock.url, 'user-2');
    await live(page, 'links').getByRole('link', { name: 'user-2', exact: true }).waitFor();
    t.equal(await focusedId(page), await button.getAttribute('id'));
    await page.keyboard.press('Enter');
    await stateOf(page, 'revoked').waitFor();
    t.match(await focusedId(page), /^link-/, 'the button is gone: its row has the focus');
    assertClean();
  });

  t.test('what is wrong with a form is told at the field, which gets the focus', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page, assertClean } = await open(t, mock);
    await page.getByLabel('Callback URL').fill('http://example.com/');
    await page.getByText('Help and privacy').click();
    await page.getByLabel('Contact email').fill('nobody');
    await page.getByText('Help and privacy').click();
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByRole('alert').getByText('This was not accepted:').waitFor();
    const field = page.getByLabel('Callback URL');
    t.equal(await focusedId(page), await field.getAttribute('id'));
    t.equal(await field.getAttribute('aria-invalid'), 'true');
    t.equal(await page.getByLabel('Contact email').isVisible(), true, 'the fold with the other one is open');
    await field.fill('https://example.com/done');
    await page.getByLabel('Contact email').fill('help@example.com');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await stateOf(page, 'created').waitFor();
    t.equal(await page.getByRole('alert').count(), 0);
    t.equal(await page.locator('[aria-invalid]').count(), 0);
    t.equal(
      await field.inputValue(),
      'https://example.com/done',
      'the next link begins with what this one had',
    );
    assertClean();
  });
}
