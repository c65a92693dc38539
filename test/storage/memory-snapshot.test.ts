// Snapshots of the memory storage: complete, immutable, shared, the seed of an equal storage, and restored.
import t from 'tap';
import {
  isClaimlinkError,
  type Link,
  type MemoryStorage,
  type Session,
  type SessionRecord,
} from '../../lib/index.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import {
  later,
  linkId,
  NOON,
  sampleKey,
  sampleLink,
  sampleRecord,
  sampleSession,
} from '../../lib/testing/storage-suite/samples.js';

const OWNER = { clientId: 'acme', userId: 'user-1', limit: 100 };
const submittedId = linkId('submitted');

/** A storage with something of everything: keys in every state, links in every state. */
async function eventful(): Promise<MemoryStorage> {
  const storage = createMemoryStorage();
  await storage.insertClient({ clientId: 'beta' });
  await storage.insertClient({ clientId: 'acme', name: 'Acme', callbackOrigins: ['https://a.example'] });
  await storage.insertApiKey(sampleKey({ id: 'z', hash: '1'.repeat(64) }));
  await storage.insertApiKey(sampleKey({ id: 'a', hash: '2'.repeat(64), expiresAt: later(1) }));
  await storage.revokeApiKey('a', later(2));
  await storage.recordKeyUse({ apiKeyHash: '1'.repeat(64), at: later(3) });
  await storage.insertSession(sampleRecord({ reference: 'B', userId: 'user-2' }));
  await storage.insertSession(sampleRecord({ reference: 'old', createdAt: later(-1) }));
  await storage.insertSession(sampleRecord({ reference: 'new', createdAt: later(1) }));
  await storage.insertSession(sampleRecord({ reference: 'B', clientId: 'beta' }));
  for (const accessCodeHash of ['submitted', 'opened', 'revoked', 'untouched'])
    await storage.insertLink(sampleLink({ accessCodeHash }));
  await storage.markLinkOpened({ ...submittedId, at: later(1) });
  await storage.markLinkOpened({ ...linkId('opened'), at: later(2) });
  await storage.revokeLink({ ...linkId('revoked'), at: later(3) });
  await storage.submitLink({ ...submittedId, at: later(4), session: sampleSession({ reference: 'claim' }) });
  return storage;
}

t.test('a snapshot holds everything, sessions by client, user and listing', async (t) => {
  const snapshot = (await eventful()).snapshot();
  t.same(
    snapshot.clients.map(({ clientId }) => clientId),
    ['beta', 'acme'],
  );
  t.match(snapshot.apiKeys, [
    { id: 'z', lastUsedAt: later(3).toISOString() },
    { id: 'a', expiresAt: later(1).toISOString(), revokedAt: later(2).toISOString() },
  ]);
  t.same(
    snapshot.sessions.map(({ clientId, userId, reference }) => `${clientId} ${userId} ${reference}`),
    ['acme user-1 new', 'acme user-1 claim', 'acme user-1 old', 'acme user-2 B', 'beta user-1 B'],
  );
  t.same(snapshot.sessions[0], sampleRecord({ reference: 'new', createdAt: later(1) }));
  t.same(
    snapshot.links.map(({ link }) => link.accessCodeHash),
    ['submitted', 'opened', 'revoked', 'untouched'],
  );
  t.match(snapshot.links[0], {
    link: { openedAt: later(1).toISOString(), submittedAt: later(4).toISOString() },
    session: { reference: 'claim' },
  });
  t.same(
    snapshot.links.map(({ session }) => session !== undefined),
    [true, false, false, false],
  );
});

t.test('a storage that starts with a snapshot continues the order of submissions', async (t) => {
  const storage = await eventful();
  const query = { clientId: 'acme', limit: 100 };
  const { nextCursor = '' } = await storage.listClientSessions(query);
  const restored = createMemoryStorage(storage.snapshot());
  t.same(await restored.listClientSessions(query), await storage.listClientSessions(query));
  await restored.submitLink({
    ...linkId('opened'),
    at: later(5),
    session: sampleSession({ reference: 'next' }),
  });
  const { sessions } = await restored.listClientSessions({ ...query, cursor: nextCursor });
  t.same(
    sessions.map(({ reference }) => reference),
    ['next'],
  );
});

t.test('an empty storage has an empty snapshot', async (t) => {
  t.same(createMemoryStorage().snapshot(), {
    clients: [],
    apiKeys: [],
    sessions: [],
    links: [],
    events: [],
    submissions: [],
    life: { choice: { types: [], expiryNoticeSeconds: 0 } },
  });
});

t.test('a snapshot numbers the sessions that were submitted, and no others', async (t) => {
  t.same((await eventful()).snapshot().submissions, [{ clientId: 'acme', count: 1, numbers: { claim: 1 } }]);
});

