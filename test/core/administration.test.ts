// What an operator may do beside the records of a client: find without a client, show a link, deliveries and retention.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { STORAGE_METHODS } from '../../lib/core/guarded-storage.js';
import type { Storage } from '../../lib/core/storage.js';
import type { Client } from '../../lib/core/types.js';
import type { Claimlink } from '../../lib/index.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  START,
  storedSession,
  USER_ID,
  type World,
} from './world.js';

const DAY_MS = 86_400_000;
const OTHER = 'zenith';

/** Adds a client before and one after the client of the world, each with a session of the same reference. */
async function withTwins(): Promise<World> {
  const world = await createWorld();
  for (const clientId of [OTHER, 'aaron']) await world.claimlink.addClient({ clientId });
  for (const clientId of [OTHER, CLIENT_ID])
    await world.claimlink.addSession({ clientId, userId: `user of ${clientId}`, ...storedSession() });
  return world;
}

t.test('listClients returns all clients by their id, and findClient one with its settings', async (t) => {
  const { claimlink } = await createWorld({ client: { locale: 'de' } });
  const other: Client = { clientId: 'aaron', branding: { primaryColor: '#14508c' } };
  await claimlink.addClient(other);
  await claimlink.addClient({ clientId: OTHER });
  const acme = { clientId: CLIENT_ID, name: 'Acme Insurance', locale: 'de' };
  t.strictSame(await claimlink.listClients(), [other, acme, { clientId: OTHER }]);
  t.strictSame(await claimlink.findClient('aaron'), other);
  t.equal(await claimlink.findClient('unknown'), undefined);
});

t.test(
  'listApiKeys returns the keys of one client, and findApiKey one of any client in any state',
  async (t) => {
    const { claimlink } = await createWorld();
    await claimlink.addClient({ clientId: OTHER });
    const { apiKey } = await claimlink.addApiKey(OTHER);
    t.strictSame(await claimlink.listApiKeys(OTHER), [apiKey]);
    t.match(await claimlink.listApiKeys(CLIENT_ID), [{ id: 'key-1' }]);
    await t.rejects(claimlink.listApiKeys('unknown'), { code: 'client_not_found' });
    await claimlink.revokeApiKey(apiKey.id);
    t.strictSame(await claimlink.findApiKey(apiKey.id), { ...apiKey, revokedAt: START });
    t.equal(await claimlink.findApiKey('unknown'), undefined);
  },
);

t.test('findSessions returns the sessions of all clients with a reference, by client id', async (t) => {
  const { claimlink } = await withTwins();
  t.match(await claimlink.findSessions('S-1'), [
    {
      clientId: CLIENT_ID,
      userId: `user of ${CLIENT_ID}`,
      reference: 'S-1',
      selectedPolicy: { number: 'P-100' },
    },
    { clientId: OTHER, userId: `user of ${OTHER}`, reference: 'S-1' },
  ]);
  t.same(await claimlink.findSessions('S-2'), []);
});

t.test('findLink shows a link of a client in its current state, without its configuration', async (t) => {
  const { claimlink } = await createWorld();
  const { linkId, url, expiresAt } = await claimlink.createLink(CLIENT_ID, linkRequest());
  const created = {
    clientId: CLIENT_ID,
    linkId,
    userId: USER_ID,
    state: 'created',
    createdAt: START,
    expiresAt,
    callbackUrl: linkRequest().callbackUrl,
    callbackOnSubmit: false,
  };
  t.strictSame(await claimlink.findLink(CLIENT_ID, linkId), created);
  const [, accessCode = '', token = ''] = /verify\/(.*)\?token=(.*)$/.exec(url) ?? [];
  t.equal(linkId, hashAccessCode(accessCode));
  const { reference } = await claimlink.submitClaim(accessCode, token, claim());
  const submitted = { ...created, state: 'submitted', submittedAt: START, reference };
  t.strictSame(await claimlink.findLink(CLIENT_ID, linkId), submitted);
  t.strictSame(await claimlink.findLinks(linkId), [submitted]);
  t.equal(await claimlink.findLink(CLIENT_ID, 'f'.repeat(64)), undefined);
  await claimlink.addClient({ clientId: OTHER });
  t.equal(await claimlink.findLink(OTHER, linkId), undefined);
  await t.rejects(claimlink.findLink('unknown', linkId), { code: 'client_not_found' });
});

