// Delivers events to the host's onSubmit or onEvent: at once after the commit, and again until it succeeds.
import { randomUUID } from 'node:crypto';
import { missingMethods } from './assert-options.js';
import { createAttempts, LEASE_SECONDS } from './delivery-attempt.js';
import { invalidOption } from './errors.js';
import { type GuardedStorage, implementing, STORAGE_METHODS } from './guarded-storage.js';
import { addDueMoments, recordsLife } from './life.js';
import type { ResolvedOptions } from './options.js';
import { removalOnUse } from './photos-on-use.js';
import type { Report } from './report.js';
import type { EventKind, NewEvent, OutboxStorage, StoredSubmission } from './storage.js';
import type { DeliveryResult, Link, Session } from './types.js';

/** Number of pending events, and of failed ones, up to which they are counted. */
export const MAX_EVENT_COUNT = 10_000;
/** Number of events that one call of `deliverPending` delivers at the same time. */
const CONCURRENCY = 10;

/** Delivers events: the calls of a host. */
export interface DeliveryCalls {
  /**
   * Calls `onSubmit` or `onEvent` for the recorded events that it has not handled: its call failed, the process ended, or
   * another process recorded the event. It first records the links that expire, if `events` has them. Call
   * `deliverPending` on a timer, in any number of processes: they share the
   * work. It makes one attempt for each event that is due when the call begins, at most 10 at the same time. After a
   * failed attempt it waits 10 seconds, then twice as long each time, up to 6 hours, or as `deliveryError` says. After 20
   * attempts the event stays as failed; `claimlink deliveries` shows and repeats it. With `photos`, each attempt removes photos
   * before it calls the host, and each call compares some links of the store of photos: call it without a handler as well.
   * @throws `options_invalid` without `onSubmit`, `onEvent` and `photos`, or if the storage lacks the interface of the events; the
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
  const { onEvent, now, recordSubmissions, deliversSubmissions } = options;
  const removal = removalOnUse(options, storage);
  const hasHandler = onEvent !== undefined || deliversSubmissions;
  // A service whose choice has ended delivers what was recorded before.
  const takesLife = recordsLife(options) || (options.choice !== undefined && isRecording(storage));
  const life = takesLife ? implementing(storage, 'LifeStorage', 'the option events') : undefined;
  const outbox = outboxOf(options, storage, takesLife);
  /** The events that this service delivers: those of both kinds, or of one. */
  const ownKind = deliversSubmissions && takesLife ? undefined : takesLife ? 'life' : 'submission';
  const { attempt, deliver } = createAttempts(options, outbox, report, removal);
  /** Deliveries that have begun. They never reject. */
  const running = new Set<Promise<unknown>>();
  /** Number of calls of `idle` that wait. */
  let waiting = 0;
  /** The delivery of the events of links. */
  let lifeDelivery: Promise<unknown> = Promise.resolve();
  /** Whether a delivery that has not begun yet follows it. */
  let isQueued = false;

  const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000);

  /** Lets `idle` wait for a promise, and returns it. */
  function track<T>(promise: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = Promise.allSettled([promise]).then(() => running.delete(settled));
    running.add(settled);
    return promise;
  }

  /** Delivers the events of a kind that are due. Returns how many attempts succeeded and failed. */
  async function deliverDue(
    kind: EventKind | undefined,
  ): Promise<Pick<DeliveryResult, 'delivered' | 'failedAttempts'>> {
    // Later attempts of events that fail now are due after this time, so one call never repeats an event.
    const at = now();
    const result = { delivered: 0, failedAttempts: 0 };
    const attempts = new Set<Promise<void>>();
    try {
      while (waiting === 0) {
        // An event is leased when its attempt can begin, so that the lease covers the whole attempt.
        const limit = CONCURRENCY - attempts.size;
        const leaseUntil = inSeconds(LEASE_SECONDS);
        const leased = await outbox.leaseEvents({ at, leaseUntil, limit, ...(kind && { kind }) });
        if (leased.length === 0) break;
        for (const stored of leased) {
          const ended: Promise<void> = deliver(stored).then((isDelivered) => {
            result[isDelivered ? 'delivered' : 'failedAttempts']++;
            attempts.delete(ended);
          });
          attempts.add(ended);
        }
        await Promise.race(attempts);
      }
    } finally {
      await Promise.all(attempts);
    }
    return result;
  }

  async function deliverAll(): Promise<DeliveryResult> {
    if (life) await addDueMoments(life, now());
    const result = await deliverDue(ownKind);
    if (waiting === 0) await removal?.sweep((error) => report(error, undefined));
    const counts = await outbox.countEvents({ limit: MAX_EVENT_COUNT, ...(ownKind && { kind: ownKind }) });
    return { ...result, ...counts };
  }

  return {
    newEvent() {
      if (!recordSubmissions) return undefined;
      return deliversSubmissions
        ? { id: randomUUID(), attempts: 1, nextAttemptAt: inSeconds(LEASE_SECONDS) }
        : { id: randomUUID(), attempts: 0, nextAttemptAt: now() };
    },

    startDelivery({ clientId, userId }, session, event) {
      if (!deliversSubmissions) return;
      const { id, nextAttemptAt } = event ?? { id: randomUUID(), nextAttemptAt: now() };
      const owner = { clientId, userId, reference: session.reference };
      const stored: StoredSubmission = { id, ...owner, session, attempts: 1, nextAttemptAt };
      track<unknown>(event ? deliver(stored) : attempt(stored, true));
    },

    startLifeDelivery() {
      if (life === undefined || !hasHandler || isQueued) return;
      isQueued = true;
      lifeDelivery = lifeDelivery.then(() => {
        isQueued = false;
        // deliverPending delivers what fails here.
        return deliverDue('life').catch((error) => report(error, undefined));
      });
      track(lifeDelivery);
    },

    async deliverPending() {
      if (!hasHandler) {
        const detail = 'is required, or onSubmit: deliverPending calls it for each event';
        throw invalidOption('/onEvent', 'required', detail);
      }
      if (deliversSubmissions) implementing(storage, 'OutboxStorage', 'deliverPending');
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

/** Whether the storage records the events of links. */
function isRecording(storage: GuardedStorage): boolean {
  return storage.chooseEvents !== undefined;
}

/** Returns the outbox. Its methods may be missing if nothing is recorded. @throws `options_invalid` */
function outboxOf(options: ResolvedOptions, storage: GuardedStorage, takesLife: boolean): OutboxStorage {
  const { recordSubmissions, events, onEvent, photos } = options;
  const missing = photos ? missingMethods(storage, STORAGE_METHODS.OutboxStorage) : [];
  if (missing.length > 0) {
    const detail = `must implement OutboxStorage for the option photos, whose removal its events start: use a storage of claimlink, or add ${missing.join(', ')} (docs/own-storage.md)`;
    throw invalidOption('/storage', 'combination', detail);
  }
  if (takesLife) implementing(storage, 'OutboxStorage', 'the option events');
  else if (recordSubmissions) {
    const isDelivered = onEvent && events.includes('claim.submitted');
    const cause = isDelivered
      ? 'onSubmit or claim.submitted without recordSubmissions: false'
      : 'recordSubmissions';
    implementing(storage, 'OutboxStorage', cause);
  }
  return storage as GuardedStorage & OutboxStorage;
}
