// Sends the claim, and tells what became of it.
import { formatWait } from '../dates.js';
import { fillIn } from '../locales/texts.js';
import { type Outcome, outcomeOf, repeatAfterSeconds, type Submitted } from '../outcome.js';
import { redirectHref } from '../urls.js';
import { announce } from './announce.js';
import { draft, form, formFields, proof, status } from './claim-form.js';
import { removeBlankRows } from './contact-rows.js';
import { create, find, findInPage, setAttribute } from './dom.js';
import { leave } from './leave.js';
import { clearProblems } from './problem-display.js';
import { problemsIn } from './rules.js';
import { reportProblems, titleEnd, writeTitle } from './steps.js';
import { locale, texts } from './texts.js';

/** After this time, a screen reader says that the claim is being sent: it would say it after an answer that comes at once. */
const SENDING_MS = 400;
/** After this time, the page says that it takes longer. */
const SLOW_MS = 8_000;
/** After this time, the page ends the request. The service may have stored the claim. */
const LIMIT_MS = 30_000;
/** Longest time in seconds for which the button waits after a 429. */
const LONGEST_WAIT = 120;

/** The policy of the page runs no other code than that with its nonce. */
const nonce = document.currentScript?.nonce ?? '';

const sendButton = findInPage<HTMLButtonElement>('#send');
const failure = findInPage('#failure');
const slow = findInPage('#slow');

/** The texts of a rejected claim, by the reason. */
const REASONS = { too_large: 'tooLarge', too_many: 'tooMany', other: 'rejected' } as const;

let sendLabel = sendButton.textContent;
/** Set if an attempt may have stored a claim. */
let isUnknown = false;
/** Set after the claim was sent again by itself. */
let hasRepeated = false;
let isEnded = false;

/** Returns whether a claim of this link is stored, or the link takes none. */
export function isOver(): boolean {
  return isEnded;
}

/**
 * Sends the claim by fetch. Chromium checks every redirect after a native form POST against the form-action of the
 * page. A callback that redirects to a further origin would be blocked, and the page cannot know that origin.
 */
export async function sendClaim(): Promise<void> {
  if (sendButton.hasAttribute('aria-disabled') || isEnded) return;
  removeBlankRows();
  const problems = problemsIn(form);
  if (problems.length > 0) return reportProblems(problems);
  clearProblems();
  writeTitle();
  failure.hidden = true;
  const fields = formFields();
  setSending(true);
  const outcome = await post(fields);
  setSending(false);
  show(outcome);
}

async function post(fields: URLSearchParams): Promise<Outcome> {
  const timers = [
    setTimeout(() => {
      status.textContent = texts.script.sendingClaim;
    }, SENDING_MS),
    setTimeout(() => {
      slow.textContent = texts.script.slow;
    }, SLOW_MS),
  ];
  let response = await request(fields);
  const wait = hasRepeated ? undefined : repeatAfterSeconds(response, Date.now());
  if (wait !== undefined) {
    hasRepeated = true;
    isUnknown ||= outcomeOf(response, 0).kind === 'unknown';
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    response = await request(fields);
  }
  for (const timer of timers) clearTimeout(timer);
  slow.textContent = '';
  status.textContent = '';
  return outcomeOf(response, Date.now());
}

