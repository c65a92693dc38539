// Deno: Deno.serve calls the fetch handler.
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from './claimlink.mjs';

const handler = createFetchHandler(claimlink, { basePath: '/claims' });
const port = Number(Deno.env.get('PORT') ?? 3000);
const server = Deno.serve({ hostname: '127.0.0.1', port, onListen() {} }, handler);
console.log(`http://127.0.0.1:${server.addr.port}`);
