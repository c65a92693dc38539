// A load for two services over a database that fails over, and what must hold afterwards.
import { setTimeout as wait } from 'node:timers/promises';
import { hashAccessCode } from '../../lib/core/credentials.js';
import type { LinkRequest } from '../../lib/index.js';
import type { PostgresStorage } from '../../lib/storage/postgres/index.js';
import { CLAIM, linkRequest } from '../adapters/service.js';
import type { Scope } from '../storage/postgres-server.js';
import type { Answer, ServiceProcess } from './cluster.js';

/** A caller waits for this time before it repeats a request. */
const RETRY_MS = 20;
/** A load that makes no progress for this time has failed. */
const PATIENCE_MS = 60_000;

/** A response of one of the services. */
export interface TimedResponse {
  service: number;
  /** In milliseconds of `performance.now()`. */
  at: number;
  /** 0 without a response. */
  status: number;
}

/** A link that a service acknowledged, and the references that its submissions were answered with. */
export interface AcknowledgedLink {
  linkId: string;
  references: string[];
}

/** What the database holds in the end. */
export interface Stored {
  links: { linkId: string; reference: string | null }[];
  sessions: { reference: string; hasEvent: boolean }[];
}

export interface Load {
  responses: TimedResponse[];
  links: AcknowledgedLink[];
  /** Number of responses of each status. */
  statuses(): Record<string, number>;
  /** Longest time in milliseconds without a 200 of one of the services, of those that overlap a range of time. */
  gap(from: number, to: number): number;
  /** Milliseconds from a moment until the first 200 of each service. */
  recovery(from: number): number[];
  /** Resolves when each service has responded with 200 so many times from now on. Rejects if that takes too long. */
  progress(count: number): Promise<void>;
  /** Ends the load. Every link that was created is submitted by then, unless the services do not recover. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  workers?: number;
  /** Pause between two links of a worker: the machine has other work as well. */
  pauseMs?: number;
  createRequest?: () => LinkRequest;
}

/** Workers create links and submit each of them over all services at once. They repeat what failed, and end with the test. */
export function startLoad(
  t: Scope,
  services: readonly Pick<ServiceProcess, 'send'>[],
  { workers: workerCount = 8, pauseMs = 10, createRequest = linkRequest }: LoadOptions = {},
): Load {
  const responses: TimedResponse[] = [];
  const links: AcknowledgedLink[] = [];
  let isRunning = true;
  /** No request is repeated after this moment. */
  let end = Number.POSITIVE_INFINITY;
  t.teardown(() => {
    isRunning = false;
    end = 0;
  });

  /** Repeats a request until the response is final; `undefined` if the response is an error. */
  async function send(service: number, path: string, body: unknown): Promise<Answer | undefined> {
    for (;;) {
      const answer = await services[service]?.send('POST', path, body);
      const status = answer?.status ?? 0;
      responses.push({ service, at: performance.now(), status });
      if (status === 200) return answer;
      if ((status > 0 && status < 500) || performance.now() > end) return undefined;
      await wait(RETRY_MS);
    }
  }

  const workers = Array.from({ length: workerCount }, async (_, worker) => {
    while (isRunning) {
      const created = await send(worker % services.length, '/acme/link', createRequest());
      if (created === undefined) continue;
      const { data } = JSON.parse(created.body) as { data: string };
      const { pathname, search } = new URL(data);
      const link = { linkId: hashAccessCode(pathname.split('/').at(-1) ?? ''), references: [] as string[] };
      links.push(link);
      const submissions = services.map((_, service) => send(service, pathname + search, CLAIM));
      for (const submitted of await Promise.all(submissions)) {
        if (submitted) link.references.push(JSON.parse(submitted.body).data.reference);
      }
      await wait(pauseMs);
    }
  });

  const accepted = (service: number) =>
    responses.filter((response) => response.service === service && response.status === 200);

  return {
    responses,
    links,
    statuses: () => countEach(responses.map(({ status }) => String(status))),
    gap: (from, to) => Math.max(...services.map((_, service) => longestGap(accepted(service), from, to))),
    recovery: (from) =>
      services.map((_, service) => {
        const first = accepted(service).find(({ at }) => at > from);
        return Math.round((first?.at ?? Number.POSITIVE_INFINITY) - from);
      }),
    async progress(count) {
      const before = services.map((_, service) => accepted(service).length);
      const limit = performance.now() + PATIENCE_MS;
      while (before.some((start, service) => accepted(service).length < start + count)) {
        if (performance.now() > limit)
          throw new Error(`No ${count} responses with 200 within ${PATIENCE_MS} ms.`);
        await wait(20);
      }
    },
    async stop() {
      isRunning = false;
      end = performance.now() + PATIENCE_MS;
      await Promise.all(workers);
    },
  };
}

