import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from '../../../lib/claimlink.js';

const handler = createFetchHandler(claimlink, { basePath: '/claims' });

export const fallback = ({ request }) => handler(request);
