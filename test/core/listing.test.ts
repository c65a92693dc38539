// GET /:clientId/sessions/:userId: shape, order, paging and filter over HTTP.
import t from 'tap';
import {
  CLIENT_ID,
  createWorld,
  outcomeOf,
  PUBLIC_URL,
  problemOf,
  referencesOf,
  storedSession,
} from './world.js';

t.test('the listing is 200 and a top-level array, with the headers of an answer with data', async (t) => {
  const world = await worldWithSessions(1);
  const response = await world.list();
  t.equal(response.status, 200);
  t.ok(Array.isArray(JSON.parse(response.body)));
  t.strictSame(response.headers, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(response.body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});

t.test('content-length counts bytes, not characters', async (t) => {
  const world = await createWorld();
  await world.storage.insertSession({
    clientId: CLIENT_ID,
    userId: 'user-1',
    ...storedSession({ status: 'über🚗' }),
  });
  const { headers, body } = await world.list();
  t.equal(headers['content-length'], String(new TextEncoder().encode(body).length));
});

t.test('a user without sessions has an empty listing', async (t) => {
  const { list } = await createWorld();
  const response = await list('', 'nobody');
  t.equal(response.status, 200);
  t.equal(response.body, '[]');
});

t.test('Content-Type: application/json and no body is fine, and no Content-Type too', async (t) => {
  const { call, send, apiKey } = await createWorld();
  t.equal((await call('GET', '/acme/sessions/user-1')).status, 200);
  t.equal((await send('GET', '/acme/sessions/user-1', { headers: { 'x-api-key': apiKey } })).status, 200);
});

t.test('a body on GET is not read', async (t) => {
  const { call } = await createWorld();
  const body = () => {
    throw new Error('read');
  };
  t.equal((await call('GET', '/acme/sessions/user-1', { body })).status, 200);
});

t.test('sessions stand newest createdAt first, then by reference', async (t) => {
  const world = await createWorld();
  const [early, late] = [new Date('2026-01-01T10:00:00.000Z'), new Date('2026-01-01T10:00:00.001Z')];
  for (const [reference, createdAt] of [
    ['b', early],
    ['a', early],
    ['z', late],
  ] as const) {
    await world.storage.insertSession({
      clientId: CLIENT_ID,
      userId: 'user-1',
      ...storedSession({ reference, createdAt }),
    });
  }
  t.strictSame(referencesOf(await world.list()), ['z', 'a', 'b']);
});

t.test('the Link header leads through every page to the end', async (t) => {
  const world = await worldWithSessions(7);
  const pages: string[][] = [];
  let query: string | undefined = '?limit=3';
  while (query !== undefined) {
    const response = await world.list(query);
    pages.push(referencesOf(response));
    const next = nextOf(response.headers['link']);
    t.ok(
      next?.startsWith(`${PUBLIC_URL}/acme/sessions/user-1?limit=3&cursor=`) ?? true,
      'the documented URL',
    );
    query = next?.slice(next.indexOf('?'));
    if (pages.length > 9) throw new Error('no end');
  }
  t.strictSame(pages, [['S-6', 'S-5', 'S-4'], ['S-3', 'S-2', 'S-1'], ['S-0']]);
});

t.test('the Link header keeps the status filter, and escapes ids and status', async (t) => {
  const world = await createWorld();
  for (const reference of ['1', '2', '3']) {
    const session = storedSession({ reference, status: reference === '2' ? 'other' : 'a&b=ü' });
    await world.storage.insertSession({ clientId: CLIENT_ID, userId: 'a/b>;ü', ...session });
  }
  const first = await world.list(
    `?status=${encodeURIComponent('a&b=ü')}&limit=1`,
    encodeURIComponent('a/b>;ü'),
  );
  t.strictSame(referencesOf(first), ['1']);
  const next = nextOf(first.headers['link']) ?? '';
  t.match(next, /^[!-~]+$/, 'ASCII only');
  t.ok(next.startsWith(`${PUBLIC_URL}/acme/sessions/a%2Fb%3E%3B%C3%BC?`), next);
  const second = await world.call('GET', next.slice(PUBLIC_URL.length));
  t.strictSame(referencesOf(second), ['3']);
});

t.test('without a limit a page holds maxPageSize sessions', async (t) => {
  const world = await worldWithSessions(5, { maxPageSize: 2 });
  const response = await world.list();
  t.strictSame(referencesOf(response), ['S-4', 'S-3']);
  t.ok(nextOf(response.headers['link'])?.includes('?cursor='), 'and the next one too');
});

t.test('status filters by the exact status', async (t) => {
  const world = await worldWithSessions(2);
  t.strictSame(referencesOf(await world.list('?status=submitted')), ['S-1', 'S-0']);
  t.strictSame(referencesOf(await world.list('?status=Submitted')), []);
});

t.test('unknown query parameters are ignored', async (t) => {
  const world = await worldWithSessions(1);
  t.equal((await world.list('?limits=0&x&%zz=%zz&=')).status, 200);
});

const BAD_QUERIES: Record<string, [query: string, parameter: string]> = {
  'limit 0': ['?limit=0', 'limit'],
  'limit -1': ['?limit=-1', 'limit'],
  'limit 1.5': ['?limit=1.5', 'limit'],
  'limit 1e2': ['?limit=1e2', 'limit'],
  'limit 0x10': ['?limit=0x10', 'limit'],
  'limit with a leading zero': ['?limit=01', 'limit'],
  'limit with a space': ['?limit=+1', 'limit'],
  'an empty limit': ['?limit=', 'limit'],
  'a limit over maxPageSize': ['?limit=1001', 'limit'],
  'a limit of many digits': [`?limit=${'9'.repeat(400)}`, 'limit'],
  'limit ten in other digits': ['?limit=%D9%A1%D9%A0', 'limit'],
  'two limits': ['?limit=1&limit=1', 'limit'],
  'an empty cursor': ['?cursor=', 'cursor'],
  "a cursor of another's making": ['?cursor=abc', 'cursor'],
  'a cursor of 2049 characters': [`?cursor=${'A'.repeat(2049)}`, 'cursor'],
  'two cursors': ['?cursor=a&cursor=b', 'cursor'],
  'an empty status': ['?status=', 'status'],
  'a status of 101 characters': [`?status=${'a'.repeat(101)}`, 'status'],
  'a status with a NUL': ['?status=a%00', 'status'],
  'two statuses': ['?status=submitted&status=submitted', 'status'],
};

for (const [what, [query, parameter]] of Object.entries(BAD_QUERIES)) {
  t.test(`${what} is 400 request_invalid about ${parameter}`, async (t) => {
    const world = await worldWithSessions(1);
    const response = await world.list(query);
    t.equal(outcomeOf(response), '400 request_invalid');
    t.strictSame(
      problemOf(response).errors?.map((error) => error.parameter),
      [parameter],
    );
  });
}

t.test('a limit of exactly maxPageSize is taken', async (t) => {
  const world = await worldWithSessions(1);
  t.equal((await world.list('?limit=1000')).status, 200);
});

t.test('listSessions can be called directly', async (t) => {
  const { claimlink } = await worldWithSessions(3);
  const { sessions, nextCursor } = await claimlink.listSessions(CLIENT_ID, 'user-1', { limit: 2 });
  t.strictSame(
    sessions.map(({ reference }) => reference),
    ['S-2', 'S-1'],
  );
  const rest = await claimlink.listSessions(CLIENT_ID, 'user-1', { cursor: nextCursor ?? '' });
  t.strictSame(
    rest.sessions.map(({ reference }) => reference),
    ['S-0'],
  );
  t.notOk('nextCursor' in rest);
});

t.test('listSessions called directly rejects what HTTP rejects', async (t) => {
  const { claimlink } = await worldWithSessions(1);
  await t.rejects(claimlink.listSessions('nobody', 'user-1'), { code: 'client_not_found' });
  await t.rejects(claimlink.listSessions(CLIENT_ID, ''), { code: 'request_invalid' });
  await t.rejects(claimlink.listSessions(CLIENT_ID, 'a\0'), { code: 'request_invalid' });
  await t.rejects(claimlink.listSessions(CLIENT_ID, 'a\ud800'), { code: 'request_invalid' });
  await t.rejects(claimlink.listSessions(CLIENT_ID, 'x'.repeat(257)), { code: 'uri_too_long' });
  await t.rejects(claimlink.listSessions(CLIENT_ID, 'user-1', { limit: 1.5 }), { code: 'request_invalid' });
  await t.rejects(claimlink.listSessions(CLIENT_ID, 'user-1', { limit: Number.NaN }), {
    code: 'request_invalid',
  });
  await t.rejects(claimlink.listSessions(CLIENT_ID, 'user-1', { status: '' }), { code: 'request_invalid' });
});

async function worldWithSessions(count: number, options: { maxPageSize?: number } = {}) {
  const world = await createWorld(options);
  for (let i = 0; i < count; i++) {
    const session = storedSession({ reference: `S-${i}`, createdAt: new Date(1_700_000_000_000 + i * 1000) });
    await world.storage.insertSession({ clientId: CLIENT_ID, userId: 'user-1', ...session });
  }
  return world;
}

/** The target of a `Link: <...>; rel="next"` header. */
function nextOf(link: string | undefined): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1];
}
