// Breaks a response on purpose: resets the connection, ends it in the middle of the body, or sends a malformed body.
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { FaultEffect } from '../control.js';

/** Sends a response with an effect. Calls `send` with the body to send, or does not call it. */
export function breakResponse(
  reply: FastifyReply,
  payload: unknown,
  effect: FaultEffect,
  send: (payload: unknown) => void,
): void {
  const { raw, statusCode } = reply;
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const hasBody = body instanceof Uint8Array && body.length > 0 && reply.request.method !== 'HEAD';
  if (effect === 'malformed') {
    // The target of a redirect is in its head.
    const isBreakable = hasBody && (statusCode < 300 || statusCode >= 400);
    send(isBreakable ? breakBody(body, String(reply.getHeader('content-type'))) : payload);
  } else if (effect === 'truncate' && hasBody) {
    raw.writeHead(statusCode, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-length': body.length,
    });
    // A connection that is destroyed before the write is complete loses the head.
    raw.write(body.subarray(0, Math.floor(body.length / 2)), () => raw.destroy());
  } else {
    raw.destroy();
  }
}

/** Returns a malformed body of the same length. */
function breakBody(body: Uint8Array, contentType: string): Buffer {
  const broken = Buffer.from(body);
  // JSON cannot end with this character.
  if (/\bjson\b/i.test(contentType)) broken.fill('<', body.length - 1);
  else broken.fill(' ', Math.floor(body.length / 2));
  return broken;
}
