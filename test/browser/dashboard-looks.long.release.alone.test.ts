// The looks of the dashboard in Chromium: nothing overflows or overlaps and axe finds nothing, light and dark, wide and narrow.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { call, card, makeLink, openDashboard } from './dashboard-page.js';
import { skipsShortRun } from './launch.js';

const ARABIC = 'شركة التأمين التجريبية للسيارات والممتلكات';

const browser = skipsShortRun(t, 'the looks of the dashboard') ? undefined : await launchChromium(t);
if (browser !== undefined) {
  for (const width of [1280, 390]) {
    t.test(`at ${width} px nothing overflows or overlaps, and axe finds nothing`, async (t) => {
      await using mock = await startMockServer({ port: 0 });
      await fill(mock);
      const { page, assertClean } = await openDashboard(t, browser, mock, {
        viewport: { width, height: 900 },
      });
      await card(page, 'requests').getByRole('listitem').first().waitFor();
      await card(page, 'sessions').getByText(ARABIC).first().waitFor();
      await check(t, page, width, 'closed');
      await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
      await breakFault(page);
      await check(t, page, width, 'everything open');
      assertClean();
    });
  }
}

/** Gives the mock one of everything that the dashboard shows, some of it long. */
async function fill(mock: MockServer): Promise<void> {
  const links = [];
  for (const user of ['user-1', 'user-2', 'user-3', 'u'.repeat(100)]) links.push(await makeLink(mock, user));
  const [first, second, third, fourth] = links.map(({ url }) => url);
  await mock.submitLink(first ?? '');
  await mock.revokeLink(second ?? '');
  await mock.expireLink(third ?? '');
  await mock.openLink(fourth ?? '');
  await mock.addFault({ clientId: 'demo', status: 503, delayMs: '10-20', times: 1, route: 'listSessions' });
  await call(mock, '/demo/sessions/user-1');
  await mock.addFault({ effect: 'malformed', rate: 0.25, times: 1, userId: 'u'.repeat(100) });
  await call(mock, `/demo/sessions/${'s'.repeat(90)}`);
  await call(mock, '/demo/sessions/user-1', { key: 'wrong' });
  await call(mock, '/demo/link', { body: { callbackUrl: 'x'.repeat(500) } });
  await mock.updateClient('demo', { name: `${ARABIC} ${'n'.repeat(50)}` });
  await mock.setSessions('demo', 'user-1', [
    { reference: 'R'.repeat(100), status: 's'.repeat(100), selectedPolicy: { provider: 'p'.repeat(200) } },
    { status: 'قيد المراجعة', selectedPolicy: { provider: ARABIC } },
  ]);
  await mock.addClient({ clientId: 'c'.repeat(100) });
  await mock.setClock({ isFrozen: true }, { clientId: 'demo' });
}

async function breakFault(page: Page): Promise<void> {
  await card(page, 'faults').getByLabel('Status').fill('42');
  await card(page, 'faults').getByRole('button', { name: 'Set the fault' }).click();
  await card(page, 'faults').locator('[aria-invalid]').waitFor();
}

/** Returns the parts of rows that cover another part, and the boxes that their content leaves. */
const FAULTS_OF_LAYOUT = `[
  ...[...document.querySelectorAll('.session, .request, .link, .fault, .head, .top .row')].flatMap((row) =>
    [...row.children].filter((part, index) => {
      const box = part.getBoundingClientRect();
      return [...row.children].slice(index + 1).some((other) => {
        const { left, right, top, bottom } = other.getBoundingClientRect();
        return left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1;
      });
    })),
  ...[...document.querySelectorAll('.card *')].filter((box) =>
    box.clientWidth > 1 && box.scrollWidth > box.clientWidth + 1 && !box.matches('.url, input, select, textarea')),
].map((part) => part.className + ' ' + part.textContent.slice(0, 40))`;

async function check(t: Test, page: Page, width: number, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const actual = await page.evaluate<number>('document.documentElement.scrollWidth');
    t.ok(actual <= width, `${name}, ${colorScheme}: ${actual} px wide`);
    t.same(await page.evaluate(FAULTS_OF_LAYOUT), [], `${name}, ${colorScheme}`);
    t.same(await axeViolations(page), [], `${name}, ${colorScheme}: axe finds nothing`);
  }
}
