// Deployments with one defect each, and the rule of the contract suite that must detect it.
import type { TestServiceOptions } from '../adapters/service.js';
import { breakStorage } from './broken-storages.js';
import {
  acceptTokens,
  addKey,
  always,
  changeCallbacks,
  changeHeader,
  changeLinks,
  changeListings,
  changeListingUrls,
  changePolicies,
  changeProblems,
  changeRequest,
  changeRequestJson,
  changeResponse,
  changeSessions,
  changeStatus,
  changeSubmissions,
  changeTokens,
  decodePart,
  type Interceptor,
  isLinkRequest,
  isListing,
  isPage,
  isSubmission,
  isVerify,
  rejectRepeatedKeys,
  replaceResponse,
  tokenOf,
} from './interceptors.js';

/**
 * What an interceptor changes, or what differs in the options of the service; and the names of the rules that must fail.
 */
type Defect = readonly [change: Interceptor | TestServiceOptions, detectedBy: RegExp];

/** Keys complete the sentence "a deployment that ...". */
export const BROKEN_DEPLOYMENTS: Readonly<Record<string, Defect>> = {
  // Listings
  'drops a member of the session': [
    changeSessions(() => ({ camsReference: undefined })),
    /^every session has exactly/,
  ],
  'adds a member to the session': [changeSessions(() => ({ incident: {} })), /^every session has exactly/],
  'drops a member of the policy': [
    changePolicies(() => ({ validTo: undefined })),
    /^every selectedPolicy has exactly/,
  ],
  'drops a member of the holder': [
    changePolicies(({ holder }) => ({ holder: { ...holder, phone: undefined } })),
    /^every holder has exactly/,
  ],
  'returns the phone numbers of contacts': [
    changePolicies((policy) => ({
      linkedContacts: policy.linkedContacts.map((contact) => ({ ...contact, phone: '1' })),
    })),
    /^every element of linkedContacts has exactly/,
  ],
  'adds a member to the vehicle': [
    changePolicies(({ vehicle }) => ({ vehicle: { ...vehicle, vin: '1' } })),
    /^every vehicle has exactly/,
  ],
  'returns a number instead of a string': [
    changePolicies(() => ({ number: 7 })),
    /^every selectedPolicy has members of the documented types/,
  ],
  'returns null instead of an empty array': [
    changePolicies(() => ({ linkedContacts: null })),
    /^every selectedPolicy has members of the documented types/,
  ],
  'returns dates with seconds': [
    changeSessions(({ date }) => ({ date: `${date}:00` })),
    /^date has the shape/,
  ],
  'returns dates with a time zone': [
    changeSessions(({ createdAt }) => ({ createdAt: `${createdAt}Z` })),
    /^createdAt has the shape/,
  ],
  'returns a date that does not exist': [
    changePolicies(() => ({ validFrom: '2026-02-30' })),
    /^validFrom has the shape/,
  ],
  'returns validTo with a time': [
    changePolicies(({ validTo }) => ({ validTo: `${validTo}T00:00` })),
    /^validTo has the shape/,
  ],
  'writes members in another order': [
    changeListings((list) => list.map(({ reference, ...session }) => ({ ...session, reference }))),
    /^every session has its members in the documented order/,
  ],
  'lists a session twice': [
    changeListings((list) => [...list, ...list.slice(0, 1)]),
    /^the reference of a session is unique/,
  ],
  'wraps the listing in an object': [
    changeListings((data) => ({ data })),
    /^a listing is a top-level JSON array/,
  ],
  'returns 201 for a listing': [changeStatus(isListing, 200, 201), /^a listing is answered 200/],
  'rejects a listing request with a content type': [
    changeResponse(
      (request) => isListing(request) && request.headers.has('content-type'),
      () => ({ status: 400 }),
    ),
    /^a listing is the same with Content-Type/,
  ],
  'returns 404 for users without sessions': [
    changeResponse(isListing, ({ body }) => (body === '[]' ? { status: 404 } : undefined)),
    /^the listing of a user without sessions/,
  ],
  'does not support HEAD': [changeStatus(({ method }) => method === 'HEAD', 200, 405), /^HEAD of a listing/],
  'does not decode user ids': [changeListingUrls('%', '%25'), /^a user id is percent-decoded once/],
  'lists the oldest first': [
    changeListings((list) => list.reverse()),
    /^(sessions are sorted by createdAt|of two sessions, the one)/,
  ],
  'lists the oldest of a day first': [
    changeListings((list) =>
      list.reverse().sort((a, b) => b.createdAt.slice(0, 10).localeCompare(a.createdAt.slice(0, 10))),
    ),
    /^of two sessions, the one/,
  ],
  'ignores limit': [changeListingUrls('limit=', 'x='), /^\?limit=1 returns the first session/],
  'sends no Link header': [changeHeader(isListing, 'link'), /^a page that is not the last one/],
  'names the next page on another host': [
    changeResponse(isListing, ({ response }) => {
      const link = response.headers.get('link')?.replace('claims.example.com', 'elsewhere.example');
      return { headers: { link } };
    }),
    /^a page that is not the last one/,
  ],
  'omits a session between two pages': [
    changeResponse(isListing, ({ response, body }) => {
      const list = JSON.parse(body || '[]');
      const isPart = response.headers.has('link') && list.length > 1;
      return isPart ? { body: JSON.stringify(list.slice(0, -1)) } : undefined;
    }),
    /^the pages that the Link headers name/,
  ],
  'ignores cursor': [changeListingUrls('cursor=', 'x='), /^the pages that the Link headers name/],
  'always sends a Link header': [
    changeHeader(isListing, 'link', '<https://claims.example.com/acme/sessions/user-1?cursor=x>; rel="next"'),
    /^the last page has no Link/,
  ],
  'ignores status': [changeListingUrls('status=', 'x='), /^a \?status= that no session has/],
  'returns no sessions for any status': [
    changeResponse(
      ({ url }) => url.includes('status='),
      () => ({ body: '[]' }),
    ),
    /^\?status= returns the sessions/,
  ],
  'accepts any limit': [changeListingUrls('limit=0', 'limit=1'), /^\?limit=0 is a 400/],
  'accepts any cursor': [changeListingUrls('cursor=claimlink', 'x='), /^a \?cursor= that no page returned/],

  // Authentication, errors, methods and headers
  'returns 403 for a request without a key': [
    changeStatus(isListing, 401, 403),
    /^a listing without x-api-key is 401/,
  ],
  'accepts requests without a key': [
    addKey(({ headers }) => !headers.get('x-api-key')),
    /^a listing without x-api-key is 401/,
  ],
  'accepts any key': [addKey(always), /^a listing with an unknown key is 401/],
  'checks the key for listings only': [
    addKey(isLinkRequest),
    /^a link request without x-api-key is (rejected|401)/,
  ],
  'accepts the key of another client': [
    addKey(({ url }) => url.includes('/other/'), 'clk_other_good'),
    /^a listing with a key of another client is 401/,
  ],
  'accepts a key for unknown clients': [
    changeRequest(always, ({ url }) => ({ url: url.replace(/\/claimlink-check-unknown-\w+\//, '/acme/') })),
    /^a link request for a client that does not exist/,
  ],
  'shows which clients exist without a valid key': [
    changeResponse(
      ({ url }) => url.includes('unknown-'),
      () => ({ status: 404 }),
    ),
    /^a listing with an unknown key, for a client that does not exist, is 401/,
  ],
  'has one code for every 401': [
    changeProblems(({ status, code }) => ({ code: status === 401 ? 'unauthorized' : code })),
    /^a listing with an empty x-api-key is 401 with the code/,
  ],
  'sends no WWW-Authenticate': [
    changeHeader(always, 'www-authenticate'),
    /^a listing that is 401 carries WWW-Authenticate/,
  ],
  'checks the content type before the key': [
    changeResponse(
      (request) => isLinkRequest(request) && request.headers.get('content-type') === 'text/plain',
      () => ({ status: 415 }),
    ),
    /^the key is checked before the content type/,
  ],
  'checks the body before the key': [
    changeResponse(isLinkRequest, ({ requestBody }) => (requestBody === '{}' ? { status: 400 } : undefined)),
    /^the key is checked before the body/,
  ],
  'sends errors in another format': [
    changeProblems(({ title }) => ({ error: title, type: undefined, title: undefined, status: undefined })),
    /^a 404 is application\/problem\+json/,
  ],
  'sends problems as application/json': [
    changeResponse(always, ({ response }) =>
      response.status < 400 ? undefined : { headers: { 'content-type': 'application/json' } },
    ),
    /^a 400 of the body is application\/problem\+json/,
  ],
  'sends problems with another status': [
    changeProblems(() => ({ status: 400 })),
    /^a 401 is application\/problem\+json/,
  ],
  'reports one error at a time': [
    changeProblems(({ errors }) => ({ errors: errors?.slice(0, 1) })),
    /^all problems of a link request are in one response/,
  ],
  'does not report the errors of a 400': [
    changeProblems(() => ({ errors: undefined })),
    /^each of the errors of a 400/,
  ],
  'returns 404 for a wrong method': [changeStatus(always, 405, 404), /^POST of the path of a listing is 405/],
  'sends no Allow': [changeHeader(always, 'allow'), /^GET of the path of a link request is 405/],
  'ignores trailing slashes': [
    changeRequest(always, ({ url }) => ({ url: url.replace(/\/$/, '') })),
    /^a trailing slash after a listing/,
  ],
  'accepts user ids of any length': [changeStatus(isListing, 414, 200), /^a user id of 257 characters/],
  'accepts control characters in ids': [changeListingUrls('%07', ''), /^a control character in a user id/],
  'allows caches to store listings': [
    changeHeader(isListing, 'cache-control', 'private, max-age=60'),
    /^a listing has Cache-Control: no-store/,
  ],
  'allows browsers to guess the content type': [
    changeHeader(isLinkRequest, 'x-content-type-options'),
    /^a link has X-Content-Type-Options/,
  ],

  // Links and tokens
  'returns 201 for a link': [changeStatus(isLinkRequest, 200, 201), /^a link request is answered 200$/],
  'adds a member to the link response': [
    changeResponse(isLinkRequest, ({ body }) => ({
      body: body.replace(/^\{"data"/, '{"expiresAt":"soon","data"'),
    })),
    /^a link request is answered with an object/,
  ],
  'returns the URL without an object': [
    changeResponse(isLinkRequest, ({ response, body }) =>
      response.ok ? { body: JSON.stringify(JSON.parse(body).data) } : undefined,
    ),
    /^a link request is answered with an object/,
  ],
  'creates links without a token': [changeLinks((url) => url.replace(/\?.*/, '')), /^the URL has the shape/],
  'adds a parameter to links': [changeLinks((url) => `${url}&lang=en`), /^the URL has the shape/],
  'creates links to another host': [
    changeLinks((url) => url.replace('claims.example.com', 'internal.example.com')),
    /^the URL has the shape/,
  ],
  'creates short access codes': [
    changeLinks((url) => url.replace(/(\/verify\/.{10})[^?]*/, '$1')),
    /^the access code is base64url with room/,
  ],
  'creates sequential access codes': [
    changeLinks((url) => url.replace(/\/verify\/[^?]*/, `/verify/AAAAAAAAAAAAAAAAAA${nextNumber()}`)),
    /^access codes differ in at least 20/,
  ],
  'sets the type of tokens to JWT': [
    changeTokens(0, () => ({ typ: 'JWT' })),
    /^the token is a JWS with the type/,
  ],
  'does not sign its tokens': [changeTokens(0, () => ({ alg: 'none' })), /^the token is signed/],
  'adds a claim to the token': [changeTokens(1, () => ({ scope: 'all' })), /^the claims of the token are/],
  'puts the user id into the token': [
    changeTokens(1, () => ({ aud: 'user-1' })),
    /^the token contains no personal data/,
  ],
  'sets another issuer': [
    changeTokens(1, () => ({ iss: 'https://internal.example.com' })),
    /^iss is \{base_url\}/,
  ],
  'creates tokens that expire after ten years': [
    changeTokens(1, ({ iat }) => ({ exp: Number(iat) + 315_360_000 })),
    /^the token expires/,
  ],
  'accepts tokens with alg none': [
    acceptTokens((token) => decodePart(token, 0)['alg'] === 'none'),
    /^a link with a token of alg none/,
  ],
  'does not verify signatures': [
    acceptTokens((token) => token.split('.').length === 3),
    /^a link with an altered signature/,
  ],
  'accepts an unknown kid': [
    acceptTokens((token) => decodePart(token, 0)['kid'] === 'claimlink-check'),
    /^a link with a token whose kid/,
  ],
  'needs no token': [acceptTokens((token) => token === ''), /^a link without a token/],
  'ignores the access code': [
    changeRequest(isVerify, (request) => {
      const url = new URL(request.url);
      const { jti } = decodePart(tokenOf(url), 1);
      if (jti !== undefined) url.pathname = `/verify/${jti}`;
      return { url: url.href };
    }),
    /^a link with an altered access code/,
  ],
  'distinguishes forged links from unknown links': [
    changeStatus(isVerify, 404, 401),
    /^a link with a token signed with another key/,
  ],

  // Link requests
  'converts a string to a boolean': [
    changeRequestJson(isLinkRequest, (body) => ({
      ...body,
      callbackOnSubmit: Boolean(body['callbackOnSubmit']),
    })),
    /^\/callbackOnSubmit of a wrong type/,
  ],
  'accepts a link request without a callback': [
    changeRequestJson(isLinkRequest, (body) => ({ callbackUrl: 'https://example.com/', ...body })),
    /^\/callbackUrl is required/,
  ],
  'rejects unknown members': [
    changeResponse(isLinkRequest, ({ requestBody }) =>
      requestBody.includes('claimlinkCheck') ? { status: 400 } : undefined,
    ),
    /^unknown members are ignored/,
  ],
  'stores numeric user ids under another id': [
    changeRequest(isLinkRequest, (_request, body) => ({
      body: body.replace(/("currentUserId":)(\d+)/, '$1"n$2"'),
    })),
    /^a currentUserId that is a number is the user/,
  ],
  'accepts any content type': [
    changeRequest(isLinkRequest, () => ({ headers: { 'content-type': 'application/json' } })),
    /^a link request of another content type is 415/,
  ],
  'returns 500 for malformed JSON': [
    changeResponse(isLinkRequest, ({ requestBody }) =>
      requestBody.endsWith(':') ? { status: 500 } : undefined,
    ),
    /^malformed JSON is 400/,
  ],
  'returns 400 for a large body': [changeStatus(isLinkRequest, 413, 400), /^a link request of 70 kB is 413/],
  'accepts __proto__': [
    changeRequest(isLinkRequest, (_request, body) => ({ body: body.replace('__proto__', 'x') })),
    /^a __proto__ member is 400/,
  ],
  'accepts http callbacks': [changeCallbacks(/^http:/, 'https:'), /^a callbackUrl with http:/],
  'accepts javascript: callbacks': [
    changeCallbacks(/^javascript:.*/, 'https://example.com/'),
    /^a callbackUrl with the scheme javascript:/,
  ],
  'accepts a user name in the callback': [
    changeCallbacks(/\/\/.*@/, '//'),
    /^a callbackUrl with a user name/,
  ],
  'accepts relative callbacks': [
    changeCallbacks(/^\/(?!\/)/, 'https://example.com/'),
    /^a callbackUrl that is a path/,
  ],
  'rejects a repetition with its Idempotency-Key': [
    rejectRepeatedKeys(),
    /^a link request that is repeated with its Idempotency-Key/,
  ],
  'gives another request with the same Idempotency-Key a 409': [
    changeStatus(isLinkRequest, 422, 409),
    /^another link request with the same Idempotency-Key/,
  ],
  'accepts a long Idempotency-Key': [
    changeRequest(isLinkRequest, ({ headers }) => {
      const key = headers.get('idempotency-key') ?? undefined;
      return { headers: { 'idempotency-key': key?.slice(0, 255) } };
    }),
    /^an Idempotency-Key of 256 characters/,
  ],

  // Pages
  'shows pages without a Content-Security-Policy': [
    changeHeader(isPage, 'content-security-policy'),
    /^the page has a Content-Security-Policy/,
  ],
  'lets any script run on its pages': [
    changeHeader(isPage, 'content-security-policy', "default-src 'self'; script-src 'unsafe-inline'"),
    /^the page has a Content-Security-Policy/,
  ],
  'has one nonce for all': [
    changeHeader(isPage, 'content-security-policy', "script-src 'nonce-AAAA'"),
    /^the nonce of the page/,
  ],
  'does not allow the redirect in form-action': [
    changeHeader(isPage, 'content-security-policy', "script-src 'none'; form-action 'self'"),
    /^form-action allows/,
  ],
  'sends the Referer to its own site': [
    changeHeader(isVerify, 'referrer-policy', 'strict-origin, origin-when-cross-origin'),
    /^the page has Referrer-Policy: strict-origin/,
  ],
  'allows search engines to index submitted links': [
    changeHeader(isVerify, 'x-robots-tag'),
    /^the page of a submitted link has X-Robots-Tag: noindex/,
  ],
  'does not escape values on the page': [
    changeResponse(isPage, ({ body }) => ({
      body: body.replaceAll('&lt;script&gt;claimlink', '<script>claimlink'),
    })),
    /^values of the link request are escaped/,
  ],
  'sends the page as text': [changeHeader(isPage, 'content-type', 'text/plain'), /^a link opens a page/],
  'sends a page to every caller': [
    changeRequest(isVerify, () => ({ headers: { accept: undefined } })),
    /^a forged link is a page for a browser/,
  ],
  'opens submitted links': [changeStatus(isPage, 410, 200), /^a submitted link is 410 for a browser/],
  'returns 404 for submitted links': [changeStatus(isVerify, 410, 404), /^HEAD of a submitted link is 410/],
  'returns 500 for its links': [
    replaceResponse(isVerify, async () => new Response('<h1>Error</h1>', { status: 500 })),
    /^(a link opens a page|HEAD of a link answers)/,
  ],
  'returns 404 for its links': [
    replaceResponse(isVerify, async () => new Response('Not Found', { status: 404 })),
    /^the deployment serves its links/,
  ],
  'closes the connection for its links': [
    replaceResponse(isVerify, () => Promise.reject(new TypeError('fetch failed'))),
    /^(a link opens a page|HEAD of a link answers)/,
  ],
  'does not respond to HEAD for its links': [
    replaceResponse(
      (request) => isVerify(request) && request.method === 'HEAD',
      () => Promise.reject(new TypeError('fetch failed')),
    ),
    /^HEAD of a link answers like GET/,
  ],
  'consumes a link when it is opened': [
    {
      wrap: (storage) => ({
        ...storage,
        markLinkOpened: async (query) => void (await storage.revokeLink(query)),
      }),
    },
    /^GET and HEAD never consume/,
  ],
  'consumes a link with HEAD': [
    (service) => {
      const gone = new Set<string>();
      return async (request) => {
        const { url, method } = request;
        if (gone.has(url)) return new Response(null, { status: 410 });
        if (isVerify(request) && method === 'HEAD') gone.add(url);
        return service(request);
      };
    },
    /^GET and HEAD never consume/,
  ],

  // Submissions
  'returns 201 for a claim': [
    changeStatus(isSubmission, 200, 201),
    /^a claim posted as JSON is answered 200/,
  ],
  'returns the session with the reference': [
    changeSubmissions(() => ({ session: {} })),
    /^a claim posted as JSON is answered 200/,
  ],
  'returns no redirectUrl': [
    changeSubmissions(() => ({ redirectUrl: undefined })),
    /^a claim posted as JSON is answered 200/,
  ],
  'returns another reference than the listing': [
    changeSubmissions(({ reference }) => ({ reference: `X-${reference}` })),
    /^a submitted claim is one session in the listing/,
  ],
  'does not store claims': [
    {
      wrap: (storage) => ({
        ...storage,
        submitLink: async ({ session }) => ({ outcome: 'submitted', session }),
      }),
    },
    /^a submitted claim is one session in the listing/,
  ],
  'lists submitted claims as open': [
    changeSessions(() => ({ status: 'open' })),
    /^the session of a submitted claim has the status/,
  ],
  'does not fill in holder.id': [
    changePolicies(({ holder }) => ({ holder: { ...holder, id: '' } })),
    /^selectedPolicy has the values of the claim/,
  ],
  'does not store the contacts of a claim': [
    changePolicies(() => ({ linkedContacts: [] })),
    /^selectedPolicy has the values of the claim/,
  ],
  'lists local time': [
    changeSessions(({ date }) => ({ date: shifted(date, 2) })),
    /^createdAt and date are the times/,
  ],
  'returns the time of submission as createdAt': [
    changeSessions(({ date }) => ({ createdAt: date, date: shifted(date, -0.1) })),
    /^createdAt and date are the times/,
  ],
  'appends the reference to the callback': [
    changeSubmissions(({ redirectUrl, reference }) => ({ redirectUrl: `${redirectUrl}&ref=${reference}` })),
    /^redirectUrl is the callbackUrl as given/,
  ],
  'does not fill in placeholders': [
    changeSubmissions(({ redirectUrl, reference }) => ({
      redirectUrl: redirectUrl.replace(reference, '{SESSION_REFERENCE}'),
    })),
    /^redirectUrl is the callbackUrl as given/,
  ],
  'redirects with 302': [changeStatus(isSubmission, 303, 302), /^a form with callbackOnSubmit: true/],
  'ignores callbackOnSubmit': [
    changeRequestJson(isLinkRequest, (body) => ({ ...body, callbackOnSubmit: undefined })),
    /^a form with callbackOnSubmit: true/,
  ],
  'redirects by default': [
    changeRequestJson(isLinkRequest, (body) => ({ callbackOnSubmit: true, ...body })),
    /^without callbackOnSubmit/,
  ],
  'shows a success page without a link to the callback': [
    changeResponse(isSubmission, ({ response }) => {
      const isSuccess = response.headers.get('content-type')?.includes('html') && response.status === 200;
      return isSuccess ? { body: '<p>Thank you.</p>' } : undefined;
    }),
    /^a form with callbackOnSubmit: false/,
  ],
  'answers every form with a page': [
    changeRequest(isSubmission, () => ({ headers: { accept: undefined } })),
    /^a form sent with Accept: application\/json/,
  ],
  'accepts an incomplete claim': [
    changeRequestJson(isSubmission, ({ policy, ...claim }) => {
      const { holder, ...others } = policy as { holder: object };
      return {
        ...claim,
        policy: { ...others, holder: { phone: '030 1', email: 'a@example.com', ...holder } },
      };
    }),
    /^a claim that is not complete is 400/,
  ],
  'accepts an incident after today': [
    changeRequestJson(isSubmission, (claim) => ({ ...claim, incident: undefined })),
    /^a claim with an incident after today/,
  ],
  'returns 400 for a claim of another content type': [
    changeStatus(isSubmission, 415, 400),
    /^a claim of another content type/,
  ],
  'creates a session for each submission': [
    { wrap: breakStorage('submits without consuming the link') },
    /^a repeated submission gets the first outcome/,
  ],
  'reads the link before it writes the session': [
    { wrap: breakStorage('reads the link before it writes, so that two submissions succeed') },
    /^20 submissions at once/,
  ],
  'answers a repeated claim as a new one': [
    changeSubmissions(() => ({ repeated: undefined, unchanged: undefined })),
    /^a repeated submission says that it is one/,
  ],
  'calls every repeated claim the stored one': [
    changeSubmissions(({ repeated }) => (repeated ? { unchanged: true } : {})),
    /^a repeated submission says that it is one/,
  ],
  'returns 409 for a second claim': [
    (service) => {
      const first = new Map<string, string>();
      return changeResponse(isSubmission, ({ response, request: { url }, requestBody }) => {
        if (response.status === 200 && !first.has(url)) first.set(url, requestBody);
        return first.has(url) && first.get(url) !== requestBody ? { status: 409 } : undefined;
      })(service);
    },
    /^a second submission with another claim/,
  ],
};

let lastNumber = 1000;

function nextNumber(): number {
  return lastNumber++;
}

/** Returns a date-time of a listing plus some hours. */
function shifted(value: string, hours: number): string {
  return new Date(new Date(`${value}Z`).getTime() + hours * 3_600_000).toISOString().slice(0, 16);
}
