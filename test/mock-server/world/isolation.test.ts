// What is done to one client, no other one notices: two test workers may share a server.
import t from 'tap';
import {
  createMockFetch,
  type MockControl,
  type MockSnapshot,
  startMockServer,
} from '../../../mock-server/index.js';
import { type Caller, createCaller, session } from '../caller.js';
import { createDice, type Dice } from '../dice.js';

const DAY = 86_400_000;
const NOW = new Date('2026-01-01T12:00:00Z');
const USERS = ['user-1', 'user-2', 'user-3'];

interface Worker {
  clientId: string;
  apiKey: string;
  caller: Caller;
  snapshots: MockSnapshot[];
}

/** Everything that a worker can see of its client. */
async function viewOf(mock: MockControl, { clientId, caller }: Worker) {
  const requests = mock.requests({ clientId });
  const listings = [];
  for (const userId of USERS) listings.push(await mock.sessions(clientId, userId));
  const links = mock.links({ clientId });
  const answers = [];
  // HEAD looks at a link and does not open it.
  for (const { url } of links) answers.push((await caller.open(url, { method: 'HEAD' })).status);
  const listed = await caller.bytes('user-1');
  return {
    listings: JSON.stringify(listings),
    listed,
    links,
    answers,
    clock: mock.clock.read({ clientId }),
    faults: mock.faults({ clientId }),
    requests: requests.map(({ id, status, time }) => ({ id, status, time })),
    client: mock.clients.find((client) => client.clientId === clientId),
  };
}

/** One thing that a worker does to its own client. Refusals, such as of a link that is over, are part of the game. */
async function act(mock: MockControl, worker: Worker, dice: Dice, count: number): Promise<void> {
  const { clientId, caller, snapshots } = worker;
  const scope = { clientId };
  const userId = dice.pick(USERS);
  const links = mock.links(scope);
  const link = links.length > 0 ? dice.pick(links).id : 'none';
  const actions: (() => unknown)[] = [
    () => caller.list(userId),
    () => caller.link(userId),
    () => caller.link(userId),
    () => mock.openLink(link),
    () => mock.submitLink(link),
    () => mock.expireLink(link),
    () => mock.revokeLink(link),
    () => mock.setSessions(clientId, userId, [session(`R-${count}`)]),
    () => mock.addSession(clientId, userId, session(`R-${count}`)),
    () => mock.clock.advance(dice.upTo(3 * DAY) - DAY, scope),
    () => mock.clock.set('2030-01-01', scope),
    () => mock.clock.freeze(scope),
    () => mock.clock.resume(scope),
    () => mock.clock.reset(scope),
    () => mock.addFault({ ...scope, status: 500, rate: 0.5 }),
    () => mock.failNext({ ...scope, route: 'listSessions', effect: 'lose' }),
    () => mock.clearFaults(scope),
    () => mock.clearRequests(scope),
    () => mock.reset(scope),
    () => snapshots.push(mock.snapshot(scope)),
    () => mock.restore(dice.pick(snapshots)),
    () => mock.addFault({ ...scope, status: 200 }),
    () => mock.clock.set('never', scope),
  ];
  try {
    await dice.pick(actions)();
  } catch {}
}

async function addWorker(mock: MockControl, url: string, send?: typeof fetch): Promise<Worker> {
  const { clientId, apiKey } = await mock.addClient();
  return { clientId, apiKey, caller: createCaller(url, { clientId, apiKey }, send), snapshots: [] };
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  t.test(`whatever one client does, the view of the other stays the same (dice ${seed})`, async (t) => {
    const dice = createDice(seed);
    const mock = createMockFetch({ now: () => NOW, sessionCount: 3 });
    const a = await addWorker(mock, mock.publicUrl, mock as typeof fetch);
    const b = await addWorker(mock, mock.publicUrl, mock as typeof fetch);
    // The other one has a past of its own.
    for (let i = 0; i < 30; i++) await act(mock, b, dice, i);
    mock.clearFaults({ clientId: b.clientId });
    await b.caller.link('user-1');
    mock.addFault({ clientId: b.clientId, delayMs: 0 });
    mock.clock.freeze({ clientId: b.clientId });
    // Looking is a request, too: the journal is looked at apart.
    const { requests: _, faults: __, ...before } = await viewOf(mock, b);
    for (let round = 0; round < 15; round++) {
      const requestsBefore = mock.requests({ clientId: b.clientId });
      const faultsBefore = mock.faults({ clientId: b.clientId });
      for (let i = 0; i < 10; i++) await act(mock, a, dice, 1000 * round + i);
      t.same(mock.requests({ clientId: b.clientId }), requestsBefore, 'the journal');
      t.same(mock.faults({ clientId: b.clientId }), faultsBefore, 'the faults and their hits');
      const { requests, faults, ...after } = await viewOf(mock, b);
      t.same(after, before, 'listings, links, clock');
    }
  });
}

