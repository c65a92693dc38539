// The looks of the dashboard in real Chromium: nothing overflows and axe finds nothing, light and dark, wide and narrow.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { list, send } from '../mock-server/client.js';
import { mintLink } from '../mock-server/links.js';
import { launchChromium } from './chromium.js';
import { openDashboard } from './dashboard-page.js';

const browser = await launchChromium(t);
if (browser !== undefined) {
  for (const width of [1280, 390]) {
    t.test(`at ${width} px nothing overflows, and axe finds nothing`, async (t) => {
      await using mock = await startMockServer({ port: 0 });
      await fill(mock);
      const { page, assertClean } = await openDashboard(t, browser, mock, {
        viewport: { width, height: 900 },
      });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await check(t, page, width, `${colorScheme}, as it is`);
      }
      await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
      await page.getByLabel('Callback URL').fill('nonsense');
      await page.getByLabel('Delay, ms').fill('long');
      await page.getByRole('button', { name: 'Set the fault' }).click();
      await page.locator('[id="add-fault/delayMs-problem"]').waitFor();
      await page.getByRole('button', { name: 'Make the link' }).click();
      await page.locator('[id="make-link/callbackUrl-problem"]').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await check(t, page, width, `${colorScheme}, everything open, with problems`);
      }
      assertClean();
    });
  }
}

/** Gives the mock something of everything that the dashboard can show, some of it long. */
async function fill(mock: MockServer): Promise<void> {
  const users = ['user-1', 'user-2', 'user-3', 'user-1', 'u'.repeat(100)];
  for (const user of users) await mintLink(mock.url, user);
  const [first, second, third, fourth] = mock.links();
  await mock.submitLink(first?.id ?? '');
  await mock.revokeLink(second?.id ?? '');
  mock.expireLink(third?.id ?? '');
  await mock.openLink(fourth?.id ?? '');
  await send(`${mock.url}/demo/sessions/${'s'.repeat(90)}`);
  mock.addFault({ clientId: 'demo', status: 503, delayMs: [10, 20], times: 1, route: 'listSessions' });
  await list(mock.url, 'user-1');
  mock.addFault({ effect: 'malformed', rate: 0.25 });
  await mock.addClient({ clientId: 'c'.repeat(100) });
  await mock.clock.freeze({ clientId: 'demo' });
}

async function check(t: Test, page: Page, width: number, name: string): Promise<void> {
  const actual = await page.evaluate<number>('document.documentElement.scrollWidth');
  t.ok(actual <= width, `${name}: ${actual} px wide`);
  // Evaluated by the debugger, so that the page's policy need not allow it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  t.same(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
    `${name}: axe finds nothing`,
  );
}
