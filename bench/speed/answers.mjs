// What every case must be answered: claimlink's own answers, for servers of constants and for comparing.
import {
  INVALID_LINK_REQUEST,
  LINK_REQUEST,
  LISTING_SIZES,
  listingRequest,
  UNAUTHORIZED_REQUEST,
  verifyRequest,
} from './data.mjs';
import { createService } from './service.mjs';

/**
 * Resolves to a Map from a path to `{ status, headers, body }`, and `link`, `verify` and `invalidLink`, whose paths
 * or bodies differ from link to link.
 */
export async function createAnswers() {
  const claimlink = createService();
  const ask = ({ method, path, headers, body }) => claimlink.handle({ method, url: path, headers, body });
  const byPath = new Map();
  for (const request of [...LISTING_SIZES.map(listingRequest), UNAUTHORIZED_REQUEST])
    byPath.set(request.path, await ask(request));
  const link = await ask(LINK_REQUEST);
  const verify = await ask(verifyRequest(JSON.parse(link.body).data));
  return { byPath, link, verify, invalidLink: await ask(INVALID_LINK_REQUEST) };
}
