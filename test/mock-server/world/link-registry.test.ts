// What the mock knows of links: by URL and id, in every state, by the clock of their client.
import t from 'tap';
import { hashAccessCode, type Link } from '../../../lib/index.js';
import type { MockLink } from '../../../mock-server/control.js';
import { createLinkRegistry } from '../../../mock-server/world/link-registry.js';
import { refusalOf } from '../caller.js';

const NOON = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;

function create() {
  const times: Record<string, number> = { a: NOON, b: NOON };
  const changes: MockLink[] = [];
  const registry = createLinkRegistry(
    (clientId) => new Date(times[clientId] ?? NOON),
    (link) => changes.push(link),
  );
  function mint(code: string, { clientId = 'a', userId = 'u', createdAt = NOON } = {}): Link {
    const link = linkOf(code, clientId, userId, createdAt);
    registry.stored(link);
    registry.signed(code, clientId, urlOf(code));
    return link;
  }
  return { registry, times, changes, mint };
}

const urlOf = (code: string, base = 'https://claims.example.com') => `${base}/verify/${code}?token=x.y.z`;

function linkOf(code: string, clientId: string, userId: string, createdAt: number): Link {
  return {
    accessCodeHash: hashAccessCode(code),
    clientId,
    userId,
    callbackUrl: 'https://app.example.com/',
    callbackOnSubmit: false,
    config: { contact: { email: 'a@b', phone: '1' }, currentUserId: userId },
    createdAt: new Date(createdAt),
    expiresAt: new Date(createdAt + HOUR),
  };
}

t.test('a link is listed once it is signed, with its URL', async (t) => {
  const { registry, changes } = create();
  registry.stored(linkOf('code', 'a', 'u', NOON));
  t.same(registry.list(), []);
  t.equal((await refusalOf(() => registry.find(urlOf('code')))).code, 'link_not_found');
  registry.signed('code', 'a', urlOf('code'));
  registry.signed('unknown', 'a', urlOf('unknown'));
  registry.signed('code', 'b', urlOf('elsewhere'));
  t.match(registry.list(), [{ url: urlOf('code'), state: 'created', clientId: 'a', userId: 'u' }]);
  t.equal(registry.list().length, 1);
  t.equal(changes.length, 1);
});

t.test('a link is found by its URL, wherever it is mounted, and by its id', async (t) => {
  const { registry, mint } = create();
  const { accessCodeHash } = mint('code');
  const [{ id } = { id: '' }] = registry.list();
  for (const name of [
    id,
    urlOf('code'),
    urlOf('code', 'https://other.example/api/v1'),
    urlOf('code', 'https://other.example/verify'),
    '/verify/code',
    'https://claims.example.com/verify/code#top',
  ])
    t.equal(registry.find(name).link.accessCodeHash, accessCodeHash, name);
  for (const name of ['', 'code', `${id}0`, urlOf('other'), accessCodeHash, 'https://claims.example.com/'])
    t.equal((await refusalOf(() => registry.find(name))).code, 'link_not_found', name);
});

t.test('a link expires by the clock of its client, and is back when that is turned back', async (t) => {
  const { registry, times, mint } = create();
  mint('one');
  mint('two', { clientId: 'b' });
  times['a'] = NOON + HOUR;
  const states = () => registry.list().map(({ state }) => state);
  t.same(states(), ['expired', 'created']);
  times['a'] = NOON + HOUR - 1;
  t.same(states(), ['created', 'created']);
});

t.test('a link that was let expire has that moment as its end', async (t) => {
  const { registry, times, mint, changes } = create();
  const link = mint('code');
  const at = new Date(NOON + 5);
  times['a'] = at.getTime();
  t.match(registry.expire(registry.find(urlOf('code')), at), { state: 'expired', expiresAt: at });
  t.same(registry.expiredAt(link), at);
  t.equal(changes.at(-1)?.state, 'expired');
  times['a'] = NOON;
  t.match(registry.list(), [{ state: 'created', expiresAt: at }], 'by the clock, as any other end');
});

