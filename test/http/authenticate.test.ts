// Authentication over HTTP: who has no key learns nothing about which clients exist.
import t from 'tap';
import { hashApiKey, issueApiKey } from '../../lib/core/credentials.js';
import { ClaimlinkError } from '../../lib/core/errors.js';
import type { AdminStorage, Storage } from '../../lib/core/storage.js';
import { CLIENT_ID, createWorld, outcomeOf, START, storedSession, type World } from '../core/world.js';

const ENDPOINTS = [
  ['the listing', 'GET', (clientId: string) => `/${clientId}/sessions/user-1`],
  ['the link endpoint', 'POST', (clientId: string) => `/${clientId}/link`],
] as const;

const SECOND_LATER = new Date(START.getTime() + 1000);

type Prepare = (world: World) => unknown;

/** The key and the client of a request, and the response. `undefined` is the key of the world. */
const KEYS: Record<string, [key: string | undefined | Prepare, clientId: string, outcome: string]> = {
  'an empty key': ['', CLIENT_ID, '401 api_key_missing'],
  'an unknown key': ['clk_unknown', CLIENT_ID, '401 api_key_invalid'],
  'a revoked key': [({ storage }) => storage.revokeApiKey('key-1', START), CLIENT_ID, '401 api_key_invalid'],
  'an expired key': [(world) => addKey(world, CLIENT_ID, START), CLIENT_ID, '401 api_key_invalid'],
  'a key of another client': [
    ({ storage }) => storage.insertClient({ clientId: 'other' }),
    'other',
    '401 api_key_invalid',
  ],
  'a known key and a client that does not exist': [undefined, 'nobody', '404 client_not_found'],
};

/** Returns a storage that reads the page of each listing with the key, valid or not. */
function presentingPages<S extends AdminStorage>(storage: S, listings: unknown[] = []): S {
  return {
    ...storage,
    async findCredentials(query) {
      listings.push(query.listing);
      const credentials = await storage.findCredentials(query);
      const { listing, clientId } = query;
      return {
        ...credentials,
        ...(listing && { page: await storage.listSessions({ clientId, ...listing }) }),
      };
    },
  };
}

for (const [what, [key, clientId, outcome]] of Object.entries(KEYS))
  t.test(`a page that the storage read with ${what} is not shown`, async (t) => {
    const world = await createWorld({ wrapStorage: (storage) => presentingPages(storage) });
    await world.storage.insertSession({ clientId: CLIENT_ID, userId: 'user-1', ...storedSession() });
    const prepared = typeof key === 'function' ? await key(world) : key;
    const headers = typeof prepared === 'string' ? { 'x-api-key': prepared } : {};
    const response = await world.call('GET', `/${clientId}/sessions/user-1`, { headers });
    t.equal(outcomeOf(response), outcome);
  });

t.test(
  'a valid listing is asked for with the key; an invalid one is reported after authentication',
  async (t) => {
    const listings: unknown[] = [];
    const world = await createWorld({ wrapStorage: (storage) => presentingPages(storage, listings) });
    await world.storage.insertSession({ clientId: CLIENT_ID, userId: 'user-1', ...storedSession() });
    const plain = await createWorld();
    await plain.storage.insertSession({ clientId: CLIENT_ID, userId: 'user-1', ...storedSession() });
    for (const query of [
      '',
      '?limit=1',
      '?status=submitted',
      '?limit=0',
      '?cursor=x',
      '?limit=1&limit=2',
      '?status=',
    ])
      t.strictSame(await world.list(query), await plain.list(query), query);
    t.match(listings.slice(0, 3), [
      { userId: 'user-1', limit: 1000, at: START.toISOString() },
      { limit: 1 },
      { status: 'submitted' },
    ]);
    t.same([listings[3], listings[5]], [undefined, undefined]);
    t.equal(outcomeOf(await world.list('?limit=0', 'a%0ab')), '400 request_invalid');
  },
);

for (const [endpoint, method, target] of ENDPOINTS) {
  t.test(`${endpoint}: a missing or unknown key is 401 with WWW-Authenticate`, async (t) => {
    const { send } = await createWorld();
    const missing = await send(method, target(CLIENT_ID));
    t.equal(outcomeOf(missing), '401 api_key_missing');
    const unknown = await send(method, target(CLIENT_ID), { headers: { 'x-api-key': 'clk_unknown' } });
    for (const { headers } of [missing, unknown]) t.equal(headers['www-authenticate'], 'ApiKey');
  });

  for (const [what, [key, clientId, outcome]] of Object.entries(KEYS))
    t.test(`${endpoint}: ${what} is ${outcome}`, async (t) => {
      const world = await createWorld();
      const prepared = typeof key === 'function' ? await key(world) : key;
      const headers = typeof prepared === 'string' ? { 'x-api-key': prepared } : {};
      t.equal(outcomeOf(await world.call(method, target(clientId), { headers })), outcome);
    });

  t.test(`${endpoint}: a key is valid until the moment of its revocation or expiry`, async (t) => {
    const world = await createWorld();
    const expiring = await addKey(world, CLIENT_ID, SECOND_LATER);
    await world.storage.revokeApiKey('key-1', SECOND_LATER);
    const outcomes = async () =>
      Promise.all(
        [{}, { 'x-api-key': expiring }].map(async (headers) =>
          outcomeOf(await world.call(method, target(CLIENT_ID), { headers })),
        ),
      );
    for (const outcome of await outcomes()) t.not(outcome, '401 api_key_invalid', 'a second before');
    world.advance(1000);
    t.same(await outcomes(), ['401 api_key_invalid', '401 api_key_invalid']);
  });

  t.test(`${endpoint}: without a good key, an unknown client gets the response of a known one`, async (t) => {
    const world = await createWorld();
    const expired = await addKey(world, CLIENT_ID, START);
    const responses = [];
    for (const headers of [{}, { 'x-api-key': 'clk_wrong' }, { 'x-api-key': expired }]) {
      const [ofClient, ofNone] = await Promise.all(
        [CLIENT_ID, 'nobody'].map((clientId) => world.send(method, target(clientId), { headers })),
      );
      t.strictSame(ofClient, ofNone, JSON.stringify(headers));
      responses.push(ofClient);
    }
    t.strictSame(responses[1], responses[2], 'wrong and expired have one response');
  });
}

