// claimlink's fetch handler, served by @hono/node-server as Hono's users do on Node.
import { serve } from '@hono/node-server';
import { createFetchHandler } from '../../../dist/lib/adapters/fetch.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

serve({ fetch: createFetchHandler(createService()), port, hostname: host });