t.test('a link id that is no hash reaches no storage', async (t) => {
  const called = () => {
    throw new Error('called');
  };
  const { claimlink } = await createWorld({
    wrapStorage: (storage) => ({ ...storage, findLink: called, findLinks: called, revokeLink: called }),
  });
  for (const linkId of ['', 'x', 'F'.repeat(64), 'a\0b', null, 7] as string[]) {
    t.equal(await claimlink.findLink(CLIENT_ID, linkId), undefined);
    t.same(await claimlink.findLinks(linkId), []);
    t.equal(await claimlink.revokeLink(CLIENT_ID, linkId), false);
  }
});

t.test('failed events are listed, counted and made due again, of one session or of all', async (t) => {
  const world = await createWorld({
    onSubmit: () => {
      throw new Error('unreachable');
    },
  });
  const { claimlink } = world;
  const references: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { accessCode, token } = await world.mint();
    references.push((await claimlink.submitClaim(accessCode, token, claim())).reference);
    await claimlink.idle();
  }
  t.match(await claimlink.listEvents({ state: 'pending' }), [{ attempts: 1 }, { attempts: 1 }]);
  t.equal((await claimlink.listEvents({ state: 'pending', limit: 1 })).length, 1);
  for (let attempt = 2; attempt <= 20; attempt++) {
    world.advance(DAY_MS);
    await claimlink.deliverPending();
  }
  t.same(await claimlink.countEvents(), { pending: 0, failed: 2 });
  const failed = await claimlink.listEvents({ state: 'failed', clientId: CLIENT_ID });
  t.same(
    failed.map((event) => event.type === 'claim.submitted' && event.reference).sort(),
    references.sort(),
  );
  t.same(await claimlink.listEvents({ state: 'failed', kind: 'life' }), []);
  t.same(await claimlink.listEvents({ state: 'failed', clientId: OTHER }), []);
  const [reference = ''] = references;
  t.equal(await claimlink.retryEvents({ clientId: OTHER, reference }), 0);
  t.equal(await claimlink.retryEvents({ clientId: CLIENT_ID, reference }), 1);
  t.same(await claimlink.countEvents(), { pending: 1, failed: 1 });
  t.equal(await claimlink.retryEvents(), 1);
  t.same(await claimlink.countEvents(), { pending: 2, failed: 0 });
});

t.test(
  'retention deletes expired links, reduces those that it keeps, and deletes old sessions',
  async (t) => {
    const world = await createWorld();
    const { claimlink } = world;
    const { config } = linkRequest();
    const request = linkRequest({ config: { ...config, policy: { number: 'P-9' } } });
    await claimlink.createLink(CLIENT_ID, request, { ttlSeconds: 60 });
    await claimlink.createLink(CLIENT_ID, request, { ttlSeconds: 120 });
    await claimlink.addSession({ clientId: CLIENT_ID, userId: USER_ID, ...storedSession() });
    const at = (seconds: number) => new Date(START.getTime() + seconds * 1000);
    t.equal(await claimlink.deleteExpiredLinks(at(61)), 1);
    t.equal(await claimlink.reduceExpiredLinks(at(121)), 1);
    t.equal(await claimlink.reduceExpiredLinks(at(121)), 0);
    t.equal((await claimlink.exportUser(CLIENT_ID, USER_ID)).links[0]?.config.policy, undefined);
    const { date } = storedSession();
    t.equal(await claimlink.deleteSessions(date), 0);
    t.equal(await claimlink.deleteSessions(new Date(date.getTime() + 1)), 1);
  },
);

/** Calls with an argument that is not valid, and the error. */
const INVALID: Record<
  string,
  [
    call: (claimlink: Claimlink) => Promise<unknown>,
    error: { code: string; message?: RegExp; problems?: object[] },
  ]
