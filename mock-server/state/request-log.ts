// The request log: the last requests of each client, bounded by number and by bytes, with exact counts.
import { EventEmitter, once } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { LoggedRequest, RequestFilter, Scope } from '../control.js';
import { DEFAULT_LIMIT } from './links.js';

/** A request to log. */
export type NewLoggedRequest = Omit<LoggedRequest, 'id'>;

/** Thrown when too few requests arrive in time. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
}

export interface RequestLogOptions {
  onAdd(request: LoggedRequest): void;
  onClear(clientId: string | null): void;
  /** Default: 1000 requests of each client. */
  maxRequests?: number;
  /** Default: 32 MiB in all. */
  maxBytes?: number;
}

type Counted = Pick<LoggedRequest, 'userId' | 'route' | 'method' | 'status'>;

interface ClientLog {
  /** Ids of the held requests, oldest first. */
  ids: Set<number>;
  /** Counts of requests that were removed to make room, by the members that a filter can select. */
  removed: Map<string, Counted & { count: number }>;
}

const MAX_LIMIT = 1000;
const DEFAULT_TIMEOUT_MS = 5000;

/** Rough size of an entry without its texts. */
const ENTRY_BYTES = 1000;

/** Bounds the memory for counts. Beyond, removed requests of further users are counted without their user. */
const MAX_COUNTS = 50_000;

/**
 * Creates an empty log: the last 1,000 requests of each client, at most 32 MiB in all, and exact counts beyond. After
 * 50,000 combinations of user, route, method and status, removed requests of other users count without their user.
 */
export function createRequestLog(options: RequestLogOptions) {
  const { maxRequests = 1000, maxBytes = 32 * 1024 * 1024 } = options;
  const logs = new Map<string | null, ClientLog>();
  /** By id. No read changes the order: the oldest one is removed first. */
  const held = new LRUCache<number, LoggedRequest>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    dispose: countRemoved,
  });
  /** Emits `request` after each request. Each wait listens. */
  const arrivals = new EventEmitter().setMaxListeners(0);
  let lastId = 0;
  let countsInUse = 0;

  /** Counts a request that is removed to make room. A request that is cleared has no log any more. */
  function countRemoved({ clientId, userId, route, method, status }: LoggedRequest, id: number): void {
    const log = logs.get(clientId);
    if (log === undefined) return;
    const { ids, removed } = log;
    ids.delete(id);
    let counted: Counted = { userId, route, method, status };
    if (!removed.has(JSON.stringify(counted)) && countsInUse >= MAX_COUNTS)
      counted = { ...counted, userId: null };
    const key = JSON.stringify(counted);
    const entry = removed.get(key) ?? { ...counted, count: 0 };
    if (entry.count === 0) countsInUse++;
    entry.count++;
    removed.set(key, entry);
  }

  function matching(filter: RequestFilter): LoggedRequest[] {
    const ids = filter.clientId === undefined ? held.rkeys() : (logs.get(filter.clientId)?.ids ?? []);
    const requests = [...ids].flatMap((id) => held.peek(id) ?? []);
    const { after = 0 } = filter;
    return requests.filter((request) => request.id > after && isMatch(request, filter));
  }

  /** Returns the last `limit` matching requests, oldest first. */
  function list(filter: RequestFilter = {}): readonly LoggedRequest[] {
    return matching(filter).slice(-(filter.limit ?? DEFAULT_LIMIT));
  }

  /** Counts matching requests, including those that the log no longer holds. With `after`: held ones only. */
  function count(filter: Omit<RequestFilter, 'limit'> = {}): number {
    const { clientId, after } = filter;
    let total = matching(filter).length;
    if (after !== undefined) return total;
    for (const log of clientId === undefined ? logs.values() : [logs.get(clientId)]) {
      for (const entry of log?.removed.values() ?? []) if (isMatch(entry, filter)) total += entry.count;
    }
    return total;
  }

  return {
    list,
    count,

    /** Adds a request. Its `clientId` is null unless it had a valid key or token. */
    add(newRequest: NewLoggedRequest): LoggedRequest {
      const request: LoggedRequest = Object.freeze({ id: ++lastId, ...newRequest });
      const log = logs.get(request.clientId) ?? { ids: new Set(), removed: new Map() };
      logs.set(request.clientId, log);
      const { ids } = log;
      ids.add(request.id);
      held.set(request.id, request);
      const [oldest = 0] = ids;
      if (ids.size > maxRequests) held.delete(oldest);
      options.onAdd(request);
      arrivals.emit('request');
      return request;
    },

    /** Forgets the requests of one client, or all, and their counts. Returns how many requests were counted. */
    clear(scope: Scope = {}): number {
      let cleared = 0;
      for (const [clientId, log] of logs) {
        if (scope.clientId !== undefined && scope.clientId !== clientId) continue;
        logs.delete(clientId);
        for (const id of log.ids) held.delete(id);
        cleared += log.ids.size;
        for (const entry of log.removed.values()) cleared += entry.count;
        countsInUse -= log.removed.size;
      }
      options.onClear(scope.clientId ?? null);
      return cleared;
    },

    /** @throws WaitTimeoutError after `timeoutMs`; the reason of the signal when it is aborted */
    async wait(
      filter: RequestFilter & { count?: number; timeoutMs?: number } = {},
      signal?: AbortSignal,
    ): Promise<readonly LoggedRequest[]> {
      signal?.throwIfAborted();
      const { count: wanted = 1, timeoutMs = DEFAULT_TIMEOUT_MS, ...others } = filter;
      const limit = others.limit ?? Math.min(Math.max(wanted, DEFAULT_LIMIT), MAX_LIMIT);
      const timeout = new AbortController();
      const timer = setTimeout(() => {
        const message = `${count(others)} of ${wanted} requests${describeFilter(others)} arrived within ${timeoutMs} ms.`;
        timeout.abort(new WaitTimeoutError(message));
      }, timeoutMs);
      const ended = AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]);
      try {
        while (count(others) < wanted) await once(arrivals, 'request', { signal: ended });
        return list({ ...others, limit });
      } catch (error) {
        throw ended.aborted ? ended.reason : error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function isMatch(request: Counted, { userId, route, method, status }: RequestFilter): boolean {
  return (
    (userId === undefined || request.userId === userId) &&
    (route === undefined || request.route === route) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (status === undefined || isStatus(request.status, status))
  );
}

function isStatus(status: number | null, wanted: number | string): boolean {
  if (status === null) return false;
  return typeof wanted === 'number' ? status === wanted : `${Math.floor(status / 100)}xx` === wanted;
}

/** Texts are at most two bytes for each character in memory, and mostly one. */
function sizeOf({ path, detail, headers, requestBody, responseBody, problems }: LoggedRequest): number {
  const texts = [
    path,
    detail,
    requestBody?.text,
    responseBody?.text,
    ...Object.entries(headers).flat(),
    ...(problems ?? []).map((problem) => problem.detail),
  ];
  return texts.reduce((bytes, text = '') => bytes + Buffer.byteLength(text), ENTRY_BYTES);
}

function describeFilter({ limit: _, ...filter }: RequestFilter): string {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
