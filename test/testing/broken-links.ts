// Deployments with wrong links, tokens or pages, and the rule that must detect each.
import type { TestServiceOptions } from '../adapters/service.js';
import {
  type BrokenDeployment,
  changeHeader,
  changeLinkRequests,
  changeRequest,
  changeResponse,
  changeStatus,
  type Interceptor,
  isLinkRequest,
  isVerify,
  requestWith,
  withChanges,
} from './interceptors.js';

/** Changes the URL of every link. */
function changeLinkUrls(change: (url: string) => string): Interceptor {
  return changeResponse(isLinkRequest, async (response) => {
    if (response.status !== 200) return response;
    const { data } = JSON.parse(await response.text());
    return withChanges(response, { body: JSON.stringify({ data: change(data) }) });
  });
}

/** Changes the header or the payload of every token, without a new signature. */
function changeTokens(part: 0 | 1, change: (value: Record<string, unknown>) => object): Interceptor {
  return changeLinkUrls((url) => {
    const [base, token = ''] = url.split('token=');
    const parts = token.split('.');
    parts[part] = Buffer.from(JSON.stringify(change(decodePart(token, part)))).toString('base64url');
    return `${base}token=${parts.join('.')}`;
  });
}

function changeCallbacks(from: RegExp, to: string): Interceptor {
  return changeLinkRequests((body) => ({
    ...body,
    callbackUrl: String(body['callbackUrl']).replace(from, to),
  }));
}

/** Accepts other tokens for a link: replaces them with the correct token of the link. */
function acceptTokens(isAccepted: (token: string) => boolean): Interceptor {
  return (service) => {
    const tokens = new Map<string, string>();
    const remembering = changeLinkUrls((url) => {
      const { pathname, searchParams } = new URL(url);
      tokens.set(pathname, searchParams.get('token') ?? '');
      return url;
    })(service);
    return changeRequest(isVerify, async (request) => {
      const url = new URL(request.url);
      const right = tokens.get(url.pathname);
      if (right === undefined || !isAccepted(url.searchParams.get('token') ?? '')) return request;
      url.searchParams.set('token', right);
      return requestWith(request, { url: url.href });
    })(remembering);
  };
}

/** Returns the header or the payload of a token, or an empty object if it is malformed. */
function decodePart(token: string, part: 0 | 1): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());
  } catch {
    return {};
  }
}

const isPage = (request: Request) => isVerify(request) && request.method === 'GET';

let count = 0;

