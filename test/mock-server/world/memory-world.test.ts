// A world in memory: one storage to the service, and one world for each client behind it.
import t from 'tap';
import { hashApiKey, type Link, type Session } from '../../../lib/index.js';
import { storageSuite } from '../../../lib/testing/index.js';
import { toSessions } from '../../../mock-server/scenario/scenario-sessions.js';
import {
  createMemoryWorld,
  type MemoryWorld,
  storageOfNew,
} from '../../../mock-server/world/memory-world.js';
import { refusalOf, session } from '../caller.js';

const NOON = new Date('2026-01-01T12:00:00Z');
const LATER = new Date('2026-01-02T12:00:00Z');

for (const { name, run } of storageSuite(() => createMemoryWorld().storage))
  t.test(`a world's storage: ${name}`, run);

function create(...clientIds: string[]): MemoryWorld {
  const world = createMemoryWorld();
  for (const clientId of clientIds) add(world, clientId);
  return world;
}

function add(world: MemoryWorld, clientId: string, apiKey = `key-of-${clientId}`): void {
  world.put(clientId, { storage: storageOfNew({ clientId, apiKey }, NOON), namedUsers: [] });
}

function sessionOf(reference: string): Session {
  const [made] = toSessions([session(reference)]);
  if (made === undefined) throw new Error('no session');
  return made;
}

function linkOf(clientId: string, accessCodeHash: string, userId = 'u'): Link {
  return {
    accessCodeHash,
    clientId,
    userId,
    callbackUrl: 'https://app.example.com/',
    callbackOnSubmit: false,
    config: { contact: { email: 'a@b', phone: '1' }, currentUserId: userId },
    createdAt: NOON,
    expiresAt: LATER,
  };
}

const credentials = (world: MemoryWorld, apiKey: string, clientId: string) =>
  world.storage.findCredentials({ apiKeyHash: hashApiKey(apiKey), clientId });
const references = async (world: MemoryWorld, clientId: string, userId = 'u') => {
  const { sessions } = await world.storage.listSessions({ clientId, userId, limit: 100 });
  return sessions.map(({ reference }) => reference);
};

t.test("a key is found for whatever client the URL names, as the key's own", async (t) => {
  const world = create('a', 'b');
  const { apiKey, client } = await credentials(world, 'key-of-a', 'b');
  t.equal(apiKey?.clientId, 'a');
  t.equal(client?.clientId, 'b');
});

t.test("a key that is another client's cannot be put, and nothing is changed by the attempt", async (t) => {
  const world = create('a', 'b');
  t.equal((await refusalOf(() => add(world, 'b', 'key-of-a'))).code, 'already_exists');
  t.equal((await credentials(world, 'key-of-a', 'a')).apiKey?.clientId, 'a');
  t.equal((await credentials(world, 'key-of-b', 'b')).apiKey?.clientId, 'b');
});

t.test('a client that is put again has the new key, and the old one is free', async (t) => {
  const world = create('a');
  add(world, 'a', 'other');
  t.notOk((await credentials(world, 'key-of-a', 'a')).apiKey);
  t.ok((await credentials(world, 'other', 'a')).apiKey);
  add(world, 'b', 'key-of-a');
  t.equal((await credentials(world, 'key-of-a', 'b')).apiKey?.clientId, 'b');
});

t.test('a removed client is gone with its key, and no other one is', async (t) => {
  const world = create('a', 'b');
  world.remove('a');
  world.remove('a');
  t.same(await credentials(world, 'key-of-a', 'a'), {});
  t.equal(await world.storage.findClient('a'), undefined);
  t.equal((await refusalOf(() => world.storage.insertLink(linkOf('a', 'h')))).code, 'client_not_found');
  t.ok((await credentials(world, 'key-of-b', 'b')).apiKey);
});

t.test('a copy can be put as often as wanted, whatever has been done since', async (t) => {
  const world = create('a');
  await world.storage.insertLink(linkOf('a', 'open'));
  await world.storage.insertLink(linkOf('a', 'used'));
  await world.storage.submitLink({
    clientId: 'a',
    accessCodeHash: 'used',
    at: NOON,
    session: sessionOf('R-1'),
  });
  world.setSessions('a', 'named', [sessionOf('R-2')]);
  const copy = world.copyOf('a');
  for (let round = 0; round < 3; round++) {
    await world.storage.submitLink({
      clientId: 'a',
      accessCodeHash: 'open',
      at: NOON,
      session: sessionOf('R-3'),
    });
    await world.storage.revokeLink({ clientId: 'a', accessCodeHash: 'open', at: NOON });
    world.setSessions('a', 'named', []);
    world.setSessions('a', 'another', []);
    world.put('a', copy);
    t.same(await references(world, 'a'), ['R-1']);
    t.same(await references(world, 'a', 'named'), ['R-2']);
    t.equal(world.isNamed('a', 'another'), false);
    t.equal(world.isNamed('a', 'named'), true);
    const open = await world.storage.findLink({ clientId: 'a', accessCodeHash: 'open' });
    t.equal(open?.link.submittedAt, undefined);
    const repeat = await world.storage.submitLink({
      clientId: 'a',
      accessCodeHash: 'used',
      at: NOON,
      session: sessionOf('R-4'),
    });
    t.equal(repeat.outcome, 'already_submitted');
  }
});

