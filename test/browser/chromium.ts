// Real Chromium for tests: found on the machine, never downloaded. In CI it must be there; elsewhere its tests skip.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { Test } from 'tap';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  // The same browser without windows: it takes two thirds of the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the browser and closes it with the test; `undefined`, and the test skipped, where there is none. */
export async function launchChromium(
  t: Test,
  moreArguments: readonly string[] = [],
): Promise<Browser | undefined> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    const message = 'no Chromium on this machine: install it, or set CHROMIUM_PATH';
    if (process.env['CI']) t.fail(message);
    else t.test(`browser tests are skipped: ${message}`, { skip: true }, () => {});
    return undefined;
  }
  const browser = await chromium.launch({ executablePath, args: [...ARGUMENTS, ...moreArguments] });
  t.teardown(() => browser.close());
  return browser;
}
