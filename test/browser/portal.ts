// The page of an insurer that shows a claim form in a frame. It has the module of claimlink/embed as the package has it.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Frame, Page } from 'playwright-core';
import type { Test } from 'tap';
import { serve } from '../listen.js';
import { REPOSITORY } from '../repository.js';

const LIMIT_MS = 60_000;

/** A call of an option of `embedClaim`: its name and its argument. */
type Call = [name: string, message?: unknown];

export interface Portal {
  origin: string;
  /** Adds an origin that the page may frame. */
  allowFrames(origin: string): void;
}

const SCRIPT = `
import { embedClaim } from '/embed.js';
window.received = [];
window.calls = [];
addEventListener('message', ({ origin, data }) => received.push({ origin, data }));
const record = (name) => (message) => calls.push(message === undefined ? [name] : [name, message]);
window.embed = (url, options) => {
  window.embedded = embedClaim(document.querySelector('#claim'), url, {
    title: 'Your claim',
    ...options,
    onReady: record('ready'),
    onResize: record('resize'),
    onStarted: record('started'),
    onSubmitted: record('submitted'),
    onUnavailable: record('unavailable'),
  });
};
window.frameOnly = (url) => {
  const frame = document.createElement('iframe');
  frame.onload = () => document.body.setAttribute('data-loaded', '');
  frame.src = url;
  document.body.append(frame);
};
`;

/** Starts the server of the page. `?frame=` is a frame in its markup, for browsers without JavaScript. */
export async function startPortal(t: Test): Promise<Portal> {
  const module = readFileSync(new URL('dist/lib/embed/index.js', REPOSITORY));
  const origins: string[] = [];
  const origin = await serve(t, (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://portal');
    if (pathname !== '/') return res.setHeader('content-type', 'text/javascript').end(module);
    const url = searchParams.get('frame');
    res.setHeader(
      'content-security-policy',
      `default-src 'none'; img-src data:; script-src 'self' 'nonce-portal'; frame-src ${origins.join(' ')}`,
    );
    res.setHeader('content-type', 'text/html; charset=utf-8');
    // What is above the form, so that the form begins below the top of the window. A browser stops the frames that are outside of it.
    const above = `<h1>Portal</h1>${'<p>A</p>'.repeat(7)}`;
    const frame = url
      ? `<iframe src="${url.replaceAll('&', '&amp;')}" height="900" width="500"></iframe>`
      : '';
    return res.end(`<!doctype html><html lang="en"><title>Portal</title><link rel="icon" href="data:,">
<body><main>${above}<div id="claim"></div>${frame}</main><script type="module" nonce="portal">${SCRIPT}</script></body></html>`);
  });
  return { origin, allowFrames: (allowed) => void origins.push(allowed) };
}

/** Shows a link in the frame of the page. */
export async function embed(page: Page, url: string, options: { compact?: true } = {}): Promise<void> {
  await page.evaluate(`embed(${JSON.stringify(url)}, ${JSON.stringify(options)})`);
}

/**
 * Waits until a condition holds: an expression in the page, or a function here. The policy of the page forbids
 * `waitForFunction`, which calls eval in it.
 */
export async function until(page: Page, condition: string | (() => Promise<boolean>)): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  while (!(await (typeof condition === 'string' ? page.evaluate(condition) : condition()))) {
    if (Date.now() > end) throw new Error(`This is not true in time: ${condition}`);
    await setTimeout(20);
  }
}

/** Waits for a call, and returns its message. */
export async function waitForCall(page: Page, name: string): Promise<unknown> {
  await until(page, `calls.some(([name]) => name === '${name}')`);
  return (await callsOf(page)).find(([called]) => called === name)?.[1];
}

/** The calls so far, without those about the height. */
export async function callsOf(page: Page): Promise<Call[]> {
  const calls = await page.evaluate<Call[]>('calls');
  return calls.filter(([name]) => name !== 'resize');
}

/** The messages that the page has received so far, from whichever window. */
export function receivedBy(page: Page): Promise<{ origin: string; data: Record<string, unknown> }[]> {
  return page.evaluate('received');
}

/** The document in the frame. */
export function frameOf(page: Page): Frame {
  const [, frame] = page.frames();
  if (frame === undefined) throw new Error('The page has no frame.');
  return frame;
}
