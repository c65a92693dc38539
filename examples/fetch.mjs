// claimlink as a fetch handler, as a Next.js route or a Hono app would call it: node examples/fetch.mjs
import { createFetchHandler } from 'claimlink/fetch';
import { createService, publicUrl } from './service.mjs';

const handler = createFetchHandler(createService(publicUrl), { basePath: '/claims' });
const response = await handler(
  new Request('http://host/claims/acme/sessions/user-1', { headers: { 'x-api-key': 'clk_example' } }),
);
console.log(response.status, await response.text());