async function request(fields: URLSearchParams): Promise<Parameters<typeof outcomeOf>[0]> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), LIMIT_MS);
  try {
    const response = await fetch(location.href, {
      method: 'POST',
      headers: { Accept: 'application/json', Prefer: 'return=representation' },
      body: new URLSearchParams([...fields, ...proof]),
      cache: 'no-store',
      signal: limit.signal,
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: parse(await response.text()) };
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the value of a JSON text. A proxy of the host may answer with another one. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function show(outcome: Outcome): void {
  announce(outcome);
  if (outcome.kind === 'sent' || outcome.kind === 'changed')
    showStored(outcome.submitted, outcome.kind === 'sent');
  else if (outcome.kind === 'invalid') reportProblems(outcome.problems);
  // The page that follows asks the question, or says why the link takes no claim. It gives the text back.
  else if (outcome.kind === 'asked' || outcome.kind === 'ended') form.submit();
  else if (outcome.kind === 'rejected') {
    const time = formatWait(outcome.retryAfterSeconds, locale);
    showFailure(fillIn(texts.script[REASONS[outcome.reason]], { time }));
    if (outcome.reason === 'too_many') waitToSend(outcome.retryAfterSeconds);
  } else {
    isUnknown = true;
    sendLabel = texts.script.sendAgain;
    sendButton.textContent = sendLabel;
    showFailure(navigator.onLine ? '' : texts.script.offline);
  }
}

/** Shows what is stored. Only a claim that is stored as it was sent removes what was typed. */
function showStored({ reference, redirectUrl, page, style, script }: Submitted, isSent: boolean): void {
  isEnded = true;
  if (isSent) {
    draft.clear(true);
    const href = form.hasAttribute('data-callback-on-submit') && redirectHref(redirectUrl);
    if (href) {
      location.replace(href);
      return;
    }
  }
  if (page === undefined) {
    const { stored } = texts;
    const heading = create('h1', '', isSent ? stored.sent : stored.changed);
    heading.tabIndex = -1;
    const card = create('div', 'card');
    card.append(heading, create('p', 'lead own', fillIn(stored.text, { reference })));
    showResult([card]);
    // The host has a page of its own, or the process an older version: a repeated claim gets that page.
    form.submit();
    return;
  }
  addAsset('style', style);
  showResult([...new DOMParser().parseFromString(page, 'text/html').body.childNodes]);
  addAsset('script', script);
}

/** Shows what became of the claim in place of the form. */
function showResult(nodes: readonly Node[]): void {
  const main = findInPage('#main');
  const before = [...main.children];
  main.prepend(...nodes);
  const heading = find(main, 'h1');
  document.title = `${heading.textContent}${titleEnd}`;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
  leave(before, (element) => element.remove());
  main.dataset['link'] = form.dataset['link'];
  // The script of the page shows what needs it.
  document.documentElement.classList.remove('js');
}

/** Adds a constant that came with the response: the form is smaller without it. */
function addAsset(tag: 'style' | 'script', text = ''): void {
  const element = create(tag, '', text);
  element.nonce = nonce;
  document.head.append(element);
}

function showFailure(reason: string): void {
  writeFailure(reason);
  failure.hidden = false;
  sendButton.focus();
}

function writeFailure(reason: string): void {
  const { unknown, changedNow, notSent, nothingLost } = texts.script;
  const sentences = [reason, nothingLost, isUnknown && changedNow].filter(Boolean);
  failure.replaceChildren(create('b', '', isUnknown ? unknown : notSent), ` ${sentences.join(' ')}`);
}

// Browsers tell a network that works as offline, such as a VPN: it explains a failure, and prevents nothing.
addEventListener('online', () => {
  if (failure.textContent?.includes(texts.script.offline)) writeFailure('');
});

/** Lets the button do nothing for some time. It keeps the focus: a disabled button would lose it. */
function block(isBlocked: boolean): void {
  setAttribute(sendButton, 'aria-disabled', isBlocked && 'true');
}

/** Lets the user wait, and tells the end of it. The count is not part of the name, which a screen reader would repeat. */
function waitToSend(seconds: number): void {
  const end = Date.now() + Math.min(seconds, LONGEST_WAIT) * 1000;
  const count = create('span');
  count.setAttribute('aria-hidden', 'true');
  sendButton.append(count);
  block(true);
  const tick = (): void => {
    const left = Math.ceil((end - Date.now()) / 1000);
    count.textContent = `\u00a0(${left})`;
    if (left > 0) return;
    clearInterval(timer);
    count.remove();
    block(false);
    writeFailure(texts.script.sendNow);
  };
  const timer = setInterval(tick, 1000);
  tick();
}

/** While the claim is sent, nothing can be changed: the page would show it as sent. */
function setSending(isSending: boolean): void {
  for (const control of form.elements)
    if (control !== sendButton) (control as HTMLInputElement).disabled = isSending;
  block(isSending);
  sendButton.textContent = isSending ? texts.script.sending : sendLabel;
  form.setAttribute('aria-busy', String(isSending));
}
