// @fastify/rate-limit: limits for the routes of claimlink, and for no other route of the host.
import rateLimit from '@fastify/rate-limit';
import type { Claimlink } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import fastify from 'fastify';
import { tooManyRequests } from './response.ts';

export async function createHost(claimlink: Claimlink) {
  const app = fastify({ trustProxy: '127.0.0.1' }); // the address of the proxy: request.ip is then that of its client
  await app.register(rateLimit, { global: false });
  app.register(
    async (scope) => {
      const count = scope.createRateLimit({
        timeWindow: '1 minute',
        max: ({ url }) => (url.startsWith('/claims/verify/') ? 60 : 600), // requests per address
      });
      scope.addHook('onRequest', async (request, reply) => {
        const limit = await count(request);
        if (limit.isAllowed || !limit.isExceeded) return;
        const seconds = limit.ttlInSeconds;
        const { headers, body } = tooManyRequests(claimlink, seconds, request.headers.accept);
        return reply.code(429).headers(headers).header('retry-after', seconds).send(body);
      });
      scope.register(claimlinkPlugin, { claimlink });
    },
    { prefix: '/claims' },
  );
  return app;
}