t.test('a deleted client leaves nothing in a snapshot', async (t) => {
  const storage = await eventful();
  for (const clientId of ['acme', 'beta']) await storage.deleteClient(clientId);
  t.same(storage.snapshot(), createMemoryStorage().snapshot());
});

t.test('a storage that starts with a snapshot is equal, and gives an equal snapshot', async (t) => {
  const storage = await eventful();
  const restored = createMemoryStorage(storage.snapshot());
  t.same(restored.snapshot(), storage.snapshot());
  t.same(await restored.listSessions(OWNER), await storage.listSessions(OWNER));
  t.same(await restored.listApiKeys('acme'), await storage.listApiKeys('acme'));
  for (const hash of ['submitted', 'opened', 'revoked', 'untouched', 'unknown'])
    t.same(await restored.findLink(linkId(hash)), await storage.findLink(linkId(hash)), hash);
});

t.test('what was submitted, taken or revoked before the snapshot is so after it', async (t) => {
  const restored = createMemoryStorage((await eventful()).snapshot());
  const session = sampleSession({ reference: 'again' });
  t.match(await restored.submitLink({ ...submittedId, at: later(9), session }), {
    outcome: 'already_submitted',
    session: { reference: 'claim' },
  });
  t.match(await restored.submitLink({ ...linkId('revoked'), at: later(9), session }), { outcome: 'revoked' });
  const taken = sampleSession({ reference: 'old' });
  t.match(await restored.submitLink({ ...linkId('opened'), at: later(9), session: taken }), {
    outcome: 'reference_taken',
  });
  t.equal(await restored.insertLink(sampleLink({ accessCodeHash: 'untouched' })), false);
  t.throws(() => restored.insertApiKey(sampleKey({ hash: '1'.repeat(64) })), { code: 'already_exists' });
  t.equal(await restored.revokeApiKey('a', later(9)), false);
  t.equal(await restored.revokeApiKey('z', later(9)), true);
});

t.test('a snapshot never changes, and is frozen all the way down', async (t) => {
  const storage = await eventful();
  const snapshot = storage.snapshot();
  const before = structuredClone(snapshot);
  await storage.insertClient({ clientId: 'gamma' });
  await storage.revokeApiKey('z', later(5));
  await storage.submitLink({
    ...linkId('opened'),
    at: later(5),
    session: sampleSession({ reference: 'late' }),
  });
  await storage.deleteExpiredLinks(later(999_999_999));
  t.same(snapshot, before);
  t.not(storage.snapshot().links.length, before.links.length);
  const [record] = snapshot.sessions;
  for (const part of [snapshot, snapshot.clients, snapshot.apiKeys, snapshot.sessions, snapshot.links])
    t.ok(Object.isFrozen(part));
  for (const part of [snapshot.clients[0], snapshot.apiKeys[1], record, record?.selectedPolicy.holder])
    t.ok(Object.isFrozen(part));
  const [stored] = snapshot.links;
  for (const part of [stored, stored?.link, stored?.link.config.contact, stored?.session])
    t.ok(Object.isFrozen(part));
});

t.test('two storages that start with one snapshot go their own ways', async (t) => {
  const snapshot = (await eventful()).snapshot();
  const [one, other] = [createMemoryStorage(snapshot), createMemoryStorage(snapshot)];
  const session = sampleSession({ reference: 'mine' });
  t.match(await one.submitLink({ ...linkId('opened'), at: later(5), session }), { outcome: 'submitted' });
  await one.deleteExpiredLinks(later(999_999_999));
  t.same(other.snapshot(), snapshot);
  t.match(await other.submitLink({ ...linkId('opened'), at: later(6), session }), { outcome: 'submitted' });
});

t.test('only links are cloned: storage, snapshot and restored storage share the rest', async (t) => {
  const storage = await eventful();
  const snapshot = storage.snapshot();
  const restored = createMemoryStorage(snapshot);
  const again = restored.snapshot();
  for (const index of snapshot.clients.keys()) t.equal(again.clients[index], snapshot.clients[index]);
  for (const index of snapshot.apiKeys.keys()) t.equal(again.apiKeys[index], snapshot.apiKeys[index]);
  for (const index of snapshot.links.keys()) t.same(again.links[index]?.link, snapshot.links[index]?.link);
  for (const [index, record] of snapshot.sessions.entries())
    t.equal(again.sessions[index]?.selectedPolicy, record.selectedPolicy);
});

t.test('the session of a submitted link is the one in the listing, restored or read from text', async (t) => {
  const { sessions, links, ...seed } = (await eventful()).snapshot();
  const copy = structuredClone({ ...seed, sessions, links });
  for (const start of [
    { ...seed, sessions, links },
    copy,
    { ...copy, links },
    { ...copy, sessions: sessions.toReversed() },
  ]) {
    const restored = createMemoryStorage(start);
    const listed = (await restored.listSessions(OWNER)).sessions;
    t.equal(listed.length, 3);
    t.equal((await restored.findLink(submittedId))?.session, listed[1]);
  }
});

