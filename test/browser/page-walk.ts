// The way through the standalone pages in Chromium, with a stop at every state that a user can see.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { IS_LONG } from '../size.js';
import { openPolicy } from './engines.js';
import { type BrowserHost, COMPLETE_POLICY } from './host.js';

/** Called for each state of the pages. */
export type Check = (page: Page, state: string) => Promise<void>;

/** Answers of the server that do not become an outcome. */
const ANSWERS = [
  { state: 'too large', status: 413, body: '' },
  { state: 'too many requests', status: 429, body: 'slow down', headers: { 'retry-after': '120' } },
  { state: 'the wait is over', status: 429, body: 'slow down', headers: { 'retry-after': '1' } },
  { state: 'offline' },
  { state: 'server error', status: 503, body: 'down' },
  {
    state: 'rejected after an unknown result',
    status: 403,
    body: '{"type":"urn:claimlink:problem:internal"}',
  },
];

const DAY_MS = 86_400_000;

/** Without transitions, so that no colour is read while it changes. */
export const STILL = { reducedMotion: 'reduce' as const };

/** Opens a page in a context of its own, which ends with the test. */
export async function openPage(
  t: Test,
  browser: Pick<Browser, 'newContext'>,
  url: string,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext(options);
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return page;
}

/** Goes the whole way with the scripts of the page, and in a long run without them as well. */
export async function walkBothWays(
  t: Test,
  browser: Browser,
  host: BrowserHost,
  check: Check,
  options: BrowserContextOptions = STILL,
): Promise<void> {
  await walkPages(t, browser, host, options, check);
  if (IS_LONG) await walkWithoutScript(t, browser, host, options, check);
}

/**
 * Goes the whole way with JavaScript: mistakes, every step, failures, the success page, and links that do not work. Expects a
 * host with every part, and moves its clock.
 */
