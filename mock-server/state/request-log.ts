// The request log: the last requests of each client, bounded by number and by bytes, with exact counts.
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
  /** By id, oldest first. */
  const held = new Map<number, { request: LoggedRequest; bytes: number }>();
  /** Functions that end a wait if there are enough requests. */
  const waits = new Set<() => void>();
  let totalBytes = 0;
  let lastId = 0;
  let countsInUse = 0;

  function logFor(clientId: string | null): ClientLog {
    const log = logs.get(clientId) ?? { ids: new Set(), removed: new Map() };
    logs.set(clientId, log);
    return log;
  }

  /** Forgets a held request. */
  function take(id: number): LoggedRequest | undefined {
    const { request, bytes = 0 } = held.get(id) ?? {};
    held.delete(id);
    totalBytes -= bytes;
    return request;
  }

  /** Removes a held request to make room, and counts it. */
  function remove(id: number): void {
    const request = take(id);
    if (request === undefined) return;
    const { ids, removed } = logFor(request.clientId);
    ids.delete(id);
    const { route, method, status } = request;
    let counted: Counted = { userId: request.userId, route, method, status };
    if (!removed.has(JSON.stringify(counted)) && countsInUse >= MAX_COUNTS)
      counted = { ...counted, userId: null };
    const key = JSON.stringify(counted);
    const entry = removed.get(key) ?? { ...counted, count: 0 };
    if (entry.count === 0) countsInUse++;
    entry.count++;
    removed.set(key, entry);
  }

  function matching(filter: RequestFilter): LoggedRequest[] {
    const ids = filter.clientId === undefined ? held.keys() : (logs.get(filter.clientId)?.ids ?? []);
    const requests = [...ids].flatMap((id) => held.get(id)?.request ?? []);
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
      const { ids } = logFor(request.clientId);
      const bytes = sizeOf(request);
      held.set(request.id, { request, bytes });
      ids.add(request.id);
      totalBytes += bytes;
      const [oldestOfClient] = ids;
      if (ids.size > maxRequests && oldestOfClient !== undefined) remove(oldestOfClient);
      for (const id of held.keys()) {
        if (totalBytes <= maxBytes) break;
        remove(id);
      }
      options.onAdd(request);
      for (const check of [...waits]) check();
      return request;
    },

    /** Forgets the requests of one client, or all, and their counts. Returns how many requests were counted. */
    clear(scope: Scope = {}): number {
      let cleared = 0;
      for (const [clientId, log] of logs) {
        if (scope.clientId !== undefined && scope.clientId !== clientId) continue;
        for (const id of log.ids) take(id);
        cleared += log.ids.size;
        for (const entry of log.removed.values()) cleared += entry.count;
        countsInUse -= log.removed.size;
        logs.delete(clientId);
      }
      options.onClear(scope.clientId ?? null);
      return cleared;
    },

    /** @throws WaitTimeoutError after `timeoutMs`; the reason of the signal when it is aborted */
    wait(
      filter: RequestFilter & { count?: number; timeoutMs?: number } = {},
      signal?: AbortSignal,
    ): Promise<readonly LoggedRequest[]> {
      const { count: wanted = 1, timeoutMs = DEFAULT_TIMEOUT_MS, ...others } = filter;
      const limit = others.limit ?? Math.min(Math.max(wanted, DEFAULT_LIMIT), MAX_LIMIT);
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        function end(): void {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          waits.delete(check);
        }
        function onAbort(): void {
          end();
          reject(signal?.reason);
        }
        function check(): void {
          if (count(others) < wanted) return;
          end();
          resolve(list({ ...others, limit }));
        }
        const timer = setTimeout(() => {
          end();
          const message = `${count(others)} of ${wanted} requests${describeFilter(others)} arrived within ${timeoutMs} ms.`;
          reject(new WaitTimeoutError(message));
        }, timeoutMs);
        signal?.addEventListener('abort', onAbort);
        waits.add(check);
        check();
      });
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
