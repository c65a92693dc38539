// Sends the claim and shows the result.
import { formatTime } from '../dates.js';
import { fillIn } from '../locales/texts.js';
import type { FieldProblem } from '../messages.js';
import { redirectHref, webHost } from '../urls.js';
import { form, formFields, status } from './claim-form.js';
import { removeBlankRows } from './contact-rows.js';
import { countDown } from './countdown.js';
import { find } from './dom.js';
import { clearDraft } from './draft.js';
import { clearProblems } from './problem-display.js';
import { problemsIn } from './rules.js';
import { reportProblems, writeTitle } from './steps.js';
import { texts } from './texts.js';

/** The JSON of a response: the outcome of a claim, or its problems. */
interface SubmissionResponse {
  data?: Outcome;
  errors?: readonly FieldProblem[];
}

interface Outcome {
  reference: string;
  /** Time of the submission in UTC, YYYY-MM-DDTHH:MM. */
  date: string;
  redirectUrl?: string;
}

const sendButton = find<HTMLButtonElement>(document, '#send');
const sendLabel = sendButton.textContent;
const failure = find(document, '#failure');

let sent = false;

/** Returns whether the server has accepted the claim, or no longer has a form for this link. */
export function isSent(): boolean {
  return sent;
}

/**
 * Sends the claim by fetch. Chromium checks every redirect after a native form POST against the form-action of the
 * page. A callback that redirects to a further origin would be blocked, and the page cannot know that origin.
 */
export async function sendClaim(): Promise<void> {
  if (sendButton.disabled || sent) return;
  removeBlankRows();
  const problems = problemsIn(form);
  if (problems.length > 0) return reportProblems(problems);
  clearProblems();
  writeTitle();
  failure.hidden = true;
  const body = formFields().toString();
  setSending(true);
  const response = await fetch(location.href, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
    cache: 'no-store',
  }).catch(() => undefined);
  if (response) await showResponse(response);
  else showFailure(texts.script.offline);
}

async function showResponse(response: Response): Promise<void> {
  if (response.status === 404 || response.status === 410) {
    sent = true;
    clearDraft();
    return location.reload();
  }
  if (response.status === 413) return showFailure(texts.script.tooLarge);
  try {
    const { data, errors }: SubmissionResponse = await response.json();
    if (response.ok && typeof data?.reference === 'string') return showSuccess(data);
    if (response.status === 400 && Array.isArray(errors) && errors.length > 0) {
      setSending(false);
      return reportProblems(errors);
    }
  } catch {
    // The response is not JSON. The message below is all that helps the user.
  }
  showFailure(texts.script.serverError);
}

function showSuccess({ reference, date, redirectUrl }: Outcome): void {
  const href = redirectHref(redirectUrl);
  sent = true;
  clearDraft();
  if (href && form.hasAttribute('data-callback-on-submit')) {
    location.replace(href);
    return;
  }
  const page = find<HTMLTemplateElement>(document, '#success-template').content.cloneNode(
    true,
  ) as DocumentFragment;
  find(page, '[data-reference]').textContent = reference;
  const sentOn = find<HTMLTimeElement>(page, '[data-sent]');
  sentOn.dateTime = `${date}Z`;
  sentOn.textContent = formatTime(new Date(sentOn.dateTime), document.documentElement.lang);
  if (href) {
    const link = find<HTMLAnchorElement>(page, '[data-continue]');
    link.href = href;
    const host = webHost(href);
    if (host) {
      link.textContent = fillIn(texts.script.continueTo, { host });
      find(page, '[data-target]').textContent = fillIn(texts.script.takenTo, { host });
    }
  } else find(page, '[data-onward]').remove();
  document.title = form.dataset['successTitle'] ?? '';
  const main = find(document, '#main');
  main.replaceChildren(page);
  window.scrollTo(0, 0);
  find(main, '#success-title').focus({ preventScroll: true });
  countDown(main);
}

function showFailure(message: string): void {
  setSending(false);
  failure.textContent = `${message} ${texts.script.nothingLost}`;
  failure.hidden = false;
  sendButton.focus();
}

function setSending(isSending: boolean): void {
  sendButton.disabled = isSending;
  sendButton.textContent = isSending ? texts.script.sending : sendLabel;
  form.setAttribute('aria-busy', String(isSending));
  status.textContent = isSending ? texts.script.sendingClaim : '';
}
