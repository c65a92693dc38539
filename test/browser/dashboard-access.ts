// Runs the tests of the dashboard without a control token and, in a long run, again with one.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Test } from 'tap';
import { type MockServer, type MockServerOptions, startMockServer } from '../../mock-server/index.js';
import { sized } from '../size.js';
import { launchChromium } from './chromium.js';
import { openDashboard } from './dashboard-page.js';

export const TOKEN = 'a-token-of-16-characters';

/** What a browser needs to use a mock with `controlToken: TOKEN`. */
export const CREDENTIALS = { httpCredentials: { username: 'any', password: TOKEN } };

const WITHOUT_TOKEN = { suffix: '', mockOptions: {}, contextOptions: {} };
const WITH_TOKEN = {
  suffix: ', with a control token',
  mockOptions: { controlToken: TOKEN },
  contextOptions: CREDENTIALS,
};

/** How the tests of one run start a mock and open its dashboard. */
export interface DashboardTests {
  test(name: string, body: (t: Test) => Promise<void>): void;
  start(options?: MockServerOptions): Promise<MockServer>;
  open(t: Test, mock: MockServer, options?: BrowserContextOptions): ReturnType<typeof openDashboard>;
}

/** Defines the tests of each run, and resolves to their browser. Without a browser there is no run. */
export async function testDashboard(
  t: Test,
  define: (tests: DashboardTests) => void,
): Promise<Browser | undefined> {
  const browser = await launchChromium(t);
  if (browser === undefined) return undefined;
  for (const { suffix, mockOptions, contextOptions } of sized([WITHOUT_TOKEN, WITH_TOKEN], [WITHOUT_TOKEN])) {
    define({
      test: (name, body) => void t.test(name + suffix, body),
      start: (options) => startMockServer({ port: 0, ...mockOptions, ...options }),
      open: (t, mock, options) => openDashboard(t, browser, mock, { ...contextOptions, ...options }),
    });
  }
  return browser;
}
