// The cases: what is asked, and what a right answer is.

import { ask } from './check.mjs';
import { LINK_REQUEST, LISTING_SIZES, listingRequest, UNAUTHORIZED_REQUEST, verifyRequest } from './data.mjs';

/** Of 20 requests in turn: 14 listings of 10 sessions, 4 links, 2 pages. */
const MIX = 'LLLKLLVLLKLLKLLVLLKL';

/**
 * `{ id, name, status, toRequests(port) }`. `status` is that of every answer. `toRequests` resolves to what is sent in
 * turn; it is called before every measurement, for links live for a minute only.
 */
export const CASES = [
  ...LISTING_SIZES.map((size) => ({
    id: `listing-${size}`,
    name: `listing of ${size}`,
    status: 200,
    toRequests: async () => [listingRequest(size)],
  })),
  { id: 'link', name: 'link', status: 200, toRequests: async () => [LINK_REQUEST] },
  {
    id: 'verify',
    name: 'verify page',
    status: 200,
    toRequests: async (port) => [verifyRequest(await mintLink(port))],
  },
  { id: '401', name: '401', status: 401, toRequests: async () => [UNAUTHORIZED_REQUEST] },
  {
    id: 'mixed',
    name: 'mixed: 70% listing of 10, 20% link, 10% verify page',
    status: 200,
    async toRequests(port) {
      const verify = verifyRequest(await mintLink(port));
      const kinds = { L: listingRequest(10), K: LINK_REQUEST, V: verify };
      return [...MIX].map((kind) => kinds[kind]);
    },
  },
];

async function mintLink(port) {
  return JSON.parse((await ask(port, LINK_REQUEST)).body).data;
}
