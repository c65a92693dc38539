// Links driven without a browser: by URL or id, by the service's own rules, at the time of their client.
import t from 'tap';
import { createMockFetch, type MockLink } from '../../../mock-server/index.js';
import { createCaller, linkRequest, refusalOf } from '../caller.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function create() {
  const mock = createMockFetch();
  const demo = createCaller(mock.publicUrl, { clientId: 'demo', apiKey: 'clk_test_demo' }, mock);
  async function mint(userId?: string): Promise<MockLink> {
    const url = await demo.mint(userId);
    const link = mock.links().find((each) => each.url === url);
    if (link === undefined) throw new Error('the link is not listed');
    return link;
  }
  return { mock, demo, mint };
}

t.test('a minted link is listed with everything about it', async (t) => {
  const { mock, mint } = create();
  const link = await mint('zoe');
  t.match(link, {
    clientId: 'demo',
    userId: 'zoe',
    state: 'created',
    callbackUrl: linkRequest('zoe').callbackUrl,
    createdAt: Date,
    expiresAt: Date,
  });
  t.notOk(link.openedAt);
  t.same(mock.links({ userId: 'zoe' }), [link]);
  t.same(mock.links({ clientId: 'demo', state: 'created' }), [link]);
  t.same(mock.links({ state: 'opened' }), []);
});

t.test('a link is opened by URL or id, as often as wanted, as by the page itself', async (t) => {
  const { mock, demo, mint } = create();
  const link = await mint();
  const opened = await mock.openLink(link.id);
  t.match(opened, { state: 'opened', openedAt: Date });
  mock.clock.advance(60_000);
  t.same(await mock.openLink(link.url), opened, 'the first opening stays');
  const other = await mint();
  t.equal((await demo.open(other.url)).status, 200);
  t.match(mock.links({ state: 'opened' }), [{ id: link.id }, { id: other.id }]);
});

t.test('a submission without a claim makes one up; a repeat makes nothing', async (t) => {
  const { mock, mint } = create();
  const link = await mint('zoe');
  const before = await mock.sessions('demo', 'zoe');
  const first = await mock.submitLink(link.id);
  t.match(first, {
    repeated: false,
    redirectUrl: `https://app.example.com/done?reference=${first.reference}`,
  });
  t.same(await mock.submitLink(link.url), { ...first, repeated: true });
  const after = await mock.sessions('demo', 'zoe');
  t.equal(after.length, before.length + 1);
  t.ok(after.some(({ reference }) => reference === first.reference));
  t.match(mock.links(), [{ state: 'submitted', submittedAt: Date, reference: first.reference }]);
});

t.test('what is made up differs from link to link, and is the same in every mock', async (t) => {
  async function policies() {
    const { mock, mint } = create();
    const references = [];
    for (let i = 0; i < 2; i++) references.push((await mock.submitLink((await mint('zoe')).id)).reference);
    const sessions = await mock.sessions('demo', 'zoe');
    return references.map((wanted) => sessions.find(({ reference }) => reference === wanted)?.selectedPolicy);
  }
  const [one, two] = await policies();
  t.notSame(one, two);
  t.same(await policies(), [one, two]);
});

t.test(
  'a claim that is given is the one that is stored; a bad one is refused and uses nothing up',
  async (t) => {
    const { mock, mint } = create();
    const link = await mint();
    const [session] = await mock.sessions('demo', 'user-1');
    if (session === undefined) throw new Error('no session');
    const policy = { ...session.selectedPolicy, number: 'POLICE-Ü-1' };
    const { code, places } = await refusalOf(() => mock.submitLink(link.id, { policy: {} } as never));
    t.equal(code, 'request_invalid');
    t.ok(places.length > 0);
    const { reference } = await mock.submitLink(link.id, { policy });
    const stored = (await mock.sessions('demo', 'user-1')).find((each) => each.reference === reference);
    t.equal(stored?.selectedPolicy.number, 'POLICE-Ü-1');
  },
);

