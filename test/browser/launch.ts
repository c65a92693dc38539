// Real browsers for tests: found on the machine, never downloaded. In CI they must be there; elsewhere their tests skip.
import { existsSync } from 'node:fs';
import type { Browser, BrowserType, LaunchOptions } from 'playwright-core';
import type { Test } from 'tap';
import { IS_LONG } from '../size.js';

export interface Engine {
  name: string;
  type: BrowserType;
  /** An environment variable with the path of the browser. */
  variable: string;
  /** Where the browser usually is. */
  paths: readonly string[];
}

/** Skips the tests of a browser in a short run, and returns whether it does. */
export function skipsShortRun(t: Test, name: string): boolean {
  if (!IS_LONG) t.test(`${name} is skipped: it needs CLAIMLINK_TESTS=long`, { skip: true }, () => {});
  return !IS_LONG;
}

/** Starts the browser and closes it with the test; `undefined`, and the test skipped, where there is none. */
export async function launch(
  t: Test,
  { name, type, variable, paths }: Engine,
  options: LaunchOptions,
): Promise<Browser | undefined> {
  const executablePath = [process.env[variable], ...paths].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (executablePath === undefined) {
    const message = `no ${name} on this machine: install it, or set ${variable}`;
    if (process.env['CI']) t.fail(message);
    else t.test(`browser tests are skipped: ${message}`, { skip: true }, () => {});
    return undefined;
  }
  const browser = await type.launch({ ...options, executablePath });
  t.teardown(() => browser.close());
  return browser;
}
