// The two phases of a request: begin matches and authenticates, respond does the rest.
import t from 'tap';
import { ClaimlinkError } from '../../lib/core/errors.js';
import { claim, createWorld, linkRequest, outcomeOf, recordCalls, type World } from '../core/world.js';

const DAY_MS = 86_400_000;

/** A world that counts the calls of its storage. */
async function createCountingWorld(): Promise<World & { calls: string[] }> {
  const calls: string[] = [];
  return { ...(await createWorld({ wrapStorage: (storage) => recordCalls(storage, calls) })), calls };
}

function apiRequest({ apiKey }: World, method: string, url: string, body?: unknown) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return { method, url, headers, body: body && JSON.stringify(body) };
}

t.test('begin authenticates the caller of a listing, and respond does not repeat it', async (t) => {
  const world = await createCountingWorld();
  const exchange = await world.begin(apiRequest(world, 'GET', '/acme/sessions/user%2D1'));
  t.match(exchange, { operation: 'listSessions', clientId: 'acme', userId: 'user-1' });
  t.strictSame(world.calls, ['findCredentials', 'recordKeyUse']);
  const { response, ...outcome } = await exchange.respond();
  t.equal(response.status, 200);
  t.strictSame(outcome, {});
  t.strictSame(world.calls, ['findCredentials', 'recordKeyUse', 'listSessions']);
});

t.test('begin takes the route that another service with the same routes found', async (t) => {
  const finder = await createWorld();
  const world = await createWorld();
  const request = apiRequest(world, 'GET', '/acme/sessions/user-1');
  const exchange = await world.begin(request, finder.route(request));
  t.match(exchange, { operation: 'listSessions', clientId: 'acme', userId: 'user-1' });
  t.equal((await exchange.respond()).response.status, 200);
});

t.test('a route that only the other service has is a 404', async (t) => {
  const finder = await createWorld();
  const world = await createWorld({ widget: false });
  const request = { method: 'GET', url: '/verify/code', headers: {} };
  const { response } = await (await world.begin(request, finder.route(request))).respond();
  t.equal(response.status, 404);
});

t.test('begin does not read the body', async (t) => {
  const world = await createWorld();
  let isRead = false;
  const body = () => {
    isRead = true;
    return JSON.stringify(linkRequest());
  };
  const exchange = await world.begin({ ...apiRequest(world, 'POST', '/acme/link'), body });
  t.match(exchange, { operation: 'createLink', clientId: 'acme', userId: undefined });
  t.equal(isRead, false);
  t.equal((await exchange.respond()).response.status, 200);
  t.equal(isRead, true);
});

t.test('begin proves the client and the user of a link by one look-up, and marks nothing', async (t) => {
  const world = await createCountingWorld();
  const link = await world.mint();
  world.calls.length = 0;
  const exchange = await world.begin({ method: 'GET', url: link.target, headers: {} });
  t.match(exchange, { operation: 'openLink', clientId: 'acme', userId: 'user-1' });
  t.strictSame(world.calls, ['findLink']);
  t.equal((await exchange.respond()).response.status, 200);
  t.strictSame(world.calls, ['findLink', 'markLinkOpened']);
});

t.test('begin proves the client and the user of a link whose token has expired', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  world.advance(DAY_MS);
  const exchange = await world.begin({ method: 'GET', url: link.target, headers: {} });
  t.match(exchange, { operation: 'openLink', clientId: 'acme', userId: 'user-1' });
  const { response, ...outcome } = await exchange.respond();
  t.equal(response.status, 410);
  t.strictSame(outcome, { code: 'link_expired', detail: 'The link has expired.', problems: undefined });
});

const UNPROVED: Record<string, [method: string, url: string, key: string | undefined, outcome: string]> = {
  'a request without a key': ['GET', '/acme/sessions/user-1', undefined, '401 api_key_missing'],
  'a wrong key': ['GET', '/acme/sessions/user-1', 'clk_wrong', '401 api_key_invalid'],
  'a method that the path does not have': ['PUT', '/acme/link', 'valid', '405 method_not_allowed'],
  'a path without a route': ['GET', '/elsewhere', 'valid', '404 route_not_found'],
};

for (const [what, [method, url, key, outcome]] of Object.entries(UNPROVED))
  t.test(`begin never rejects: ${what} proves no client, and respond rejects it`, async (t) => {
    const world = await createWorld();
    const headers = { 'x-api-key': key === 'valid' ? world.apiKey : key };
    const exchange = await world.begin({ method, url, headers });
    t.match(exchange, { clientId: undefined, userId: undefined });
    const { response, code } = await exchange.respond();
    t.equal(outcomeOf(response), outcome);
    t.equal(`${response.status} ${code}`, outcome);
  });

t.test('an invalid user id keeps the client that is proved', async (t) => {
  const world = await createWorld();
  const exchange = await world.begin(apiRequest(world, 'GET', '/acme/sessions/a%00'));
  t.match(exchange, { clientId: 'acme', userId: undefined });
  const { response, code, problems } = await exchange.respond();
  t.equal(outcomeOf(response), '400 request_invalid');
  t.strictSame([code, problems?.length], ['request_invalid', 1]);
});

t.test('the outcome of a form with problems has their code and the problems', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ claim: JSON.stringify({ ...claim(), policy: {} }) }).toString();
  const exchange = await world.begin({ method: 'POST', url: link.target, headers, body });
  const { response, code, problems } = await exchange.respond();
  t.match(response.headers, { 'content-type': /^text\/html/ });
  t.strictSame([response.status, code], [400, 'request_invalid']);
  t.ok(problems?.some(({ pointer }) => pointer === '/policy/number'));
});

t.test('reject renders an error as a problem, and does not report it', async (t) => {
  const world = await createCountingWorld();
  const exchange = await world.begin(apiRequest(world, 'GET', '/acme/sessions/user-1'));
  const { response, code } = await exchange.reject(new ClaimlinkError('storage_unavailable'));
  t.equal(outcomeOf(response), '503 storage_unavailable');
  t.ok(response.headers['retry-after']);
  t.equal(code, 'storage_unavailable');
  t.strictSame(world.calls, ['findCredentials', 'recordKeyUse']);
  t.strictSame(world.errors, []);
});

t.test('reject renders an error behind a link as a page with the contact of the link', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const exchange = await world.begin({ method: 'GET', url: link.target, headers: {} });
  const { response } = await exchange.reject(new ClaimlinkError('link_expired'));
  t.equal(response.status, 410);
  t.match(response.headers, { 'content-type': /^text\/html/ });
  t.match(world.widget.unavailables.at(-1), {
    code: 'link_expired',
    clientName: 'Acme Insurance',
    contact: { email: 'help@example.com' },
  });
});

t.test('the outcome of HEAD has no body', async (t) => {
  const world = await createWorld();
  const exchange = await world.begin(apiRequest(world, 'HEAD', '/acme/sessions/user-1'));
  t.equal((await exchange.respond()).response.body, '');
});

t.test('an error page behind a valid token has the brand and the contact of its link', async (t) => {
  const branding = { displayName: 'Acme' };
  const world = await createWorld({ client: { name: 'Acme Insurance', branding } });
  const link = await world.mint();
  const headers = { 'content-type': 'text/plain' };
  t.equal((await world.send('POST', link.target, { headers, body: 'claim' })).status, 415);
  t.match(world.widget.unavailables, [
    { code: 'content_type_unsupported', branding, contact: { email: 'help@example.com' } },
  ]);
});
