// The route table: the route of each request, and the errors of all others.
import t from 'tap';
import { queryValue, splitTarget } from '../../lib/http/routes.js';
import { createWorld, outcomeOf } from '../core/world.js';

const NOT_FOUND: Record<string, string> = {
  'the root': '/',
  'an empty target': '',
  'a client alone': '/acme',
  'a trailing slash after the listing': '/acme/sessions/user-1/',
  'a trailing slash after the link endpoint': '/acme/link/',
  'no user': '/acme/sessions/',
  'no user and no slash': '/acme/sessions',
  'no client': '//sessions/user-1',
  'a doubled slash': '/acme//link',
  'a segment too many': '/acme/sessions/user-1/more',
  'another case of a literal': '/acme/LINK',
  'a client that starts with __': '/__mock/sessions/user-1',
  'a client that starts with an encoded __': '/%5F%5Fmock/link',
  '__proto__ as a client': '/__proto__/link',
  'an asterisk': '*',
  'a target without a leading slash': 'xacme/link',
};

const NO_LINKS: Record<string, string> = {
  'a segment after the code': '/verify/code/more',
  'the reserved client verify': '/verify/sessions/user-1',
  'the reserved client verify, encoded': '/%76erify/sessions/user-1',
  'verify without a code': '/verify/',
  'verify alone': '/verify',
};

for (const [what, target] of Object.entries(NO_LINKS)) {
  t.test(`below the reserved name verify nothing is at ${what}: 404, as a page for a browser`, async (t) => {
    const { send, call } = await createWorld();
    const page = await send('GET', target);
    t.equal(page.status, 404);
    t.match(page.headers, { 'content-type': /^text\/html/, 'referrer-policy': 'strict-origin' });
    const problem = await call('POST', target);
    t.equal(outcomeOf(problem), '404 link_not_found');
    t.equal(problem.headers['referrer-policy'], 'no-referrer');
  });
}

for (const [what, target] of Object.entries(NOT_FOUND)) {
  t.test(`nothing is at ${what}: 404 route_not_found, with a key or without`, async (t) => {
    const { send, call } = await createWorld();
    t.equal(outcomeOf(await send('GET', target)), '404 route_not_found');
    t.equal(outcomeOf(await call('POST', target)), '404 route_not_found');
  });
}

t.test('literal segments match in their percent-encoded forms', async (t) => {
  const { call, list } = await createWorld();
  t.equal((await call('GET', '/acme/%73essions/user-1')).status, 200);
  t.equal(outcomeOf(await call('POST', '/acme/%6Cin%6b', { body: '' })), '400 request_invalid');
  t.equal((await list()).status, 200);
});

t.test('a request target in absolute form is taken by its path', async (t) => {
  const { call } = await createWorld();
  t.equal((await call('GET', 'http://anything.example/acme/sessions/user-1?limit=1')).status, 200);
});

t.test('/verify/... wins over /:clientId/...', async (t) => {
  const { send } = await createWorld();
  const response = await send('GET', '/verify/link?token=x', { headers: { accept: 'application/json' } });
  t.equal(outcomeOf(response), '404 link_not_found');
});

const WRONG_METHODS: Record<string, [method: string, target: string, allow: string]> = {
  'POST to the listing': ['POST', '/acme/sessions/user-1', 'GET, HEAD'],
  'DELETE to the listing': ['DELETE', '/acme/sessions/user-1', 'GET, HEAD'],
  'GET to the link endpoint': ['GET', '/acme/link', 'POST'],
  'HEAD to the link endpoint': ['HEAD', '/acme/link', 'POST'],
  'OPTIONS to the link endpoint': ['OPTIONS', '/acme/link', 'POST'],
  'PUT to a link': ['PUT', '/verify/code?token=x', 'GET, HEAD, POST'],
  'a method in lower case': ['get', '/acme/sessions/user-1', 'GET, HEAD'],
  'a method that does not exist': ['constructor', '/acme/sessions/user-1', 'GET, HEAD'],
};

