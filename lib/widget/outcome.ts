// What became of an attempt to send a claim, by the response: what the form tells its user.
import type { FieldProblem } from './messages.js';

/** A stored submission, as the response to a claim describes it. */
export interface Submitted {
  reference: string;
  /** Time of the submission that is stored, in UTC, YYYY-MM-DDTHH:MM. */
  date: string;
  redirectUrl?: string;
  /** Content of the page that follows, as HTML of the service. */
  page?: string;
  /** Its stylesheet and its script, which the form is without. */
  style?: string;
  script?: string;
}

type RejectReason = 'too_large' | 'too_many' | 'other';

export type Outcome =
  /** This claim is stored. */
  | { kind: 'sent'; submitted: Submitted }
  /** An earlier claim is stored, and this one is another one. */
  | { kind: 'changed'; submitted: Submitted }
  /** The claim breaks rules. */
  | { kind: 'invalid'; problems: readonly FieldProblem[] }
  /** The service did not take this request. The same link can be used again. */
  | { kind: 'rejected'; reason: RejectReason; retryAfterSeconds: number }
  /** The recipient must answer the question of the link first. */
  | { kind: 'asked' }
  /** The link takes no claim. */
  | { kind: 'ended'; code: string }
  /** The claim may be stored or not: there is no response, or none that says it. */
  | { kind: 'unknown' };

/** Wait of a 429 without Retry-After. */
const DEFAULT_WAIT_SECONDS = 60;

/**
 * Returns whether a 5xx of this code came before the claim was stored. After another one, the claim may be stored: only
 * its response did not arrive.
 */
export function isNotStored(code: string): boolean {
  return ['settings_unknown', 'validation_unavailable', 'recipient_check_unavailable'].includes(code);
}

/**
 * Returns what a response says.
 * @param response Its status, the value of Retry-After, and its body if it is JSON. Without a response: undefined.
 */
export function outcomeOf(
  response: { status: number; retryAfter: string | null; body: unknown } | undefined,
  now: number,
): Outcome {
  if (response === undefined) return { kind: 'unknown' };
  const { status, body } = response;
  const { data, errors, type } = Object(body) as {
    data?: Submitted & { unchanged?: boolean };
    errors?: readonly FieldProblem[];
    type?: unknown;
  };
  if (status < 300 && typeof data?.reference === 'string')
    return { kind: data.unchanged === false ? 'changed' : 'sent', submitted: data };
  // The service and a proxy before it answer with these before they take the claim, whatever the body says.
  const retryAfterSeconds = secondsUntil(response.retryAfter, now);
  const rejected = (reason: RejectReason): Outcome => ({ kind: 'rejected', reason, retryAfterSeconds });
  if (status === 413) return rejected('too_large');
  if (status === 429) return rejected('too_many');
  // Without a code of the service, a proxy or a host in the middle of a deployment may have answered after the claim was stored.
  const [, code] = /^urn:claimlink:problem:(\w+)$/.exec(String(type)) ?? [];
  if (code === undefined || (status >= 500 && !isNotStored(code))) return { kind: 'unknown' };
  if (status === 400 && Array.isArray(errors) && errors.length > 0)
    return { kind: 'invalid', problems: errors };
  if (code === 'recipient_check_required') return { kind: 'asked' };
  if (status === 404 || status === 410 || status === 423) return { kind: 'ended', code };
  return rejected('other');
}

/** The longest wait in seconds after which a claim is sent again by itself. */
const LONGEST_REPEAT = 10;

/** Returns the wait in seconds after which the same claim is sent again: a 503 that is over soon. */
export function repeatAfterSeconds(
  response: { status: number; retryAfter: string | null } | undefined,
  now: number,
): number | undefined {
  if (response?.status !== 503) return undefined;
  const seconds = secondsUntil(response.retryAfter, now);
  return seconds <= LONGEST_REPEAT ? seconds : undefined;
}

/** Reads Retry-After (RFC 9110, 10.2.3): seconds, or a date. */
export function secondsUntil(retryAfter: string | null, now: number): number {
  const text = retryAfter?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return seconds > 0 ? seconds : DEFAULT_WAIT_SECONDS;
}
