// Browsers with a window, whose content a screen reader can read.
import { join } from 'node:path';
import { chromium, firefox, type Page } from 'playwright-core';
import type { Test } from 'tap';
import type { Desktop } from './programs.js';

const CHROMIUM = '/usr/bin/chromium';
const FIREFOX = '/usr/bin/firefox-esr';

export const BROWSER_PACKAGES = { [CHROMIUM]: 'chromium', [FIREFOX]: 'firefox-esr' };

/** Shows a URL in the window of a browser, which ends with the test. */
export type Open = (t: Test, desktop: Desktop, url: string) => Promise<Page>;

export const openInChromium: Open = async (t, { env, folder }, url) => {
  const context = await chromium.launchPersistentContext(join(folder, 'chromium'), {
    executablePath: CHROMIUM,
    headless: false,
    viewport: null,
    env,
    args: [
      '--disable-gpu',
      '--force-renderer-accessibility',
      '--window-size=1200,950',
      '--test-type',
      `--app=${url}`,
    ],
    // The window of an app has no address bar, which would have the focus.
    ignoreDefaultArgs: ['about:blank'],
  });
  t.teardown(() => context.close());
  const page = context.pages()[0] ?? (await context.waitForEvent('page'));
  page.setDefaultTimeout(120_000);
  return page;
};

export const openInFirefox: Open = async (t, { env }, url) => {
  const browser = await firefox.launch({
    executablePath: FIREFOX,
    channel: 'moz-firefox',
    headless: false,
    env: { ...env, GNOME_ACCESSIBILITY: '1' },
    firefoxUserPrefs: { 'accessibility.force_disabled': -1 },
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: null });
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  return page;
};
