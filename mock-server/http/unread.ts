// Limits what the mock holds of responses that their callers do not read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MIB } from '../state/space.js';

/** Of all responses to one client that are not sent completely, and of those to callers without a key or token. */
const MAX_BYTES = 32 * MIB;
/** A smaller response is always sent. */
const SMALL_BYTES = 16 * 1024;

/**
 * Creates a function that counts the body of a response until it is sent or its connection is gone. Returns false, and counts
 * nothing, if the client of the request has too much that is not sent.
 */
export function createUnreadLimit(maxBytes = MAX_BYTES) {
  const bytesByClient = new Map<string, number>();
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown): boolean => {
    const bytes = lengthOf(reply, payload);
    const { area } = request.routeOptions.config ?? {};
    const isOperator = (area === 'control' || area === 'stream') && request.tokenClient === undefined;
    if (bytes < SMALL_BYTES || isOperator || reply.raw.destroyed) return true;
    const clientId = request.tokenClient?.clientId ?? request.logged?.clientId ?? '';
    const others = bytesByClient.get(clientId) ?? 0;
    if (others > 0 && others + bytes > maxBytes) return false;
    bytesByClient.set(clientId, others + bytes);
    reply.raw.once('close', () => {
      const rest = (bytesByClient.get(clientId) ?? 0) - bytes;
      if (rest > 0) bytesByClient.set(clientId, rest);
      else bytesByClient.delete(clientId);
    });
    return true;
  };
}

/** Returns the length of a body: a slow one is a stream with a length. */
function lengthOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Number(reply.getHeader('content-length') ?? 0);
}
