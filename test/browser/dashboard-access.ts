// Runs the tests of the dashboard without a control token and, in a long run, again with one.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Test } from 'tap';
import { type MockServer, type MockServerOptions, startMockServer } from '../../mock-server/index.js';
import { sized } from '../size.js';
import { launchChromium } from './chromium.js';
import { openDashboard } from './dashboard-page.js';
import { launchFirefox } from './firefox.js';

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
  /** A test that runs in Firefox as well, if `journeysInFirefox` is set. */
  journey(name: string, body: (t: Test) => Promise<void>): void;
  start(options?: MockServerOptions): Promise<MockServer>;
  open(t: Test, mock: MockServer, options?: BrowserContextOptions): ReturnType<typeof openDashboard>;
}

/** Defines the tests of each run, and resolves to Chromium. Without a browser there is no run. */
export async function testDashboard(
  t: Test,
  define: (tests: DashboardTests) => void,
  { journeysInFirefox = false } = {},
): Promise<Browser | undefined> {
  // tap ends a test whose subtests have ended, so all browsers start before the first one.
  const chromium = await launchChromium(t);
  const firefox = journeysInFirefox ? await launchFirefox(t) : undefined;
  for (const { suffix, mockOptions, contextOptions } of sized([WITHOUT_TOKEN, WITH_TOKEN], [WITHOUT_TOKEN])) {
    if (chromium === undefined) break;
    const test: DashboardTests['test'] = (name, body) => void t.test(name + suffix, body);
    define({
      test,
      journey: test,
      start: (options) => startMockServer({ port: 0, ...mockOptions, ...options }),
      open: (t, mock, options) => openDashboard(t, chromium, mock, { ...contextOptions, ...options }),
    });
  }
  if (firefox !== undefined) {
    define({
      test() {},
      journey: (name, body) => void t.test(`${name}, in Firefox`, body),
      start: (options) => startMockServer({ port: 0, ...options }),
      open: (t, mock, options) => openDashboard(t, firefox, mock, options),
    });
  }
  return chromium;
}

/** Clients of a mock: `demo`, then `demo-2` and so on. */
export function clientsOf(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const suffix = index === 0 ? '' : `-${index + 1}`;
    return {
      clientId: `demo${suffix}`,
      apiKey: `clk_test_demo${suffix}`,
      name: `Demo Insurance${suffix.replace('-', ' ')}`,
    };
  });
}
