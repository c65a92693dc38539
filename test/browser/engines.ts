// The browsers of the journeys: their rules are written once and hold in each of them.
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { IS_RELEASE } from '../size.js';
import { launchChromium } from './chromium.js';
import { launchFirefox } from './firefox.js';

export interface Engine {
  name: 'Chromium' | 'Firefox';
  /** Ends the names of its tests. */
  suffix: string;
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
}

/**
 * Starts the browsers that the machine has; they end with the test. Firefox: only before a release. Await nothing between
 * the tests of two engines.
 */
export async function launchEngines(t: Test): Promise<Engine[]> {
  const engines: Engine[] = [];
  const chromium = await launchChromium(t);
  if (chromium !== undefined) {
    engines.push({ name: 'Chromium', suffix: '', newContext: (options) => chromium.newContext(options) });
  }
  const firefox = IS_RELEASE ? await launchFirefox(t) : undefined;
  if (firefox !== undefined) {
    let withoutScript: Promise<Browser | undefined> | undefined;
    engines.push({
      name: 'Firefox',
      suffix: ', in Firefox',
      async newContext({ javaScriptEnabled = true, ...options } = {}) {
        if (javaScriptEnabled) return firefox.newContext(options);
        withoutScript ??= launchFirefox(t, { javaScriptEnabled });
        return ((await withoutScript) ?? firefox).newContext(options);
      },
    });
  }
  return engines;
}

/**
 * Replaces the text of a field by keys, as a person does. In Firefox, `fill` is a script to the page. It does nothing without
 * JavaScript, and it appends to the value of a field for an email address.
 */
export async function replaceText(field: Locator, text: string): Promise<void> {
  await field.press('ControlOrMeta+a');
  await field.press('Delete');
  await field.pressSequentially(text);
}

/** Opens the fields of a policy that the link has completed, by the keyboard: Firefox cannot click without JavaScript. */
export async function openPolicy(page: Page): Promise<void> {
  await page.locator('#claim details > summary').press('Enter');
}

/**
 * Creates a page in a context of its own, which ends with the test. `complaints` has the errors and warnings on its
 * console, except for those that match `expected`.
 */
export async function newWatchedPage(
  t: Test,
  browser: Pick<Browser, 'newContext'>,
  options: BrowserContextOptions,
  expected: RegExp,
) {
  const context = await browser.newContext(options);
  t.teardown(() => context.close());
  // Writes to the console what a policy blocks. Chromium does so by itself; Firefox does not tell it to a test.
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error(event.effectiveDirective, event.blockedURI))`);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type()) && !expected.test(message.text());
    if (isComplaint) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, complaints };
}
