// The request log: the last requests of each client, bounded by number and by bytes; and the methods that read it.
import { setImmediate } from 'node:timers';
import { controlError } from '../control/errors.js';
import type { ClientSelection, LoggedRequest, RequestFilter } from '../control/types.js';
import { DEFAULT_LIMIT } from '../schemas/defaults.js';
import { sizeOf, toJson } from './json-pieces.js';
import { MIB } from './space.js';

export type NewLoggedRequest = Omit<LoggedRequest, 'id'>;

export interface RequestLogOptions {
  onAdd(request: LoggedRequest): void;
  onClear(clientId: string | null): void;
  /** Default: 1000 requests of each client. */
  maxRequests?: number;
  /** Of each client. Default: 8 MiB. */
  maxClientBytes?: number;
  /** Default: 32 MiB in all. */
  maxBytes?: number;
  /** Of one list. Default: 2 MiB. */
  maxListBytes?: number;
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Of each client, and of those who wait for requests of all clients. */
const MAX_WAITS = 50;

/** A caller who waits. */
interface Wait {
  readonly filter: RequestFilter;
  /** Number of matching requests: those that the log held, and those that arrived. */
  count: number;
  readonly expected: number;
  onEnough(): void;
}

/** A request of the log with its size. */
interface Entry {
  readonly request: LoggedRequest;
  readonly bytes: number;
}

interface ClientLog {
  /** The oldest one first. */
  readonly entries: Entry[];
  bytes: number;
}

/** Rough size of an entry beside its JSON. */
const ENTRY_BYTES = 500;

/**
 * Creates an empty log: the last 1,000 requests of each client, at most 8 MiB. Beyond 32 MiB in all, the client with the most
 * loses its oldest ones.
 */
export function createRequestLog(options: RequestLogOptions) {
  const {
    maxRequests = 1000,
    maxClientBytes = 8 * MIB,
    maxBytes = 32 * MIB,
    maxListBytes = 2 * MIB,
  } = options;
  const logs = new Map<string | null, ClientLog>();
  let bytesInAll = 0;
  /** By the client of their filters. */
  const waits = new Map<string | undefined, Set<Wait>>();
  let lastId = 0;

  function addTo(log: ClientLog, bytes: number): void {
    log.bytes += bytes;
    bytesInAll += bytes;
  }

  function dropOldest(log: ClientLog): void {
    addTo(log, -(log.entries.shift()?.bytes ?? 0));
  }

  /** Keeps an entry, and removes the oldest ones: of its client, then of the clients that hold the most. */
  function keep(entry: Entry): void {
    const { clientId } = entry.request;
    const log = logs.get(clientId) ?? { entries: [], bytes: 0 };
    logs.set(clientId, log);
    log.entries.push(entry);
    addTo(log, entry.bytes);
    while (log.entries.length > maxRequests || log.bytes > maxClientBytes) dropOldest(log);
    while (bytesInAll > maxBytes)
      dropOldest([...logs.values()].reduce((most, other) => (other.bytes > most.bytes ? other : most)));
  }

  /** Returns the waits whose filters match a request. No wait reads the log for it. */
  const waitsFor = (request: LoggedRequest): Wait[] =>
    [...new Set([request.clientId ?? undefined, undefined])]
      .flatMap((clientId) => [...(waits.get(clientId) ?? [])])
      .filter(({ filter }) => isMatch(request, filter));

  /** Returns the held requests of a client (null: of none), or all, oldest first. */
  function entriesOf(clientId: string | null | undefined): Entry[] {
    const selected = clientId === undefined ? [...logs.keys()] : [clientId];
    const entries = selected.flatMap((id) => logs.get(id)?.entries ?? []);
    return clientId === undefined ? entries.sort((a, b) => a.request.id - b.request.id) : entries;
  }

  const requestsOf = (clientId: string | null | undefined): LoggedRequest[] =>
    entriesOf(clientId).map(({ request }) => request);

  const matching = (filter: RequestFilter): Entry[] =>
    entriesOf(filter.clientId).filter(({ request }) => isMatch(request, filter));

  /** Returns the last `limit` matching requests, oldest first: fewer if they are large. */
  function requests({ limit = DEFAULT_LIMIT, ...filter }: RequestFilter = {}): readonly LoggedRequest[] {
    const newest = matching(filter).slice(-limit).reverse();
    let bytes = 0;
    const tooMany = newest.findIndex((entry) => {
      bytes += entry.bytes;
      return bytes > maxListBytes;
    });
    return newest
      .slice(0, tooMany === -1 ? undefined : Math.max(1, tooMany))
      .map(({ request }) => request)
      .reverse();
  }

  const countRequests = (filter: RequestFilter = {}): number => matching(filter).length;

  /** Names the request that differs in the fewest members of a filter; the latest of several. */
  function nearestMiss({ limit: _, after = 0, ...filter }: RequestFilter): string {
    const { clientId } = filter;
    const path = `/${encodeURIComponent(clientId ?? '')}/`;
    // The key or the token of a request without a client was not valid.
    const withoutClient = requestsOf(null).filter((request) => request.path.startsWith(path));
    const candidates =
      clientId === undefined ? requestsOf(undefined) : [...requestsOf(clientId), ...withoutClient];
    const misses = candidates
      .filter(({ id }) => id > after)
      .map((request) => ({ request, differing: differingMembers(request, filter) }))
      .filter(({ differing }) => differing.length > 0)
      .sort((a, b) => a.differing.length - b.differing.length || b.request.id - a.request.id);
    const [nearest] = misses;
    if (nearest === undefined) return '';
    const { request, differing } = nearest;
    const values = differing.map((name) => `${name} ${request[name]}`).join(', ');
    return ` The nearest request has ${values}: ${request.method} ${request.path}.`;
  }

  /** Adds a request. Its `clientId` is null unless it had a valid key or token. */
  function add(newRequest: NewLoggedRequest): LoggedRequest {
    const request: LoggedRequest = Object.freeze({ id: ++lastId, ...newRequest });
    keep({ request, bytes: ENTRY_BYTES + sizeOf(toJson(request)) });
    const matched = waitsFor(request);
    for (const wait of matched) wait.count++;
    options.onAdd(request);
    // What logs the request ends first: an attempt to send the webhook then sets the time of the next one.
    for (const wait of matched) if (wait.count >= wait.expected) setImmediate(wait.onEnough);
    return request;
  }

  const methods = {
    requests,
    countRequests,

    /** Forgets the requests of one client, or all. Returns their number. */
    clearRequests({ clientId }: ClientSelection = {}): number {
      const cleared = requestsOf(clientId);
      for (const request of cleared) for (const wait of waitsFor(request)) wait.count--;
      for (const [id, log] of [...logs])
        if (clientId === undefined || id === clientId) {
          bytesInAll -= log.bytes;
          logs.delete(id);
        }
      options.onClear(clientId ?? null);
      return cleared.length;
    },

    /** @throws `wait_timed_out` after `timeoutMs`; `too_many_waits`; the reason of the signal when it is aborted */
    async waitForRequests(
      filter: RequestFilter & { count?: number; timeoutMs?: number } = {},
      signal?: AbortSignal,
    ): Promise<readonly LoggedRequest[]> {
      signal?.throwIfAborted();
      const { count: expected = 1, timeoutMs = DEFAULT_TIMEOUT_MS, ...others } = filter;
      const limit = others.limit ?? Math.max(expected, DEFAULT_LIMIT);
      const counted = countRequests(others);
      if (counted >= expected) return requests({ ...others, limit });
      const ofClient = waits.get(others.clientId) ?? new Set();
      if (ofClient.size >= MAX_WAITS) throw controlError('too_many_waits');
      let end = () => {};
      try {
        await new Promise<void>((resolve, reject) => {
          const wait: Wait = { filter: others, count: counted, expected, onEnough: resolve };
          waits.set(others.clientId, ofClient.add(wait));
          const onAbort = () => reject(signal?.reason);
          signal?.addEventListener('abort', onAbort);
          const timer = setTimeout(() => {
            const message = `${wait.count} of ${expected} requests${describeFilter(others)} arrived within ${timeoutMs} ms.${nearestMiss(others)}`;
            reject(controlError('wait_timed_out', message));
          }, timeoutMs);
          end = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', onAbort);
            ofClient.delete(wait);
            if (ofClient.size === 0) waits.delete(others.clientId);
          };
        });
        return requests({ ...others, limit });
      } finally {
        end();
      }
    },
  };

