// Runs the tests of the dashboard without a control token and, by `npm run test:release`, its journeys with one and in Firefox.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Test } from 'tap';
import { type MockServer, type MockServerOptions, startMockServer } from '../../mock-server/index.js';
import { IS_RELEASE } from '../size.js';
import { launchChromium } from './chromium.js';
import { openDashboard } from './dashboard-page.js';
import { launchFirefox } from './firefox.js';

export const TOKEN = 'a-token-of-16-characters';

/** What a browser needs to use a mock with `controlToken: TOKEN`. */
export const CREDENTIALS = { httpCredentials: { username: 'any', password: TOKEN } };

/** How the tests of one run start a mock and open its dashboard. */
export interface DashboardTests {
  test(name: string, body: (t: Test) => Promise<void>): void;
  /** A test that `npm run test:release` repeats with a control token and in Firefox. */
  journey(name: string, body: (t: Test) => Promise<void>): void;
  start(options?: MockServerOptions): Promise<MockServer>;
  open(t: Test, mock: MockServer, options?: BrowserContextOptions): ReturnType<typeof openDashboard>;
}

/** Defines the tests of each run, and resolves to Chromium. Without a browser there is no run. */
export async function testDashboard(
  t: Test,
  define: (tests: DashboardTests) => void,
): Promise<Browser | undefined> {
  // tap ends a test whose subtests have ended, so both browsers start before the first one.
  const chromium = await launchChromium(t);
  const firefox = IS_RELEASE ? await launchFirefox(t) : undefined;
  if (chromium !== undefined) {
    const test: DashboardTests['test'] = (name, body) => void t.test(name, body);
    define({ test, journey: test, ...createAccess(chromium) });
    if (IS_RELEASE)
      defineJourneys(', with a control token', createAccess(chromium, { controlToken: TOKEN }, CREDENTIALS));
  }
  if (firefox !== undefined) defineJourneys(', in Firefox', createAccess(firefox));
  return chromium;

  function defineJourneys(suffix: string, access: Pick<DashboardTests, 'start' | 'open'>): void {
    define({ test() {}, journey: (name, body) => void t.test(name + suffix, body), ...access });
  }
}

function createAccess(
  browser: Browser,
  mockOptions: MockServerOptions = {},
  contextOptions: BrowserContextOptions = {},
): Pick<DashboardTests, 'start' | 'open'> {
  return {
    start: (options) => startMockServer({ port: 0, ...mockOptions, ...options }),
    open: (t, mock, options) => openDashboard(t, browser, mock, { ...contextOptions, ...options }),
  };
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