/** A reader of `listClientSessions`. It follows the cursor; a test may set its position to an earlier one. */
export interface Reader {
  /** References of the sessions that it has read. */
  read: Set<string>;
  position: { cursor?: string; since?: Date };
}

/** A receiver of events, beside the readers. */
export interface Receiver {
  /** The references of each link in the events that it has received. */
  received: Map<string, Set<string>>;
  /** Ends when everything is read and received. */
  stop(): Promise<void>;
}

const LEASE_MS = 5000;
const POLL_MS = 2;

/** Starts to read the sessions and to receive the events of a client. Ends with the test. */
export function startReceiver(t: Scope, storage: PostgresStorage, readers: readonly Reader[]): Receiver {
  const received = new Map<string, Set<string>>();
  let isRunning = true;
  t.teardown(() => {
    isRunning = false;
  });

  /** Receives some events that are due. Returns their number. */
  async function receive(at: Date): Promise<number> {
    const leaseUntil = new Date(at.getTime() + LEASE_MS);
    const events = await storage.leaseEvents({ at, leaseUntil, limit: 100 });
    for (const event of events) {
      if (!('session' in event)) continue;
      const linkId = event.session.link?.linkId ?? '';
      received.set(linkId, (received.get(linkId) ?? new Set()).add(event.reference));
    }
    return events.length;
  }

  /** Repeats a task. During a failover it fails. */
  async function repeat(task: () => Promise<unknown>): Promise<void> {
    while (isRunning) {
      await task().catch(() => wait(RETRY_MS));
      await wait(POLL_MS);
    }
  }
  const running = Promise.all([
    ...readers.map((reader) => repeat(() => readPage(storage, reader))),
    repeat(() => receive(new Date())),
  ]);

  return {
    received,
    async stop() {
      isRunning = false;
      await running;
      for (const reader of readers) while (await readPage(storage, reader));
      const afterAllLeases = new Date(Date.now() + 2 * LEASE_MS);
      while ((await receive(afterAllLeases)) > 0);
    },
  };
}

/** Reads the next page of a reader. Returns whether more follow. */
export async function readPage(
  storage: Pick<PostgresStorage, 'listClientSessions'>,
  reader: Reader,
): Promise<boolean> {
  const { position } = reader;
  const page = await storage.listClientSessions({ clientId: 'acme', limit: 1000, ...position });
  for (const { reference } of page.sessions) reader.read.add(reference);
  if (reader.position === position && page.nextCursor !== undefined)
    reader.position = { cursor: page.nextCursor };
  return page.hasMore;
}

/** Returns how often each value occurs. */
export function countEach(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Returns the longest time between two neighbours that overlaps a range of time. */
function longestGap(sorted: readonly { at: number }[], from: number, to: number): number {
  const gaps = sorted.map(({ at }, index) => {
    const next = sorted[index + 1]?.at ?? performance.now();
    return at < to && next > from ? next - at : 0;
  });
  return Math.max(...gaps);
}

/** Compares what the services acknowledged with what the database holds. Every list is empty if nothing is wrong. */
export function compare(acknowledged: readonly AcknowledgedLink[], { links, sessions }: Stored) {
  const storedLinks = new Set(links.map(({ linkId }) => linkId));
  const storedSessions = new Set(sessions.map(({ reference }) => reference));
  const ofLinks = new Set(links.map(({ reference }) => reference));
  return {
    lost: [
      ...acknowledged.map(({ linkId }) => linkId).filter((linkId) => !storedLinks.has(linkId)),
      ...acknowledged.flatMap(({ references }) => references).filter((each) => !storedSessions.has(each)),
    ],
    doubled: [
      ...acknowledged.filter(({ references }) => new Set(references).size > 1).map(({ linkId }) => linkId),
      ...[...storedSessions].filter((reference) => !ofLinks.has(reference)),
    ],
    withoutEvent: sessions.filter(({ hasEvent }) => !hasEvent).map(({ reference }) => reference),
  };
}

/** The statement for `Stored`, as one row, in a schema. */
export const storedSql = (schema: string): string => `
  SELECT (SELECT coalesce(jsonb_agg(jsonb_build_object('linkId', access_code_hash, 'reference', session_reference)), '[]')
          FROM ${schema}.claimlink_links) AS links,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('reference', s.reference, 'hasEvent', e.event_id IS NOT NULL)), '[]')
          FROM ${schema}.claimlink_sessions s
          LEFT JOIN ${schema}.claimlink_outbox e USING (client_id, reference)) AS sessions`;