for (const [what, [method, target, allow]] of Object.entries(WRONG_METHODS)) {
  t.test(`${what} is 405 with Allow: ${allow}`, async (t) => {
    const { send } = await createWorld();
    const response = await send(method, target);
    t.equal(response.status, 405);
    t.equal(response.headers['allow'], allow);
    if (method === 'HEAD') t.equal(response.body, '');
    else if (!target.startsWith('/verify')) t.equal(outcomeOf(response), '405 method_not_allowed');
  });
}

t.test('HEAD responds like GET, without the body', async (t) => {
  const { call } = await createWorld();
  const get = await call('GET', '/acme/sessions/user-1');
  const head = await call('HEAD', '/acme/sessions/user-1');
  t.strictSame(head, { ...get, body: '' });
  t.equal(head.headers['content-length'], String(Buffer.byteLength(get.body)));
});

t.test('owns returns true for the paths that claimlink responds to', async (t) => {
  const { claimlink } = await createWorld();
  t.ok(claimlink.owns('/acme/link'), 'a route');
  t.ok(claimlink.owns('/acme/sessions/user-1?limit=1'), 'a route with a query');
  t.ok(claimlink.owns('/verify/a/b'), 'anything below verify');
  t.notOk(claimlink.owns('/health'), 'a path of one segment');
  t.notOk(claimlink.owns('/__mock/link'), 'a reserved name');
  t.notOk(claimlink.owns('/'), 'the root');
});

t.test('a request that is no request is a 404, is not owned, and is redacted', async (t) => {
  const { claimlink } = await createWorld();
  for (const value of [null, undefined, 5, 'GET /acme/link', [], { toString: 1 }] as never[]) {
    const name = JSON.stringify(value);
    t.equal(outcomeOf(await claimlink.handle(value)), '404 route_not_found', name);
    t.equal(
      outcomeOf(await claimlink.handle({ url: value, method: value } as never)),
      '404 route_not_found',
      name,
    );
    t.equal(claimlink.owns(value), false, name);
    t.equal(claimlink.redact(value).path, '/*', name);
    t.equal(claimlink.redact({ method: 'GET', url: value }).path, '/*', name);
  }
});

t.test('without a widget /verify is left to the host', async (t) => {
  const { claimlink, send } = await createWorld({ widget: false });
  t.notOk(claimlink.owns('/verify/code?token=x'));
  t.notOk(claimlink.owns('/verify/link'), 'and is no client');
  t.equal(outcomeOf(await send('GET', '/verify/code?token=x')), '404 route_not_found');
  t.strictSame(
    claimlink.routes.map(({ operationId }) => operationId),
    ['listSessions', 'createLink'],
  );
});

t.test('the routes of the contract are in the table', async (t) => {
  const { claimlink } = await createWorld();
  t.strictSame(
    claimlink.routes.map(({ method, path }) => `${method} ${path}`),
    [
      'GET /:clientId/sessions/:userId',
      'POST /:clientId/link',
      'GET /verify/:accessCode',
      'POST /verify/:accessCode',
    ],
  );
  t.ok(Object.isFrozen(claimlink.routes));
});

t.test('splitTarget parts path and query', async (t) => {
  t.strictSame(splitTarget('/a/b?c=d?e'), { path: '/a/b', query: 'c=d?e' });
  t.strictSame(splitTarget('/a'), { path: '/a', query: '' });
  t.strictSame(splitTarget('https://host:1/a?b'), { path: '/a', query: 'b' });
  t.strictSame(splitTarget('https://host'), { path: '', query: '' });
});

t.test('a query parameter that occurs twice is request_invalid', async (t) => {
  t.equal(queryValue(new URLSearchParams('a=1'), 'a'), '1');
  t.equal(queryValue(new URLSearchParams('a=1'), 'b'), undefined);
  t.throws(() => queryValue(new URLSearchParams('a=1&a=1'), 'a'), { code: 'request_invalid' });
});
