// Answers 405, with Allow (RFC 9110, 15.5.6), where a path is there and the method is not.
import type { FastifyInstance } from 'fastify';
import { sendProblem } from './problem.js';

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Completes every route that is registered on the scope, or below it, from now on. */
export function answerOtherMethods(scope: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<string>>();
  scope.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    methodsByUrl.set(url, methods);
    for (const each of [method].flat()) methods.add(each);
  });
  return () => {
    scope.register(async (last) => {
      for (const [url, methods] of [...methodsByUrl]) {
        const allow = [...methods].sort().join(', ');
        last.route({
          method: METHODS.filter((method) => !methods.has(method)),
          url,
          // Before a body is read: it may be of any type.
          onRequest: async (_request, reply) =>
            sendProblem(reply.header('allow', allow), 'method_not_allowed'),
          handler: async () => undefined,
        });
      }
    });
  };
}
