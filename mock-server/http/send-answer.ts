// Sends the response of the service: whole, slowly, or with a broken connection.
import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endUnreadBody } from '../../lib/adapters/request-body.js';
import { chunksToSend } from '../../lib/adapters/response-body.js';
import type { CoreResponse } from '../../lib/index.js';
import type { LoggedRequest } from '../control/types.js';
import { encodePage } from './compress-page.js';
import { slowly } from './fault-response.js';
import type { Reply } from './handler.js';

/** Names the headers that a page of another origin can read. */
const EXPOSED_HEADERS = 'access-control-expose-headers';

/** @param gone Aborted when the connection has ended. */
export function sendAnswer(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { response, isTruncated, bytesPerSecond, logged, epoch }: Reply,
  gone: AbortSignal,
): void {
  if (response === undefined) {
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  // CORS has set those of the API, if the page is allowed.
  const exposed = reply.getHeader(EXPOSED_HEADERS);
  const page = encodePage(raw, response);
  const { headers } = page ?? response;
  reply.code(response.status).headers({ ...headers, ...endUnreadBody(raw, reply.raw) });
  // CORS varies the response of the API by its origin.
  if (page) reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
  if (exposed !== undefined) reply.header(EXPOSED_HEADERS, exposedNames(exposed, response, logged));
  if (isTruncated) sendHalf(reply, response);
  else if (response.stream) {
    // A photo is in memory: nothing fails but its connection.
    reply.send(
      Readable.from(
        chunksToSend(response.stream, response.headers, () => {}),
        { objectMode: false },
      ),
    );
  } else if (bytesPerSecond !== undefined) {
    const bytes = Buffer.from(response.body);
    reply.header('content-length', bytes.length);
    reply.send(Readable.from(slowly(bytes, bytesPerSecond, gone, epoch)));
  }
  // A stream or text, not bytes: Fastify does not recognise those of Node under jsdom.
  else if (page?.bytes) reply.send(Readable.from([page.bytes]));
  else reply.send(response.body === '' ? undefined : response.body);
}

/** Adds the headers of a response and those of its fault to the exposed ones. */
function exposedNames(exposed: unknown, { headers }: CoreResponse, logged?: LoggedRequest): string {
  const names = [exposed, headers[EXPOSED_HEADERS], ...Object.keys(logged?.fault?.headers ?? {})];
  const unique = new Set(
    names
      .join(',')
      .toLowerCase()
      .match(/[^\s,]+/g),
  );
  unique.delete(EXPOSED_HEADERS);
  return [...unique].join(', ');
}

/** Sends the head and the first half of the body, and ends the connection. */
function sendHalf(reply: FastifyReply, { status, body }: CoreResponse): void {
  const bytes = Buffer.from(body);
  reply.hijack();
  reply.raw.writeHead(status, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-length': bytes.length,
  });
  // A connection that is destroyed before the write is complete loses the head.
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
}