t.test("a link's session that a seed does not list is inserted, for the link's user", async (t) => {
  const { sessions: _, ...seed } = (await eventful()).snapshot();
  const restored = createMemoryStorage(seed);
  const { sessions } = await restored.listSessions(OWNER);
  t.match(sessions, [{ reference: 'claim' }]);
  t.equal((await restored.findLink(submittedId))?.session, sessions[0]);
});

t.test('links of a seed that do not fit together are rejected', async (t) => {
  const clients = [{ clientId: 'acme' }];
  const link = sampleLink({ submittedAt: NOON });
  const session = sampleSession();
  const start = (...links: { link: Link; session?: typeof session }[]) =>
    createMemoryStorage({ clients, links });
  t.doesNotThrow(() => start({ link, session }));
  t.throws(() => start({ link: sampleLink() }, { link: sampleLink() }), { code: 'already_exists' });
  t.doesNotThrow(() => start({ link }), 'its session was deleted');
  t.throws(() => start({ link: sampleLink(), session }), {
    code: 'options_invalid',
    problems: [{ pointer: '/links/0/session', detail: /submittedAt/ }],
  });
  t.throws(() => createMemoryStorage({ links: [{ link, session }] }), { code: 'client_not_found' });
  const others = [sampleRecord({ userId: 'user-2' })];
  t.throws(() => createMemoryStorage({ clients, sessions: others, links: [{ link, session }] }), {
    code: 'already_exists',
  });
});

t.test("a seed of a caller's own objects is copied, those of a frozen copy too", async (t) => {
  const { sessions, ...rest } = (await eventful()).snapshot();
  const changed: SessionRecord[] = sessions.map((record) => Object.freeze({ ...record, status: 'approved' }));
  const restored = createMemoryStorage({ ...rest, sessions: changed, links: [] });
  const listed = (await restored.listSessions(OWNER)).sessions;
  t.same(new Set(listed.map(({ status }) => status)), new Set(['approved']));
  const policy = structuredClone(sampleRecord().selectedPolicy);
  const storage = createMemoryStorage({
    clients: [{ clientId: 'acme' }],
    sessions: [Object.freeze(sampleRecord({ selectedPolicy: policy }))],
  });
  policy.holder.email = 'changed';
  t.same((await storage.listSessions(OWNER)).sessions, [sampleSession()]);
});

t.test('a restored session may be given to another user: its owner is the one of the record', async (t) => {
  const storage = await eventful();
  const session = (await storage.listSessions(OWNER)).sessions[0] as Session;
  await storage.insertLink(sampleLink({ accessCodeHash: 'beta', clientId: 'beta', userId: 'user-9' }));
  await storage.submitLink({ clientId: 'beta', accessCodeHash: 'beta', at: later(5), session });
  const restored = createMemoryStorage(storage.snapshot());
  t.equal((await restored.listSessions(OWNER)).sessions.length, 3);
  const theirs = await restored.listSessions({ clientId: 'beta', userId: 'user-9', limit: 9 });
  t.same(theirs.sessions, [session]);
});

t.test('restoring sweeps no link, however many have expired', async (t) => {
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }] });
  for (let i = 0; i < 3000; i++) await storage.insertLink(sampleLink({ accessCodeHash: `hash-${i}` }));
  const { links, ...seed } = storage.snapshot();
  const young = {
    link: sampleLink({ accessCodeHash: 'young', createdAt: later(1e9), expiresAt: later(2e9) }),
  };
  const restored = createMemoryStorage({ ...seed, links: [...links, young] });
  t.equal(restored.snapshot().links.length, 3001);
  await restored.insertLink({ ...young.link, accessCodeHash: 'next' });
  t.ok(await restored.findLink(linkId('hash-0')), 'nor does the next link');
});

t.test('a link of an unknown client cannot be submitted: each session has a client', async (t) => {
  const storage = createMemoryStorage();
  await storage.insertLink(sampleLink());
  const id = linkId(sampleLink().accessCodeHash);
  t.match(await storage.submitLink({ ...id, at: NOON, session: sampleSession() }), {
    outcome: 'not_found',
  });
  t.same(createMemoryStorage(storage.snapshot()).snapshot(), storage.snapshot());
});

