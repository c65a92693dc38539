// A Next.js host: the route handler for every path below /claims. Run in the folder next: npx next dev
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from '../../../lib/claimlink.js';

const handler = createFetchHandler(claimlink, { basePath: '/claims' });

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as PATCH,
  handler as POST,
  handler as PUT,
};