  return { add, methods };
}

const FILTERED = ['clientId', 'userId', 'linkId', 'route', 'method', 'status'] as const;

/** Returns the members of a filter that a request does not match. */
function differingMembers(request: LoggedRequest, filter: RequestFilter): (typeof FILTERED)[number][] {
  return FILTERED.filter((name) =>
    name === 'clientId'
      ? filter.clientId !== undefined && request.clientId !== filter.clientId
      : !isMatch(request, { [name]: filter[name] }),
  );
}

/** Does not compare the client. */
function isMatch(request: LoggedRequest, filter: RequestFilter): boolean {
  const { userId, linkId, route, method, status, after = 0 } = filter;
  return (
    request.id > after &&
    (userId === undefined || request.userId === userId) &&
    (linkId === undefined || request.linkId === linkId) &&
    (route === undefined || request.route === route) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (status === undefined || (status === 'failed' ? isFailed(request) : isStatus(request.status, status)))
  );
}

/** `filter` is a status or a class: `503` or `5xx`. */
function isStatus(status: number | null, filter: number | string): boolean {
  return status !== null && [String(status), `${Math.floor(status / 100)}xx`].includes(String(filter));
}

function isFailed({ status, code, fault }: LoggedRequest): boolean {
  // A failed attempt to send the webhook has a code whatever its status.
  return (status ?? 599) >= 400 || code !== undefined || /^(?:truncate|malformed)$/.test(fault?.effect ?? '');
}

function describeFilter({ limit: _, ...filter }: RequestFilter): string {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
