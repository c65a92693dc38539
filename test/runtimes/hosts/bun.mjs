// Bun: Bun.serve calls the fetch handler.
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from './claimlink.mjs';

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  fetch: createFetchHandler(claimlink, { basePath: '/claims' }),
});
console.log(`http://127.0.0.1:${server.port}`);