t.test('what a link prefills is in the claim that is made up, as far as a claim may hold it', async (t) => {
  const { mock, demo } = create();
  const submitted = async (policy: object) => {
    const request = linkRequest('zoe');
    const body = JSON.stringify({ ...request, config: { ...request.config, policy } });
    const answer = await demo.link('zoe', { body });
    const { data } = (await answer.json()) as { data: string };
    const { reference } = await mock.submitLink(data);
    return (await mock.sessions('demo', 'zoe')).find((each) => each.reference === reference)?.selectedPolicy;
  };
  t.match(
    await submitted({ number: 'P-77', holder: { firstName: 'Zoë' }, vehicle: { licensePlate: 'ZH 77' } }),
    { number: 'P-77', holder: { firstName: 'Zoë' }, vehicle: { licensePlate: 'ZH 77' } },
  );
  t.ok(await submitted({ number: '', validFrom: '2026-01-01', holder: { email: 'not an address' } }));
});

t.test('a link expires by the clock, and after that nothing can be done with it', async (t) => {
  const { mock, demo, mint } = create();
  const link = await mint();
  mock.clock.set(new Date(link.expiresAt.getTime() + HOUR));
  t.match(mock.links(), [{ state: 'expired' }]);
  t.equal((await demo.open(link.url)).status, 410);
  for (const act of [mock.openLink, mock.submitLink, mock.revokeLink])
    t.equal((await refusalOf(() => act(link.id))).code, 'link_expired');
  t.match(mock.expireLink(link.id), { state: 'expired', expiresAt: link.expiresAt });
  mock.clock.reset();
  t.equal((await demo.open(link.url)).status, 200);
});

t.test(
  'a link that is let expire is over at once for everyone, and again whenever that is asked',
  async (t) => {
    const { mock, demo, mint } = create();
    const link = await mint();
    mock.clock.freeze();
    const expired = mock.expireLink(link.url);
    t.match(expired, { state: 'expired', expiresAt: mock.clock.now() });
    t.same(mock.expireLink(link.id), expired);
    t.equal((await demo.open(link.url)).status, 410);
    for (const act of [mock.openLink, mock.submitLink, mock.revokeLink])
      t.equal((await refusalOf(() => act(link.id))).code, 'link_expired');
  },
);

t.test(
  'list and service agree on a link that was let expire, also when the clock is turned back',
  async (t) => {
    const { mock, demo, mint } = create();
    const link = await mint();
    mock.clock.advance(60_000);
    mock.expireLink(link.id);
    mock.clock.advance(-60_000);
    t.match(mock.links(), [{ state: 'created' }]);
    t.equal((await demo.open(link.url)).status, 200);
    t.match(await mock.submitLink(link.id), { repeated: false });
  },
);

t.test('a revoked link is over for everyone', async (t) => {
  const { mock, demo, mint } = create();
  const link = await mint();
  t.match(await mock.revokeLink(link.id), { state: 'revoked', revokedAt: Date });
  t.equal((await demo.open(link.url)).status, 410);
  for (const act of [mock.openLink, mock.submitLink, mock.revokeLink, mock.expireLink])
    t.equal((await refusalOf(() => act(link.id))).code, 'link_revoked');
});

t.test('a submitted link is neither expired nor revoked nor opened', async (t) => {
  const { mock, mint } = create();
  const link = await mint();
  await mock.submitLink(link.id);
  for (const act of [mock.openLink, mock.revokeLink, mock.expireLink])
    t.equal((await refusalOf(() => act(link.id))).code, 'link_submitted');
  mock.clock.advance(30 * DAY);
  t.match(mock.links(), [{ state: 'submitted' }]);
});

t.test('what is no link of this mock is refused by every action', async (t) => {
  const { mock } = create();
  const other = create();
  const { url, id } = await other.mint();
  for (const act of [mock.openLink, mock.submitLink, mock.revokeLink, mock.expireLink])
    for (const link of [url, id, '', 'nonsense', `${mock.publicUrl}/verify/`])
      t.equal((await refusalOf(() => act(link))).code, 'link_not_found');
});

t.test('sessions that are set take the links away that the user has submitted', async (t) => {
  const { mock, mint } = create();
  const used = await mint('zoe');
  const open = await mint('zoe');
  await mock.submitLink(used.id);
  mock.setSessions('demo', 'zoe', []);
  t.match(mock.links(), [{ id: open.id, state: 'created' }]);
  t.equal(mock.links().length, 1);
  const before = mock.links();
  mock.restore(mock.snapshot());
  t.same(mock.links(), before);
});
