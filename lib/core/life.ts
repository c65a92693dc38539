// The life of a link: which moments are recorded, and the choice of events that the storage keeps.
import { type GuardedStorage, implementing } from './guarded-storage.js';
import type { ResolvedOptions } from './options.js';
import type { EventChoice, LifeStorage, LinkRef } from './storage.js';
import type { DeclineReason, LinkMoment } from './types.js';

/** Number of moments of a link after which only its end is recorded: what a person or a script repeats has a bound. */
const MAX_MOMENTS = 100;
/** Number of repeated submissions of a link that are recorded. */
const MAX_REPETITIONS = 20;
/** Least time between two requests to renew a link. */
const RENEWAL_INTERVAL_MS = 3_600_000;
/** Number of links that one call of `addDueMoments` changes. */
const DUE_LIMIT = 1000;
/** Number of tries to add a moment. Each one that fails means that another call has added one. */
const MAX_TRIES = 10;

/** Returns whether the options choose an event that a `LifeStorage` records. */
export function recordsLife({ events }: Pick<ResolvedOptions, 'events'>): boolean {
  return events.some((type) => type !== 'claim.submitted');
}

/** Records the links that are due at this time. */
export async function addDueMoments(storage: LifeStorage, at: Date): Promise<void> {
  while ((await storage.addDueMoments({ at, limit: DUE_LIMIT })) === DUE_LIMIT);
}

/** The calls that record by the choice of events. */
const RECORDING = [
  'insertLink',
  'insertLinkOnce',
  'revokeLink',
  'revokeLinks',
  'deleteUser',
  'deleteSessions',
  'deleteExpiredLinks',
  'deleteClient',
  'addMoment',
  'addDueMoments',
] as const satisfies readonly (keyof GuardedStorage)[];

/** Warns if a choice has replaced another one. Services with different choices replace each other's at every start. */
// biome-ignore lint/suspicious/noConfusingVoidType: a storage may return nothing
function warnOfReplaced(replaced: EventChoice | void, chosen: EventChoice): void {
  // A storage of a host may also return what its driver does.
  if (!replaced?.types?.length) return;
  const [before, after] = [textOf(replaced), textOf(chosen)];
  if (before === after) return;
  process.emitWarning(
    `This service has replaced the choice of events in the storage: ${before}. It is now: ${after}. Every process records by the latest choice: docs/delivery.md, "Change the choice of events".`,
    { type: 'ClaimlinkWarning', code: 'CLAIMLINK_EVENTS_REPLACED' },
  );
}

function textOf({ types, expiryNoticeSeconds }: EventChoice): string {
  const texts = types.map((type) => (type === 'link.expiring' ? `${type} (${expiryNoticeSeconds} s)` : type));
  return texts.sort().join(', ') || 'none';
}

/**
 * Stores the choice of a service before its first call that records by it. Without the option `events`, a service leaves the
 * choice to others.
 * @throws `options_invalid` if the storage does not implement `LifeStorage` and the choice needs it.
 */
export function withChoice(storage: GuardedStorage, options: ResolvedOptions): GuardedStorage {
  const { choice: chosen } = options;
  if (chosen === undefined || (!recordsLife(options) && storage.chooseEvents === undefined)) return storage;
  const life = implementing(storage, 'LifeStorage', 'the option events');
  let stored: Promise<void> | undefined;

  const store = (): Promise<void> => {
    stored ??= Promise.resolve(life.chooseEvents(chosen)).then(
      (replaced) => warnOfReplaced(replaced, chosen),
      (error) => {
        // The next call tries again.
        stored = undefined;
        throw error;
      },
    );
    return stored;
  };

  const recording = RECORDING.filter((name) => storage[name] !== undefined).map((name) => {
    const call = storage[name] as (...args: unknown[]) => unknown;
    return [name, async (...args: unknown[]) => store().then(() => call(...args))];
  });
  return { ...storage, ...Object.fromEntries(recording) };
}

/** Records moments of links. Without a `LifeStorage`, nothing is recorded. */
export interface Life {
  /** The first answer that a person gives. */
  start(link: LinkRef): Promise<void>;
  /** Revokes the link. Returns false if it cannot be revoked. Needs a `LifeStorage`. */
  decline(link: LinkRef, why: DeclineReason): Promise<boolean>;
  /** At most once an hour. */
  requestRenewal(link: LinkRef): Promise<void>;
  lock(link: LinkRef): Promise<void>;
  unlock(link: LinkRef): Promise<void>;
  /** Returns whether the link is recorded as locked. */
  isLocked(link: LinkRef): Promise<boolean>;
  repeat(link: LinkRef, unchanged: boolean): Promise<void>;
}

/** Creates the recorder. `onRecorded` is called after each moment. */
export function createLife(storage: GuardedStorage, now: () => Date, onRecorded?: () => void): Life {
  /** Adds a moment unless the earlier ones exclude it. Returns whether it was added. */
  async function add(
    { clientId, accessCodeHash }: LinkRef,
    moment: Omit<LinkMoment, 'at'>,
    isExcluded: (moments: readonly LinkMoment[], at: Date) => boolean,
    revoke = false,
  ): Promise<boolean> {
    if (storage.addMoment === undefined || storage.listMoments === undefined) return false;
    const link = { clientId, accessCodeHash };
    const at = now();
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const moments = await storage.listMoments(link);
      if (moments === undefined || isExcluded(moments, at)) return false;
      if (moments.length >= MAX_MOMENTS && !revoke) return false;
      const sequence = moments.length + 1;
      if (
        await storage.addMoment({ ...link, moment: { ...moment, at }, sequence, ...(revoke && { revoke }) })
      ) {
        onRecorded?.();
        return true;
      }
    }
    return false;
  }

  return {
    async start(link) {
      await add(link, { type: 'link.started' }, (moments) => last(moments, 'link.started') !== undefined);
    },

    decline: (link, why) => add(link, { type: 'link.declined', why }, () => false, true),

    async requestRenewal(link) {
      // The end of the link comes before the request in its moments.
      await storage.addDueMoments?.({ at: now(), limit: DUE_LIMIT });
      const type = 'link.renewal_requested';
      await add(link, { type }, (moments, at) => {
        const earlier = last(moments, type);
        return earlier !== undefined && at.getTime() - earlier.at.getTime() < RENEWAL_INTERVAL_MS;
      });
    },

    async lock(link) {
      await add(link, { type: 'link.locked' }, isLocked);
    },

    async unlock(link) {
      await add(link, { type: 'link.unlocked' }, (moments) => !isLocked(moments));
    },

    async isLocked({ clientId, accessCodeHash }) {
      return isLocked((await storage.listMoments?.({ clientId, accessCodeHash })) ?? []);
    },

    async repeat(link, unchanged) {
      const type = 'claim.repeated';
      const isExcluded = (moments: readonly LinkMoment[]) =>
        moments.filter((moment) => moment.type === type).length >= MAX_REPETITIONS;
      await add(link, { type, unchanged }, isExcluded);
    },
  };
}

function last(moments: readonly LinkMoment[], ...types: LinkMoment['type'][]): LinkMoment | undefined {
  return moments.findLast(({ type }) => types.includes(type));
}

function isLocked(moments: readonly LinkMoment[]): boolean {
  return last(moments, 'link.locked', 'link.unlocked')?.type === 'link.locked';
}
