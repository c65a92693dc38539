// A Fastify host with claimlink under /claims: node examples/fastify.mjs
import claimlinkPlugin from 'claimlink/fastify';
import fastify from 'fastify';
import { createService, port, publicUrl } from './service.mjs';

const app = fastify();
app.get('/', () => ({ hello: 'from the host' }));
app.register(claimlinkPlugin, { claimlink: createService(publicUrl), prefix: '/claims' });
console.log(await app.listen({ port, host: '127.0.0.1' }));
