// Deployments with wrong keys, errors, methods or headers, each with the rule of the contract suite that is about it.
import {
  altered,
  always,
  answering,
  asking,
  type BrokenDeployment,
  isLinkRequest,
  isListing,
  problems,
  statuses,
  withHeader,
  withKey,
  withUrl,
} from './spoil.js';

export const BROKEN_ERRORS: Record<string, BrokenDeployment> = {
  'answers 403 to who has no key': {
    wrap: statuses(isListing, 401, 403),
    caughtBy: /^a listing without x-api-key is 401/,
  },
  'answers who has no key': {
    wrap: asking(
      (request) => !request.headers.get('x-api-key'),
      (request) => withKey(request),
    ),
    caughtBy: /^a listing without x-api-key is 401/,
  },
  'takes any key': {
    wrap: asking(always, (request) => withKey(request)),
    caughtBy: /^a listing with an unknown key is 401/,
  },
  'guards the listing and not the links': {
    wrap: asking(isLinkRequest, (request) => withKey(request)),
    caughtBy: /^a link request without x-api-key is 401/,
  },
  "takes a key for another client's": {
    wrap: asking(
      (request) => request.url.includes('/other/'),
      async (request) => withKey(request, 'clk_other_good'),
    ),
    caughtBy: /^a listing with a key of another client is 401/,
  },
  'takes a key for clients that are not there': {
    wrap: asking(always, async (request) => {
      const url = request.url.replace(/\/claimlink-check-nobody-\w+\//, '/acme/');
      const { method, headers } = request;
      const body = await request.text();
      return new Request(url, { method, headers, ...(body && { body }) });
    }),
    caughtBy: /^a link request for a client that does not exist/,
  },
  'tells who has no key which clients there are': {
    wrap: answering(
      (request) => request.url.includes('nobody-'),
      (response) => altered(response, { status: 404 }),
    ),
    caughtBy: /^a listing with an unknown key is 401 for a client that does not exist/,
  },
  'has one code for every 401': {
    wrap: problems((problem) => (problem.status === 401 ? { ...problem, code: 'unauthorized' } : problem)),
    caughtBy: /^a listing with an empty x-api-key has the code/,
  },
  'does not say how to authenticate': {
    wrap: withHeader(always, 'www-authenticate'),
    caughtBy: /^a listing that is 401 carries WWW-Authenticate/,
  },
  'looks at the content type first': {
    wrap: answering(
      (request) => isLinkRequest(request) && request.headers.get('content-type') === 'text/plain',
      (response) => altered(response, { status: 415 }),
    ),
    caughtBy: /^the key is asked for before the content type/,
  },
  'looks at the body first': {
    wrap: answering(isLinkRequest, async (response, request) =>
      (await request.text()) === '{}' ? altered(response, { status: 400 }) : response,
    ),
    caughtBy: /^the key is asked for before the body/,
  },
  'has errors of its own form': {
    wrap: problems(({ title }) => ({ error: title })),
    caughtBy: /^a 404 is application\/problem\+json/,
  },
  'calls problems plain JSON': {
    wrap: answering(always, (response) => {
      const isJson = response.status >= 400;
      return isJson ? altered(response, { headers: { 'content-type': 'application/json' } }) : response;
    }),
    caughtBy: /^a 400 of the body is application\/problem\+json/,
  },
  'contradicts its status in the problem': {
    wrap: problems((problem) => ({ ...problem, status: 400 })),
    caughtBy: /^a 401 is application\/problem\+json/,
  },
  'tells one problem at a time': {
    wrap: problems((problem) => ({ ...problem, errors: problem.errors?.slice(0, 1) })),
    caughtBy: /^all problems of a link request are told at once/,
  },
  'does not say where the problem is': {
    wrap: problems((problem) => ({ ...problem, errors: undefined })),
    caughtBy: /^each of the errors of a 400/,
  },
  'answers 404 to a wrong method': {
    wrap: statuses(always, 405, 404),
    caughtBy: /^POST of the path of a listing is 405/,
  },
  'does not say which methods are allowed': {
    wrap: withHeader(always, 'allow'),
    caughtBy: /^GET of the path of a link request is 405/,
  },
  'overlooks trailing slashes': {
    wrap: asking(
      (request) => request.url.endsWith('/'),
      (request) => withUrl(request, request.url.slice(0, -1)),
    ),
    caughtBy: /^a trailing slash after a listing/,
  },
  'takes user ids of any length': {
    wrap: statuses(isListing, 414, 200),
    caughtBy: /^a user id of 101 characters/,
  },
  'takes control characters in ids': {
    wrap: asking(isListing, (request) => withUrl(request, request.url.replace('%07', ''))),
    caughtBy: /^a control character in a user id/,
  },
  'lets listings be cached': {
    wrap: withHeader(isListing, 'cache-control', 'private, max-age=60'),
    caughtBy: /^a listing has Cache-Control: no-store/,
  },
  'lets browsers guess the type': {
    wrap: withHeader(isLinkRequest, 'x-content-type-options'),
    caughtBy: /^a link has X-Content-Type-Options/,
  },
};
