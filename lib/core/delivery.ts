// Delivers the events of submissions to the host's onSubmit: at once after the commit, and again until it succeeds.
import { randomUUID } from 'node:crypto';
import { invalidOption } from './errors.js';
import { missingOutbox, type ResolvedOptions } from './options.js';
import type { Report } from './report.js';
import type { NewEvent, OutboxStorage, StoredEvent } from './storage.js';
import { type HostStorage, missingMethods, OUTBOX_METHODS } from './storage-methods.js';
import { withinTime } from './time-limit.js';
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

/** Delivers the events of submissions. */
export interface Delivery {
  /** Returns the event to record with a submission, or undefined if the host wants none. */
  newEvent(): NewEvent | undefined;
  /** Begins to deliver the event of a committed submission, if there is an `onSubmit`. Does not wait for it. */
  startDelivery(link: Link, session: Session, event: NewEvent | undefined): void;
  deliverPending(): Promise<DeliveryResult>;
  idle(): Promise<void>;
}

/** Creates the delivery of events. The calls of `storage` must have a time limit. `report` gets the errors of `onSubmit`. */
export function createDelivery(options: ResolvedOptions, storage: HostStorage, report: Report): Delivery {
  const { onSubmit, now, recordSubmissions } = options;
  const missing = missingMethods(storage, OUTBOX_METHODS);
  /** Every method is present if events are recorded: `resolveOptions` checks it. */
  const outbox = storage as OutboxStorage;
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

  /** Calls `onSubmit` and returns whether it succeeded. Reports its error. */
  async function attempt({ id, clientId, userId, session, attempts }: Deliverable): Promise<boolean> {
    try {
      // The process ended during the last attempt, so it did not record the failure.
      if (attempts > DELIVERY_ATTEMPTS)
        throw new Error(`The last of ${DELIVERY_ATTEMPTS} attempts to deliver this submission did not end.`);
      const createError = () => new Error(`onSubmit did not end within ${LEASE_SECONDS} s.`);
      const call = onSubmit?.({ id, attempt: attempts, clientId, userId, session });
      await withinTime(call, LEASE_SECONDS, createError);
      return true;
    } catch (error) {
      report(error, undefined, { clientId, userId, reference: session.reference });
      return false;
    }
  }

  /** Attempts to deliver a recorded event, and records the outcome. Never rejects. */
  async function deliver(event: Deliverable): Promise<boolean> {
    const { id, clientId, userId, attempts } = event;
    const { reference } = event.session;
    const isDelivered = await attempt(event);
    try {
      if (isDelivered) await outbox.settleEvent({ clientId, reference });
      else {
        const failure = { clientId, reference, attempts };
        await outbox.postponeEvent(
          attempts < DELIVERY_ATTEMPTS
            ? { ...failure, nextAttemptAt: inSeconds(delayAfter(attempts, id)) }
            : { ...failure, nextAttemptAt: now(), failedAt: now() },
        );
      }
    } catch (error) {
      // The event is due again at the end of its lease.
      report(error, undefined, { clientId, userId, reference });
    }
    return isDelivered;
  }

  async function deliverDue(): Promise<DeliveryResult> {
    // Later attempts of events that fail now are due after this time, so one call never repeats an event.
    const at = now();
    const result = { delivered: 0, failed: 0 };
    const runningAttempts = new Set<Promise<void>>();
    try {
      while (waiting === 0) {
        // An event is leased when its attempt can begin, so that the lease covers the whole attempt.
        const limit = CONCURRENCY - runningAttempts.size;
        const events = await outbox.leaseEvents({ at, leaseUntil: inSeconds(LEASE_SECONDS), limit });
        if (events.length === 0) break;
        for (const event of events) {
          const ended: Promise<void> = deliver(event).then((isDelivered) => {
            result[isDelivered ? 'delivered' : 'failed']++;
            runningAttempts.delete(ended);
          });
          runningAttempts.add(ended);
        }
        await Promise.race(runningAttempts);
      }
    } finally {
      await Promise.all(runningAttempts);
    }
    return { ...result, pending: (await outbox.countEvents({ limit: MAX_EVENT_COUNT })).pending };
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
      if (event === undefined) track(attempt({ ...submission, id: randomUUID() }));
      else track(deliver({ ...submission, id: event.id }));
    },

    async deliverPending() {
      if (onSubmit === undefined)
        throw invalidOption('/onSubmit', 'required', 'is required: deliverPending calls it for each event');
      if (missing.length > 0)
        throw invalidOption('/storage', 'combination', missingOutbox('deliverPending', missing));
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
