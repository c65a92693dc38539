// Deployments with wrong authentication, errors, methods or headers, and the rule that must detect each.
import {
  always,
  type BrokenDeployment,
  changeHeader,
  changeListingUrls,
  changeProblems,
  changeRequest,
  changeResponse,
  changeStatus,
  isLinkRequest,
  isListing,
  requestWith,
  withChanges,
  withKey,
} from './interceptors.js';

export const BROKEN_ERRORS: Record<string, BrokenDeployment> = {
  'returns 403 for a request without a key': {
    wrap: changeStatus(isListing, 401, 403),
    detectedBy: /^a listing without x-api-key is 401/,
  },
  'accepts requests without a key': {
    wrap: changeRequest(
      (request) => !request.headers.get('x-api-key'),
      (request) => withKey(request),
    ),
    detectedBy: /^a listing without x-api-key is 401/,
  },
  'accepts any key': {
    wrap: changeRequest(always, (request) => withKey(request)),
    detectedBy: /^a listing with an unknown key is 401/,
  },
  'checks the key for listings only': {
    wrap: changeRequest(isLinkRequest, (request) => withKey(request)),
    detectedBy: /^a link request without x-api-key is (rejected|401)/,
  },
  'accepts the key of another client': {
    wrap: changeRequest(
      (request) => request.url.includes('/other/'),
      (request) => withKey(request, 'clk_other_good'),
    ),
    detectedBy: /^a listing with a key of another client is 401/,
  },
  'accepts a key for unknown clients': {
    wrap: changeRequest(always, (request) =>
      requestWith(request, { url: request.url.replace(/\/claimlink-check-unknown-\w+\//, '/acme/') }),
    ),
    detectedBy: /^a link request for a client that does not exist/,
  },
  'shows which clients exist without a valid key': {
    wrap: changeResponse(
      (request) => request.url.includes('unknown-'),
      (response) => withChanges(response, { status: 404 }),
    ),
    detectedBy: /^a listing with an unknown key, for a client that does not exist, is 401/,
  },
  'has one code for every 401': {
    wrap: changeProblems((problem) =>
      problem.status === 401 ? { ...problem, code: 'unauthorized' } : problem,
    ),
    detectedBy: /^a listing with an empty x-api-key is 401 with the code/,
  },
  'sends no WWW-Authenticate': {
    wrap: changeHeader(always, 'www-authenticate'),
    detectedBy: /^a listing that is 401 carries WWW-Authenticate/,
  },
  'checks the content type before the key': {
    wrap: changeResponse(
      (request) => isLinkRequest(request) && request.headers.get('content-type') === 'text/plain',
      (response) => withChanges(response, { status: 415 }),
    ),
    detectedBy: /^the key is checked before the content type/,
  },
  'checks the body before the key': {
    wrap: changeResponse(isLinkRequest, async (response, request) =>
      (await request.text()) === '{}' ? withChanges(response, { status: 400 }) : response,
    ),
    detectedBy: /^the key is checked before the body/,
  },
  'sends errors in another format': {
    wrap: changeProblems(({ title }) => ({ error: title })),
    detectedBy: /^a 404 is application\/problem\+json/,
  },
  'sends problems as application/json': {
    wrap: changeResponse(always, (response) => {
      const isJson = response.status >= 400;
      return isJson ? withChanges(response, { headers: { 'content-type': 'application/json' } }) : response;
    }),
    detectedBy: /^a 400 of the body is application\/problem\+json/,
  },
  'sends problems with another status': {
    wrap: changeProblems((problem) => ({ ...problem, status: 400 })),
    detectedBy: /^a 401 is application\/problem\+json/,
  },
  'reports one error at a time': {
    wrap: changeProblems((problem) => ({ ...problem, errors: problem.errors?.slice(0, 1) })),
    detectedBy: /^all problems of a link request are in one response/,
  },
  'does not report the errors of a 400': {
    wrap: changeProblems((problem) => ({ ...problem, errors: undefined })),
    detectedBy: /^each of the errors of a 400/,
  },
  'returns 404 for a wrong method': {
    wrap: changeStatus(always, 405, 404),
    detectedBy: /^POST of the path of a listing is 405/,
  },
  'sends no Allow': {
    wrap: changeHeader(always, 'allow'),
    detectedBy: /^GET of the path of a link request is 405/,
  },
  'ignores trailing slashes': {
    wrap: changeRequest(
      (request) => request.url.endsWith('/'),
      (request) => requestWith(request, { url: request.url.slice(0, -1) }),
    ),
    detectedBy: /^a trailing slash after a listing/,
  },
  'accepts user ids of any length': {
    wrap: changeStatus(isListing, 414, 200),
    detectedBy: /^a user id of 101 characters/,
  },
  'accepts control characters in ids': {
    wrap: changeListingUrls((url) => url.replace('%07', '')),
    detectedBy: /^a control character in a user id/,
  },
  'allows caches to store listings': {
    wrap: changeHeader(isListing, 'cache-control', 'private, max-age=60'),
    detectedBy: /^a listing has Cache-Control: no-store/,
  },
  'allows browsers to guess the content type': {
    wrap: changeHeader(isLinkRequest, 'x-content-type-options'),
    detectedBy: /^a link has X-Content-Type-Options/,
  },
};