t.test('a key that was issued or revoked while it ran is in the copy', async (t) => {
  const world = create('a');
  const key = { clientId: 'a', createdAt: NOON };
  await world.storage.insertApiKey({ ...key, id: 'two', hash: hashApiKey('second') });
  await world.storage.insertApiKey({ ...key, id: 'three', hash: hashApiKey('third') });
  t.equal(await world.storage.revokeApiKey('three', NOON), true);
  const copy = world.copyOf('a');
  world.remove('a');
  world.put('a', copy);
  t.equal((await credentials(world, 'second', 'a')).apiKey?.clientId, 'a');
  t.same((await credentials(world, 'third', 'a')).apiKey?.revokedAt, NOON);
  t.equal(await world.storage.revokeApiKey('three', NOON), false);
  t.equal(await world.storage.revokeApiKey('nothing', NOON), false);
});

t.test("a key is taken when its id or its hash is, another client's too", async (t) => {
  const { storage } = create('a', 'b');
  const key = { clientId: 'a', id: 'one', hash: hashApiKey('one'), createdAt: NOON };
  await storage.insertApiKey(key);
  const refused = async (other: object) =>
    (await refusalOf(() => storage.insertApiKey({ ...key, clientId: 'b', ...other }))).code;
  t.equal(await refused({ hash: hashApiKey('two') }), 'already_exists');
  t.equal(await refused({ id: 'two' }), 'already_exists');
  t.equal(await refused({ id: 'two', hash: hashApiKey('two'), clientId: 'nobody' }), 'client_not_found');
});

t.test('sessions that are set replace what the user had, and make the user a named one', async (t) => {
  const world = create('a', 'b');
  t.equal(world.isNamed('a', 'u'), false);
  world.setSessions('a', 'u', [sessionOf('R-1'), sessionOf('R-2')]);
  world.setSessions('a', 'other', [sessionOf('R-3')]);
  world.setSessions('a', 'u', [sessionOf('R-4')]);
  t.same(await references(world, 'a'), ['R-4']);
  t.same(await references(world, 'a', 'other'), ['R-3']);
  t.equal(world.isNamed('a', 'u'), true);
  t.equal(world.isNamed('b', 'u'), false);
  t.same(await references(world, 'b'), []);
});

t.test("a reference of another user's is refused, and the user keeps what was there", async (t) => {
  const world = create('a', 'b');
  world.setSessions('a', 'u', [sessionOf('R-1')]);
  const { code } = await refusalOf(() =>
    world.setSessions('a', 'other', [sessionOf('R-2'), sessionOf('R-1')]),
  );
  t.equal(code, 'already_exists');
  t.same(await references(world, 'a', 'other'), []);
  t.equal(world.isNamed('a', 'other'), false);
  world.setSessions('b', 'u', [sessionOf('R-1')]);
  t.same(await references(world, 'b'), ['R-1'], 'another client may have it');
});

t.test('links that the user has submitted go with their sessions; all others stay', async (t) => {
  const world = create('a');
  for (const [hash, userId] of [
    ['used', 'u'],
    ['open', 'u'],
    ['foreign', 'v'],
  ] as const)
    await world.storage.insertLink(linkOf('a', hash, userId));
  const submit = (accessCodeHash: string, reference: string) =>
    world.storage.submitLink({ clientId: 'a', accessCodeHash, at: NOON, session: sessionOf(reference) });
  await submit('used', 'R-1');
  await submit('foreign', 'R-2');
  world.setSessions('a', 'u', []);
  t.equal(await world.storage.findLink({ clientId: 'a', accessCodeHash: 'used' }), undefined);
  t.ok(await world.storage.findLink({ clientId: 'a', accessCodeHash: 'open' }));
  t.equal((await submit('foreign', 'R-9')).outcome, 'already_submitted');
  t.same(await references(world, 'a', 'v'), ['R-2']);
});

t.test('who is no client has nothing to copy or to set', async (t) => {
  const world = create('a');
  t.equal((await refusalOf(() => world.copyOf('nobody'))).code, 'client_not_found');
  t.equal((await refusalOf(() => world.setSessions('nobody', 'u', []))).code, 'client_not_found');
});

t.test('a key has the same id wherever its client is made', async (t) => {
  const [one, other] = [1, 2].map((day) =>
    storageOfNew({ clientId: 'a', apiKey: 'secret-key' }, new Date(day)).apiKeys?.map(({ id }) => id),
  );
  t.same(one, other);
  t.notMatch(JSON.stringify(storageOfNew({ clientId: 'a', apiKey: 'secret-key' }, NOON)), 'secret-key');
});
