// The incident step of a form with photos, for browser tests: what a test does with it, and what the network does to it.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { BrowserHost } from './host.js';
import { STILL } from './page-walk.js';
import type { PhotoFile } from './photo-files.js';

export const PHONE = { width: 390, height: 664 };
export const SENT = 'Your claim has been sent';

/** What becomes of uploads: they are cut, wait until `release`, or get a response. */
type Fault = 'cut' | 'hold' | number | { status: number; headers: Record<string, string> };

/** Opens the incident step of a new link on a phone, with a network that a test can disturb. */
export async function openPhotoForm(
  t: Test,
  browser: Pick<Browser, 'newContext'>,
  host: BrowserHost,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({ ...STILL, viewport: PHONE, ...options });
  t.teardown(() => context.close());
  const errors: string[] = [];
  /** The bytes that arrived, by their ids, and the requests. */
  const bodies = new Map<string, Buffer>();
  const uploads: { url: string; headers: Record<string, string> }[] = [];
  const network: { fault?: Fault } = {};
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route(/\/photos\/.*token=(?!.*action=remove)/, async (route) => {
    const request = route.request();
    if (request.method() !== 'POST') return route.fallback();
    const { fault } = network;
    uploads.push({ url: request.url(), headers: request.headers() });
    if (fault === 'cut') return route.abort('connectionreset');
    if (typeof fault === 'number') return route.fulfill({ status: fault, json: {} });
    if (typeof fault === 'object') return route.fulfill({ ...fault, json: {} });
    if (fault === 'hold') await held;
    const id = /photos\/(\w+)/.exec(request.url())?.[1] ?? '';
    bodies.set(id, request.postDataBuffer() ?? Buffer.alloc(0));
    return route.fallback();
  });
  const url = await host.mint({ initialStepKey: 'incident' });
  const open = async (address = url): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(address);
    await page.locator('html[data-ready]').waitFor();
    return page;
  };
  return { page: await open(), context, url, open, network, release, bodies, uploads, errors };
}

export const choose = (page: Page, ...files: PhotoFile[] | string[]) =>
  page.locator('.photos [type=file]').setInputFiles(files);
export const row = (page: Page, name: string) => page.locator('.photos li', { hasText: name });
export const sent = (page: Page, name: string) => row(page, name).getByText(/Sent/).waitFor();
export const next = (page: Page) => page.locator('[data-current] [data-next]').click();
export const send = (page: Page) => page.locator('#send').click();

/** Collects what the page says to screen readers. */
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`(() => {
    self.said = [];
    const status = document.querySelector('#status');
    new MutationObserver(() => {
      for (const { textContent } of status.childNodes) self.said.push(textContent);
    }).observe(status, { childList: true });
  })()`);
  return () => page.evaluate<string[]>('self.said');
}
