// Server-sent events (HTML Living Standard, 9.2) of what happens in a mock.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { controlError } from '../control/errors.js';
import type { ClientSelection } from '../control/types.js';
import type { EventBus } from '../state/event-bus.js';
import type { MockClientState } from '../state/mock-client.js';

/** Some proxies end an idle connection. */
const HEARTBEAT_MS = 15_000;

const MAX_READERS = 50;
/** With the control token of the same client, so that no client uses up all. */
const MAX_READERS_OF_CLIENT = 10;
/** Of one reader. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Creates the streams of a mock. A reader that has too many unread bytes is dropped: it can connect again and read the
 * state.
 */
export function createEventStreams(
  events: Pick<EventBus, 'subscribe'>,
  isCurrent: (client: MockClientState | undefined) => boolean,
) {
  /** Responses, and the client whose control token each reader has. */
  const readers = new Map<ServerResponse, MockClientState | undefined>();

  function send(response: ServerResponse, text: string): void {
    if (response.writableEnded || response.destroyed) return;
    response.write(text);
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  }

  return {
    /** Starts to stream. The stream ends with the client of the token. @throws `too_many_readers` */
    open(reply: FastifyReply, selection: ClientSelection, client?: MockClientState): void {
      if (readers.size >= MAX_READERS)
        throw controlError('too_many_readers', `The mock has ${MAX_READERS} readers of events, its maximum.`);
      const ofClient = [...readers.values()].filter((each) => each !== undefined && each === client);
      if (ofClient.length >= MAX_READERS_OF_CLIENT)
        throw controlError(
          'too_many_readers',
          `The client has ${MAX_READERS_OF_CLIENT} readers of events, its maximum.`,
        );
      const response = reply.hijack().raw;
      response.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.write(':\n\n');
      readers.set(response, client);
      const unsubscribe = events.subscribe(
        selection,
        (event) => {
          if (isCurrent(client)) send(response, `data: ${JSON.stringify(event)}\n\n`);
          else response.end();
        },
        () => response.end(),
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
