// Answers that fail on purpose: held against what the service answers when it fails by itself.
import t from 'tap';
import {
  type CoreResponse,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  hashApiKey,
  type Storage,
} from '../../../lib/index.js';
import type { RouteName } from '../../../mock-server/control.js';
import { describeFault, FAULT_HEADER, faultAnswer } from '../../../mock-server/traffic/fault-answer.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const JSON_CLIENT = { accept: 'application/json' };

function answer(
  status: number,
  route: RouteName | null = 'listSessions',
  headers: Record<string, string> = {},
  method = 'GET',
): CoreResponse {
  return faultAnswer({ fault: { status }, route, request: { method, headers } });
}

/** A service whose storage fails, or not. */
function createService(changes: Partial<Storage> = {}) {
  const storage = createMemoryStorage({
    clients: [{ clientId: 'acme' }],
    apiKeys: [{ id: 'k', clientId: 'acme', hash: hashApiKey('key'), createdAt: new Date(0) }],
  });
  const signer = createLinkSigner({
    keys: [{ kid: 'a', algorithm: 'HS256', secret: 'x'.repeat(32) }],
    issuer: 'https://claims.example.com',
  });
  return createClaimlink({
    storage: { ...storage, ...changes },
    signer,
    publicUrl: 'https://claims.example.com',
    onError() {},
  });
}

const broken = createService({
  async findCredentials() {
    throw new Error('broken');
  },
});

/** As the service answers it, but for the header that says that it was on purpose; nonces are all one. */
function comparable({ status, headers, body }: CoreResponse) {
  const nonce = /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1] ?? 'no nonce';
  const { [FAULT_HEADER]: _, ...rest } = headers;
  return JSON.parse(JSON.stringify({ status, headers: rest, body }).replaceAll(nonce, 'NONCE'));
}

t.test('the API: a 500 is the very answer of the service', async (t) => {
  const own = await broken.handle({
    method: 'GET',
    url: '/acme/sessions/u',
    headers: { 'x-api-key': 'key' },
  });
  t.equal(own.status, 500);
  t.same(comparable(answer(500)), comparable(own));
});

t.test('the API: a 401 is the very answer of the service', async (t) => {
  const own = await createService().handle({
    method: 'GET',
    url: '/acme/sessions/u',
    headers: { 'x-api-key': 'wrong' },
  });
  t.equal(own.headers['www-authenticate'], 'ApiKey');
  t.same(comparable(answer(401)), comparable(own));
});

t.test('the API: a 404 is the very answer of the service', async (t) => {
  const own = await createService().handle({
    method: 'GET',
    url: '/nobody/sessions/u',
    headers: { 'x-api-key': 'key' },
  });
  t.match(JSON.parse(own.body), { code: 'client_not_found' });
  t.same(comparable(answer(404)), comparable(own));
});

t.test('behind a link: the pages of 404 and 410 are those of the service, headers and all', async (t) => {
  const service = createService();
  const own = await service.handle({ method: 'GET', url: '/verify/code?token=x', headers: BROWSER });
  t.match(own.headers['content-type'], 'text/html');
  t.same(comparable(answer(404, 'openLink', BROWSER)), comparable(own));

  const expired = await expiredLink();
  t.equal(expired.status, 410);
  t.same(comparable(answer(410, 'openLink', BROWSER)), comparable(expired));
});

/** What the service answers to a link that has expired, found out before the storage is asked. */
async function expiredLink(): Promise<CoreResponse> {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }] });
  const signer = createLinkSigner({
    keys: [{ kid: 'a', algorithm: 'HS256', secret: 'x'.repeat(32) }],
    issuer: 'https://claims.example.com',
  });
  const options = { storage, signer, publicUrl: 'https://claims.example.com' };
  const config = { currentUserId: 'u', contact: { email: 'a@example.com', phone: '+49 30 23125 001' } };
  const { url } = await createClaimlink(options).createLink('acme', {
    callbackUrl: 'https://app.example.com/',
    config,
  });
  const { pathname, search } = new URL(url);
  const late = createClaimlink({ ...options, now: () => new Date(Date.now() + 10 * 86_400_000) });
  return late.handle({ method: 'GET', url: pathname + search, headers: BROWSER });
}

