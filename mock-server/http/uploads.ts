// Limits the bodies of one client that arrive at the same time: they are in memory until they are complete.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { controlError } from '../control/errors.js';
import { MIB } from '../state/space.js';

/** Two of the largest bodies. */
const MAX_BYTES = 8 * MIB;

/**
 * Creates a function that counts the body of a request until its response is sent or its connection is gone.
 * @throws `too_many_calls` if the client has too many bytes under way
 */
export function createUploadLimit(maxBytes = MAX_BYTES) {
  const bytesByClient = new Map<string, number>();
  return ({ tokenClient, headers, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
    if (tokenClient === undefined) return;
    const { clientId } = tokenClient;
    // A body without a length may have as many bytes as the route takes.
    const length =
      headers['transfer-encoding'] === undefined ? headers['content-length'] : routeOptions.bodyLimit;
    const bytes = Math.min(Number(length ?? 0), routeOptions.bodyLimit ?? 0);
    const others = bytesByClient.get(clientId) ?? 0;
    if (others > 0 && others + bytes > maxBytes) throw controlError('too_many_calls');
    bytesByClient.set(clientId, others + bytes);
    reply.raw.once('close', () => {
      const rest = (bytesByClient.get(clientId) ?? 0) - bytes;
      if (rest > 0) bytesByClient.set(clientId, rest);
      else bytesByClient.delete(clientId);
    });
  };
}
