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

/** A mock and its dashboard in a browser. After the test, its console is checked, and that the page was loaded once. */
type Opened = { t: Test; mock: MockServer } & Omit<Awaited<ReturnType<typeof openDashboard>>, 'assertClean'>;
type Define<Context> = (name: string, body: (context: Context) => Promise<void>) => void;

/** How the tests of one run start a mock and open its dashboard. */
export interface DashboardTests {
  test: Define<Opened>;
  /** A test that `npm run test:release` repeats with a control token and in Firefox. */
  journey: Define<Opened>;
  /** A test that starts its mock and opens its dashboard itself. */
  bare: Define<Test>;
  start(options?: MockServerOptions): Promise<MockServer>;
  open(t: Test, mock: MockServer, options?: BrowserContextOptions): ReturnType<typeof openDashboard>;
}

type Access = Pick<DashboardTests, 'start' | 'open'>;

/** Defines the tests of each run, and resolves to Chromium. Without a browser there is no run. */
export async function testDashboard(
  t: Test,
  define: (tests: DashboardTests) => void,
): Promise<Browser | undefined> {
  // tap ends a test whose subtests have ended, so both browsers start before the first one.
  const chromium = await launchChromium(t);
  const firefox = IS_RELEASE ? await launchFirefox(t) : undefined;
  if (chromium !== undefined) {
    const access = createAccess(chromium);
    const test = opening(access, '');
    define({ test, journey: test, bare: (name, body) => void t.test(name, body), ...access });
    if (IS_RELEASE)
      defineJourneys(', with a control token', createAccess(chromium, { controlToken: TOKEN }, CREDENTIALS));
  }
  if (firefox !== undefined) defineJourneys(', in Firefox', createAccess(firefox));
  return chromium;

  function defineJourneys(suffix: string, access: Access): void {
    define({ test() {}, journey: opening(access, suffix), bare() {}, ...access });
  }

  function opening({ start, open }: Access, suffix: string): DashboardTests['test'] {
    return (name, body) =>
      void t.test(name + suffix, async (t) => {
        await using mock = await start();
        const { assertClean, ...opened } = await open(t, mock);
        await body({ t, mock, ...opened });
        assertClean();
      });
  }
}

function createAccess(
  browser: Browser,
  mockOptions: MockServerOptions = {},
  contextOptions: BrowserContextOptions = {},
): Access {
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
