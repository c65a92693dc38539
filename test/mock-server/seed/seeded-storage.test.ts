// The seeded storage: seeded sessions are listed beside the stored ones and are never stored.
import t from 'tap';
import {
  type AdminStorage,
  createMemoryStorage,
  type Link,
  type MemoryStorageSeed,
  type Session,
} from '../../../lib/index.js';
import { storageSuite } from '../../../lib/testing/index.js';
import { createSeeder } from '../../../mock-server/seed/seed.js';
import { createSeededStorage, type SeededStorageOptions } from '../../../mock-server/seed/seeded-storage.js';

const NOW = new Date('2026-02-01T00:00:00Z');
const OWNER = { clientId: 'demo', userId: 'someone' };

interface SetUp extends Omit<Partial<SeededStorageOptions>, 'storage' | 'seeder'> {
  change?: Partial<AdminStorage>;
  seed?: MemoryStorageSeed;
}

function setUp({ change = {}, seed = {}, ...options }: SetUp = {}) {
  const calls: string[] = [];
  const seeder = createSeeder();
  const inner = createMemoryStorage({ clients: [{ clientId: 'demo' }], ...seed });
  const storage = createSeededStorage({
    ...options,
    storage: { ...inner, ...change },
    seeder: {
      sessionsOf(clientId, userId) {
        calls.push(`${clientId} ${userId}`);
        return seeder.sessionsOf(clientId, userId);
      },
    },
  });
  const list = async (userId: string, clientId = 'demo') =>
    (await storage.listSessions({ clientId, userId, limit: 1000 })).sessions;
  return { calls, seeder, inner, storage, list };
}

const seedsOf = (userId: string) => createSeeder().sessionsOf('demo', userId);
const referencesOf = (sessions: readonly Session[]) => sessions.map(({ reference }) => reference);

