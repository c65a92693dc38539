// Deployments with wrong links, tokens or pages, each with the rule of the contract suite that is about it.
import type { TestServiceOptions } from '../adapters/service.js';
import type { Handler } from './deployment.js';
import {
  altered,
  answering,
  asking,
  type BrokenDeployment,
  isLinkRequest,
  isVerify,
  rewritten,
  statuses,
  withHeader,
} from './spoil.js';

/** Spoils the URL of every link. */
function urls(spoil: (url: string) => string): (good: Handler) => Handler {
  return answering(isLinkRequest, async (response) => {
    if (response.status !== 200) return response;
    const { data } = JSON.parse(await response.text());
    return altered(response, { body: JSON.stringify({ data: spoil(data) }) });
  });
}

/** Spoils header or payload of every token, and leaves its signature. */
function tokens(part: 0 | 1, spoil: (value: Record<string, unknown>) => object): (good: Handler) => Handler {
  return urls((url) => {
    const [base, token = ''] = url.split('token=');
    const parts = token.split('.');
    const value = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString());
    parts[part] = Buffer.from(JSON.stringify(spoil(value))).toString('base64url');
    return `${base}token=${parts.join('.')}`;
  });
}

/** Changes every link request. */
function requests(change: (body: Record<string, unknown>) => unknown): (good: Handler) => Handler {
  return asking(isLinkRequest, (request) => rewritten(request, change));
}

function callbacks(from: RegExp, to: string): (good: Handler) => Handler {
  return requests((body) => ({ ...body, callbackUrl: String(body['callbackUrl']).replace(from, to) }));
}

/** Takes the right token, remembered from when the link was made, where `trusts` says so. */
function trusting(trusts: (token: string) => boolean): (good: Handler) => Handler {
  return (good) => {
    const known = new Map<string, string>();
    const remembering = urls((url) => {
      const { pathname, searchParams } = new URL(url);
      known.set(pathname, searchParams.get('token') ?? '');
      return url;
    })(good);
    return asking(isVerify, async (request) => {
      const url = new URL(request.url);
      const right = known.get(url.pathname);
      if (right === undefined || !trusts(url.searchParams.get('token') ?? '')) return request;
      url.searchParams.set('token', right);
      return sentTo(request, url.href);
    })(remembering);
  };
}

async function sentTo(request: Request, url: string): Promise<Request> {
  const body = await request.text();
  return new Request(url, { method: request.method, headers: request.headers, ...(body && { body }) });
}

function headerOf(token: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  } catch {
    return {};
  }
}

const isPage = (request: Request) => isVerify(request) && request.method === 'GET';

let count = 0;