t.test('of several x-api-key values the first counts', async (t) => {
  const { send, apiKey } = await createWorld();
  const target = `/${CLIENT_ID}/sessions/user-1`;
  t.equal((await send('GET', target, { headers: { 'x-api-key': [apiKey, 'other'] } })).status, 200);
  t.equal((await send('GET', target, { headers: { 'x-api-key': ['other', apiKey] } })).status, 401);
});

t.test('a client may have several keys, so that rotation overlaps', async (t) => {
  const world = await createWorld();
  const second = await addKey(world, CLIENT_ID);
  t.equal((await world.list()).status, 200);
  t.equal(
    (await world.call('GET', `/${CLIENT_ID}/sessions/user-1`, { headers: { 'x-api-key': second } })).status,
    200,
  );
});

t.test('the key is checked before the body is looked at', async (t) => {
  const { send } = await createWorld();
  let isRead = false;
  const body = () => {
    isRead = true;
    return '{}';
  };
  const headers = { 'content-type': 'text/plain', 'x-api-key': 'clk_wrong' };
  t.equal(outcomeOf(await send('POST', `/${CLIENT_ID}/link`, { headers, body })), '401 api_key_invalid');
  t.equal(isRead, false);
});

t.test('the storage gets the hash of the key, never the key', async (t) => {
  const queries: string[] = [];
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      findCredentials: (query) => {
        queries.push(JSON.stringify(query));
        return storage.findCredentials(query);
      },
    }),
  });
  await world.list();
  t.equal(queries.length, 1, 'one call');
  t.notOk(queries.join().includes(world.apiKey));
  t.match(queries.join(), /"apiKeyHash":"[0-9a-f]{64}"/);
});

async function addKey({ storage }: World, clientId: string, expiresAt?: Date): Promise<string> {
  const { key, hash } = issueApiKey();
  await storage.insertApiKey({ id: hash, clientId, hash, createdAt: START, ...(expiresAt && { expiresAt }) });
  return key;
}

t.test('without a valid key no response shows what is wrong with a client id', async (t) => {
  const { send, call } = await createWorld();
  for (const clientId of ['a%00', '%ZZ', 'c'.repeat(101), 'verify%20']) {
    const target = `/${clientId}/sessions/u`;
    const headers = { 'x-api-key': 'unknown' };
    t.equal(outcomeOf(await send('GET', target)), '401 api_key_missing', clientId.slice(0, 10));
    t.equal(outcomeOf(await send('GET', target, { headers })), '401 api_key_invalid', clientId.slice(0, 10));
  }
  t.equal(outcomeOf(await call('GET', '/a%00/sessions/u')), '400 request_invalid');
});

t.test('with a clock that gives no date an expiring key is rejected', async (t) => {
  const { storage, claimlink } = await createWorld({ now: () => new Date(Number.NaN) });
  const createdAt = new Date(0);
  const expiresAt = new Date('2100-01-01');
  await storage.insertApiKey({
    id: 'x',
    clientId: 'acme',
    hash: hashApiKey('expiring'),
    createdAt,
    expiresAt,
  });
  const headers = { 'x-api-key': 'expiring' };
  const response = await claimlink.handle({ method: 'GET', url: '/acme/sessions/u', headers });
  t.equal(outcomeOf(response), '401 api_key_invalid');
});

t.test('a caller of handle that changes an error response does not change the next one', async (t) => {
  const atOnce = (storage: AdminStorage): Storage => storage;
  const later = (storage: AdminStorage): Storage => ({
    ...storage,
    findCredentials: async (query) => storage.findCredentials(query),
  });
  for (const wrapStorage of [atOnce, later]) {
    const { send } = await createWorld({ wrapStorage });
    for (const method of ['GET', 'HEAD']) {
      for (const key of [undefined, 'clk_unknown']) {
        const ask = () => send(method, '/acme/sessions/user-1', { headers: { 'x-api-key': key } });
        const first = await ask();
        first.status = 418;
        first.headers['x-request-id'] = 'one';
        const { status, headers } = await ask();
        t.strictSame(
          [status, headers['x-request-id']],
          [401, undefined],
          `${wrapStorage.name}, ${method}, ${key}`,
        );
      }
    }
  }
});

t.test('a storage may reject with the same frozen error again and again', async (t) => {
  const down = Object.freeze(new ClaimlinkError('storage_unavailable'));
  for (const fail of [
    () => Promise.reject(down),
    () => {
      throw down;
    },
  ]) {
    const { call } = await createWorld({ wrapStorage: (storage) => ({ ...storage, findCredentials: fail }) });
    for (const method of ['GET', 'HEAD']) {
      const first = await call(method, '/acme/sessions/user-1');
      first.headers['x-request-id'] = 'one';
      const { status, headers } = await call(method, '/acme/sessions/user-1');
      t.strictSame([status, headers['x-request-id']], [503, undefined], method);
    }
  }
});
