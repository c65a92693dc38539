// What a person does with a link, in Chromium: begins the form, declines the link, and asks for another one.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { EVENT_TYPES } from '../../lib/core/types.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { COMPLETE_POLICY, startHost } from './host.js';
import { openPage } from './page-walk.js';

/** Scanners of mail, link previews and bots: names as their requests have them. */
const AGENTS = [
  'Barracuda Sentinel (EE)',
  'Mozilla/5.0 (compatible; Proofpoint URL Defense)',
  'Mimecast Web Crawler',
  'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0) SafeLinks',
  'Microsoft Office/16.0 (Microsoft Outlook 16.0)',
  'Microsoft URL Control - 6.01.9782',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/90.0 Edge/18 BingPreview/1.0b',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; GoogleImageProxy)',
  'Google-Safety',
  'GoogleMessages/1.0 (Preview)',
  'FortiGuard URL rating',
  'Trend Micro WTP',
  'Sophos URL Scanner',
  'Cisco-IronPort URL Analyzer',
  'Symantec Click-time URL Protection',
  'FireEye URL Analysis',
  'ZScaler',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0)',
  'facebookexternalhit/1.1',
  'WhatsApp/2.23.20.0 A',
  'TelegramBot (like TwitterBot)',
  'Twitterbot/1.0',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Discordbot/2.0)',
  'LinkedInBot/1.0',
  'SkypeUriPreview Preview/0.5',
  'Apple-iMessage LinkPresentation',
  'curl/8.5.0',
];

const PREFETCHES = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { purpose: 'prefetch' },
  { 'x-moz': 'prefetch' },
  { 'x-purpose': 'preview' },
];

const browser = await launchChromium(t);
if (browser !== undefined) {
  let time = Date.now();
  const host = await startHost(
    t,
    { events: EVENT_TYPES, now: () => new Date(time) },
    { settings: { allowDecline: true } },
  );
  const asking = await startHost(
    t,
    { events: EVENT_TYPES },
    { settings: { allowDecline: true, recipientCheck: ['/policy/number'] } },
  );

  /** Returns the history of a link. */
  async function history(url: string): Promise<string[]> {
    const [, accessCode = ''] = /verify\/([^?]+)/.exec(url) ?? [];
    const { links } = await host.exportUser();
    const link = links.find(({ linkId }) => linkId === hashAccessCode(accessCode));
    return (link?.history ?? []).map(({ type }) => type);
  }

  /** Waits until a POST of this action has its response. */
  const posted = (page: Page, action: string) =>
    page.waitForResponse((response) => response.request().postData()?.includes(`action=${action}`) === true);

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  async function decline(page: Page, why: string): Promise<void> {
    await page.getByText('This is not for me').click();
    await page.getByLabel('Why is this link not for you?').selectOption(why);
    await page.getByRole('button', { name: 'Close this link' }).click();
    await heading(page, 'Thank you for telling us');
  }

  t.test('the first answer that a person types is one event', async (t) => {
    const url = await host.mint({ policy: {} });
    const page = await openPage(t, browser, url);
    const starts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && starts.push(request.postData() ?? ''));
    const response = posted(page, 'start');
    await page.locator('[name="/policy/number"]').pressSequentially('P-2026');
    t.equal((await response).status(), 204);
    await page.locator('[name="/policy/provider"]').pressSequentially('Acme');
    await page.reload();
    t.equal(await page.locator('[name="/policy/number"]').inputValue(), 'P-2026', 'the draft is back');
    await page.locator('[name="/policy/number"]').pressSequentially('1');
    t.match(starts[0], /^action=start$/, 'nothing else is sent');
    t.same(await history(url), ['link.created', 'link.opened', 'link.started']);
  });

  t.test('scanners, previews, prefetches and a browser without a person start nothing', async (t) => {
    const url = await host.mint({ policy: {} });
    for (const agent of AGENTS) await (await fetch(url, { headers: { 'user-agent': agent } })).text();
    for (const headers of PREFETCHES) await (await fetch(url, { headers })).text();
    await fetch(url, { method: 'HEAD' });
    const page = await openPage(t, browser, url);
    await page.locator('html[data-ready]').waitFor();
    // Scripts of a scanner move, click, scroll and fill in fields without a person.
    await page.evaluate(`(() => {
      const input = document.querySelector('[name="/policy/number"]');
      input.focus();
      input.value = 'scanned';
      for (const type of ['keydown', 'input', 'change', 'click']) input.dispatchEvent(new Event(type, { bubbles: true }));
      scrollTo(0, 1000);
      for (const link of document.links) link.focus();
    })()`);
    await page.mouse.move(100, 200);
    await page.reload();
    await page.locator('html[data-ready]').waitFor();
    t.same(await history(url), ['link.created', 'link.opened']);
  });

  for (const javaScriptEnabled of [true, false]) {
    const test = (name: string, body: (t: Test) => Promise<void>) =>
      t.test(`${name}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, body);

    test('the wrong person declines on the form, and the link opens no form any more', async (t) => {
      const url = await host.mint({ policy: {} });
      const page = await openPage(t, browser, url, { javaScriptEnabled });
      await page.locator('[name="/policy/number"]').fill('P-1');
      await decline(page, 'wrong_person');
      if (javaScriptEnabled) {
        t.same(await axeViolations(page), []);
        t.equal(await page.evaluate('sessionStorage.length'), 0, 'the draft is gone');
      }
      await page.goto(url);
      await heading(page, 'This link has been withdrawn');
      t.ok((await history(url)).includes('link.declined'));
    });

    test('the wrong person declines on the question', async (t) => {
      const page = await openPage(t, browser, await asking.mint(), { javaScriptEnabled });
      await heading(page, 'Please confirm that this link is for you');
      await decline(page, 'other');
      t.notMatch(await page.content(), /Lovelace|AB12|NW-2026/);
    });

    test('an expired link offers to ask for another one, and shows a late claim again', async (t) => {
      const url = await host.mint({ initialStepKey: 'review' });
      const page = await openPage(t, browser, url, { javaScriptEnabled });
      time += 86_400_000;
      await page.locator('#send').click();
      await heading(page, 'This link has expired');
      await page.locator('.entered').waitFor();
      t.match(await page.locator('.entered').innerText(), COMPLETE_POLICY.number);
      await page.getByRole('button', { name: 'Ask for a new link' }).click();
      await page.getByText('We have passed on that you need a new link.').waitFor();
      t.match(await page.locator('.entered').innerText(), COMPLETE_POLICY.number);
      t.equal(await page.getByRole('button', { name: 'Ask for a new link' }).count(), 0);
      t.ok((await history(url)).includes('link.renewal_requested'));
      if (javaScriptEnabled) t.same(await axeViolations(page), []);
    });
  }

  t.test(
    'declining needs a reason, works by keyboard, and Enter in the claim form declines nothing',
    async (t) => {
      const page = await openPage(t, browser, await host.mint({ policy: {} }));
      await page.locator('[name="/policy/number"]').fill('P-1');
      await page.keyboard.press('Enter');
      await page.locator('#problems').waitFor();
      await page.getByText('This is not for me').focus();
      await page.keyboard.press('Enter');
      t.same(await axeViolations(page), []);
      await page.keyboard.press('Tab');
      t.equal(await page.evaluate('document.activeElement.name'), 'why');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      t.equal(await page.evaluate('document.activeElement.name'), 'why', 'the browser asks for a reason');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await heading(page, 'Thank you for telling us');
    },
  );
}
