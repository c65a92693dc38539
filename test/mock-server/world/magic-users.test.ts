// Magic users: one is slow and one fails, in listings and links; nothing else is any different.
import { mock } from 'node:test';
import t from 'tap';
import {
  type AdminStorage,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  hashApiKey,
  type LinkRequest,
} from '../../../lib/index.js';
import { storageSuite } from '../../../lib/testing/index.js';
import { createSeeder } from '../../../mock-server/seed/seed.js';
import { createMagicStorage, MAGIC_USERS } from '../../../mock-server/world/magic-users.js';

const NOW = new Date('2026-02-01T00:00:00Z');

/** A service over a magic storage, whose delays end when they are told to. */
function setUp(inner: AdminStorage = createMemoryStorage()) {
  const waiting: { ms: number; end(): void }[] = [];
  const errors: unknown[] = [];
  const delay = (ms: number) => new Promise<void>((end) => waiting.push({ ms, end }));
  const storage = createMagicStorage(inner, { delay });
  const claimlink = createClaimlink({
    storage,
    signer: createLinkSigner({
      keys: [{ kid: 'k', algorithm: 'HS256', secret: new Uint8Array(32) }],
      issuer: 'https://a.example',
    }),
    publicUrl: 'https://a.example',
    now: () => NOW,
    onError: (error) => errors.push(error),
  });
  return { storage, claimlink, waiting, errors };
}

async function withClient() {
  const inner = createMemoryStorage({
    clients: [{ clientId: 'demo' }],
    apiKeys: [{ id: 'k', clientId: 'demo', hash: hashApiKey('key'), createdAt: NOW }],
  });
  const { claimlink, ...rest } = setUp(inner);
  const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
  const list = (userId: string) =>
    claimlink.handle({ method: 'GET', url: `/demo/sessions/${userId}`, headers });
  const makeLink = (userId: string) => {
    const body: LinkRequest = {
      callbackUrl: 'https://example.com/',
      config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId: userId },
    };
    return claimlink.handle({ method: 'POST', url: '/demo/link', headers, body: JSON.stringify(body) });
  };
  return { list, makeLink, inner, ...rest };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('user-slow is answered after 3000 ms, in a listing and for a link', async (t) => {
  const { list, makeLink, waiting, inner } = await withClient();
  for (const call of [list, makeLink]) {
    let isAnswered = false;
    const answer = call('user-slow').then((response) => {
      isAnswered = true;
      return response;
    });
    while (waiting.length === 0) await turn();
    await turn();
    t.equal(isAnswered, false);
    const [wait] = waiting.splice(0);
    t.equal(wait?.ms, 3000);
    wait?.end();
    t.equal((await answer).status, 200);
  }
  t.equal(inner.snapshot().links.length, 1);
});

t.test('user-error gets the constant 500, in a listing and for a link, and nothing is stored', async (t) => {
  const { list, makeLink, errors, inner } = await withClient();
  const constant = (await list('user-error')).body;
  t.match(JSON.parse(constant), { status: 500, code: 'internal' });
  for (const call of [list, makeLink]) {
    const { status, body } = await call('user-error');
    t.equal(status, 500);
    t.equal(body, constant);
    t.notMatch(body, 'magic');
  }
  t.same(inner.snapshot().links, []);
  t.equal(errors.length, 3);
  for (const error of errors) {
    t.match(error, {
      message: 'The magic user user-error always fails; ask for another user to get an answer.',
    });
    t.notMatch((error as Error).stack, /\n/, 'without frames');
  }
});

t.test('every other user is answered at once', async (t) => {
  const { list, makeLink, waiting, errors } = await withClient();
  for (const userId of ['user-1', 'user-empty', 'user-many', 'user-slowly', 'User-Error']) {
    t.equal((await list(userId)).status, 200);
    t.equal((await makeLink(userId)).status, 200);
  }
  t.same([waiting, errors], [[], []]);
});

t.test('without a delay of its own, it waits by a timer', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const storage = createMagicStorage(createMemoryStorage());
  let isAnswered = false;
  const listing = Promise.resolve(storage.listSessions({ clientId: 'demo', userId: 'user-slow', limit: 1 }));
  listing.then(() => {
    isAnswered = true;
  });
  mock.timers.tick(2999);
  await turn();
  t.equal(isAnswered, false);
  mock.timers.tick(1);
  t.same((await listing).sessions, []);
});

t.test('the list names every magic user once, says what each does, and cannot be changed', async (t) => {
  t.same(
    MAGIC_USERS.map(({ id }) => id),
    ['user-empty', 'user-many', 'user-slow', 'user-error'],
  );
  for (const user of MAGIC_USERS) {
    t.match(user.does, /^[a-z][^\n]{10,80}[^.\n]$/, user.id);
    t.ok(Object.isFrozen(user));
    const count = createSeeder({ sessions: 3 }).sessionsOf('demo', user.id).length;
    t.equal(count, user.sessions ?? 3, `${user.id} has as many sessions as the list says`);
  }
  t.ok(Object.isFrozen(MAGIC_USERS));
});

t.test('close goes through, where there is one', async (t) => {
  let closed = 0;
  await createMagicStorage({ ...createMemoryStorage(), close: () => void closed++ }).close?.();
  t.equal(closed, 1);
  t.equal(setUp().storage.close, undefined);
});

for (const { name, run } of storageSuite(() => setUp().storage))
  t.test(`for ordinary users it is a storage like any other: ${name}`, () => run());