export const BROKEN_LINKS: Record<string, BrokenDeployment> = {
  'returns 201 for a link': {
    wrap: changeStatus(isLinkRequest, 200, 201),
    detectedBy: /^a link request is answered 200$/,
  },
  'adds a member to the link response': {
    wrap: changeResponse(isLinkRequest, async (response) =>
      withChanges(response, {
        body: (await response.text()).replace(/^\{"data"/, '{"expiresAt":"soon","data"'),
      }),
    ),
    detectedBy: /^a link request is answered with an object/,
  },
  'returns the URL without an object': {
    wrap: changeResponse(isLinkRequest, async (response) => {
      const text = await response.text();
      return withChanges(response, {
        body: response.status === 200 ? JSON.stringify(JSON.parse(text).data) : text,
      });
    }),
    detectedBy: /^a link request is answered with an object/,
  },
  'creates links without a token': {
    wrap: changeLinkUrls((url) => url.replace(/\?.*/, '')),
    detectedBy: /^the URL has the shape/,
  },
  'adds a parameter to links': {
    wrap: changeLinkUrls((url) => `${url}&lang=en`),
    detectedBy: /^the URL has the shape/,
  },
  'creates links to another host': {
    wrap: changeLinkUrls((url) => url.replace('claims.example.com', 'internal.example.com')),
    detectedBy: /^the URL has the shape/,
  },
  'creates short access codes': {
    wrap: changeLinkUrls((url) => url.replace(/(\/verify\/.{10})[^?]*/, '$1')),
    detectedBy: /^the access code is base64url with room/,
  },
  'creates sequential access codes': {
    wrap: changeLinkUrls((url) =>
      url.replace(/\/verify\/[^?]*/, `/verify/AAAAAAAAAAAAAAAAAA${1000 + count++}`),
    ),
    detectedBy: /^access codes differ in at least 20/,
  },
  'sets the type of tokens to JWT': {
    wrap: changeTokens(0, (header) => ({ ...header, typ: 'JWT' })),
    detectedBy: /^the token is a JWS with the type/,
  },
  'does not sign its tokens': {
    wrap: changeTokens(0, (header) => ({ ...header, alg: 'none' })),
    detectedBy: /^the token is signed/,
  },
  'adds a claim to the token': {
    wrap: changeTokens(1, (payload) => ({ ...payload, scope: 'all' })),
    detectedBy: /^the claims of the token are/,
  },
  'puts the user id into the token': {
    wrap: changeTokens(1, (payload) => ({ ...payload, aud: 'user-1' })),
    detectedBy: /^the token contains no personal data/,
  },
  'sets another issuer': {
    wrap: changeTokens(1, (payload) => ({ ...payload, iss: 'https://internal.example.com' })),
    detectedBy: /^iss is \{base_url\}/,
  },
  'creates tokens that expire after ten years': {
    wrap: changeTokens(1, (payload) => ({ ...payload, exp: Number(payload['iat']) + 315_360_000 })),
    detectedBy: /^the token expires/,
  },
  'converts a string to a boolean': {
    wrap: changeLinkRequests((body) => ({ ...body, callbackOnSubmit: Boolean(body['callbackOnSubmit']) })),
    detectedBy: /^\/callbackOnSubmit of a wrong type/,
  },
  'accepts a link request without a callback': {
    wrap: changeLinkRequests((body) => ({ callbackUrl: 'https://example.com/', ...body })),
    detectedBy: /^\/callbackUrl is required/,
  },
  'rejects unknown members': {
    wrap: changeResponse(isLinkRequest, async (response, request) =>
      (await request.text()).includes('claimlinkCheck') ? withChanges(response, { status: 400 }) : response,
    ),
    detectedBy: /^unknown members are ignored/,
  },
  'stores numeric user ids under another id': {
    wrap: changeLinkRequests(({ config, ...body }) => {
      const { currentUserId, ...rest } = { ...(config as Record<string, unknown>) };
      return {
        ...body,
        config: {
          ...rest,
          currentUserId: typeof currentUserId === 'number' ? `n${currentUserId}` : currentUserId,
        },
      };
    }),
    detectedBy: /^a currentUserId that is a number is the user/,
  },
  'accepts any content type': {
    wrap: changeRequest(isLinkRequest, (request) =>
      requestWith(request, { headers: { 'content-type': 'application/json' } }),
    ),
    detectedBy: /^a link request of another content type is 415/,
  },
  'returns 500 for malformed JSON': {
    wrap: changeResponse(isLinkRequest, async (response, request) =>
      (await request.text()).endsWith(':') ? withChanges(response, { status: 500 }) : response,
    ),
    detectedBy: /^malformed JSON is 400/,
  },
  'returns 400 for a large body': {
    wrap: changeStatus(isLinkRequest, 413, 400),
    detectedBy: /^a link request of 70 kB is 413/,
  },
  'accepts __proto__': {
    wrap: changeRequest(isLinkRequest, async (request) =>
      requestWith(request, { body: (await request.text()).replace('__proto__', 'x') }),
    ),
    detectedBy: /^a __proto__ member is 400/,
  },
  'accepts http callbacks': {
    wrap: changeCallbacks(/^http:/, 'https:'),
    detectedBy: /^a callbackUrl with http:/,
  },
  'accepts javascript: callbacks': {
    wrap: changeCallbacks(/^javascript:.*/, 'https://example.com/'),
    detectedBy: /^a callbackUrl with the scheme javascript:/,
  },
  'accepts a user name in the callback': {
    wrap: changeCallbacks(/\/\/.*@/, '//'),
    detectedBy: /^a callbackUrl with a user name/,
  },
  'accepts relative callbacks': {
    wrap: changeCallbacks(/^\/(?!\/)/, 'https://example.com/'),
    detectedBy: /^a callbackUrl that is a path/,
  },
  'shows pages without a Content-Security-Policy': {
    wrap: changeHeader(isPage, 'content-security-policy'),
    detectedBy: /^the page has a Content-Security-Policy/,
  },
  'lets any script run on its pages': {
    wrap: changeHeader(isPage, 'content-security-policy', "default-src 'self'; script-src 'unsafe-inline'"),
    detectedBy: /^the page has a Content-Security-Policy/,
  },
  'has one nonce for all': {
    wrap: changeHeader(isPage, 'content-security-policy', "script-src 'nonce-AAAA'"),
    detectedBy: /^the nonce of the page/,
  },
  'does not allow the redirect in form-action': {
    wrap: changeHeader(isPage, 'content-security-policy', "script-src 'none'; form-action 'self'"),
    detectedBy: /^form-action allows/,
  },
  'sends the Referer to other sites': {
    wrap: changeHeader(isVerify, 'referrer-policy', 'origin-when-cross-origin'),
    detectedBy: /^the page has Referrer-Policy: no-referrer$/,
  },
  'allows search engines to index submitted links': {
    wrap: changeHeader(isVerify, 'x-robots-tag'),
    detectedBy: /^the page of a submitted link has X-Robots-Tag: noindex/,
  },
  'does not escape values on the page': {
    wrap: changeResponse(isPage, async (response) =>
      withChanges(response, {
        body: (await response.text()).replaceAll('&lt;script&gt;claimlink', '<script>claimlink'),
      }),
    ),
    detectedBy: /^values of the link request are escaped/,
  },
  'sends the page as text': {
    wrap: changeHeader(isPage, 'content-type', 'text/plain'),
    detectedBy: /^a link opens a page/,
  },
  'returns 500 for its links': {
    wrap: changeResponse(isVerify, () => new Response('<h1>Error</h1>', { status: 500 })),
    detectedBy: /^(a link opens a page|HEAD of a link answers)/,
  },
  'returns 404 for its links': {
    wrap: changeResponse(isVerify, () => new Response('Not Found', { status: 404 })),
    detectedBy: /^the deployment serves its links/,
  },
  'closes the connection for its links': {
    wrap: changeResponse(isVerify, () => Promise.reject(new TypeError('fetch failed'))),
    detectedBy: /^(a link opens a page|HEAD of a link answers)/,
  },
  'accepts tokens with alg none': {
    wrap: acceptTokens((token) => decodePart(token, 0)['alg'] === 'none'),
    detectedBy: /^a link with a token of alg none/,
  },
  'does not verify signatures': {
    wrap: acceptTokens((token) => token.split('.').length === 3),
    detectedBy: /^a link with an altered signature/,
  },
  'accepts an unknown kid': {
    wrap: acceptTokens((token) => decodePart(token, 0)['kid'] === 'claimlink-check'),
    detectedBy: /^a link with a token whose kid/,
  },
  'needs no token': {
    wrap: acceptTokens((token) => token === ''),
    detectedBy: /^a link without a token/,
  },
  'ignores the access code': {
    wrap: changeRequest(isVerify, (request) => {
      const url = new URL(request.url);
      const { jti } = decodePart(url.searchParams.get('token') ?? '', 1);
      if (jti !== undefined) url.pathname = `/verify/${jti}`;
      return requestWith(request, { url: url.href });
    }),
    detectedBy: /^a link with an altered access code/,
  },
  'distinguishes forged links from unknown links': {
    wrap: changeStatus(isVerify, 404, 401),
    detectedBy: /^a link with a token signed with another key/,
  },
  'sends a page to every caller': {
    wrap: changeRequest(isVerify, (request) => requestWith(request, { headers: { accept: undefined } })),
    detectedBy: /^a forged link is a page for a browser/,
  },
  'opens submitted links': {
    wrap: changeStatus(isPage, 410, 200),
    detectedBy: /^a submitted link is 410 for a browser/,
  },
  'returns 404 for submitted links': {
    wrap: changeStatus(isVerify, 410, 404),
    detectedBy: /^HEAD of a submitted link is 410/,
  },
  'consumes a link when it is opened': {
    service: consumingWhenOpened(),
    detectedBy: /^GET and HEAD never consume/,
  },
  'consumes a link with HEAD': {
    wrap: (service) => {
      const gone = new Set<string>();
      return async (request) => {
        const { url, method } = request;
        if (gone.has(url)) return new Response(null, { status: 410 });
        if (isVerify(request) && method === 'HEAD') gone.add(url);
        return service(request);
      };
    },
    detectedBy: /^GET and HEAD never consume/,
  },
  'does not respond to HEAD for its links': {
    wrap: changeResponse(isVerify, (response, request) =>
      request.method === 'HEAD' ? Promise.reject(new TypeError('fetch failed')) : response,
    ),
    detectedBy: /^HEAD of a link answers like GET/,
  },
};

/** Revokes a link when it is opened. */
function consumingWhenOpened(): TestServiceOptions {
  return {
    wrap: (storage) => ({
      ...storage,
      markLinkOpened: async (query) => {
        await storage.revokeLink(query);
      },
    }),
  };
}
