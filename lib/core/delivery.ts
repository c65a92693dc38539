// Delivers events to the host's onSubmit or onEvent: at once after the commit, and again until it succeeds.
import { randomUUID } from 'node:crypto';
import { retryOf } from './delivery-error.js';
import { invalidOption } from './errors.js';
import { failureReason } from './failure-reason.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import { addDueMoments, recordsLife } from './life.js';
import type { ResolvedOptions } from './options.js';
import type { Report } from './report.js';
import type {
  EventCounts,
  FailedLifeAttempt,
  LifeStorage,
  NewEvent,
  OutboxStorage,
  StoredEvent,
  StoredLifeEvent,
} from './storage.js';
import { withinTime } from './time-limit.js';
import { traceDelivery } from './tracing.js';
import type { Awaitable, ClaimlinkEvent, DeliveryResult, Link, Session } from './types.js';

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

/** The members of a recorded submission that an attempt needs. */
type RecordedSubmission = Pick<StoredEvent, 'id' | 'clientId' | 'userId' | 'session' | 'attempts'>;

/** A recorded event in an attempt: what the handler gets, and what `onError` learns if it fails. */
interface Attempt {
  event: ClaimlinkEvent;
  /** Number of attempts that have begun. */
  attempts: number;
  /** Tells the host that an attempt failed. */
  reportFailure(error: unknown, attempt: number, isFinal: boolean): void;
  /** Deletes the event. */
  settle(): Awaitable<void>;
  /** Records the failure. */
  postpone(failure: Omit<FailedLifeAttempt, 'id'>): Awaitable<void>;
}

/** How an attempt failed. */
interface Failure {
  reason: string;
  /** Whether no further attempt follows. */
  isFinal: boolean;
  /** When the handler asked for the next attempt. */
  retryAt?: Date;
}

/** Where events wait for their delivery. */
interface Outbox {
  lease(query: { at: Date; leaseUntil: Date; limit: number }): Promise<readonly Attempt[]>;
  count(query: { limit: number }): Awaitable<EventCounts>;
}

/** Delivers events: the calls of a host. */
export interface DeliveryCalls {
  /**
   * Calls `onSubmit` or `onEvent` for the recorded events that it has not handled: its call failed, the process ended, or
   * another process recorded the event. It first records the links that expire, if `events` has them. Call
   * `deliverPending` on a timer, in any number of processes: they share the
   * work. It makes one attempt for each event that is due when the call begins, at most 10 at the same time. After a
   * failed attempt it waits 10 seconds, then twice as long each time, up to 6 hours, or as `deliveryError` says. After 20
   * attempts the event stays as failed; `claimlink deliveries` shows and repeats it.
   * @throws `options_invalid` without `onSubmit` and `onEvent`, or if the storage lacks the interface of the events; the
   * errors of the storage, after the attempts that have begun.
   */
  deliverPending(): Promise<DeliveryResult>;
  /**
   * Waits until no call of `onSubmit`, `onEvent` and `deliverPending` runs, and no use of an API key is being stored. A running
   * `deliverPending` begins no further attempts. Call it at shutdown: close the server, wait for `idle`, close the storage.
   */
  idle(): Promise<void>;
}

/** Delivers the events. */
export interface Delivery extends DeliveryCalls {
  /** Returns the event to record with a submission, or undefined if the host wants none. */
  newEvent(): NewEvent | undefined;
  /** Begins to deliver the event of a committed submission, if there is a handler. Does not wait for it. */
  startDelivery(link: Link, session: Session, event: NewEvent | undefined): void;
  /** Begins to deliver the events of a `LifeStorage` that are due, if there is a handler. Does not wait for it. */
  startLifeDelivery(): void;
}

/**
 * Creates the delivery of events. `report` gets the errors of the handler.
 * @throws `options_invalid` if events are to be recorded and the storage lacks their interface.
 */