export async function walkPages(
  t: Test,
  browser: Browser,
  host: BrowserHost,
  options: BrowserContextOptions,
  check: Check,
): Promise<void> {
  const empty = await openPage(t, browser, await host.mint({ policy: {} }), options);
  await next(empty);
  await empty.locator('#problem-list li').first().waitFor();
  await check(empty, 'missing values');

  const linkedContacts = [{ firstName: 'A', lastName: 'B', email: 'at' }];
  const url = await host.mint({ policy: { ...COMPLETE_POLICY, linkedContacts } });
  const page = await openPage(t, browser, url, options);
  for (const step of ['policy', 'incident', 'contact']) {
    await page.locator(`section[data-step="${step}"][data-current]`).waitFor();
    await check(page, step);
    // Before the period of cover: a note, which is no problem.
    if (step === 'incident') await page.locator('[name="/incident/date"]').fill('2020-01-01');
    await next(page);
  }
  await page.locator('#problem-list li').first().waitFor();
  await check(page, 'a value that is not an address');
  await page.locator('[data-remove]').first().click();
  await check(page, 'a person removed');
  await page.locator('[name="/policy/holder/email"]').fill('ada@example');
  await page.locator('[name="/policy/holder/phone"]').click();
  await check(page, 'an address to check');
  await next(page);
  await page.locator('#review dl').first().waitFor();
  await check(page, 'review');

  for (const { state, ...answer } of ANSWERS) {
    if (state === 'offline') await page.context().setOffline(true);
    else await page.route('**/verify/**', (route) => route.fulfill(answer), { times: 1 });
    await page.locator('#send').click();
    await page.locator('#failure').waitFor();
    if (state === 'the wait is over') await page.locator('#send:not([aria-disabled])').waitFor();
    await check(page, state);
    await page.context().setOffline(false);
    // The button would wait for two minutes.
    if (state === 'too many requests') await page.reload();
  }
  let endRequest = () => {};
  const requestHasEnded = new Promise<void>((resolve) => (endRequest = resolve));
  await page.route('**/verify/**', (route) => requestHasEnded.then(() => route.abort()), { times: 1 });
  await page.locator('#send').click();
  await page.locator('#claim[aria-busy="true"]').waitFor();
  await page.locator('#status:not(:empty)').waitFor({ state: 'attached' });
  await check(page, 'sending');
  endRequest();
  await page.locator('#failure').waitFor();
  await check(page, 'no response');

  const second = await openPage(t, browser, url, options);
  await page.locator('#send').click();
  await page.locator('[data-stay]').waitFor();
  await check(page, 'success');
  await page.keyboard.press('Shift');
  await page.locator('[data-onward-status]:not(:empty)').waitFor();
  await check(page, 'success, the user stays');
  await page.goto(url);
  await page.locator('.success').waitFor();
  await check(page, 'the receipt again');
  await page.context().clearCookies();
  await page.goto(url);
  await page.locator('.success').waitFor();
  await check(page, 'submitted already');

  await openPolicy(second);
  await second.locator('[name="/policy/number"]').fill('Corrected');
  for (const _step of ['incident', 'contact']) await next(second);
  await second.locator('[data-remove]').first().click();
  await next(second);
  await second.locator('#send').click();
  await second.locator('.entered').waitFor();
  await check(second, 'changes that were not taken');
  await second.context().grantPermissions(['clipboard-write']);
  const copy = second.locator('[data-copy]');
  const copyLabel = await copy.innerText();
  await copy.click();
  // The clipboard answers later than the click.
  await second.locator('[data-copy]').filter({ hasNotText: copyLabel }).waitFor();
  await check(second, 'text copied');
  await second.reload();
  await second.locator('.entered').waitFor();
  await check(second, 'submitted already, with a text of this tab');
  await second.locator('[data-delete]').click();
  await check(second, 'text deleted');

  const endedUrl = await host.mint({ initialStepKey: 'review' });
  const ended = await openPage(t, browser, endedUrl, options);
  await host.revoke(endedUrl);
  await ended.locator('#send').click();
  await ended.locator('.entered').waitFor();
  await check(ended, 'revoked while typing');
  await page.goto(url.replace(/token=.*/, 'token=none'));
  await check(page, 'unknown link');

  const declining = await openPage(t, browser, await host.mint(), options);
  await declining.locator('.decline > summary').click();
  await declining.locator('#why-other').check();
  await check(declining, 'reasons to decline');
  await declining.locator('.decline button').click();
  await declining.locator('.sent').waitFor();
  await check(declining, 'declined');

  const endingUrl = await host.mint();
  host.advance(DAY_MS - 300_000);
  const ending = await openPage(t, browser, endingUrl, options);
  await ending.locator('#until[data-near]').waitFor();
  await check(ending, 'five minutes before the end of the link');

  const late = await openPage(t, browser, await host.mint({ initialStepKey: 'review' }), options);
  host.advance(DAY_MS);
  await late.locator('#send').click();
  await late.locator('.entered').waitFor();
  await check(late, 'expired while typing');
  await late.locator('#renew button').click();
  await late.locator('.sent').waitFor();
  await check(late, 'another link requested');
}

async function walkWithoutScript(
  t: Test,
  browser: Browser,
  host: BrowserHost,
  options: BrowserContextOptions,
  check: Check,
): Promise<void> {
  const url = await host.mint();
  const page = await openPage(t, browser, 'about:blank', options);
  // The policy blocks the scripts of the page. Chromium's own switch would stop the timers of axe as well.
  await page.route('**/verify/**', async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    const policy = `${headers['content-security-policy']}, script-src 'none'`;
    await route.fulfill({ response, headers: { ...headers, 'content-security-policy': policy } });
  });
  await page.goto(url);
  await check(page, 'form without JavaScript');
  await openPolicy(page);
  await check(page, 'the fields of a known policy without JavaScript');
  await page.locator('[name="/policy/validTo"]').fill('2025-01-01');
  await page.locator('[name="/policy/linkedContacts/0/email"]').fill('at');
  await page.locator('#send').click();
  await page.locator('#problem-list li').first().waitFor();
  await check(page, 'problems without JavaScript');
  await page.locator('[name="/policy/validTo"]').fill('2026-12-31');
  await page.locator('[name="/policy/linkedContacts/0/email"]').fill('');
  await page.locator('#send').click();
  await page.locator('.success').waitFor();
  await check(page, 'success without JavaScript');
  await page.context().clearCookies();
  await page.goto(url);
  await page.locator('.success').waitFor();
  await check(page, 'submitted already, without JavaScript');
}

async function next(page: Page): Promise<void> {
  await page.locator('section[data-current] [data-next]').click();
}