t.test('two workers act at the same time over HTTP, and each sees its own world only', async (t) => {
  const mock = await startMockServer({ port: 0, now: () => NOW });
  t.teardown(() => mock.close());
  const workers = await Promise.all([1, 2, 3].map(() => addWorker(mock, mock.url)));
  const sums = await Promise.all(
    workers.map(async ({ clientId, caller }, index) => {
      const scope = { clientId };
      mock.clock.advance(index * DAY, scope);
      mock.failNext({ ...scope, route: 'listSessions', status: 503, times: index + 1 });
      const statuses = [];
      for (let i = 0; i < 8; i++) {
        statuses.push((await caller.list('user-1')).status);
        const link = await caller.mint('user-1');
        if (i % 2 === 0) await mock.submitLink(link);
      }
      return {
        failed: statuses.filter((status) => status === 503).length,
        links: mock.links({ ...scope, state: 'submitted' }).length,
        requests: mock.requests(scope).length,
        offsets: new Set(mock.requests(scope).map(({ time }) => time.getTime() - NOW.getTime())),
      };
    }),
  );
  t.same(
    sums,
    workers.map((_, index) => ({
      failed: index + 1,
      links: 4,
      requests: 16,
      offsets: new Set([index * DAY]),
    })),
  );
});

t.test(
  "a link's end follows the clock of its own client, for requests at the same time as well",
  async (t) => {
    const mock = await startMockServer({ port: 0, now: () => NOW });
    t.teardown(() => mock.close());
    const [past, present] = [await addWorker(mock, mock.url), await addWorker(mock, mock.url)];
    const links = { past: await past.caller.mint(), present: await present.caller.mint() };
    mock.clock.advance(365 * DAY, { clientId: past.clientId });
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const isPast = index % 2 === 0;
        return (await (isPast ? past : present).caller.open(isPast ? links.past : links.present)).status;
      }),
    );
    t.same(
      statuses,
      statuses.map((_, index) => (index % 2 === 0 ? 410 : 200)),
    );
    t.match(mock.links({ clientId: past.clientId }), [{ state: 'expired' }]);
    t.match(mock.links({ clientId: present.clientId }), [{ state: 'opened', openedAt: NOW }]);
    mock.clock.reset({ clientId: past.clientId });
    t.equal((await past.caller.open(links.past)).status, 200);
  },
);

t.test('a claim is dated by the clock of its client, whoever else submits at the same time', async (t) => {
  const mock = await startMockServer({ port: 0, now: () => NOW });
  t.teardown(() => mock.close());
  const workers = await Promise.all(Array.from({ length: 6 }, () => addWorker(mock, mock.url)));
  const dates = await Promise.all(
    workers.map(async ({ clientId, caller }, index) => {
      mock.clock.advance(index * DAY, { clientId });
      const link = await caller.mint('user-empty');
      const [made] = await mock.sessions(clientId, 'user-1');
      const { id: _, ...holder } = made?.selectedPolicy.holder ?? { id: '' };
      const answer = await fetch(link, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ policy: { ...made?.selectedPolicy, holder } }),
      });
      if (answer.status !== 200) throw new Error(await answer.text());
      const [submitted] = await mock.sessions(clientId, 'user-empty');
      return submitted?.date;
    }),
  );
  t.same(
    dates,
    workers.map((_, index) => new Date(NOW.getTime() + index * DAY)),
  );
});
