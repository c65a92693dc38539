// A claim form in a frame: the page around it, of another origin, learns what happens. No other page does.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { pathOf, startHost as startExample } from '../examples/host.js';
import { serve } from '../listen.js';
import { launchEngines, newWatchedPage, replaceText } from './engines.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { callsOf, embed, frameOf, receivedBy, startPortal, until, waitForCall } from './portal.js';

const SECRET = 'Answers stay in the frame.';
const REVIEW = { initialStepKey: 'review' };

const engines = await launchEngines(t);
const portal = await startPortal(t);
const stranger = await startPortal(t);
let time = Date.now();
// It moves, so that the newest session of the listing is the last one.
const now = () => {
  time += 10;
  return new Date(time);
};
const host = await startHost(
  t,
  { now },
  {
    frameAncestors: ['https://portal.example.com', portal.origin],
    settings: { allowDecline: true },
  },
);
const service = new URL(await host.mint()).origin;
for (const { allowFrames } of [portal, stranger])
  for (const origin of [service, host.callbackOrigin]) allowFrames(origin);

for (const engine of engines) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(name + engine.suffix, body);

  /** Opens a portal in a context of its own, and a link in its frame. */
  async function open(t: Test, url?: string, at = portal, options = {}) {
    // Chromium reports a 4xx in a frame.
    const { page, complaints } = await newWatchedPage(t, engine, options, /status of 4/);
    await page.goto(at.origin);
    if (url !== undefined) await embed(page, url);
    return { page, complaints };
  }

  /** Firefox reports the messages for the other origin of the list. */
  const withoutOther = (complaints: string[]) =>
    complaints.filter((complaint) => !/postMessage.*portal\.example\.com/.test(complaint));

  const send = (page: Page, name = 'Send claim') => frameOf(page).getByRole('button', { name }).click();
  const heightOf = (page: Page) => page.evaluate<number>(`embedded.frame.getBoundingClientRect().height`);
  const contentHeight = (page: Page) =>
    frameOf(page).evaluate<number>('Math.ceil(document.documentElement.getBoundingClientRect().height)');

  /** Waits until the frame is as high as its page. */
  async function waitForFit(page: Page): Promise<void> {
    await waitForCall(page, 'resize');
    await until(page, async () => (await heightOf(page)) === (await contentHeight(page)));
  }

  test('a compact frame has neither header nor help, in each language and on the receipt', async (t) => {
    const { page, complaints } = await open(t);
    await embed(page, await host.mint(REVIEW), { compact: true });
    const frame = () => frameOf(page);
    const hasChrome = () => frame().locator('.top, .help').count();
    await waitForFit(page);
    t.equal(await hasChrome(), 0);
    await frame().locator('.lang > summary').click();
    await frame().getByRole('button', { name: 'Deutsch' }).click();
    await frame().getByRole('button', { name: 'Meldung absenden' }).waitFor();
    t.equal(await hasChrome(), 0, 'another language');
    await waitForFit(page);
    await frame().locator('#send').click();
    await frame().locator('.success').waitFor();
    t.equal(await hasChrome(), 0, 'the receipt');
    t.same(withoutOther(complaints), []);
  });

  test('from the first answer to the reference, without an answer in a message', async (t) => {
    const { page, complaints } = await open(t, await host.mint());
    await waitForCall(page, 'ready');
    await waitForFit(page);
    t.equal(
      await frameOf(page).evaluate('document.documentElement.scrollHeight > innerHeight'),
      false,
      'the frame has nothing to scroll',
    );
    t.equal(await page.getByTitle('Your claim').count(), 1, 'the frame has a name');
    const first = await heightOf(page);
    await frameOf(page).evaluate(
      `for (const type of ['input', 'change'])
        document.querySelector('[name="/incident/description"]').dispatchEvent(new Event(type, { bubbles: true }))`,
    );
    await frameOf(page).locator('.lang > summary').press('Enter');
    await frameOf(page).getByRole('button', { name: 'Next' }).click();
    await waitForFit(page);
    t.not(await heightOf(page), first, 'the frame follows');
    t.same(
      await callsOf(page),
      [['ready']],
      'neither another step nor a script nor another language is an answer',
    );

    const description = frameOf(page).getByLabel('Description');
    await replaceText(description, SECRET);
    await waitForCall(page, 'started');
    await replaceText(description, `${SECRET}.`);
    for (const _step of ['contact', 'review'])
      await frameOf(page).getByRole('button', { name: 'Next' }).click();
    await send(page);
    await waitForCall(page, 'submitted');
    const [newest] = await host.list();
    t.same(
      await callsOf(page),
      [['ready'], ['started'], ['submitted', { reference: newest?.['reference'] }]],
      'each once, in this order',
    );
    await waitForFit(page);
    await frameOf(page).getByRole('heading', { level: 1, name: 'Your claim has been sent' }).waitFor();

    const received = await receivedBy(page);
    t.same([...new Set(received.map(({ origin }) => origin))], [service]);
    const members: Record<string, string[]> = {
      'claimlink:ready': ['type'],
      'claimlink:resize': ['type', 'height'],
      'claimlink:focus': ['type', 'top'],
      'claimlink:started': ['type'],
      'claimlink:submitted': ['type', 'reference'],
    };
    for (const { data } of received) t.same(Object.keys(data), members[String(data['type'])]);
    t.notMatch(JSON.stringify(received), SECRET);
    t.same(withoutOther(complaints), [], 'the policies of both pages allow all of it');
  });

  test('what the user has to see next is in the window', async (t) => {
    const { page } = await open(t, await host.mint());
    await waitForCall(page, 'resize');
    await page.setViewportSize({ width: 500, height: 400 });
    const next = frameOf(page).getByRole('button', { name: 'Next' });
    await next.scrollIntoViewIfNeeded();
    await next.click();
    const heading = frameOf(page).getByRole('heading', { name: 'What happened' });
    await heading.waitFor();
    await until(page, 'received.some(({ data }) => data.type === "claimlink:focus")');
    // In Playwright, the place of an element in a frame is that in the window.
    const { y = Number.NaN } = (await heading.boundingBox()) ?? {};
    t.ok(y >= 0 && y < 400, `${y} pixels below the top`);
  });

  test('a page that has loaded does not move the window', async (t) => {
    const viewport = { width: 500, height: 200 };
    const url = await host.mint({ initialStepKey: 'incident' });
    const { page } = await open(t, url, portal, { viewport });
    await waitForFit(page);
    await page.waitForTimeout(300);
    t.equal(await page.evaluate('scrollY'), 0);
  });

  test('with callbackOnSubmit, the frame goes to the callback and the window stays', async (t) => {
    const { page } = await open(t, await host.mint(REVIEW, { callbackOnSubmit: true }));
    await send(page);
    await until(page, 'frames[0] && calls.some(([name]) => name === "submitted")');
    await frameOf(page).waitForURL(`${host.callbackOrigin}/done?**`);
    t.equal(new URL(page.url()).origin, portal.origin);
    const reference = new URL(frameOf(page).url()).searchParams.get('reference');
    t.same(await callsOf(page), [['ready'], ['submitted', { reference }]]);
    // The window is the same, and its page is of another origin now.
    await frameOf(page).evaluate(
      `parent.postMessage({ type: 'claimlink:submitted', reference: 'forged' }, '*')`,
    );
    await until(page, `received.some(({ data }) => data.reference === 'forged')`);
    t.notMatch(JSON.stringify(await callsOf(page)), 'forged');
  });

  test('a page that leaves when the claim is sent leaves as a whole', async (t) => {
    const { page } = await open(t, await host.mint(REVIEW, { callbackOnSubmit: true }));
    await waitForCall(page, 'ready');
    await page.evaluate(`addEventListener('message', ({ data: { type, reference } }) => {
      if (type === 'claimlink:submitted') location.assign('/?reference=' + encodeURIComponent(reference));
    })`);
    await send(page);
    await page.waitForURL(`${portal.origin}/?reference=**`);
    t.equal(await page.locator('iframe').count(), 0);
  });

  test('a link that takes no claim says why, and a failure that may pass says nothing', async (t) => {
    const url = await host.mint(REVIEW);
    const { page } = await open(t, url);
    await waitForCall(page, 'ready');
    await page.route('**/verify/**', (route) => route.fulfill({ status: 503, body: 'down' }), { times: 1 });
    await send(page);
    await send(page, 'Send again');
    await waitForCall(page, 'submitted');
    t.equal((await callsOf(page)).length, 2, 'a 503 is no message');

    const again = await open(t, url);
    t.same(await waitForCall(again.page, 'unavailable'), { code: 'link_submitted' });

    const expired = await open(t, await host.mint(REVIEW));
    await waitForCall(expired.page, 'ready');
    time += 86_400_000;
    await send(expired.page);
    t.same(await waitForCall(expired.page, 'unavailable'), { code: 'link_expired' });
    await frameOf(expired.page).evaluate('location.reload()');
    await until(expired.page, `calls.filter(([name]) => name === 'unavailable').length === 2`);
    const link = { code: 'link_expired' };
    t.same(await callsOf(expired.page), [
      ['ready'],
      ['ready'],
      ['unavailable', link],
      ['ready'],
      ['unavailable', link],
    ]);
  });

  test('a recipient who declines ends the link for the page around it as well', async (t) => {
    const { page, complaints } = await open(t, await host.mint());
    await waitForCall(page, 'ready');
    await frameOf(page).getByText('This is not for me').click();
    await waitForFit(page);
    await frameOf(page).getByRole('radio', { name: 'Another reason' }).check();
    await frameOf(page).getByRole('button', { name: 'Close the link' }).click();
    t.same(await waitForCall(page, 'unavailable'), { code: 'link_revoked' });
    await frameOf(page).getByRole('heading', { name: 'Thank you for telling us' }).waitFor();
    t.same(
      (await callsOf(page)).map(([name]) => name),
      ['ready', 'ready', 'unavailable'],
    );
    t.notMatch(JSON.stringify(await receivedBy(page)), 'other', 'the reason is in no message');
    t.same(withoutOther(complaints), []);
  });

  test('a claim that differs from the stored one is not told as submitted', async (t) => {
    const url = await host.mint(REVIEW);
    const [{ page }, other] = [await open(t, url), await open(t, url)];
    await waitForCall(other.page, 'ready');
    await send(page);
    await waitForCall(page, 'submitted');
    const { page: late } = other;
    await frameOf(late).getByRole('button', { name: 'Change: What happened' }).click();
    await replaceText(frameOf(late).getByRole('textbox', { name: 'Description' }), 'Another text.');
    for (const _step of ['contact', 'review'])
      await frameOf(late).getByRole('button', { name: 'Next' }).click();
    await send(late);
    t.same(await waitForCall(late, 'unavailable'), { code: 'link_submitted' });
    t.same(
      (await callsOf(late)).map(([name]) => name),
      ['ready', 'started', 'unavailable'],
    );
  });

  test('the browser shows no frame to an origin that is not in the list', async (t) => {
    const url = await host.mint();
    const { page } = await open(t, undefined, stranger);
    await page.evaluate(`frameOnly(${JSON.stringify(url)})`);
    // Browsers load a page of their own instead.
    await until(page, `document.body.hasAttribute('data-loaded')`);
    await page.waitForTimeout(300);
    t.same(await receivedBy(page), []);
  });

  test('an origin that is not in the list gets no message, even if a proxy has removed the policy', async (t) => {
    const proxy = await serve(t, async (req, res) => {
      const response = await fetch(service + req.url);
      res.setHeader('content-type', 'text/html; charset=utf-8').end(await response.text());
    });
    for (const at of [stranger, portal]) at.allowFrames(proxy);
    const url = (await host.mint()).replace(service, proxy);
    const { page } = await open(t, url, stranger);
    await frameOf(page).getByRole('button', { name: 'Next' }).click();
    await frameOf(page).getByLabel('Description').fill(SECRET);
    t.equal(await frameOf(page).evaluate('document.documentElement.dataset.ready'), '');
    const { page: listed } = await open(t, url);
    await waitForCall(listed, 'ready');
    t.same(await receivedBy(page), []);
  });

  test('an unknown link posts nothing, and its page is shown in no frame', async (t) => {
    const url = await host.mint();
    const { page } = await open(t, url.replace(/token=.*/, 'token=none'));
    await page.waitForTimeout(500);
    t.same(await receivedBy(page), []);
    t.equal(await heightOf(page), 600, 'the frame has its first height');
  });

  test('messages of other windows and of other origins call nothing', async (t) => {
    const url = await host.mint(REVIEW);
    const { page } = await open(t, url);
    await waitForCall(page, 'ready');
    const forged = `{ type: 'claimlink:submitted', reference: 'forged' }`;
    await page.evaluate(`postMessage(${forged}, '*')`);
    // Another frame, of the origin of the service.
    await page.evaluate(`frameOnly(${JSON.stringify(url)})`);
    await until(page, `document.body.hasAttribute('data-loaded')`);
    await page.frames()[2]?.evaluate(`parent.postMessage(${forged}, '*')`);
    await until(page, `received.filter(({ data }) => data.reference === 'forged').length === 2`);
    // The frame itself, with messages that are none of claimlink.
    for (const data of ['null', '"claimlink:submitted"', `{ type: 'claimlink:submitted', reference: 7 }`])
      await frameOf(page).evaluate(`parent.postMessage(${data}, '*')`);
    await frameOf(page).evaluate(`parent.postMessage({ type: 'claimlink:resize', height: Infinity }, '*')`);
    await until(page, 'received.some(({ data }) => data?.height === Infinity)');
    t.same(await callsOf(page), [['ready']]);
    await waitForFit(page);

    // The page in the frame listens to no message.
    const before = await frameOf(page).evaluate('document.body.innerHTML');
    for (const type of ['claimlink:submitted', 'claimlink:resize', 'claimlink:focus'])
      await page.evaluate(
        `frames[0].postMessage({ type: '${type}', reference: 'x', height: 1, top: 1 }, '*')`,
      );
    t.equal(await frameOf(page).evaluate('document.body.innerHTML'), before);
  });

  test('remove takes the frame away, and ends the messages', async (t) => {
    const { page } = await open(t, await host.mint());
    await waitForCall(page, 'ready');
    await page.evaluate(`for (let call = 0; call < 2; call++) embedded.remove()`);
    t.equal(await page.locator('iframe').count(), 0);
    // The host may show the frame again: it is then a frame as any other.
    await page.evaluate(`document.body.append(embedded.frame)`);
    await until(page, `received.filter(({ data }) => data.type === 'claimlink:ready').length === 2`);
    t.same(await callsOf(page), [['ready']]);
  });

  test('a URL that would run as code is rejected', async (t) => {
    const { page } = await open(t);
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'https://'])
      await t.rejects(embed(page, url), /TypeError/, url);
    t.equal(await page.locator('iframe').count(), 0);
  });

  test('the portal of the examples shows what happens in its frame', async (t) => {
    const example = await startExample(t, [pathOf('embed/host.mjs')]);
    const { page, complaints } = await newWatchedPage(t, engine, {}, /^$/);
    await page.goto(example.origin + example.path);
    const form = page.frameLocator('iframe[title="Report a claim"]');
    const holder = { firstName: 'Ada', lastName: 'Lovelace', phone: '123', email: 'ada@example.com' };
    await replaceText(form.getByLabel('Policy number'), 'AC-1');
    await page.getByText('You have begun a claim.').waitFor();
    await form.getByLabel('Licence plate').fill('B-AB 123');
    for (const _step of ['incident', 'contact']) await form.getByRole('button', { name: 'Next' }).click();
    for (const [member, value] of Object.entries(holder))
      await form.locator(`[name="/policy/holder/${member}"]`).fill(value);
    await form.getByRole('button', { name: 'Next' }).click();
    await form.getByRole('button', { name: 'Send claim' }).click();
    const text = await page.getByText('We have your claim').innerText();
    const [, reference = ''] = /^We have your claim (\S+)\.$/.exec(text) ?? [];
    t.match(example.log(), `claim ${reference} was submitted`);
    t.same(complaints, []);
    t.equal(await example.end(), 0, 'SIGTERM ends it');
  });

  test('without JavaScript, a framed form takes the claim', async (t) => {
    const { page, complaints } = await open(t, undefined, portal, { javaScriptEnabled: false });
    const url = await host.mint({ policy: COMPLETE_POLICY });
    await page.goto(`${portal.origin}/?frame=${encodeURIComponent(url)}`);
    const button = frameOf(page).getByRole('button', { name: 'Send claim' });
    await button.waitFor();
    await button.press('Enter');
    await frameOf(page).getByRole('heading', { name: 'Your claim has been sent' }).waitFor();
    t.same(complaints, []);
  });
}
