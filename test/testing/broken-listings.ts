// Deployments with a wrong listing, and the rule that must detect each.
import type { TestServiceOptions } from '../adapters/service.js';
import {
  type BrokenDeployment,
  changeHeader,
  changeListings,
  changeListingUrls,
  changePolicies,
  changeResponse,
  changeSessions,
  changeStatus,
  isListing,
  withChanges,
} from './interceptors.js';

export const BROKEN_LISTINGS: Record<string, BrokenDeployment> = {
  'drops a member of the session': {
    wrap: changeSessions(({ camsReference: _, ...session }) => session),
    detectedBy: /^every session has exactly/,
  },
  'adds a member to the session': {
    wrap: changeSessions((session) => ({ ...session, incident: {} })),
    detectedBy: /^every session has exactly/,
  },
  'drops a member of the policy': {
    wrap: changePolicies(({ validTo: _, ...policy }) => policy),
    detectedBy: /^every selectedPolicy has exactly/,
  },
  'drops a member of the holder': {
    wrap: changePolicies((policy) => ({ ...policy, holder: { ...policy.holder, phone: undefined } })),
    detectedBy: /^every holder has exactly/,
  },
  'returns the phone numbers of contacts': {
    wrap: changePolicies((policy) => ({
      ...policy,
      linkedContacts: policy.linkedContacts.map((contact) => ({ ...contact, phone: '1' })),
    })),
    detectedBy: /^every element of linkedContacts has exactly/,
  },
  'adds a member to the vehicle': {
    wrap: changePolicies((policy) => ({ ...policy, vehicle: { ...policy.vehicle, vin: '1' } })),
    detectedBy: /^every vehicle has exactly/,
  },
  'returns a number instead of a string': {
    wrap: changePolicies((policy) => ({ ...policy, number: 7 })),
    detectedBy: /^every selectedPolicy has members of the documented types/,
  },
  'returns null instead of an empty array': {
    wrap: changePolicies((policy) => ({ ...policy, linkedContacts: null })),
    detectedBy: /^every selectedPolicy has members of the documented types/,
  },
  'returns dates with seconds': {
    wrap: changeSessions((session) => ({ ...session, date: `${session.date}:00` })),
    detectedBy: /^date has the shape/,
  },
  'returns dates with a time zone': {
    wrap: changeSessions((session) => ({ ...session, createdAt: `${session.createdAt}Z` })),
    detectedBy: /^createdAt has the shape/,
  },
  'returns a date that does not exist': {
    wrap: changePolicies((policy) => ({ ...policy, validFrom: '2026-02-30' })),
    detectedBy: /^validFrom has the shape/,
  },
  'returns validTo with a time': {
    wrap: changePolicies((policy) => ({ ...policy, validTo: `${policy.validTo}T00:00` })),
    detectedBy: /^validTo has the shape/,
  },
  'writes members in another order': {
    wrap: changeSessions(({ reference, ...session }) => ({ ...session, reference })),
    detectedBy: /^every session has its members in the documented order/,
  },
  'lists a session twice': {
    wrap: changeListings((list) => [...list, ...list.slice(0, 1)]),
    detectedBy: /^the reference of a session is unique/,
  },
  'wraps the listing in an object': {
    wrap: changeListings((data) => ({ data })),
    detectedBy: /^a listing is a top-level JSON array/,
  },
  'returns 201 for a listing': {
    wrap: changeStatus(isListing, 200, 201),
    detectedBy: /^a listing is answered 200/,
  },
  'rejects a listing request with a content type': {
    wrap: changeResponse(
      (request) => isListing(request) && request.headers.has('content-type'),
      (response) => withChanges(response, { status: 400 }),
    ),
    detectedBy: /^a listing is the same with Content-Type/,
  },
  'returns 404 for users without sessions': {
    wrap: changeResponse(isListing, async (response) => {
      const body = await response.text();
      return withChanges(response, { body, ...(body === '[]' && { status: 404 }) });
    }),
    detectedBy: /^the listing of a user without sessions/,
  },
  'does not support HEAD': {
    wrap: changeResponse(
      (request) => request.method === 'HEAD',
      (response) => withChanges(response, { status: 405 }),
    ),
    detectedBy: /^HEAD of a listing/,
  },
  'does not decode user ids': {
    wrap: changeListingUrls((url) => url.replaceAll('%', '%25')),
    detectedBy: /^a user id is percent-decoded once/,
  },
  'lists the oldest first': {
    wrap: changeListings((list) => list.reverse()),
    detectedBy: /^(sessions are sorted by createdAt|of two sessions, the one)/,
  },
  'sorts by reference within a day': {
    wrap: changeListings((list) =>
      list.sort((a, b) => {
        const [x = '', y = ''] = [a, b].map(({ createdAt }) => createdAt.slice(0, 10));
        return x === y ? a.reference.localeCompare(b.reference) : y.localeCompare(x);
      }),
    ),
    service: countingReferences(),
    detectedBy: /^of two sessions, the one/,
  },
  'ignores limit': {
    wrap: changeListingUrls((url) => url.replace('limit=', 'x=')),
    detectedBy: /^\?limit=1 returns the first session/,
  },
  'sends no Link header': {
    wrap: changeHeader(isListing, 'link'),
    detectedBy: /^a page that is not the last one/,
  },
  'names the next page on another host': {
    wrap: changeResponse(isListing, (response) =>
      withChanges(response, {
        headers: { link: response.headers.get('link')?.replace('claims.example.com', 'elsewhere.example') },
      }),
    ),
    detectedBy: /^a page that is not the last one/,
  },
  'omits a session between two pages': {
    wrap: changeResponse(isListing, async (response) => {
      const list = JSON.parse((await response.clone().text()) || '[]');
      const isPart = response.headers.has('link') && list.length > 1;
      return isPart ? withChanges(response, { body: JSON.stringify(list.slice(0, -1)) }) : response;
    }),
    detectedBy: /^the pages that the Link headers name/,
  },
  'ignores cursor': {
    wrap: changeListingUrls((url) => url.replace('cursor=', 'x=')),
    detectedBy: /^the pages that the Link headers name/,
  },
  'always sends a Link header': {
    wrap: changeHeader(
      isListing,
      'link',
      '<https://claims.example.com/acme/sessions/user-1?cursor=x>; rel="next"',
    ),
    detectedBy: /^the last page has no Link/,
  },
  'ignores status': {
    wrap: changeListingUrls((url) => url.replace('status=', 'x=')),
    detectedBy: /^a \?status= that no session has/,
  },
  'returns no sessions for any status': {
    wrap: changeResponse(
      (request) => request.url.includes('status='),
      (response) => withChanges(response, { body: '[]' }),
    ),
    detectedBy: /^\?status= returns the sessions/,
  },
  'accepts any limit': {
    wrap: changeListingUrls((url) => url.replace('limit=0', 'limit=1')),
    detectedBy: /^\?limit=0 is a 400/,
  },
  'accepts any cursor': {
    wrap: changeListingUrls((url) => url.replace('cursor=claimlink', 'x=')),
    detectedBy: /^a \?cursor= that no page returned/,
  },
};

/** Creates ascending references, so that sorting by reference puts the earlier session first. */
function countingReferences(): TestServiceOptions {
  let count = 1000;
  return { newReference: (kind) => `${kind}-${count++}` };
}