/** A session like a seeded one. */
function sessionOf(reference: string, createdAt: Date): Session {
  return { ...(seedsOf('other')[0] as Session), reference, createdAt, date: createdAt };
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

const submission = { clientId: 'demo', accessCodeHash: 'hash', at: NOW, session: sessionOf('NEW', NOW) };

t.test('a new user has seeded sessions, and none of them is stored', async (t) => {
  const { list, inner } = setUp();
  t.same(await list('someone'), seedsOf('someone'));
  t.same(inner.snapshot().sessions, []);
});

t.test('many listings at once derive the sessions once, and later ones use the cache', async (t) => {
  const { list, calls } = setUp();
  const listings = await Promise.all(Array.from({ length: 50 }, () => list('someone')));
  t.same(calls, ['demo someone']);
  for (const sessions of listings) t.same(sessions, seedsOf('someone'));
  await list('someone');
  t.same(calls, ['demo someone']);
});

t.test('a seeded session is the same frozen object in every listing', async (t) => {
  const { list } = setUp();
  const [first] = await list('someone');
  t.equal((await list('someone'))[0], first);
  for (const part of [first, first?.selectedPolicy, first?.selectedPolicy.holder])
    t.ok(Object.isFrozen(part));
});

t.test('a submitted claim is listed before the seeded sessions, and derives none', async (t) => {
  const { storage, list, calls, inner } = setUp();
  await storage.insertLink(link);
  t.match(await storage.submitLink(submission), { outcome: 'submitted' });
  t.same(calls, []);
  t.same(referencesOf(await list('someone')), ['NEW', ...referencesOf(seedsOf('someone'))]);
  t.same(referencesOf(inner.snapshot().sessions), ['NEW']);
});

t.test('a stored session is listed among the seeded ones by its time', async (t) => {
  const { storage, list } = setUp();
  const seeds = seedsOf('user-many');
  const between = new Date((seeds[9] as Session).createdAt.getTime() - 1);
  await storage.insertSession({ clientId: 'demo', userId: 'user-many', ...sessionOf('between', between) });
  t.same(referencesOf(await list('user-many')), referencesOf(seeds).toSpliced(10, 0, 'between'));
});

t.test('sessions of the same time are in the order of their references, seeded or stored', async (t) => {
  const [reference = ''] = referencesOf(seedsOf('someone'));
  const { storage, list } = setUp();
  const { createdAt } = seedsOf('someone')[0] as Session;
  for (const stored of [`${reference}a`, 'A', 'ｚ', '🚗'])
    await storage.insertSession({ ...OWNER, ...sessionOf(stored, createdAt) });
  t.same(referencesOf(await list('someone')).slice(0, 5), ['A', reference, `${reference}a`, '🚗', 'ｚ']);
});

t.test('an unknown client has no sessions until it is added', async (t) => {
  const { storage, list, calls } = setUp();
  t.same(await list('someone', 'late'), []);
  t.same(calls, []);
  await storage.insertClient({ clientId: 'late' });
  t.not((await list('someone', 'late')).length, 0);
});

t.test('the client is looked up once for a user, not for every listing', async (t) => {
  let lookups = 0;
  const { list } = setUp({
    change: {
      findClient(clientId) {
        lookups++;
        return { clientId };
      },
    },
  });
  for (let i = 0; i < 5; i++) await list('someone');
  t.equal(lookups, 1);
});

t.test('an exact user has stored sessions only', async (t) => {
  const named = new Set(['someone']);
  const { storage, list, calls } = setUp({
    isExact: (clientId, userId) => named.has(userId) && clientId === 'demo',
  });
  t.same(await list('someone'), []);
  await storage.insertSession({ ...OWNER, ...sessionOf('mine', NOW) });
  t.same(referencesOf(await list('someone')), ['mine']);
  t.same(calls, []);
  t.same(await list('anyone'), seedsOf('anyone'));
  named.add('anyone');
  t.same(await list('anyone'), []);
  named.clear();
  t.same(await list('anyone'), seedsOf('anyone'));
  t.same(referencesOf(await list('someone')), ['mine', ...referencesOf(seedsOf('someone'))]);
});

t.test('the reference of a seeded session of the user is taken', async (t) => {
  const { storage, inner, list } = setUp();
  const [seed] = seedsOf('someone');
  await t.rejects(Promise.resolve(storage.insertSession({ ...OWNER, ...(seed as Session) })), {
    code: 'already_exists',
  });
  t.same(inner.snapshot().sessions, []);
  await storage.insertSession({ ...OWNER, ...sessionOf('free', NOW) });
  await t.rejects(Promise.resolve(storage.insertSession({ ...OWNER, ...sessionOf('free', NOW) })), {
    code: 'already_exists',
  });
  t.same(referencesOf(await list('someone')), ['free', ...referencesOf(seedsOf('someone'))]);
});

t.test('pages are full, and nextCursor is there exactly when more follows', async (t) => {
  const { storage } = setUp();
  const owner = { clientId: 'demo', userId: 'user-many' };
  t.same(
    (await follow(storage, owner, () => 50)).map(({ length }) => length),
    [50, 50, 50, 50, 50],
  );
  t.same(
    (await follow(storage, owner, () => 249)).map(({ length }) => length),
    [249, 1],
  );
  await storage.insertSession({ ...owner, ...sessionOf('one-more', NOW) });
  t.same(
    (await follow(storage, owner, () => 125)).map(({ length }) => length),
    [125, 125, 1],
  );
  t.equal((await storage.listSessions({ ...owner, limit: 251 })).nextCursor, undefined);
});

t.test('the status filter applies to seeded and stored sessions', async (t) => {
  const { storage } = setUp();
  await storage.insertSession({ ...OWNER, ...sessionOf('approved', NOW), status: 'approved' });
  await storage.insertSession({ ...OWNER, ...sessionOf('submitted', NOW) });
  const list = async (status: string) => (await follow(storage, { ...OWNER, status }, () => 2)).flat();
  t.same(await list('approved'), ['approved']);
  t.same(await list('submitted'), ['submitted', ...referencesOf(seedsOf('someone'))]);
  t.same(await list('none'), []);
});

t.test(
  'a cursor that no listing returned is rejected, for users with and without seeded sessions',
  async (t) => {
    const { storage } = setUp();
    for (const userId of ['someone', 'user-empty']) {
      const query = { clientId: 'demo', userId, limit: 1, cursor: 'made-up' };
      await t.rejects(Promise.resolve(storage.listSessions(query)), { code: 'request_invalid' });
    }
  },
);

t.test(
  'paging by random limits gives the whole listing exactly once, in order, while sessions arrive: 60 histories',
  async (t) => {
    for (let seed = 1; seed <= 60; seed++) {
      const draw = createDraw(seed);
      const moment = () => new Date(NOW.getTime() + draw(6));
      const seeds = Array.from({ length: draw(40) }, (_, i) => sessionOf(`${draw(9)}-seed-${i}`, moment()));
      const inner = createMemoryStorage({ clients: [{ clientId: 'demo' }] });
      const storage = createSeededStorage({
        storage: inner,
        seeder: { sessionsOf: () => structuredClone(seeds) },
      });
      const stored = Array.from({ length: draw(40) }, (_, i) =>
        sessionOf(`${draw(9)}-stored-${i}`, moment()),
      );
      for (const session of stored) await inner.insertSession({ ...OWNER, ...session });

      let position: Session | undefined;
      const expected = [...stored, ...seeds];
      let arrivals = 0;
      const pages = await follow(
        storage,
        OWNER,
        () => 1 + draw(12),
        async (page) => {
          position = page.at(-1);
          for (let i = draw(3); i > 0; i--) {
            const arrival = sessionOf(`${draw(9)}-new-${arrivals++}`, moment());
            await storage.insertSession({ ...OWNER, ...arrival });
            if (position !== undefined && byListing(position, arrival) < 0) expected.push(arrival);
          }
        },
      );
      t.same(pages.flat(), referencesOf(expected.sort(byListing)), `history ${seed}`);
    }
  },
);

t.test('a million seeded sessions are derived on demand, and the cache is bounded', async (t) => {
  const template = sessionOf('', NOW);
  const calls: string[] = [];
  const inner = createMemoryStorage({ clients: [{ clientId: 'demo' }] });
  const storage = createSeededStorage({
    storage: inner,
    seeder: {
      sessionsOf(_, userId) {
        calls.push(userId);
        return Array.from({ length: 1000 }, (_, i) => ({ ...template, reference: `${userId}-${i}` }));
      },
    },
  });
  const list = async (user: number) =>
    (await storage.listSessions({ clientId: 'demo', userId: `u${user}`, limit: 1000 })).sessions.length;
  t.same(calls, []);
  for (let user = 0; user < 1000; user++) t.equal(await list(user), 1000);
  t.same(inner.snapshot().sessions, []);
  calls.length = 0;
  for (let user = 901; user < 1000; user++) await list(user);
  t.same(calls, [], 'nearly 100,000 sessions are cached');
  await list(899);
  t.same(calls, ['u899'], 'and no more');
});

t.test('when the storage fails, that call rejects and the next one tries again', async (t) => {
  let failures = 1;
  const { list } = setUp({
    change: {
      findClient() {
        if (failures-- > 0) throw new Error('disk full');
        return { clientId: 'demo' };
      },
    },
  });
  await t.rejects(list('someone'), { message: 'disk full' });
  t.same(await list('someone'), seedsOf('someone'));
});

t.test('all other methods call the storage below', async (t) => {
  let closed = false;
  const { storage, inner } = setUp({
    change: {
      close: () => {
        closed = true;
      },
    },
  });
  const apiKey = { id: 'k', clientId: 'demo', hash: 'h', createdAt: NOW };
  await storage.insertApiKey(apiKey);
  t.same(await storage.listApiKeys('demo'), [apiKey]);
  const found = await storage.findCredentials({ apiKeyHash: 'h', clientId: 'demo' });
  t.same(found.apiKey, apiKey);
  t.equal(found.client?.clientId, 'demo');
  t.equal(await storage.updateApiKey('k', { expiresAt: NOW }), true);
  t.same(await storage.findApiKey('k'), { ...apiKey, expiresAt: NOW });
  t.equal(await storage.revokeApiKey('k', NOW), true);
  await storage.insertLink(link);
  await storage.markLinkOpened({ clientId: 'demo', accessCodeHash: 'hash', at: NOW });
  t.match(await inner.findLink({ clientId: 'demo', accessCodeHash: 'hash' }), {
    link: { openedAt: NOW.toISOString() },
  });
  t.equal(await storage.revokeLink({ clientId: 'demo', accessCodeHash: 'hash', at: NOW }), true);
  t.equal(await storage.deleteExpiredLinks(new Date('2027-01-01')), 1);
  await storage.close?.();
  t.ok(closed);
  t.equal(setUp().storage.close, undefined, 'no close where there is none below');
});

for (const { name, run } of storageSuite(() =>
  createSeededStorage({ storage: createMemoryStorage(), seeder: { sessionsOf: () => [] } }),
)) {
  t.test(`without seeded sessions: ${name}`, () => run());
}

for (const { name, run } of storageSuite(() =>
  createSeededStorage({ storage: createMemoryStorage(), seeder: createSeeder(), isExact: () => true }),
)) {
  t.test(`for exact users: ${name}`, () => run());
}

/** The references of every page; `afterPage` is called between pages. */
async function follow(
  storage: AdminStorage,
  query: { clientId: string; userId: string; status?: string },
  limit: () => number,
  afterPage: (page: readonly Session[]) => Promise<void> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await storage.listSessions({
      ...query,
      limit: limit(),
      ...(cursor !== undefined && { cursor }),
    });
    pages.push(referencesOf(page.sessions));
    cursor = page.nextCursor;
    if (cursor !== undefined) await afterPage(page.sessions);
  } while (cursor !== undefined && pages.length < 1000);
  return pages;
}

function byListing(a: Session, b: Session): number {
  const difference = b.createdAt.getTime() - a.createdAt.getTime();
  return difference !== 0 ? difference : a.reference < b.reference ? -1 : 1;
}

/** Numbers from 0 to below a limit, the same for the same seed. */
function createDraw(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