t.test('what becomes of a link is told, and the first opening stays', async (t) => {
  const { registry, mint, changes } = create();
  const link = mint('code');
  registry.changed(link, { openedAt: new Date(NOON + 1) });
  registry.changed(link, { openedAt: new Date(NOON + 2) });
  registry.changed(link, { submittedAt: new Date(NOON + 3) }, { reference: 'R-1' } as never);
  registry.changed(linkOf('unknown', 'a', 'u', NOON), { openedAt: new Date(NOON) });
  t.match(registry.list(), [
    {
      state: 'submitted',
      openedAt: new Date(NOON + 1),
      submittedAt: new Date(NOON + 3),
      reference: 'R-1',
    },
  ]);
  t.same(
    changes.map(({ state }) => state),
    ['created', 'opened', 'opened', 'submitted'],
  );
});

t.test('over in one way is over: submitted before revoked before expired', async (t) => {
  const { registry, times, mint } = create();
  registry.changed(mint('used'), { submittedAt: new Date(NOON) });
  registry.changed(mint('gone'), { revokedAt: new Date(NOON) });
  registry.changed(mint('opened'), { openedAt: new Date(NOON) });
  times['a'] = NOON + HOUR;
  t.same(
    registry.list().map(({ state }) => state),
    ['submitted', 'revoked', 'expired'],
  );
});

t.test('the list is filtered by client, user and state, oldest first over all clients', async (t) => {
  const { registry, mint } = create();
  mint('3', { createdAt: NOON + 3 });
  mint('1', { clientId: 'b', createdAt: NOON + 1 });
  registry.changed(mint('2', { userId: 'v', createdAt: NOON + 2 }), { openedAt: new Date(NOON) });
  const codes = (filter?: object) => registry.list(filter).map(({ url }) => /verify\/(.)/.exec(url)?.[1]);
  t.same(codes(), ['1', '2', '3']);
  t.same(codes({ clientId: 'a' }), ['2', '3']);
  t.same(codes({ userId: 'v' }), ['2']);
  t.same(codes({ state: 'opened' }), ['2']);
  t.same(codes({ clientId: 'b', state: 'opened' }), []);
  t.same(codes({ clientId: 'nobody' }), []);
});

t.test('of each client the last 10,000 are kept', async (t) => {
  const { registry, mint } = create();
  mint('other', { clientId: 'b' });
  for (let i = 0; i <= 10_000; i++) mint(`code-${i}`);
  t.equal(registry.list({ clientId: 'a' }).length, 10_000);
  t.equal(registry.list({ clientId: 'b' }).length, 1);
  t.equal((await refusalOf(() => registry.find(urlOf('code-0')))).code, 'link_not_found');
  t.ok(registry.find(urlOf('code-1')));
});

t.test('records and stored links make an equal registry', async (t) => {
  const { registry, mint } = create();
  const links = ['one', 'two', 'three'].map((code) => mint(code));
  registry.expire(registry.find(urlOf('two')), new Date(NOON));
  const before = registry.list();
  const records = registry.recordsOf('a');
  registry.forget('a');
  t.same(registry.list(), []);
  registry.load(
    'a',
    links.map((link) => ({ link })),
    records,
  );
  t.same(registry.list(), before);
  registry.load('a', [], records);
  t.same(registry.list(), [], 'what no storage knows is no link');
});

t.test('the links of a user are numbered, anew once they are forgotten', async (t) => {
  const { registry, mint } = create();
  mint('one');
  mint('two');
  mint('other', { userId: 'v' });
  const ordinalOf = (code: string) => registry.find(urlOf(code)).ordinal;
  t.same(['one', 'two', 'other'].map(ordinalOf), [1, 2, 1]);
  registry.forget('a');
  mint('three');
  t.equal(ordinalOf('three'), 1);
});
