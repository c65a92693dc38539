// Events of the service in a mock: which ones there are, who gets them, and what became of a link.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { EVENT_TYPES } from '../../../lib/core/types.js';
import type { MockEvent, MockServerOptions } from '../../../mock-server/index.js';
import { createMockFetch, startMockServer } from '../../../mock-server/index.js';
import { serve } from '../../listen.js';

const DAY = 86_400_000;
const REQUEST = {
  callbackUrl: 'https://app.example.com/done',
  config: { contact: { email: 'help@example.com', phone: '+41 44 000 00 00' }, currentUserId: 'user-1' },
};

async function start(t: Test, options: MockServerOptions = {}) {
  const mock = await startMockServer({ port: 0, events: EVENT_TYPES, ...options });
  t.teardown(() => mock.close());
  const post = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return { mock, post, mint: () => mock.createLink('demo', REQUEST) };
}

t.test('without the option, submissions are the only events', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const mint = () => mock.createLink('demo', REQUEST);
  const [{ url, linkId }, revoked] = [await mint(), await mint()];
  await mock.revokeLink(revoked.url);
  const { reference } = await mock.submitLink(url);
  const events = await mock.waitForEvents();
  t.match(events, [{ type: 'claim.submitted', clientId: 'demo', userId: 'user-1', linkId, reference }]);
  t.same(await mock.serviceEvents(), events);
  t.notMatch(JSON.stringify(events), /selectedPolicy|firstName/);
});

t.test('each kind of event is listed, streamed and waited for', async (t) => {
  const { mock, mint, post } = await start(t, {
    clients: [{ clientId: 'demo', apiKey: 'clk_test_demo', settings: { allowDecline: true } }],
  });
  const streamed: MockEvent[] = [];
  const end = await mock.subscribe((event) => void streamed.push(event));
  const declined = await mint();
  await post(declined.url, { action: 'start' });
  await post(declined.url, { action: 'decline', why: 'wrong_person' });
  const expired = await mint();
  await mock.advanceClock(DAY - 3_600_000);
  await mock.waitForEvents({ type: 'link.expiring', linkId: expired.linkId });
  await mock.advanceClock(DAY);
  await mock.waitForEvents({ type: 'link.expired', linkId: expired.linkId });
  await post(expired.url, { action: 'renew' });
  await mock.waitForEvents({ type: 'link.renewal_requested', userId: 'user-1' });
  const events = await mock.serviceEvents();
  t.same(
    events.map(({ type, sequence }) => [type, sequence]),
    [
      ['link.started', 1],
      ['link.declined', 2],
      ['link.expiring', 1],
      ['link.expired', 2],
      ['link.renewal_requested', 3],
    ],
  );
  t.match(events[1], { why: 'wrong_person', at: Date, expiresAt: Date });
  t.same(
    streamed.flatMap((event) => (event.type === 'event' ? [event.event] : [])),
    events,
  );
  end();
  await t.rejects(mock.waitForEvents({ type: 'link.locked', timeoutMs: 1 }), {
    code: 'wait_timed_out',
    message: /^0 of 1 events \(type link\.locked\) occurred within 1 ms\./,
  });
});

t.test('a clock that moves 1000 times, forward and back, tells the end of a link once', async (t) => {
  const mock = createMockFetch({ events: ['link.expiring', 'link.expired'] });
  const { linkId } = await mock.createLink('demo', REQUEST);
  for (let move = 0; move < 1000; move++)
    await mock.advanceClock(move % 2 === 0 ? DAY / 2 : -DAY / 2 + 1000 * move);
  await mock.waitForEvents({ linkId, count: 1 });
  await mock.waitForEvents({ type: 'link.expired', linkId });
  const types = (await mock.serviceEvents()).map(({ type }) => type);
  t.equal(types.filter((type) => type === 'link.expired').length, 1);
  t.ok(types.filter((type) => type === 'link.expiring').length <= 1);
});

t.test('a reset, a snapshot and another start of the mock keep the choice of events', async (t) => {
  const { mock, mint } = await start(t);
  await mock.snapshot('before');
  await mock.reset();
  const first = await mint();
  await mock.revokeLink(first.url);
  await mock.waitForEvents({ type: 'link.revoked', linkId: first.linkId });
  await mock.restore('before');
  const second = await mint();
  await mock.revokeLink(second.url);
  await mock.waitForEvents({ type: 'link.revoked', linkId: second.linkId });
  await mock.reset();
  t.same(await mock.serviceEvents(), [], 'a reset empties the log');
});

t.test('the webhook sends each kind, again until it is accepted', async (t) => {
  const bodies: { type: string }[] = [];
  const receiver = createServer(async (req, res) => {
    bodies.push(JSON.parse(await text(req)));
    res.writeHead(bodies.length === 1 ? 503 : 204).end();
  });
  const webhook = await serve(t, receiver);
  const { mock, mint } = await start(t, { webhook, events: ['link.revoked', 'claim.submitted'] });
  const [revoked, submitted] = [await mint(), await mint()];
  await mock.revokeLink(revoked.url);
  await mock.waitForRequests({ route: 'claimSubmitted' });
  await mock.submitLink(submitted.url);
  await mock.waitForRequests({ route: 'claimSubmitted', count: 2 });
  await mock.advanceClock(10_000);
  await mock.waitForRequests({ route: 'claimSubmitted', count: 3 });
  t.same(bodies.map(({ type }) => type).sort(), ['claim.submitted', 'link.revoked', 'link.revoked']);
  t.equal((await mock.serviceEvents()).length, 2, 'a repetition is the same event');
});