export function createDelivery(options: ResolvedOptions, storage: GuardedStorage, report: Report): Delivery {
  const { onEvent, now, recordSubmissions, events } = options;
  const submissionHandler = events.includes('claim.submitted') ? onEvent : undefined;
  const cause = submissionHandler
    ? 'onSubmit or claim.submitted without recordSubmissions: false'
    : 'recordSubmissions';
  /** Every method is present if events are recorded. */
  const outbox = recordSubmissions
    ? implementing(storage, 'OutboxStorage', cause)
    : (storage as GuardedStorage & OutboxStorage);
  // A service whose choice has ended delivers what was recorded before.
  const drainsLife = options.choice !== undefined && storage.leaseLifeEvents !== undefined;
  const life =
    recordsLife(options) || drainsLife
      ? implementing(storage, 'LifeStorage', 'the option events')
      : undefined;
  const outboxes: readonly Outbox[] = [
    ...(events.includes('claim.submitted') ? [submissionOutbox()] : []),
    ...(life ? [lifeOutbox(life)] : []),
  ];
  /** Deliveries that have begun. They never reject. */
  const running = new Set<Promise<unknown>>();
  /** Number of calls of `idle` that wait. */
  let waiting = 0;
  /** Whether events of the `LifeStorage` are being delivered, and others were recorded meanwhile. */
  let lifeDelivery: 'idle' | 'running' | 'repeat' = 'idle';

  const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000);

  /** Returns the seconds until a time: at least 1, so that one call of `deliverPending` does not repeat the event. */
  function secondsUntil(time: Date): number {
    return Math.min(Math.max((time.getTime() - now().getTime()) / 1000, 1), MAX_DELAY_SECONDS);
  }

  /** Lets `idle` wait for a promise, and returns it. */
  function track<T>(promise: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = Promise.allSettled([promise]).then(() => running.delete(settled));
    running.add(settled);
    return promise;
  }

  function submissionAttempt({ id, clientId, userId, session, attempts }: RecordedSubmission): Attempt {
    const { reference } = session;
    const linkId = session.link?.linkId;
    const key = { clientId, reference, id };
    const number = numberOf(attempts);
    return {
      event: {
        type: 'claim.submitted',
        ...{ id, attempt: number, clientId, userId, ...(linkId && { linkId }), session },
      },
      attempts,
      reportFailure: (error, attempt, isFinal) =>
        report(error, undefined, { clientId, userId, reference, attempt, isFinal }),
      settle: () => outbox.settleEvent(key),
      postpone: (failure) => outbox.postponeEvent({ ...key, ...failure }),
    };
  }

  function submissionOutbox(): Outbox {
    return {
      lease: async (query) => (await outbox.leaseEvents(query)).map(submissionAttempt),
      count: (query) => outbox.countEvents(query),
    };
  }

  function lifeOutbox(storage: LifeStorage): Outbox {
    function toAttempt({ event, attempts }: StoredLifeEvent): Attempt {
      const { id, type, clientId } = event;
      const link = 'linkId' in event ? { linkId: event.linkId } : {};
      return {
        event: { ...event, attempt: numberOf(attempts) },
        attempts,
        reportFailure: (error, attempt, isFinal) =>
          report(error, undefined, undefined, { type, id, clientId, ...link, attempt, isFinal }),
        settle: () => storage.settleLifeEvent({ id }),
        postpone: (failure) => storage.postponeLifeEvent({ id, ...failure }),
      };
    }
    return {
      lease: async (query) => (await storage.leaseLifeEvents(query)).map(toAttempt),
      count: (query) => storage.countLifeEvents(query),
    };
  }

  /** Calls the handler. Returns the failure if it failed, and reports its error. */
  async function attempt(
    { event, attempts, reportFailure }: Attempt,
    isLast: boolean,
  ): Promise<Failure | undefined> {
    const { id, clientId, attempt: number } = event;
    try {
      await traceDelivery({ eventId: id, clientId, attempt: number, isFinal: isLast }, async () => {
        // The process ended during the last attempt, so it did not record the failure.
        if (attempts > DELIVERY_ATTEMPTS)
          throw notEnded(`The last of ${DELIVERY_ATTEMPTS} attempts to deliver this event did not end.`);
        const createError = () => notEnded(`onSubmit or onEvent did not end within ${LEASE_SECONDS} s.`);
        await withinTime(onEvent?.(event), LEASE_SECONDS, createError);
      });
      return undefined;
    } catch (error) {
      const retry = retryOf(error);
      const isFinal = isLast || retry === false;
      reportFailure(error, number, isFinal);
      return { reason: failureReason(error), isFinal, ...(retry && { retryAt: retry }) };
    }
  }

  /** Attempts to deliver a recorded event, and records the outcome. Returns whether it is delivered. Never rejects. */
  async function deliver(recorded: Attempt): Promise<boolean> {
    const { attempts, event } = recorded;
    const failure = await attempt(recorded, attempts >= DELIVERY_ATTEMPTS);
    try {
      if (failure === undefined) await recorded.settle();
      else {
        const { reason, isFinal, retryAt } = failure;
        const seconds = retryAt ? secondsUntil(retryAt) : delayAfter(attempts, event.id);
        await recorded.postpone(
          isFinal
            ? { attempts, reason, nextAttemptAt: now(), failedAt: now() }
            : { attempts, reason, nextAttemptAt: inSeconds(seconds) },
        );
      }
    } catch (error) {
      // The event is due again at the end of its lease.
      recorded.reportFailure(error, attempts, false);
    }
    return failure === undefined;
  }

  /** Delivers the events of an outbox that are due. Returns how many attempts succeeded and failed. */
  async function deliverDue({
    lease,
  }: Outbox): Promise<Pick<DeliveryResult, 'delivered' | 'failedAttempts'>> {
    // Later attempts of events that fail now are due after this time, so one call never repeats an event.
    const at = now();
    const result = { delivered: 0, failedAttempts: 0 };
    const runningAttempts = new Set<Promise<void>>();
    try {
      while (waiting === 0) {
        // An event is leased when its attempt can begin, so that the lease covers the whole attempt.
        const limit = CONCURRENCY - runningAttempts.size;
        const attempts = await lease({ at, leaseUntil: inSeconds(LEASE_SECONDS), limit });
        if (attempts.length === 0) break;
        for (const recorded of attempts) {
          const ended: Promise<void> = deliver(recorded).then((isDelivered) => {
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
    return result;
  }

  async function deliverAll(): Promise<DeliveryResult> {
    if (life) await addDueMoments(life, now());
    const result = { delivered: 0, failedAttempts: 0 };
    for (const source of outboxes) {
      const { delivered, failedAttempts } = await deliverDue(source);
      result.delivered += delivered;
      result.failedAttempts += failedAttempts;
    }
    let counts: EventCounts = { pending: 0, failed: 0 };
    for (const { count } of outboxes) counts = sumCounts(counts, await count({ limit: MAX_EVENT_COUNT }));
    return { ...result, ...counts };
  }

  /** Delivers the events of the `LifeStorage` until none was recorded meanwhile. Never rejects. */
  async function deliverLife(source: Outbox): Promise<void> {
    do {
      lifeDelivery = 'running';
      try {
        await deliverDue(source);
      } catch (error) {
        // deliverPending delivers them.
        report(error, undefined);
      }
    } while (isRepeated());
    lifeDelivery = 'idle';
  }

  function isRepeated(): boolean {
    return lifeDelivery === 'repeat' && waiting === 0;
  }

  return {
    newEvent() {
      if (!recordSubmissions) return undefined;
      return submissionHandler
        ? { id: randomUUID(), attempts: 1, nextAttemptAt: inSeconds(LEASE_SECONDS) }
        : { id: randomUUID(), attempts: 0, nextAttemptAt: now() };
    },

    startDelivery({ clientId, userId }, session, event) {
      if (submissionHandler === undefined) return;
      const submission = { clientId, userId, session, attempts: 1 };
      if (event === undefined) track(attempt(submissionAttempt({ ...submission, id: randomUUID() }), true));
      else track(deliver(submissionAttempt({ ...submission, id: event.id })));
    },

    startLifeDelivery() {
      if (life === undefined || onEvent === undefined) return;
      if (lifeDelivery === 'idle') track(deliverLife(lifeOutbox(life)));
      else lifeDelivery = 'repeat';
    },

    async deliverPending() {
      if (onEvent === undefined) {
        const detail = 'is required, or onSubmit: deliverPending calls it for each event';
        throw invalidOption('/onEvent', 'required', detail);
      }
      if (submissionHandler) implementing(storage, 'OutboxStorage', 'deliverPending');
      return track(deliverAll());
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

/** Returns the counts of two outboxes together, each up to `MAX_EVENT_COUNT`. */
export function sumCounts(a: EventCounts, b: EventCounts): EventCounts {
  return {
    pending: Math.min(a.pending + b.pending, MAX_EVENT_COUNT),
    failed: Math.min(a.failed + b.failed, MAX_EVENT_COUNT),
  };
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
