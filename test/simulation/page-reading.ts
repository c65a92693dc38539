// Reads what the service tells a customer: a response to the script of the page, or a page.
import type { StandaloneWidget, SuccessView, UnavailableView } from '../../lib/core/widget.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import { outcomeOf, type Submitted as StoredSubmission } from '../../lib/widget/outcome.js';
import type { Submitted, Told } from './page-history.js';

/** A page as the widget was asked to render it. */
export interface RenderedPage {
  method: keyof StandaloneWidget;
  view: Partial<SuccessView> & Partial<UnavailableView>;
}

/** Returns what the script of the page tells of an attempt. Without a response: undefined. */
export function readScriptResponse(response: CoreResponse | undefined, text: string, now: number): Told {
  const outcome = outcomeOf(
    response && {
      status: response.status,
      retryAfter: response.headers['retry-after'] ?? null,
      body: JSON.parse(response.body),
    },
    now,
  );
  switch (outcome.kind) {
    case 'sent':
      return { kind: 'stored', text, ...ofJson(outcome.submitted) };
    case 'changed':
      return { kind: 'changed', text, ...ofJson(outcome.submitted) };
    case 'ended':
      return outcome.code === 'link_submitted'
        ? { kind: 'submitted' }
        : { kind: 'no claim', reason: outcome.code };
    case 'unknown':
      return { kind: 'unknown', ...(response && { status: response.status }) };
    default:
      return { kind: 'not sent', reason: outcome.kind };
  }
}

/**
 * Returns what a page tells.
 * @param response Absent if the browser shows its own error page.
 * @param page Absent if the widget did not render it.
 * @param text The text that was sent. Absent if the page was opened only.
 */
export function readPage(
  response: CoreResponse | undefined,
  page: RenderedPage | undefined,
  text: string | undefined,
): Told {
  if (response === undefined) return { kind: 'unknown' };
  const { status, headers } = response;
  if (status >= 500) return { kind: 'unknown', status };
  if (status === 303 && text !== undefined) {
    const reference = new URL(headers['location'] ?? '').searchParams.get('reference') ?? '';
    return { kind: 'stored', text, reference };
  }
  const { method, view } = page ?? {};
  if (method === 'renderForm' && status === 200) return { kind: 'no claim', reason: 'form' };
  if (method === 'renderSuccess' && view && text !== undefined)
    return { kind: 'stored', text, answers: textOf(view.claim), ...ofView(view) };
  // A widget without `renderChanged` shows the page of a submitted link instead.
  if ((method === 'renderChanged' || view?.code === 'link_submitted') && status === 200 && text !== undefined)
    return { kind: 'changed', text, ...ofView(view) };
  if (view?.code === 'link_submitted') {
    const { receipt } = view;
    const answers = receipt?.claim && textOf(receipt.claim);
    return answers === undefined
      ? { kind: 'submitted', ...ofView(receipt) }
      : { kind: 'stored', text: answers, answers, ...ofView(receipt) };
  }
  if (status === 404 || status === 410) return { kind: 'no claim', reason: String(view?.code) };
  return text === undefined
    ? { kind: 'unknown', status }
    : { kind: 'not sent', reason: String(view?.code ?? status) };
}

function ofJson({ reference, date }: StoredSubmission): Submitted {
  return { reference, date };
}

function ofView({ reference, submittedAt }: { reference?: string; submittedAt?: Date } = {}): Submitted {
  return {
    ...(reference !== undefined && { reference }),
    ...(submittedAt && { date: toMinute(submittedAt) }),
  };
}

export function toMinute(date: Date): string {
  return date.toISOString().slice(0, 16);
}

/** The first line of each description. A form posts its line end in another way than the script does. */
const FIRST_LINE = 'What happened:\n';

export function toDescription(text: string): string {
  return FIRST_LINE + text;
}

/** Returns the text of a stored claim. */
export function textOf(claim: { incident?: { description?: string } } | undefined): string {
  const description = claim?.incident?.description ?? '';
  return description.startsWith(FIRST_LINE) ? description.slice(FIRST_LINE.length) : description;
}
