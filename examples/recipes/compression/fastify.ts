import compress from '@fastify/compress';
import type { Claimlink } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import fastify from 'fastify';

export async function createHost(claimlink: Claimlink) {
  const app = fastify();
  // Pages only: JSON may have texts of other people. Without the await, it compresses nothing.
  await app.register(compress, { customTypes: /^text\/html/, encodings: ['br', 'gzip'] });
  // It leaves Vary out of a page that it does not compress.
  app.addHook('onSend', async (_request, reply) => {
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
    if (isPage) reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
  });
  app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
  return app;
}
