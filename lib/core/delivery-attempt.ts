// One attempt to deliver a stored event: the call of the handler, and the record of its outcome.
import { retryOf } from './delivery-error.js';
import { isSubmission } from './event-kind.js';
import { failureReason } from './failure-reason.js';
import { PHOTO_EVENTS, type ResolvedOptions } from './options.js';
import type { PhotoRemoval } from './photo-removal.js';
import type { Report } from './report.js';
import type { OutboxStorage, StoredEvent } from './storage.js';
import { withinTime } from './time-limit.js';
import { traceDelivery } from './tracing.js';
import type { ClaimlinkEvent } from './types.js';

/** Maximum duration of an attempt in seconds. No other process delivers the event meanwhile. */
export const LEASE_SECONDS = 60;
/** Number of attempts in all. Then the event stays as failed. */
export const DELIVERY_ATTEMPTS = 20;
/** Maximum delay after the first attempt in seconds. It doubles with each further attempt. */
export const FIRST_DELAY_SECONDS = 10;
/** Maximum delay after any attempt in seconds: 6 hours. */
export const MAX_DELAY_SECONDS = 21_600;

/** How an attempt failed. */
interface Failure {
  reason: string;
  /** Whether no further attempt follows. */
  isFinal: boolean;
  /** When the handler asked for the next attempt. */
  retryAt?: Date;
}

/** Creates the attempts. `report` gets the errors of the handler. With `removal`, each attempt removes photos first. */
export function createAttempts(
  { onEvent, now, events }: Pick<ResolvedOptions, 'onEvent' | 'now' | 'events'>,
  outbox: Pick<OutboxStorage, 'settleEvent' | 'postponeEvent'>,
  report: Report,
  removal?: Pick<PhotoRemoval, 'removeAfter'>,
) {
  const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000);

  /** Returns the seconds until a time: at least 1, so that one call of `deliverPending` does not repeat the event. */
  function secondsUntil(time: Date): number {
    return Math.min(Math.max((time.getTime() - now().getTime()) / 1000, 1), MAX_DELAY_SECONDS);
  }

  /** Tells the host that an attempt failed. */
  function reportFailure(stored: StoredEvent, error: unknown, attempt: number, isFinal: boolean): void {
    const outcome = { attempt, isFinal };
    if (isSubmission(stored)) {
      const { clientId, userId, reference } = stored;
      report(error, undefined, { clientId, userId, reference, ...outcome });
    } else {
      const { type, id, clientId } = stored;
      const link = 'linkId' in stored ? { linkId: stored.linkId } : {};
      report(error, undefined, undefined, { type, id, clientId, ...link, ...outcome });
    }
  }

  /** Returns whether an event is recorded for the photos alone. */
  function isForPhotos({ type = 'claim.submitted' }: StoredEvent): boolean {
    return removal !== undefined && PHOTO_EVENTS.includes(type) && !events.includes(type);
  }

  /** Removes photos, and calls the handler with an event that the host chose. */
  async function handle(stored: StoredEvent): Promise<void> {
    await removal?.removeAfter(stored);
    if (isForPhotos(stored)) return;
    if (onEvent === undefined) throw new Error(`This service has no onEvent for an event ${stored.type}.`);
    await onEvent(toEvent(stored));
  }

  /** Calls the handler. Returns the failure if it failed, and reports its error. */
  async function attempt(stored: StoredEvent, isLast: boolean): Promise<Failure | undefined> {
    const { id, clientId, attempts } = stored;
    const number = numberOf(attempts);
    try {
      await traceDelivery({ eventId: id, clientId, attempt: number, isFinal: isLast }, async () => {
        // The process ended during the last attempt, so it did not record the failure.
        if (attempts > DELIVERY_ATTEMPTS)
          throw notEnded(`The last of ${DELIVERY_ATTEMPTS} attempts to deliver this event did not end.`);
        const createError = () => notEnded(`onSubmit or onEvent did not end within ${LEASE_SECONDS} s.`);
        await withinTime(handle(stored), LEASE_SECONDS, createError);
      });
      return undefined;
    } catch (error) {
      const retry = retryOf(error);
      const isFinal = isLast || retry === false;
      reportFailure(stored, error, number, isFinal);
      return { reason: failureReason(error), isFinal, ...(retry && { retryAt: retry }) };
    }
  }

  /** Attempts to deliver a leased event, and records the outcome. Returns whether it is delivered. Never rejects. */
  async function deliver(stored: StoredEvent): Promise<boolean> {
    const { attempts, id, clientId } = stored;
    const key = { clientId, id, ...(isSubmission(stored) && { reference: stored.reference }) };
    const failure = await attempt(stored, attempts >= DELIVERY_ATTEMPTS);
    try {
      if (failure === undefined) await outbox.settleEvent(key);
      else {
        const { reason, isFinal, retryAt } = failure;
        const seconds = retryAt ? secondsUntil(retryAt) : delayAfter(attempts, id);
        const next = isFinal
          ? { nextAttemptAt: now(), failedAt: now() }
          : { nextAttemptAt: inSeconds(seconds) };
        await outbox.postponeEvent({ ...key, attempts, reason, ...next });
      }
    } catch (error) {
      // The event is due again at the end of its lease.
      reportFailure(stored, error, attempts, false);
    }
    return failure === undefined;
  }

  return { attempt, deliver };
}

/** Returns what the handler gets. */
function toEvent(stored: StoredEvent): ClaimlinkEvent {
  const attempt = numberOf(stored.attempts);
  if (!isSubmission(stored)) {
    const { attempts, nextAttemptAt, failedAt, reason, ...event } = stored;
    return { ...event, attempt };
  }
  const { id, clientId, userId, session } = stored;
  const linkId = session.link?.linkId;
  return { type: 'claim.submitted', id, attempt, clientId, userId, ...(linkId && { linkId }), session };
}

/** Number of the attempt that a handler gets. */
function numberOf(attempts: number): number {
  return Math.min(attempts, DELIVERY_ATTEMPTS);
}

/** Returns the error of an attempt that did not end. Its code is the reason that the event stores. */
function notEnded(message: string): Error {
  return Object.assign(new Error(message), { code: 'attempt_not_ended' });
}

/**
 * Returns the seconds between an attempt and the next one: 10, 20, 40 and so on up to 6 hours, less up to half of it.
 * The reduction comes from the id of the event, so that events that failed together are not due together.
 */
export function delayAfter(attempt: number, id: string): number {
  const delay = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempt - 1), MAX_DELAY_SECONDS);
  const digits = id.replace(/[^0-9a-f]/gi, '').slice(0, 8);
  const fraction = Number.parseInt(digits || '0', 16) / 16 ** (digits.length || 1);
  return delay * (1 - fraction / 2);
}
