// workerd, Cloudflare Workers: the default export calls the fetch handler.
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from './claimlink.mjs';

export default { fetch: createFetchHandler(claimlink, { basePath: '/claims' }) };
