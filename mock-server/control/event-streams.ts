// Server-sent events (HTML Living Standard, 9.2) of what happens in a mock.
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { EventBus } from '../client/event-bus.js';
import type { ClientSelection, MockEvent } from '../control.js';
import { controlError } from '../control-problems.js';

/** Some proxies end an idle connection. */
const HEARTBEAT_MS = 15_000;

const MAX_READERS = 50;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Creates the streams of a mock. If the readers have too many unread bytes in all, the reader with the most is dropped:
 * it can connect again and read the state.
 */
export function createEventStreams(events: Pick<EventBus, 'subscribe'>) {
  const readers = new Set<ServerResponse>();
  /** Each event is serialised once, and its readers share the bytes. */
  const serialised = new WeakMap<MockEvent, Buffer>();

  function serialise(event: MockEvent): Buffer {
    const bytes = serialised.get(event) ?? Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    serialised.set(event, bytes);
    return bytes;
  }

  function send(response: ServerResponse, data: Buffer | string): void {
    if (readers.has(response)) response.write(data);
    dropSlowReaders();
  }

  function dropSlowReaders(): void {
    let total = [...readers].reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (total <= MAX_UNREAD_BYTES) return;
    for (const response of [...readers].sort((a, b) => b.writableLength - a.writableLength)) {
      if (total <= MAX_UNREAD_BYTES) return;
      total -= response.writableLength;
      readers.delete(response);
      response.destroy();
    }
  }

  function end(response: ServerResponse): void {
    readers.delete(response);
    response.end();
  }

  return {
    /** Starts to stream. @throws `too_many_readers` */
    open(reply: FastifyReply, selection: ClientSelection): void {
      if (readers.size >= MAX_READERS)
        throw controlError('too_many_readers', `The mock has ${MAX_READERS} readers of events, its maximum.`);
      const response = reply.hijack().raw;
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.write(':\n\n');
      readers.add(response);
      const unsubscribe = events.subscribe(
        (event) => send(response, serialise(event)),
        () => end(response),
        selection,
      );
      const heartbeat = setInterval(() => send(response, ':\n\n'), HEARTBEAT_MS).unref();
      response.once('close', () => {
        readers.delete(response);
        unsubscribe();
        clearInterval(heartbeat);
      });
    },
  };
}