t.test('onEvent gets each event once, and is not used with onSubmit or a webhook', async (t) => {
  const told: string[] = [];
  const { mock, mint } = await start(t, { onEvent: ({ type }) => void told.push(type) });
  const link = await mint();
  await mock.revokeLink(link.url);
  await mock.waitForEvents();
  await mock.submitLink((await mint()).url);
  await mock.waitForEvents({ type: 'claim.submitted' });
  t.same(told, ['link.revoked', 'claim.submitted']);
  for (const options of [{ onSubmit: () => {} }, { webhook: 'http://127.0.0.1:2/' }])
    await t.rejects(startMockServer({ port: 0, onEvent: () => {}, ...options }), { code: 'options_invalid' });
});

t.test(
  'unlockLink lets the recipient answer again, and linkHistory shows what became of the link',
  async (t) => {
    const { mock, post } = await start(t, {
      clients: [
        { clientId: 'demo', apiKey: 'clk_test_demo', settings: { recipientCheck: ['/policy/number'] } },
      ],
    });
    const { config } = REQUEST;
    const request = { ...REQUEST, config: { ...config, policy: { number: 'P-2026' } } };
    const { url, linkId } = await mock.createLink('demo', request);
    for (let count = 0; count < 6; count++) await post(url, { action: 'check', answer: 'wrong' });
    t.equal((await post(url, { action: 'check', answer: 'P-2026' })).status, 423);
    t.match(await mock.unlockLink(linkId), { linkId, state: 'created' });
    const answered = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ action: 'check', answer: 'P-2026' }),
    });
    t.equal(answered.status, 200);
    t.match(await mock.linkHistory(url), [
      { type: 'link.created', at: Date },
      { type: 'link.locked' },
      { type: 'link.unlocked' },
      { type: 'link.opened' },
    ]);
    t.match(await mock.requests({ linkId, limit: 1 }), [{ linkId, path: /\[access code\]/ }]);
    t.same(await mock.requests({ linkId: 'f'.repeat(64) }), []);
  },
);

t.test('moments of a scenario are the history of a link, and are exported again', async (t) => {
  const moments = [
    { type: 'link.started' },
    { type: 'link.declined', why: 'other', at: '2026-01-31T10:00:00Z' },
  ] as const;
  const link = {
    userId: 'user-1',
    state: 'revoked',
    createdAt: '2026-01-31T09:00:00Z',
    revokedAt: '2026-01-31T10:00:00Z',
    moments,
  } as const;
  const { mock } = await start(t, {
    scenario: { clients: [{ clientId: 'a', apiKey: 'clk_a', links: [link] }] },
  });
  const [stored] = await mock.links();
  t.match(JSON.parse(JSON.stringify(await mock.linkHistory(stored?.linkId ?? ''))), [
    { type: 'link.created' },
    { type: 'link.started', at: '2026-01-31T09:01:00.000Z' },
    { type: 'link.declined', why: 'other', at: '2026-01-31T10:00:00.000Z' },
  ]);
  const exported = await mock.scenario();
  t.match(exported.clients[0]?.links, [
    { state: 'revoked', moments: [{ type: 'link.started' }, { type: 'link.declined', why: 'other' }] },
  ]);
  await mock.setScenario(exported);
});

t.test('a partner sees the events and histories of its client only', async (t) => {
  const controlToken = 'token-of-the-operator';
  const partner = { clientId: 'partner', apiKey: 'clk_partner', controlToken: 'token-of-a-partner' };
  const { mock } = await start(t, {
    controlToken,
    clients: [partner, { clientId: 'other', apiKey: 'clk_other' }],
  });
  const streamed: MockEvent[] = [];
  const end = await mock.subscribe((event) => void streamed.push(event), { clientId: 'partner' });
  const links = [];
  for (const clientId of ['other', 'partner']) {
    const link = await mock.createLink(clientId, REQUEST);
    await mock.revokeLink(link.url);
    links.push(link);
  }
  await mock.waitForEvents({ count: 2 });
  t.same(
    streamed.flatMap((event) => (event.type === 'event' ? [event.event.clientId] : [])),
    ['partner'],
  );
  t.notOk(streamed.some(({ clientId }) => clientId === 'other'));
  end();
  const call = async (path: string) => {
    const response = await fetch(`${mock.url}/__mock/${path}`, {
      headers: { authorization: `Bearer ${partner.controlToken}` },
    });
    return { status: response.status, body: await response.json() };
  };
  t.match(await call('serviceEvents'), { status: 200, body: [{ clientId: 'partner' }] });
  t.equal(((await call('serviceEvents')).body as unknown[]).length, 1);
  t.equal((await call('serviceEvents?clientId=other')).status, 403);
  t.equal((await call(`linkHistory?link=${links[1]?.linkId}`)).status, 200);
  t.equal((await call(`linkHistory?link=${links[0]?.linkId}`)).status, 404);
});
