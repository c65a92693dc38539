// Delivers the events of submissions to the host's onSubmit: at once after the commit, and again until it succeeds.
import { randomUUID } from 'node:crypto';
import { invalidOption } from './errors.js';
import { failureReason } from './failure-reason.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import type { ResolvedOptions } from './options.js';
import type { Report } from './report.js';
import type { NewEvent, OutboxStorage, StoredEvent } from './storage.js';
import { withinTime } from './time-limit.js';
import { traceDelivery } from './tracing.js';
import type { DeliveryResult, Link, Session } from './types.js';

/** Maximum duration of an attempt in seconds. No other process delivers the event meanwhile. */
export const LEASE_SECONDS = 60;
/** Number of attempts in all. Then the event stays as failed. */
export const DELIVERY_ATTEMPTS = 20;
/** Maximum delay after the first attempt in seconds. It doubles with each further attempt. */
export const FIRST_DELAY_SECONDS = 10;
/** Maximum delay after any attempt in seconds: 6 hours. */
export const MAX_DELAY_SECONDS = 21_600;
/** Number of pending events, and of failed ones, up to which they are counted. */
export const MAX_EVENT_COUNT = 10_000;
/** Number of events that one call of `deliverPending` delivers at the same time. */
const CONCURRENCY = 10;

/** The members of an event that an attempt needs. */
type Deliverable = Pick<StoredEvent, 'id' | 'clientId' | 'userId' | 'session' | 'attempts'>;

/** Delivers recorded submissions: the calls of a host. */
export interface DeliveryCalls {
  /**
   * Calls `onSubmit` for the recorded submissions that it has not handled: its call failed, the process ended, or
   * another process accepted the claim. Call `deliverPending` on a timer, in any number of processes: they share the
   * work. It makes one attempt for each event that is due when the call begins, at most 10 at the same time. After a
   * failed attempt it waits 10 seconds, then twice as long each time, up to 6 hours. After 20 attempts the event stays
   * as failed; `claimlink deliveries` shows and repeats it.
   * @throws `options_invalid` without `onSubmit`, or if the storage does not implement `OutboxStorage`; the errors of
   * the storage, after the attempts that have begun.
   */
  deliverPending(): Promise<DeliveryResult>;
  /**
   * Waits until no call of `onSubmit` and of `deliverPending` runs, and no use of an API key is being stored. A running
   * `deliverPending` begins no further attempts.
   * Call it at shutdown: close the server, wait for `idle`, close the storage.
   */
  idle(): Promise<void>;
}

/** Delivers the events of submissions. */
export interface Delivery extends DeliveryCalls {
  /** Returns the event to record with a submission, or undefined if the host wants none. */
  newEvent(): NewEvent | undefined;
  /** Begins to deliver the event of a committed submission, if there is an `onSubmit`. Does not wait for it. */
  startDelivery(link: Link, session: Session, event: NewEvent | undefined): void;
}

/**
 * Creates the delivery of events. `report` gets the errors of `onSubmit`.
 * @throws `options_invalid` if events are to be recorded and the storage does not implement `OutboxStorage`.
 */