t.test('behind a link: whoever asked for JSON, or sent it, gets the problem of the service', async (t) => {
  const own = await createService().handle({ method: 'GET', url: '/verify/code', headers: JSON_CLIENT });
  t.same(comparable(answer(404, 'openLink', JSON_CLIENT)), comparable(own));
  t.equal(own.headers['referrer-policy'], 'no-referrer');
  for (const headers of [
    { accept: 'application/problem+json' },
    { accept: 'text/html;q=0, application/json' },
    { 'content-type': 'application/json; charset=utf-8', ...BROWSER },
  ] as Record<string, string>[]) {
    t.match(answer(410, 'submitClaim', headers).headers['content-type'], 'problem+json');
  }
  for (const headers of [{}, { accept: 'text/html, application/json' }] as Record<string, string>[]) {
    t.match(answer(410, 'submitClaim', headers).headers['content-type'], 'text/html');
  }
});

t.test('behind a link: every status has a page that shows it', async (t) => {
  for (const status of [400, 401, 413, 418, 429, 500, 503, 599]) {
    const { headers, body } = answer(status, 'openLink', BROWSER);
    t.match(headers['content-type'], 'text/html');
    t.match(body, `Error ${status}`);
  }
  t.match(answer(502, 'openLink', BROWSER).body, 'went wrong on our side');
});

/** The codes that the service answers a route with. */
const CODES: [RouteName | null, number, string][] = [
  ['createLink', 400, 'request_invalid'],
  ['createLink', 413, 'body_too_large'],
  ['createLink', 414, 'uri_too_long'],
  ['createLink', 415, 'content_type_unsupported'],
  ['createLink', 503, 'storage_unavailable'],
  ['openLink', 503, 'storage_unavailable'],
  ['submitClaim', 410, 'link_expired'],
  ['submitClaim', 404, 'link_not_found'],
  [null, 404, 'route_not_found'],
  [null, 500, 'internal'],
];

for (const [route, status, code] of CODES) {
  t.test(`${route ?? 'no route'}: ${status} is ${code}`, async (t) => {
    const { body } = answer(status, route, JSON_CLIENT);
    t.match(JSON.parse(body), { status, code, type: `urn:claimlink:problem:${code}` });
  });
}

t.test('a status with which the service does not answer the route is injected', async (t) => {
  t.same(JSON.parse(answer(429).body), {
    type: 'urn:claimlink:problem:injected',
    title: 'Too Many Requests',
    status: 429,
    detail: 'The mock answers this on purpose: a fault is set for the request.',
    code: 'injected',
  });
  t.match(JSON.parse(answer(410, 'createLink').body), { code: 'injected', title: 'Gone' });
  t.match(JSON.parse(answer(401, 'openLink', JSON_CLIENT).body), { code: 'injected' });
  t.match(JSON.parse(answer(401, null).body), { code: 'injected' });
  t.match(JSON.parse(answer(599).body), { code: 'injected', title: 'Injected fault' });
});

t.test('a 400 has errors, like every 400 of the service', async (t) => {
  t.same(JSON.parse(answer(400, 'createLink').body).errors, [
    { pointer: '', rule: 'value', detail: 'is refused by an injected fault' },
  ]);
});

t.test('401 challenges, 413 closes, 429 and 503 say when to come again', async (t) => {
  t.equal(answer(401, 'openLink').headers['www-authenticate'], 'ApiKey');
  t.equal(answer(413, 'createLink').headers['connection'], 'close');
  t.equal(answer(429).headers['retry-after'], '1');
  t.equal(answer(503).headers['retry-after'], '5');
  t.notOk(answer(500).headers['retry-after']);
});

t.test('every answer says that it was on purpose, is not stored, and has its length', async (t) => {
  for (const { headers, body } of [answer(500), answer(404, 'openLink', BROWSER), answer(418, null)]) {
    t.match(headers[FAULT_HEADER], /^status=\d+$/);
    t.equal(headers['cache-control'], 'no-store');
    t.equal(headers['x-content-type-options'], 'nosniff');
    t.equal(headers['content-length'], String(Buffer.byteLength(body)));
  }
});

t.test('HEAD: the headers of GET, without a body', async (t) => {
  const { headers, body } = answer(404, 'listSessions', {}, 'HEAD');
  t.equal(body, '');
  t.equal(headers['content-length'], answer(404).headers['content-length']);
});

t.test('a fault is described by what it does', async (t) => {
  t.equal(describeFault({ status: 503, delayMs: 0 }), 'status=503, delay=0');
  t.equal(describeFault({ effect: 'truncate' }), 'effect=truncate');
});
