// The dashboard of a mock in a browser, for its tests.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { MockServer } from '../../mock-server/index.js';
import { newWatchedPage } from './engines.js';
import { until } from './portal.js';

/** Opens the dashboard. Call `assertClean` at the end of the test: it checks the console and that nothing reloaded. */
export async function openDashboard(
  t: Test,
  browser: Browser,
  mock: MockServer,
  options: BrowserContextOptions = {},
) {
  const size = { viewport: { width: 1280, height: 900 } };
  // Chromium itself reports a response with an error: these tests cause some.
  const expected = /status of 4\d\d/;
  const { page, context, complaints } = await newWatchedPage(t, browser, { ...size, ...options }, expected);
  let loads = 0;
  page.on('load', () => loads++);
  await page.goto(mock.dashboardUrl);
  await page.getByText('live', { exact: true }).waitFor();
  const assertClean = () => {
    t.same(complaints, [], 'the console shows no error and no policy violation');
    t.equal(loads, 1, 'the page was loaded once');
  };
  return { page, context, assertClean };
}

/** A card of the page. */
export function card(page: Page, name: string) {
  return page.locator(`section#${name}`);
}

/** Calls the API as a client does. */
export function call(
  mock: MockServer,
  path: string,
  { key = 'clk_test_demo', body = undefined as unknown } = {},
) {
  return fetch(`${mock.url}${path}`, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
}

/** Makes a link of a user of the client `demo`. */
export function makeLink(mock: MockServer, userId = 'user-1') {
  return mock.createLink('demo', {
    callbackUrl: 'https://example.com/done?reference={SESSION_REFERENCE}',
    config: { contact: { email: 'claims@example.com', phone: '1' }, currentUserId: userId },
  });
}

/** Waits until exactly so many elements match. */
export async function expectCount(page: Page, selector: string, count: number): Promise<void> {
  if (count > 0)
    await page
      .locator(selector)
      .nth(count - 1)
      .waitFor();
  await page.locator(selector).nth(count).waitFor({ state: 'detached' });
}

/** Waits until a field has this value. The policy of the page allows no `waitForFunction`. */
export async function expectValue(page: Page, selector: string, value: string): Promise<void> {
  await until(page, async () => (await page.locator(selector).inputValue()) === value);
}
