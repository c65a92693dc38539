// claimlink as a Fastify plugin, on memory.
import Fastify from 'fastify';
import claimlinkPlugin from '../../dist/lib/adapters/fastify.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

const app = Fastify();
app.register(claimlinkPlugin, { claimlink: await createService() });
await app.listen({ port, host });
