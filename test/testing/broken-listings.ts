// Deployments with a wrong listing, each with the rule of the contract suite that is about it.
import type { TestServiceOptions } from '../adapters/service.js';
import {
  altered,
  answering,
  asking,
  type BrokenDeployment,
  isListing,
  listings,
  policies,
  sessions,
  statuses,
  withHeader,
  withUrl,
} from './spoil.js';

export const BROKEN_LISTINGS: Record<string, BrokenDeployment> = {
  'drops a member of the session': {
    wrap: sessions(({ camsReference: _, ...session }) => session),
    caughtBy: /^every session has exactly/,
  },
  'adds a member to the session': {
    wrap: sessions((session) => ({ ...session, incident: {} })),
    caughtBy: /^every session has exactly/,
  },
  'drops a member of the policy': {
    wrap: policies(({ validTo: _, ...policy }) => policy),
    caughtBy: /^every selectedPolicy has exactly/,
  },
  'drops a member of the holder': {
    wrap: policies((policy) => ({ ...policy, holder: { ...policy.holder, phone: undefined } })),
    caughtBy: /^every holder has exactly/,
  },
  "shows the contacts' phones": {
    wrap: policies((policy) => ({
      ...policy,
      linkedContacts: policy.linkedContacts.map((contact) => ({ ...contact, phone: '1' })),
    })),
    caughtBy: /^every element of linkedContacts has exactly/,
  },
  'adds a member to the vehicle': {
    wrap: policies((policy) => ({ ...policy, vehicle: { ...policy.vehicle, vin: '1' } })),
    caughtBy: /^every vehicle has exactly/,
  },
  'gives a number where a string is documented': {
    wrap: policies((policy) => ({ ...policy, number: 7 })),
    caughtBy: /^every selectedPolicy has members of the documented types/,
  },
  'gives null where nobody is linked': {
    wrap: policies((policy) => ({ ...policy, linkedContacts: null })),
    caughtBy: /^every selectedPolicy has members of the documented types/,
  },
  'gives dates with seconds': {
    wrap: sessions((session) => ({ ...session, date: `${session.date}:00` })),
    caughtBy: /^date has the shape/,
  },
  'gives dates with a zone': {
    wrap: sessions((session) => ({ ...session, createdAt: `${session.createdAt}Z` })),
    caughtBy: /^createdAt has the shape/,
  },
  'gives a date that is in no calendar': {
    wrap: policies((policy) => ({ ...policy, validFrom: '2026-02-30' })),
    caughtBy: /^validFrom has the shape/,
  },
  'gives date and time of the end of validity': {
    wrap: policies((policy) => ({ ...policy, validTo: `${policy.validTo}T00:00` })),
    caughtBy: /^validTo has the shape/,
  },
  'writes members in another order': {
    wrap: sessions(({ reference, ...session }) => ({ ...session, reference })),
    caughtBy: /^every session has its members in the documented order/,
  },
  'lists a session twice': {
    wrap: listings((list) => [...list, ...list.slice(0, 1)]),
    caughtBy: /^the reference of a session is unique/,
  },
  'wraps the listing in an object': {
    wrap: listings((data) => ({ data })),
    caughtBy: /^a listing is a top-level JSON array/,
  },
  'answers a listing with 201': {
    wrap: statuses(isListing, 200, 201),
    caughtBy: /^a listing is answered 200/,
  },
  'needs no body, but a GET without a content type': {
    wrap: answering(
      (request) => isListing(request) && request.headers.has('content-type'),
      (response) => altered(response, { status: 400 }),
    ),
    caughtBy: /^a listing is the same with Content-Type/,
  },
  'does not know users without sessions': {
    wrap: answering(isListing, async (response) => {
      const body = await response.text();
      return altered(response, { body, ...(body === '[]' && { status: 404 }) });
    }),
    caughtBy: /^a user whom nobody has heard of/,
  },
  'has no HEAD': {
    wrap: answering(
      (request) => request.method === 'HEAD',
      (response) => altered(response, { status: 405 }),
    ),
    caughtBy: /^HEAD of a listing/,
  },
  'does not decode user ids': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replaceAll('%', '%25'))),
    caughtBy: /^a user id is percent-decoded once/,
  },
  'lists the oldest first': {
    wrap: listings((list) => list.reverse()),
    caughtBy: /^(sessions stand with the newest|of two sessions, the one)/,
  },
  'sorts by reference within a day': {
    wrap: listings((list) =>
      list.sort((a, b) => {
        const [x = '', y = ''] = [a, b].map(({ createdAt }) => createdAt.slice(0, 10));
        return x === y ? a.reference.localeCompare(b.reference) : y.localeCompare(x);
      }),
    ),
    service: countingReferences(),
    caughtBy: /^of two sessions, the one/,
  },
  'knows no limit': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replace('limit=', 'x='))),
    caughtBy: /^\?limit=1 gives the first session/,
  },
  'tells nobody of further pages': {
    wrap: withHeader(isListing, 'link'),
    caughtBy: /^a page that is not the last one/,
  },
  'leads to further pages on another host': {
    wrap: answering(isListing, (response) =>
      altered(response, {
        headers: { link: response.headers.get('link')?.replace('claims.example.com', 'elsewhere.example') },
      }),
    ),
    caughtBy: /^a page that is not the last one/,
  },
  'loses a session between two pages': {
    wrap: answering(isListing, async (response) => {
      const list = JSON.parse((await response.clone().text()) || '[]');
      const isPart = response.headers.has('link') && list.length > 1;
      return isPart ? altered(response, { body: JSON.stringify(list.slice(0, -1)) }) : response;
    }),
    caughtBy: /^the pages, followed by their Link headers/,
  },
  'always shows the first page': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replace('cursor=', 'x='))),
    caughtBy: /^the pages, followed by their Link headers/,
  },
  'always promises a further page': {
    wrap: withHeader(
      isListing,
      'link',
      '<https://claims.example.com/acme/sessions/user-1?cursor=x>; rel="next"',
    ),
    caughtBy: /^the last page has no Link/,
  },
  'knows no status filter': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replace('status=', 'x='))),
    caughtBy: /^a \?status= that no session has/,
  },
  'filters too much': {
    wrap: answering(
      (request) => request.url.includes('status='),
      (response) => altered(response, { body: '[]' }),
    ),
    caughtBy: /^\?status= keeps the sessions/,
  },
  'takes any limit': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replace('limit=0', 'limit=1'))),
    caughtBy: /^\?limit=0 is a 400/,
  },
  'takes any cursor': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replace('cursor=claimlink', 'x='))),
    caughtBy: /^a \?cursor= that was never given/,
  },
};

/** References in the order of submission, so that sorting by them puts the earlier session first. */
function countingReferences(): TestServiceOptions {
  let count = 1000;
  return { newReference: (kind) => `${kind}-${count++}` };
}
