// What the pages say of time, and when: waits, the deadline of the link and the countdown. A screen reader says each once.
import type { Page } from 'playwright-core';
import t from 'tap';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';
import { openPage } from './page-walk.js';

const browser = await launchChromium(t);
const REVIEW = { initialStepKey: 'review' };
const SENT = 'Your claim has been sent';
const MINUTE_MS = 60_000;

if (browser !== undefined) {
  const host = await startHost(t);
  const send = (page: Page, name = 'Send claim') => page.getByRole('button', { name }).click();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const responses = new WeakMap<Page, { status: number; body: string; headers: Record<string, string> }[]>();
  /** Answers the next request in place of the service; of several, the last one comes first. One route does it all. */
  const respond = async (page: Page, status: number, headers: Record<string, string> = {}) => {
    const response = { status, body: 'slow down', headers };
    const waiting = responses.get(page);
    if (waiting) return void waiting.unshift(response);
    const queue = [response];
    responses.set(page, queue);
    await page.route('**/verify/**', (route) => {
      const next = queue.shift();
      return next ? route.fulfill(next) : route.continue();
    });
  };
  const focusedId = (page: Page) => page.evaluate('document.activeElement.id');

  /** Opens a page whose clock stands, and moves by the test alone. */
  async function openStill(t: Parameters<typeof openPage>[0], url: string): Promise<Page> {
    const page = await openPage(t, browser as NonNullable<typeof browser>, 'about:blank');
    await page.clock.install();
    await page.goto(url);
    await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 1000);
    return page;
  }

  /** Sends the claim, and moves the clock until the page sends it again by itself. Returns the time in milliseconds. */
  async function sendTwice(page: Page): Promise<number> {
    let requests = 0;
    page.on('request', () => requests++);
    // The clock would end a request that has no response.
    const response = page.waitForResponse('**/verify/**');
    await send(page);
    await (await response).finished();
    let milliseconds = 0;
    for (; requests < 2 && milliseconds < 20_000; milliseconds += 100) {
      t.equal(await page.locator('#send').innerText(), 'Sending…');
      await page.clock.runFor(100);
    }
    return milliseconds;
  }

  /** Records the texts of the live regions as they change. */
  async function listen(page: Page): Promise<() => Promise<string[]>> {
    await page.evaluate(`{
      window.heard = [];
      const texts = new Map();
      const read = () => {
        for (const region of document.querySelectorAll('[role=status], [role=alert]')) {
          const text = region.getClientRects().length > 0 ? region.innerText.trim() : '';
          if (text && texts.get(region) !== text) heard.push(text);
          texts.set(region, text);
        }
      };
      read();
      new MutationObserver(read).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    }`);
    return () => page.evaluate('window.heard.splice(0)');
  }

  for (const [retryAfter, wait, seconds] of [
    ['30', 'in 30 seconds', 30],
    [undefined, 'in 60 seconds', 60],
    ['600', 'in 10 minutes', 120],
  ] as const) {
    t.test(`a 429 with Retry-After ${retryAfter}: the button waits ${seconds} seconds`, async (t) => {
      const page = await openStill(t, await host.mint(REVIEW));
      const heard = await listen(page);
      await respond(page, 429, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      await send(page);
      const notSent = 'Your claim was not sent.';
      const rest = 'Nothing you typed is lost. Try again: a claim is never taken twice.';
      await page.getByText(`${notSent} We are getting too many requests. Try again ${wait}.`).waitFor();
      const button = page.locator('#send');
      t.equal(await button.getAttribute('aria-disabled'), 'true');
      t.equal(await button.getAttribute('disabled'), null, 'it keeps the focus');
      t.equal(await focusedId(page), 'send');
      t.equal(await button.textContent(), `Send claim\u00a0(${seconds})`);
      t.equal(
        await page.getByRole('button', { name: 'Send claim', exact: true }).count(),
        1,
        'the name does not count',
      );
      t.same(await heard(), [`${notSent} We are getting too many requests. Try again ${wait}. ${rest}`]);
      let requests = 0;
      page.on('request', () => requests++);
      await button.press('Enter');
      await page.clock.runFor((seconds - 1) * 1000);
      t.equal(await button.textContent(), 'Send claim\u00a0(1)');
      t.same([requests, await heard()], [0, []]);
      await page.clock.runFor(1000);
      t.equal(await button.textContent(), 'Send claim');
      t.equal(await button.getAttribute('aria-disabled'), null);
      t.same(await heard(), [`${notSent} You can send it again now. ${rest}`]);
      t.equal(requests, 0, 'the person sends it');
      await button.press('Enter');
      await heading(page, SENT);
    });
  }

  t.test(
    'a 503 with a short Retry-After is repeated once by itself, while the page says that it sends',
    async (t) => {
      const page = await openStill(t, await host.mint(REVIEW));
      const heard = await listen(page);
      await respond(page, 503, { 'retry-after': '5' });
      t.ok((await sendTwice(page)) >= 5000);
      t.same(await heard(), ['Sending your claim.']);
      await heading(page, SENT);
    },
  );

  t.test('each further 503 is not known', async (t) => {
    const page = await openStill(t, await host.mint(REVIEW));
    await respond(page, 503, { 'retry-after': '5' });
    await respond(page, 503, { 'retry-after': '5' });
    await sendTwice(page);
    await page.getByText('We do not know whether your claim arrived.').waitFor();
    await respond(page, 503, { 'retry-after': '5' });
    await send(page, 'Send again');
    await page.getByText('We do not know whether your claim arrived.').waitFor();
    await send(page, 'Send again');
    await heading(page, SENT);
  });

  t.test('a rejection after a 503 that was repeated does not say that nothing was sent', async (t) => {
    const page = await openStill(t, await host.mint(REVIEW));
    await respond(page, 429);
    await respond(page, 503, { 'retry-after': '5' });
    await sendTwice(page);
    await page
      .getByText('We do not know whether your claim arrived. We are getting too many requests.')
      .waitFor();
  });

  t.test('while it sends, the button keeps the focus and is pressed in vain', async (t) => {
    const page = await openPage(t, browser, await host.mint(REVIEW));
    let requests = 0;
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    await page.route('**/verify/**', async (route) => {
      requests++;
      await ended;
      await route.fulfill({ status: 500, body: 'down' });
    });
    await page.locator('#send').press('Enter');
    await page.locator('#claim[aria-busy="true"]').waitFor();
    t.equal(await focusedId(page), 'send');
    await page.locator('#send').press('Enter');
    end();
    await page.getByText('We do not know whether your claim arrived.').waitFor();
    t.equal(requests, 1);
    t.equal(await page.locator('#send').getAttribute('aria-disabled'), null);
  });

  t.test('the deadline shows in the last two hours, and is said ten and two minutes before', async (t) => {
    const page = await openStill(t, await host.mint());
    const note = page.locator('#until');
    const heard = await listen(page);
    const KEPT = 'What you have typed stays in this tab after that.';
    const day = 24 * 60;
    t.equal(await note.isVisible(), false);
    await page.clock.fastForward((day - 121) * MINUTE_MS);
    await page.clock.runFor(10_000);
    t.equal(await note.isVisible(), false);
    await page.clock.runFor(MINUTE_MS);
    t.match(await note.innerText(), /^This link works until \d\d:\d\d\.$/);
    t.same(await heard(), []);
    await page.clock.fastForward(110 * MINUTE_MS);
    await page.clock.runFor(10_000);
    const [ten = '', ...more] = await heard();
    t.match(ten, /^This link works until \d\d:\d\d \(in 10 minutes\)\. /);
    t.ok(ten.endsWith(KEPT));
    t.same(more, []);
    t.equal(await note.innerText(), ten);
    await page.clock.runFor(7 * MINUTE_MS);
    t.same(await heard(), []);
    await page.clock.runFor(MINUTE_MS);
    t.match(await heard(), [/ \(in 2 minutes\)\. /]);
    await page.clock.runFor(5 * MINUTE_MS);
    t.same(await heard(), []);
    t.notMatch(await note.innerText(), /in \d/);
  });

  t.test('the deadline follows the clock of the page, and a tab that is shown again reads it', async (t) => {
    const page = await openPage(t, browser, 'about:blank');
    await page.clock.install({ time: new Date('2031-01-01T00:00:00Z') });
    await page.goto(await host.mint());
    t.equal(await page.locator('#until').isVisible(), false, 'a wrong clock changes nothing');
    await page.clock.setFixedTime(new Date('2031-01-01T23:30:00Z'));
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    t.equal(await page.locator('#until').isVisible(), true);
  });

  t.test('without JavaScript, the deadline shows from a day on', async (t) => {
    const page = await openPage(t, browser, await host.mint(), { javaScriptEnabled: false });
    t.match(await page.locator('#until').innerText(), /This link works until .*UTC/);
  });

  t.test('the countdown is said when it begins and 20 seconds before its end', async (t) => {
    const page = await openStill(t, await host.mint(REVIEW));
    const heard = await listen(page);
    await send(page);
    await page.locator('[data-countdown]').waitFor();
    await page.clock.runFor(39_000);
    const target = `You will be taken back to ${new URL(host.callbackOrigin).host}.`;
    t.same(await heard(), [`${target} Seconds left: 59`]);
    await page.clock.runFor(1000);
    t.same(await heard(), [`${target} Seconds left: 20`]);
    await page.clock.runFor(10_000);
    t.same(await heard(), []);
  });

  t.test('what was copied is said, each time', async (t) => {
    const page = await openPage(t, browser, await host.mint(REVIEW));
    await page.context().grantPermissions(['clipboard-write']);
    await send(page);
    const heard = await listen(page);
    for (const _time of [1, 2]) {
      await page.locator('[data-copy]').click();
      await page.locator('[data-result-status]').getByText('Copied').waitFor();
    }
    t.same(
      (await heard()).filter((text) => text === 'Copied'),
      ['Copied', 'Copied'],
    );
  });
}