export const BROKEN_LINKS: Record<string, BrokenDeployment> = {
  'answers a link with 201': {
    wrap: statuses(isLinkRequest, 200, 201),
    caughtBy: /^a link request is answered 200/,
  },
  'adds a member to the answer': {
    wrap: answering(isLinkRequest, async (response) =>
      altered(response, { body: (await response.text()).replace(/^\{"data"/, '{"expiresAt":"soon","data"') }),
    ),
    caughtBy: /^a link request is answered 200/,
  },
  'answers the bare URL': {
    wrap: answering(isLinkRequest, async (response) => {
      const text = await response.text();
      return altered(response, {
        body: response.status === 200 ? JSON.stringify(JSON.parse(text).data) : text,
      });
    }),
    caughtBy: /^a link request is answered 200/,
  },
  'makes links without a token': {
    wrap: urls((url) => url.replace(/\?.*/, '')),
    caughtBy: /^the URL has the shape/,
  },
  'adds a parameter to links': {
    wrap: urls((url) => `${url}&lang=en`),
    caughtBy: /^the URL has the shape/,
  },
  'makes links on another host': {
    wrap: urls((url) => url.replace('claims.example.com', 'internal.example.com')),
    caughtBy: /^the URL has the shape/,
  },
  'makes short access codes': {
    wrap: urls((url) => url.replace(/(\/verify\/.{10})[^?]*/, '$1')),
    caughtBy: /^the access code is base64url with room/,
  },
  'counts its access codes': {
    wrap: urls((url) => url.replace(/\/verify\/[^?]*/, `/verify/AAAAAAAAAAAAAAAAAA${1000 + count++}`)),
    caughtBy: /^access codes have nothing in common/,
  },
  'calls its tokens JWT': {
    wrap: tokens(0, (header) => ({ ...header, typ: 'JWT' })),
    caughtBy: /^the token is a JWS with the type/,
  },
  'does not sign its tokens': {
    wrap: tokens(0, (header) => ({ ...header, alg: 'none' })),
    caughtBy: /^the token is signed/,
  },
  'adds a claim to the token': {
    wrap: tokens(1, (payload) => ({ ...payload, scope: 'all' })),
    caughtBy: /^the claims of the token are/,
  },
  'puts the user into the token': {
    wrap: tokens(1, (payload) => ({ ...payload, aud: 'user-1' })),
    caughtBy: /^no personal data/,
  },
  'names another issuer': {
    wrap: tokens(1, (payload) => ({ ...payload, iss: 'https://internal.example.com' })),
    caughtBy: /^iss is \{base_url\}/,
  },
  'makes tokens for ten years': {
    wrap: tokens(1, (payload) => ({ ...payload, exp: Number(payload['iat']) + 315_360_000 })),
    caughtBy: /^the token ends/,
  },
  'turns text into a boolean': {
    wrap: requests((body) => ({ ...body, callbackOnSubmit: Boolean(body['callbackOnSubmit']) })),
    caughtBy: /^\/callbackOnSubmit of a wrong type/,
  },
  'does without a callback': {
    wrap: requests((body) => ({ callbackUrl: 'https://example.com/', ...body })),
    caughtBy: /^\/callbackUrl is required/,
  },
  'refuses what it does not know': {
    wrap: answering(isLinkRequest, async (response, request) =>
      (await request.text()).includes('claimlinkCheck') ? altered(response, { status: 400 }) : response,
    ),
    caughtBy: /^unknown members are ignored/,
  },
  'takes numbers for other users': {
    wrap: requests(({ config, ...body }) => {
      const { currentUserId, ...rest } = { ...(config as Record<string, unknown>) };
      return {
        ...body,
        config: {
          ...rest,
          currentUserId: typeof currentUserId === 'number' ? `n${currentUserId}` : currentUserId,
        },
      };
    }),
    caughtBy: /^a currentUserId that is a number is the user/,
  },
  'takes any content type': {
    wrap: asking(isLinkRequest, async (request) => {
      const headers = new Headers(request.headers);
      headers.set('content-type', 'application/json');
      return new Request(request.url, { method: request.method, headers, body: await request.text() });
    }),
    caughtBy: /^a link request of another content type is 415/,
  },
  'fails at malformed JSON': {
    wrap: answering(isLinkRequest, async (response, request) =>
      (await request.text()).endsWith(':') ? altered(response, { status: 500 }) : response,
    ),
    caughtBy: /^malformed JSON is 400/,
  },
  'calls a large body malformed': {
    wrap: statuses(isLinkRequest, 413, 400),
    caughtBy: /^a link request of 70 kB is 413/,
  },
  'lets prototypes be polluted': {
    wrap: asking(isLinkRequest, async (request) => {
      const { url, method, headers } = request;
      return new Request(url, { method, headers, body: (await request.text()).replace('__proto__', 'x') });
    }),
    caughtBy: /^a __proto__ member is 400/,
  },
  'sends users to http': {
    wrap: callbacks(/^http:/, 'https:'),
    caughtBy: /^a callbackUrl with http:/,
  },
  'runs the callback as a script': {
    wrap: callbacks(/^javascript:.*/, 'https://example.com/'),
    caughtBy: /^a callbackUrl with the scheme javascript:/,
  },
  'lets a user name into the callback': {
    wrap: callbacks(/\/\/.*@/, '//'),
    caughtBy: /^a callbackUrl with a user name/,
  },
  'takes relative callbacks': {
    wrap: callbacks(/^\/(?!\/)/, 'https://example.com/'),
    caughtBy: /^a callbackUrl that is a path/,
  },
  'shows pages without a policy': {
    wrap: withHeader(isPage, 'content-security-policy'),
    caughtBy: /^the page has a Content-Security-Policy/,
  },
  'lets any script run on its pages': {
    wrap: withHeader(isPage, 'content-security-policy', "default-src 'self'; script-src 'unsafe-inline'"),
    caughtBy: /^the page has a Content-Security-Policy/,
  },
  'has one nonce for all': {
    wrap: withHeader(isPage, 'content-security-policy', "script-src 'nonce-AAAA'"),
    caughtBy: /^the nonce of the page/,
  },
  'keeps its form from going on': {
    wrap: withHeader(isPage, 'content-security-policy', "script-src 'none'; form-action 'self'"),
    caughtBy: /^form-action lets/,
  },
  'tells other sites the token': {
    wrap: withHeader(isVerify, 'referrer-policy', 'origin-when-cross-origin'),
    caughtBy: /^the page has Referrer-Policy: no-referrer$/,
  },
  'has its used links indexed': {
    wrap: withHeader(isVerify, 'x-robots-tag'),
    caughtBy: /^the page has X-Robots-Tag: noindex when it is 410/,
  },
  'does not escape values': {
    wrap: answering(isPage, async (response) =>
      altered(response, {
        body: (await response.text()).replaceAll('&lt;script&gt;claimlink', '<script>claimlink'),
      }),
    ),
    caughtBy: /^values of the link request are escaped/,
  },
  'shows the page as text': {
    wrap: withHeader(isPage, 'content-type', 'text/plain'),
    caughtBy: /^a link opens a page/,
  },
  'fails behind its links': {
    wrap: answering(isVerify, () => new Response('<h1>Error</h1>', { status: 500 })),
    caughtBy: /^(a link opens a page|HEAD of a link answers)/,
  },
  'has nothing behind its links': {
    wrap: answering(isVerify, () => new Response('Not Found', { status: 404 })),
    caughtBy: /^a link opens a page/,
  },
  'hangs up behind its links': {
    wrap: answering(isVerify, () => Promise.reject(new TypeError('fetch failed'))),
    caughtBy: /^(a link opens a page|HEAD of a link answers)/,
  },
  'takes tokens of alg none': {
    wrap: trusting((token) => headerOf(token)['alg'] === 'none'),
    caughtBy: /^a link with a token of alg none/,
  },
  'never looks at signatures': {
    wrap: trusting((token) => token.split('.').length === 3),
    caughtBy: /^a link with an altered signature/,
  },
  'takes keys that it does not know': {
    wrap: trusting((token) => headerOf(token)['kid'] === 'claimlink-check'),
    caughtBy: /^a link with a token whose kid/,
  },
  'needs no token': {
    wrap: trusting((token) => token === ''),
    caughtBy: /^a link without a token/,
  },
  'goes by the token, whatever the code is': {
    wrap: asking(isVerify, (request) => {
      const url = new URL(request.url);
      const [, payload = ''] = (url.searchParams.get('token') ?? '').split('.');
      let jti = '';
      try {
        ({ jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()));
      } catch {
        return request;
      }
      url.pathname = `/verify/${jti}`;
      return sentTo(request, url.href);
    }),
    caughtBy: /^a link with an altered access code/,
  },
  'tells forged links from unknown ones': {
    wrap: statuses(isVerify, 404, 401),
    caughtBy: /^a link with a token that somebody else signed/,
  },
  'shows everybody a page': {
    wrap: asking(isVerify, async (request) => {
      const headers = new Headers(request.headers);
      headers.delete('accept');
      const body = await request.text();
      return new Request(request.url, { method: request.method, headers, ...(body && { body }) });
    }),
    caughtBy: /^a forged link tells a browser by a page/,
  },
  'opens used links': {
    wrap: answering(isPage, (response) =>
      response.status === 410 ? altered(response, { status: 200 }) : response,
    ),
    caughtBy: /^a link whose claim is in is 410 for a browser/,
  },
  'forgets used links': {
    wrap: statuses(isVerify, 410, 404),
    caughtBy: /^HEAD of a link whose claim is in is 410/,
  },
  'consumes a link that is opened': {
    service: consumingWhenOpened(),
    caughtBy: /^GET and HEAD never consume/,
  },
  'consumes a link that a scanner looks at': {
    wrap: (good) => {
      const gone = new Set<string>();
      return async (request) => {
        const { url, method } = request;
        if (gone.has(url)) return new Response(null, { status: 410 });
        if (isVerify(request) && method === 'HEAD') gone.add(url);
        return good(request);
      };
    },
    caughtBy: /^GET and HEAD never consume/,
  },
  'never answers where its links lead to': {
    wrap: answering(isVerify, (response, request) =>
      request.method === 'HEAD' ? Promise.reject(new TypeError('fetch failed')) : response,
    ),
    caughtBy: /^HEAD of a link answers like GET/,
  },
};

/** Revokes a link with its first opening. */
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
