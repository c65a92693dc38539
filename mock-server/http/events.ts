// Server-sent events (HTML Living Standard, 9.2) of what happens in a mock.
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { MockEvent, Scope } from '../control.js';
import type { EventBus } from '../state/events.js';
import { controlError } from './problem.js';

/** Some proxies end an idle connection. */
const HEARTBEAT_MS = 15_000;

const MAX_READERS = 50;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export type EventStreams = ReturnType<typeof createEventStreams>;

/** Returns whether a reader of this scope gets an event. Requests without a client are for unscoped readers only. */
export function isInScope(event: MockEvent, { clientId }: Scope): boolean {
  if (clientId === undefined || event.clientId === clientId) return true;
  return event.clientId === null && event.type === 'changed';
}

/**
 * Creates the streams of a mock. All readers share one subscription, which serialises each event once. If the readers
 * have too many unread bytes in all, the reader with the most is dropped: it can connect again and read the state.
 */
export function createEventStreams(events: Pick<EventBus, 'subscribe'>) {
  const readers = new Map<ServerResponse, Scope>();
  let unsubscribe: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  function start(): void {
    unsubscribe = events.subscribe(
      (event) => send(`data: ${JSON.stringify(event)}\n\n`, (scope) => isInScope(event, scope)),
      close,
    );
    heartbeat = setInterval(() => send(':\n\n', () => true), HEARTBEAT_MS).unref();
  }

  function send(text: string, isFor: (scope: Scope) => boolean): void {
    const bytes = Buffer.from(text);
    for (const [response, scope] of readers) if (isFor(scope)) response.write(bytes);
    dropSlowReaders();
  }

  /** Ends all streams. */
  function close(): void {
    for (const response of readers.keys()) response.end();
  }

  function dropSlowReaders(): void {
    const unread = [...readers.keys()].map((response) => ({ response, bytes: response.writableLength }));
    let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MAX_UNREAD_BYTES) return;
    for (const { response, bytes } of unread.sort((a, b) => b.bytes - a.bytes)) {
      if (total <= MAX_UNREAD_BYTES) return;
      total -= bytes;
      remove(response);
      response.destroy();
    }
  }

  function remove(response: ServerResponse): void {
    readers.delete(response);
    if (readers.size > 0) return;
    unsubscribe?.();
    unsubscribe = undefined;
    clearInterval(heartbeat);
  }

  return {
    /** Starts to stream. @throws `too_many_readers` */
    open(reply: FastifyReply, scope: Scope): void {
      if (readers.size >= MAX_READERS)
        throw controlError('too_many_readers', `The mock has ${MAX_READERS} readers of events, its maximum.`);
      const response = reply.hijack().raw;
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.write(':\n\n');
      readers.set(response, scope);
      response.once('close', () => remove(response));
      if (unsubscribe === undefined) start();
    },
    close,
  };
}