> = {
  'a client id': [({ findClient }) => findClient('a\0b'), { code: 'request_invalid' }],
  'the client id of a list of keys': [({ listApiKeys }) => listApiKeys('a\0b'), { code: 'request_invalid' }],
  'the id of a key': [({ findApiKey }) => findApiKey('a\0b'), { code: 'request_invalid' }],
  'a reference': [({ findSessions }) => findSessions('a\0b'), { code: 'request_invalid' }],
  'a state of events': [
    ({ listEvents }) => listEvents({ state: 'lost' as 'failed' }),
    { code: 'request_invalid', problems: [{ parameter: 'state' }] },
  ],
  'events without a state': [
    ({ listEvents }) => listEvents({} as { state: 'failed' }),
    { code: 'options_invalid' },
  ],
  'a limit of events': [
    ({ listEvents }) => listEvents({ state: 'failed', limit: 1001 }),
    { code: 'request_invalid', problems: [{ parameter: 'limit' }] },
  ],
  'a misspelt filter of events': [
    ({ retryEvents }) => retryEvents({ client: CLIENT_ID } as object),
    { code: 'options_invalid', message: /did you mean clientId/ },
  ],
  'the reference of an event': [
    ({ retryEvents }) => retryEvents({ reference: '' }),
    { code: 'request_invalid' },
  ],
  'the date of a deletion': [
    ({ deleteSessions }) => deleteSessions(new Date(Number.NaN)),
    { code: 'request_invalid', problems: [{ parameter: 'before' }] },
  ],
};

for (const [name, [call, error]] of Object.entries(INVALID))
  t.test(`${name} that is not valid is rejected`, async (t) => {
    const { claimlink } = await createWorld();
    await t.rejects(call(claimlink), error);
  });

/** A call of each method by the interface that it needs. */
const NEEDS: Record<string, Record<string, (claimlink: Claimlink) => Promise<unknown>>> = {
  AdminStorage: {
    listClients: ({ listClients }) => listClients(),
    listApiKeys: ({ listApiKeys }) => listApiKeys(CLIENT_ID),
    findApiKey: ({ findApiKey }) => findApiKey('key-1'),
  },
  OutboxStorage: {
    listEvents: ({ listEvents }) => listEvents({ state: 'failed' }),
    countEvents: ({ countEvents }) => countEvents(),
    retryEvents: ({ retryEvents }) => retryEvents(),
  },
  RecordStorage: {
    deleteExpiredLinks: ({ deleteExpiredLinks }) => deleteExpiredLinks(START),
    reduceExpiredLinks: ({ reduceExpiredLinks }) => reduceExpiredLinks(START),
    deleteSessions: ({ deleteSessions }) => deleteSessions(START),
  },
  SearchStorage: {
    findSessions: ({ findSessions }) => findSessions('S-1'),
    findLinks: ({ findLinks }) => findLinks('f'.repeat(64)),
  },
  CheckStorage: {
    unlockLink: ({ unlockLink }) => unlockLink(CLIENT_ID, 'f'.repeat(64)),
  },
};

for (const [needed, calls] of Object.entries(NEEDS)) {
  const [lacking] = STORAGE_METHODS[needed as keyof typeof STORAGE_METHODS];
  for (const [name, call] of Object.entries(calls))
    t.test(`${name} of a storage without ${lacking} names ${needed}`, async (t) => {
      const { claimlink } = await createWorld({
        withoutOnSubmit: true,
        wrapStorage: (storage) => ({ ...storage, [lacking]: undefined }),
      });
      const cause = needed === 'SearchStorage' ? 'a search without a client' : 'this call';
      const message = `must implement ${needed}, which ${cause} needs; it lacks ${lacking}`;
      await t.rejects(call(claimlink), { code: 'options_invalid', message: new RegExp(message) });
    });
}

t.test('findLink and findClient need no more than a Storage', async (t) => {
  const world = await createWorld();
  const { linkId } = await world.claimlink.createLink(CLIENT_ID, linkRequest());
  const names: readonly string[] = STORAGE_METHODS.Storage;
  const methods = Object.entries(world.storage).filter(([name]) => names.includes(name));
  const { claimlink } = await createWorld({
    withoutOnSubmit: true,
    wrapStorage: () => Object.fromEntries(methods) as unknown as Storage,
  });
  t.match(await claimlink.findLink(CLIENT_ID, linkId), { state: 'created' });
  t.match(await claimlink.findClient(CLIENT_ID), { clientId: CLIENT_ID });
});