t.test('restore replaces the whole content, and the storage goes on from there', async (t) => {
  const snapshot = (await eventful()).snapshot();
  const storage = createMemoryStorage({ clients: [{ clientId: 'acme' }, { clientId: 'gamma' }] });
  await storage.insertSession(sampleRecord({ reference: 'dropped', userId: 'user-3' }));
  await storage.insertLink(sampleLink({ accessCodeHash: 'dropped' }));
  storage.restore(snapshot);
  t.same(storage.snapshot(), snapshot);
  t.equal((await storage.listSessions({ ...OWNER, userId: 'user-3' })).sessions.length, 0);
  const session = sampleSession({ reference: 'dropped' });
  t.match(await storage.submitLink({ ...linkId('opened'), at: later(5), session }), { outcome: 'submitted' });
  storage.restore({});
  t.same(storage.snapshot(), createMemoryStorage().snapshot());
});

t.test('a snapshot can be restored again and again, in the storage that gave it', async (t) => {
  const storage = await eventful();
  const snapshot = storage.snapshot();
  for (let time = 1; time <= 2; time++) {
    await storage.deleteUser(OWNER);
    await storage.deleteClient('beta');
    storage.restore(snapshot);
    t.same(storage.snapshot(), snapshot);
  }
});

t.test('a restore that throws changes nothing', async (t) => {
  const storage = await eventful();
  const before = storage.snapshot();
  const session = sampleRecord({ reference: 'twice' });
  const clients = [{ clientId: 'acme' }];
  t.throws(() => storage.restore({ clients, sessions: [session, session] }), { code: 'already_exists' });
  t.throws(() => storage.restore({ sessions: [session] }), { code: 'client_not_found' });
  t.throws(() => storage.restore({ client: [] } as object), { code: 'options_invalid' });
  t.same(storage.snapshot(), before);
});

t.test('expireLink ends one link at a moment, in any state, and keeps an earlier end', async (t) => {
  const storage = await eventful();
  const before = storage.snapshot();
  for (const hash of ['untouched', 'submitted']) {
    t.equal(storage.expireLink({ ...linkId(hash), at: later(6) }), true, hash);
    t.same((await storage.findLink(linkId(hash)))?.link.expiresAt, later(6));
    t.equal(storage.expireLink({ ...linkId(hash), at: later(6) }), false, 'it has expired');
    t.equal(storage.expireLink({ ...linkId(hash), at: later(7) }), false, 'it expires earlier');
  }
  t.equal(storage.expireLink({ ...linkId('unknown'), at: later(6) }), false);
  t.equal((await storage.findLink(submittedId))?.session?.reference, 'claim', 'it keeps its session');
  const session = sampleSession({ reference: 'late' });
  t.match(await storage.submitLink({ ...linkId('untouched'), at: later(6), session }), {
    outcome: 'expired',
  });
  const { links } = storage.snapshot();
  for (const index of [1, 2]) t.equal(links[index]?.link, before.links[index]?.link, 'the others stay');
});

t.test('whatever happened, a snapshot restores it: 40 random histories', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const draw = createDraw(seed);
    let storage = createMemoryStorage();
    for (let step = 0; step < 120; step++) {
      await act(storage, draw, step);
      if (draw(15) !== 0) continue;
      const snapshot = storage.snapshot();
      const restored = createMemoryStorage(snapshot);
      t.same(restored.snapshot(), snapshot, `history ${seed}, step ${step}`);
      storage = restored;
    }
  }
});

/** Numbers from 0 to below a limit, the same for the same seed. */
function createDraw(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Does one thing to a storage; rejections are part of a history. */
async function act(storage: MemoryStorage, draw: (limit: number) => number, step: number): Promise<void> {
  const clientId = `client-${draw(3)}`;
  const userId = `user-${draw(3)}`;
  const id = { clientId, accessCodeHash: `hash-${draw(8)}` };
  const at = later(draw(90_000));
  const session = sampleSession({ reference: `S-${draw(40)}`, createdAt: later(draw(5)) });
  const key = sampleKey({ id: `key-${draw(5)}`, hash: `hash-${draw(5)}`, clientId, createdAt: at });
  const actions: (() => unknown)[] = [
    () => storage.insertClient({ clientId, name: `${step}` }),
    () => storage.insertApiKey(key),
    () => storage.revokeApiKey(key.id, at),
    () => storage.updateApiKey(key.id, { expiresAt: at }),
    () => storage.insertSession({ clientId, userId, ...session }),
    () => storage.insertLink(sampleLink({ ...id, userId })),
    () => storage.insertLink(sampleLink({ ...id, userId })),
    () => storage.markLinkOpened({ ...id, at }),
    () => storage.submitLink({ ...id, at, session }),
    () => storage.submitLink({ ...id, at, session }),
    () => storage.revokeLink({ ...id, at }),
    () => draw(10) === 0 && storage.deleteExpiredLinks(later(60_001)),
  ];
  try {
    await actions[draw(actions.length)]?.();
  } catch (error) {
    if (!isClaimlinkError(error)) throw error;
  }
}