export function createDelivery(options: ResolvedOptions, storage: GuardedStorage, report: Report): Delivery {
  const { onSubmit, now, recordSubmissions } = options;
  const cause = onSubmit ? 'onSubmit without recordSubmissions: false' : 'recordSubmissions';
  /** Every method is present if events are recorded. */
  const outbox = recordSubmissions
    ? implementing(storage, 'OutboxStorage', cause)
    : (storage as GuardedStorage & OutboxStorage);
  /** Deliveries that have begun. They never reject. */
  const running = new Set<Promise<unknown>>();
  /** Number of calls of `idle` that wait. */
  let waiting = 0;

  const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000);

  /** Lets `idle` wait for a promise, and returns it. */
  function track<T>(promise: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = Promise.allSettled([promise]).then(() => running.delete(settled));
    running.add(settled);
    return promise;
  }

  /** Calls `onSubmit`. Returns the reason if it failed, and reports its error. */
  async function attempt(event: Deliverable, isFinal: boolean): Promise<string | undefined> {
    const { id, clientId, userId, session } = event;
    const { reference } = session;
    const number = Math.min(event.attempts, DELIVERY_ATTEMPTS);
    const linkId = session.link?.linkId;
    try {
      await traceDelivery({ eventId: id, clientId, attempt: number, isFinal }, async () => {
        // The process ended during the last attempt, so it did not record the failure.
        if (event.attempts > DELIVERY_ATTEMPTS)
          throw notEnded(`The last of ${DELIVERY_ATTEMPTS} attempts to deliver this submission did not end.`);
        const createError = () => notEnded(`onSubmit did not end within ${LEASE_SECONDS} s.`);
        const submission = { id, attempt: number, clientId, userId, ...(linkId && { linkId }), session };
        await withinTime(onSubmit?.(submission), LEASE_SECONDS, createError);
      });
      return undefined;
    } catch (error) {
      report(error, undefined, { clientId, userId, reference, attempt: number, isFinal });
      return failureReason(error);
    }
  }

  /** Attempts to deliver a recorded event, and records the outcome. Returns whether it is delivered. Never rejects. */
  async function deliver(event: Deliverable): Promise<boolean> {
    const { id, clientId, userId, attempts } = event;
    const { reference } = event.session;
    const isFinal = attempts >= DELIVERY_ATTEMPTS;
    const reason = await attempt(event, isFinal);
    try {
      if (reason === undefined) await outbox.settleEvent({ clientId, reference, id });
      else {
        const failure = { clientId, reference, id, attempts, reason };
        await outbox.postponeEvent(
          isFinal
            ? { ...failure, nextAttemptAt: now(), failedAt: now() }
            : { ...failure, nextAttemptAt: inSeconds(delayAfter(attempts, id)) },
        );
      }
    } catch (error) {
      // The event is due again at the end of its lease.
      report(error, undefined, { clientId, userId, reference, attempt: attempts, isFinal: false });
    }
    return reason === undefined;
  }

  async function deliverDue(): Promise<DeliveryResult> {
    // Later attempts of events that fail now are due after this time, so one call never repeats an event.
    const at = now();
    const result = { delivered: 0, failedAttempts: 0 };
    const runningAttempts = new Set<Promise<void>>();
    try {
      while (waiting === 0) {
        // An event is leased when its attempt can begin, so that the lease covers the whole attempt.
        const limit = CONCURRENCY - runningAttempts.size;
        const events = await outbox.leaseEvents({ at, leaseUntil: inSeconds(LEASE_SECONDS), limit });
        if (events.length === 0) break;
        for (const event of events) {
          const ended: Promise<void> = deliver(event).then((isDelivered) => {
            result[isDelivered ? 'delivered' : 'failedAttempts']++;
            runningAttempts.delete(ended);
          });
          runningAttempts.add(ended);
        }
        await Promise.race(runningAttempts);
      }
    } finally {
      await Promise.all(runningAttempts);
    }
    const { pending, failed } = await outbox.countEvents({ limit: MAX_EVENT_COUNT });
    return { ...result, pending, failed };
  }

  return {
    newEvent() {
      if (!recordSubmissions) return undefined;
      return onSubmit
        ? { id: randomUUID(), attempts: 1, nextAttemptAt: inSeconds(LEASE_SECONDS) }
        : { id: randomUUID(), attempts: 0, nextAttemptAt: now() };
    },

    startDelivery({ clientId, userId }, session, event) {
      if (onSubmit === undefined) return;
      const submission = { clientId, userId, session, attempts: 1 };
      if (event === undefined) track(attempt({ ...submission, id: randomUUID() }, true));
      else track(deliver({ ...submission, id: event.id }));
    },

    async deliverPending() {
      if (onSubmit === undefined)
        throw invalidOption('/onSubmit', 'required', 'is required: deliverPending calls it for each event');
      implementing(storage, 'OutboxStorage', 'deliverPending');
      return track(deliverDue());
    },

    async idle() {
      waiting++;
      try {
        while (running.size > 0) await Promise.all(running);
      } finally {
        waiting--;
      }
    },
  };
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
