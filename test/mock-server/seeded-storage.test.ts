// The seeding decorator: every user of a known client gets seeds, once.
import t from 'tap';
import { type AdminStorage, createMemoryStorage, type Link, type Session } from '../../lib/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { createSeededStorage, createSeeder } from '../../mock-server/index.js';

const NOW = new Date('2026-02-01T00:00:00Z');

function setUp(change: Partial<AdminStorage> = {}) {
  const calls: string[] = [];
  const seeder = createSeeder();
  const inner = createMemoryStorage({ clients: [{ clientId: 'demo' }] });
  const storage = createSeededStorage({
    storage: { ...inner, ...change },
    seeder: {
      sessionsOf(clientId, userId) {
        calls.push(`${clientId} ${userId}`);
        return seeder.sessionsOf(clientId, userId);
      },
    },
  });
  const list = (userId: string, clientId = 'demo') => storage.listSessions({ clientId, userId, limit: 1000 });
  return { calls, seeder, inner, storage, list };
}

const link: Link = {
  accessCodeHash: 'hash',
  clientId: 'demo',
  userId: 'someone',
  callbackUrl: 'https://example.com/',
  callbackOnSubmit: false,
  config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId: 'someone' },
  createdAt: NOW,
  expiresAt: new Date('2026-02-02T00:00:00Z'),
};

function submission(seeder: ReturnType<typeof createSeeder>) {
  const session = seeder.sessionsOf('demo', 'other')[0] as Session;
  return {
    clientId: 'demo',
    accessCodeHash: 'hash',
    at: NOW,
    session: { ...session, reference: 'NEW', createdAt: NOW, date: NOW },
  };
}

t.test('a user never seen before has seeded sessions', async (t) => {
  const { list, seeder } = setUp();
  t.same((await list('someone')).sessions, seeder.sessionsOf('demo', 'someone'));
});

t.test('of many listings at once, one seeds and all see everything', async (t) => {
  const { list, calls, seeder } = setUp();
  const pages = await Promise.all(Array.from({ length: 50 }, () => list('someone')));
  t.same(calls, ['demo someone']);
  const expected = seeder.sessionsOf('demo', 'someone').length;
  t.ok(pages.every(({ sessions }) => sessions.length === expected));
  await list('someone');
  t.same(calls, ['demo someone'], 'later ones do not seed again');
});

t.test('a submission seeds first, so that the claim is added to the seeds', async (t) => {
  const { storage, list, calls, seeder } = setUp();
  await storage.insertLink(link);
  t.match(await storage.submitLink(submission(seeder)), { outcome: 'submitted' });
  t.same(calls, ['demo someone']);
  const { sessions } = await list('someone');
  t.equal(sessions[0]?.reference, 'NEW');
  t.equal(sessions.length, seeder.sessionsOf('demo', 'someone').length + 1);
});

t.test('a submission for an unknown link seeds nobody', async (t) => {
  const { storage, calls, seeder } = setUp();
  t.same(await storage.submitLink(submission(seeder)), { outcome: 'not_found' });
  t.same(calls, []);
});

t.test('an unknown client has nobody to seed, and may come later', async (t) => {
  const { storage, list } = setUp();
  t.same((await list('someone', 'late')).sessions, []);
  await storage.insertClient({ clientId: 'late' });
  t.not((await list('someone', 'late')).sessions.length, 0);
});

t.test('a storage that outlived the process is not seeded twice', async (t) => {
  const { inner, list } = setUp();
  const before = (await list('someone')).sessions;
  const again = createSeededStorage({ storage: inner, seeder: createSeeder() });
  const { sessions } = await again.listSessions({ clientId: 'demo', userId: 'someone', limit: 1000 });
  t.same(sessions, before);
});

t.test('when seeding fails, that call rejects and the next one tries again', async (t) => {
  let failures = 1;
  const inner = createMemoryStorage({ clients: [{ clientId: 'demo' }] });
  const seeder = createSeeder();
  const storage = createSeededStorage({
    seeder,
    storage: {
      ...inner,
      insertSession(session) {
        if (failures-- > 0) throw new Error('disk full');
        return inner.insertSession(session);
      },
    },
  });
  const query = { clientId: 'demo', userId: 'someone', limit: 1000 };
  await t.rejects(Promise.resolve(storage.listSessions(query)), { message: 'disk full' });
  t.same((await storage.listSessions(query)).sessions, seeder.sessionsOf('demo', 'someone'));
});

t.test('everything else goes through to the storage below', async (t) => {
  let closed = false;
  const { storage, inner } = setUp({
    close: () => {
      closed = true;
    },
  });
  const apiKey = { id: 'k', clientId: 'demo', hash: 'h', createdAt: NOW };
  await storage.insertApiKey(apiKey);
  t.same(await storage.listApiKeys('demo'), [apiKey]);
  t.match(await storage.findCredentials({ apiKeyHash: 'h', clientId: 'demo' }), {
    apiKey,
    client: { clientId: 'demo' },
  });
  t.equal(await storage.revokeApiKey('k', NOW), true);
  await storage.insertLink(link);
  await storage.markLinkOpened({ clientId: 'demo', accessCodeHash: 'hash', at: NOW });
  t.match(await inner.findLink({ clientId: 'demo', accessCodeHash: 'hash' }), { link: { openedAt: NOW } });
  t.equal(await storage.revokeLink({ clientId: 'demo', accessCodeHash: 'hash', at: NOW }), true);
  t.equal(await storage.deleteExpiredLinks(new Date('2027-01-01')), 1);
  await storage.close?.();
  t.ok(closed);
  t.equal(setUp().storage.close, undefined, 'no close where there is none below');
});

for (const { name, run } of storageSuite(() =>
  createSeededStorage({ storage: createMemoryStorage(), seeder: { sessionsOf: () => [] } }),
)) {
  t.test(`with nobody to seed it is a storage like any other: ${name}`, () => run());
}
