// The dashboard of a mock in Chromium, for its tests.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { MockServer } from '../../mock-server/index.js';

/** The dashboard of a mock in a browser; `assertClean` at the end of the test holds its console against it. */
export async function openDashboard(
  t: Test,
  browser: Browser,
  mock: MockServer,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  let loads = 0;
  context.on('page', (other) => other.on('pageerror', (error) => complaints.push(String(error))));
  page.on('console', (message) => {
    // Chromium itself reports an answer of 400: that is the answer under test.
    const isExpected = /status of 400/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('load', () => loads++);
  await page.goto(mock.dashboardUrl);
  if (options.javaScriptEnabled !== false) await page.getByText('live', { exact: true }).waitFor();
  const assertClean = () => {
    t.same(complaints, [], 'the console shows no error and no policy violation');
    t.equal(loads, 1, 'the page was loaded once');
  };
  return { page, context, assertClean };
}

/** The part of it that is brought up to date under this name. */
export function live(page: Page, name: string) {
  return page.locator(`[data-live="${name}"]`);
}

/** The id of what has the focus. */
export function focusedId(page: Page) {
  return page.evaluate<string>('document.activeElement?.id ?? ""');
}

/** Where a link of this state is told. */
export function stateOf(page: Page, state: string) {
  return live(page, 'links').locator(`.state.${state}`);
}
