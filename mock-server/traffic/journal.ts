// The journal: the last requests of each client, to be read, counted and waited for.

import type { JournalEntry, JournalFilter, Scope } from '../control.js';
import { assertMembers, checkClientId } from './check-members.js';
import {
  assertFilter,
  assertWaitFilter,
  describeFilter,
  isMatch,
  type WaitFilter,
} from './journal-filter.js';

/** An entry to add. `time` is when the request came; default: now. */
export type NewJournalEntry = Omit<JournalEntry, 'id' | 'time'> & { time?: Date };

/** Options of `createJournal`. */
export interface JournalOptions {
  /** The clock of a client, or of requests that belong to none. */
  now: (clientId: string | null) => Date;
  /** How many entries are kept of each client. Default 1000. */
  size?: number;
}

/** The journal of one mock. Entries are frozen. */
export interface Journal {
  /** `clientId` is null unless there is such a client: what a caller made up must not fill the memory. */
  add(entry: NewJournalEntry): JournalEntry;
  /** Oldest first. @throws `request_invalid` with every problem of the filter. */
  list(filter?: JournalFilter): readonly JournalEntry[];
  /** How many `list` gives. @throws as `list` */
  count(filter?: JournalFilter): number;
  /** Forgets the entries of one client, or all. Returns how many there were. */
  clear(scope?: Scope): number;
  /**
   * Resolves to the matching entries as soon as there are `count`, default 1, since the journal was cleared.
   * @throws WaitTimeoutError after `timeoutMs`, 1 to 60_000, default 5000, and when the mock is closed;
   * `request_invalid` with every problem of the filter.
   */
  wait(filter?: WaitFilter): Promise<readonly JournalEntry[]>;
  /** Rejects whoever waits, and whoever will. */
  close(): void;
}

/** Too few requests came in time. */
export class WaitTimeoutError extends Error {
  /** Those that came. */
  readonly requests: readonly JournalEntry[];

  constructor(message: string, requests: readonly JournalEntry[]) {
    super(message);
    this.name = 'WaitTimeoutError';
    this.requests = requests;
  }
}

interface Waiter {
  filter: JournalFilter;
  count: number;
  /** What came so far; it stays when newer requests push it out of the journal. */
  matching: JournalEntry[];
  resolve(entries: readonly JournalEntry[]): void;
  reject(error: Error): void;
}

const DEFAULT_SIZE = 1000;
const DEFAULT_TIMEOUT_MS = 5000;
const MAX_TIMEOUT_MS = 60_000;

/** Makes an empty journal. */
export function createJournal({ now, size = DEFAULT_SIZE }: JournalOptions): Journal {
  const entriesByClient = new Map<string | null, JournalEntry[]>();
  const waiters = new Set<Waiter>();
  let lastId = 0;
  let isClosed = false;

  function find(filter: JournalFilter): JournalEntry[] {
    const { clientId } = filter;
    if (clientId !== undefined) {
      return (entriesByClient.get(clientId) ?? []).filter((entry) => isMatch(entry, filter));
    }
    return [...entriesByClient.values()]
      .flatMap((entries) => entries.filter((entry) => isMatch(entry, filter)))
      .sort((a, b) => a.id - b.id);
  }

  function keep(entry: JournalEntry): void {
    const entries = entriesByClient.get(entry.clientId) ?? [];
    entriesByClient.set(entry.clientId, entries);
    entries.push(entry);
    if (entries.length > size) entries.shift();
  }

  function tellWaiters(entry: JournalEntry): void {
    for (const waiter of waiters) {
      if (!isMatch(entry, waiter.filter)) continue;
      waiter.matching.push(entry);
      if (waiter.matching.length >= waiter.count) waiter.resolve(waiter.matching);
    }
  }

  function closed(): Error {
    return new WaitTimeoutError(
      'The mock was closed, so no more requests will come: wait for them before you close it.',
      [],
    );
  }

  return {
    add({ time, ...entry }) {
      lastId++;
      const added: JournalEntry = Object.freeze({
        id: lastId,
        time: time ?? now(entry.clientId),
        ...entry,
        headers: Object.freeze({ ...entry.headers }),
        ...(entry.fault && { fault: Object.freeze({ ...entry.fault }) }),
      });
      keep(added);
      tellWaiters(added);
      return added;
    },

    list(filter = {}) {
      assertFilter(filter);
      return find(filter);
    },

    count(filter = {}) {
      assertFilter(filter);
      return find(filter).length;
    },

    clear(scope = {}) {
      assertMembers(scope, { clientId: checkClientId }, 'The scope', 'a scope');
      const isMeant = (entry: JournalEntry) => isMatch(entry, scope);
      let cleared = 0;
      for (const [clientId, entries] of entriesByClient) {
        if (scope.clientId !== undefined && scope.clientId !== clientId) continue;
        cleared += entries.length;
        entriesByClient.delete(clientId);
      }
      for (const waiter of waiters) waiter.matching = waiter.matching.filter((entry) => !isMeant(entry));
      return cleared;
    },

    async wait(filter = {}) {
      assertWaitFilter(filter, size, MAX_TIMEOUT_MS);
      if (isClosed) throw closed();
      const { count = 1, timeoutMs = DEFAULT_TIMEOUT_MS, ...rest } = filter;
      const matching = find(rest);
      if (matching.length >= count) return matching;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const came = `${waiter.matching.length} of ${count} requests${describeFilter(rest)} came within ${timeoutMs} ms`;
          const advice = 'See which requests came, or give them more time with timeoutMs.';
          waiter.reject(new WaitTimeoutError(`${came}. ${advice}`, waiter.matching));
        }, timeoutMs);
        function settle(): void {
          clearTimeout(timer);
          waiters.delete(waiter);
        }
        const waiter: Waiter = {
          filter: rest,
          count,
          matching,
          resolve(entries) {
            settle();
            resolve(entries);
          },
          reject(error) {
            settle();
            reject(error);
          },
        };
        waiters.add(waiter);
      });
    },

    close() {
      isClosed = true;
      for (const waiter of waiters) waiter.reject(closed());
    },
  };
}
