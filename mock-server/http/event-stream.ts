// Server-sent events (HTML Living Standard, 9.2) of what happens in a mock.
import type { FastifyReply } from 'fastify';
import type { EventBus, NumberedEvent } from '../traffic/event-bus.js';

/** Which events. */
export interface EventStreamOptions {
  /** Only those of this client, and those that are about all. Default: everything. */
  clientId?: string;
  /** The last event that was seen: what came after it comes first. */
  after?: number;
}

/** Some proxies end a connection on which nothing comes for a while. */
const HEARTBEAT_MS = 15_000;

/** A reader that does not read is let go: it comes back, and starts anew. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** Streams until the client goes or the mock closes. What was missed and is forgotten is told by a `reset` event. */
export function streamEvents(bus: EventBus, reply: FastifyReply, options: EventStreamOptions): void {
  const { clientId, after } = options;
  const response = reply.hijack().raw;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  // Its answer is over with the head.
  if (reply.request.method === 'HEAD') {
    response.end();
    return;
  }
  response.write('retry: 1000\n\n');

  function send({ id, event }: NumberedEvent): void {
    const isMine = clientId === undefined || event.clientId === null || event.clientId === clientId;
    // An event about a request that belongs to no client is nobody's business but the one's who sees all.
    const isNobodys = event.type === 'request' && event.clientId === null && clientId !== undefined;
    if (!isMine || isNobodys) return;
    response.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy();
  }

  if (after !== undefined) {
    const missed = bus.after(after);
    if (missed === undefined) response.write('event: reset\ndata: {"type":"reset","clientId":null}\n\n');
    else for (const numbered of missed) send(numbered);
  }
  const unsubscribe = bus.subscribe(send, () => response.end());
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  response.once('close', () => {
    unsubscribe();
    clearInterval(heartbeat);
  });
}
