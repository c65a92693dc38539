// The dashboard as a page in real Chromium: adding clients, copying, being offline, no JavaScript.
import type { BrowserContextOptions } from 'playwright-core';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { mintLink } from '../mock-server/links.js';
import { launchChromium } from './chromium.js';
import { live, openDashboard, stateOf } from './dashboard-page.js';

const browser = await launchChromium(t);
if (browser !== undefined) {
  const open = (t: Test, mock: MockServer, options: BrowserContextOptions = {}) =>
    openDashboard(t, browser, mock, options);

  t.test('a client that is added is shown, with its own world', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page } = await open(t, mock);
    await page.getByText('Add a client').click();
    await page.getByLabel('Id of the new client').fill('acme');
    await page.getByRole('button', { name: 'Add the client' }).click();
    await page.waitForURL('**/?client=acme');
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove this client' }).click();
    await page.waitForURL(/\/(?:\?client=demo.*)?$/);
    t.equal(mock.clients.length, 1);
  });

  t.test('id, key, curl lines and links are copied', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const link = await mintLink(mock.url);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, assertClean } = await open(t, mock, { permissions });
    const read = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Copy the API key' }).click();
    await page.getByRole('button', { name: 'Copied the API key' }).waitFor();
    t.equal(await read(), 'clk_test_demo');
    await page.getByRole('button', { name: 'Copy the URL of the link of user-1' }).click();
    await page.getByRole('button', { name: 'Copied the URL of the link' }).waitFor();
    t.equal(await read(), link);
    await page.getByText('From your terminal').click();
    await page.getByRole('button', { name: 'Copy the line that lists sessions' }).click();
    await page.getByRole('button', { name: 'Copied the line that lists' }).waitFor();
    t.match(await read(), /^curl '[^']+\/demo\/sessions\/user-1' \\\n {2}-H 'x-api-key: clk_test_demo'$/);
    assertClean();
  });

  t.test('a mock that goes away and comes back: offline, live again, and up to date', async (t) => {
    const first = await startMockServer({ port: 0 });
    const { page } = await open(t, first);
    await first.close();
    await page.getByText('offline', { exact: true }).waitFor();
    await using again = await startMockServer({ port: first.port });
    await mintLink(again.url);
    await page.getByText('live', { exact: true }).waitFor();
    await stateOf(page, 'created').waitFor();
  });

  t.test('without JavaScript, all of it works as plain forms', async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { page } = await open(t, mock, { javaScriptEnabled: false });
    t.equal(await page.getByRole('button', { name: /^Copy/ }).count(), 0, 'what needs a script is not shown');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByRole('link', { name: 'Open it in a new tab' }).waitFor();
    t.notMatch(page.url(), 'verify', 'no link in the address');
    await page.getByRole('button', { name: 'Submit the link of user-1' }).click();
    await stateOf(page, 'submitted').waitFor();
    await page.getByLabel('Status', { exact: true }).fill('42');
    await page.getByRole('button', { name: 'Set the fault' }).click();
    await page.getByRole('alert').waitFor();
    t.equal(await page.getByLabel('Status', { exact: true }).getAttribute('aria-invalid'), 'true');
    await page.getByLabel('Status', { exact: true }).fill('500');
    await page.getByRole('button', { name: 'Set the fault' }).click();
    await live(page, 'faults').getByText('answer 500', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'All clients' }).click();
    await page.getByRole('button', { name: 'Reset everything' }).click();
    await live(page, 'links').getByText('No links yet.').waitFor();
    t.equal(mock.faults().length, 0);
  });
}
