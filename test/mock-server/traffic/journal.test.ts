// The journal: what is kept, for whom, and how to wait for it.
import t from 'tap';
import type { RouteName } from '../../../mock-server/control.js';
import {
  createJournal,
  type Journal,
  type NewJournalEntry,
  WaitTimeoutError,
} from '../../../mock-server/traffic/journal.js';

const NOW = new Date('2026-03-01T12:00:00Z');

function create(size?: number): Journal {
  return createJournal({ now: () => NOW, ...(size !== undefined && { size }) });
}

function entry(changes: Partial<NewJournalEntry> = {}): NewJournalEntry {
  return {
    method: 'GET',
    path: '/acme/sessions/u',
    route: 'listSessions',
    clientId: 'acme',
    status: 200,
    durationMs: 1,
    headers: {},
    ...changes,
  };
}

function ids(entries: readonly { id: number }[]): number[] {
  return entries.map(({ id }) => id);
}

t.test('ids count up, over all clients, and go on after a clear', async (t) => {
  const journal = create();
  t.equal(journal.add(entry()).id, 1);
  t.equal(journal.add(entry({ clientId: null })).id, 2);
  journal.clear();
  t.equal(journal.add(entry()).id, 3);
});

t.test('the time is when the request came, or else now, by the clock of its client', async (t) => {
  const clocks = new Map<string | null, Date>([
    ['acme', new Date(1)],
    [null, new Date(2)],
  ]);
  const journal = createJournal({ now: (clientId) => clocks.get(clientId) ?? NOW });
  t.same(journal.add(entry()).time, new Date(1));
  t.same(journal.add(entry({ clientId: null })).time, new Date(2));
  t.same(journal.add(entry({ time: new Date(3) })).time, new Date(3));
});

t.test('entries are frozen copies', async (t) => {
  const journal = create();
  const headers = { accept: 'a' };
  const fault = { status: 500 };
  const added = journal.add(entry({ headers, fault }));
  headers.accept = 'b';
  fault.status = 400;
  t.match(journal.list(), [{ headers: { accept: 'a' }, fault: { status: 500 } }]);
  t.throws(() => Object.assign(added, { id: 9 }), TypeError);
  t.throws(() => Object.assign(added.headers, { accept: 'c' }), TypeError);
});

t.test('the list is all clients, oldest first', async (t) => {
  const journal = create();
  for (const clientId of ['b', 'a', null, 'b', 'a']) journal.add(entry({ clientId }));
  t.same(ids(journal.list()), [1, 2, 3, 4, 5]);
  t.same(ids(journal.list({ clientId: 'a' })), [2, 5]);
  t.same(journal.list({ clientId: 'nobody' }), []);
  t.equal(journal.count(), 5);
  t.equal(journal.count({ clientId: 'a' }), 2);
});

t.test("the last entries of each client are kept: one's load does not push out another's", async (t) => {
  const journal = create(3);
  journal.add(entry({ clientId: 'quiet' }));
  journal.add(entry({ clientId: null }));
  for (let i = 0; i < 10; i++) journal.add(entry({ clientId: 'busy' }));
  t.same(ids(journal.list()), [1, 2, 10, 11, 12]);
});

t.test('1000 entries are kept unless said otherwise', async (t) => {
  const journal = create();
  for (let i = 0; i < 1001; i++) journal.add(entry());
  t.equal(journal.count(), 1000);
  t.equal(journal.list()[0]?.id, 2);
});

t.test('filters: route, method, status, class of statuses, after', async (t) => {
  const journal = create();
  journal.add(entry());
  journal.add(entry({ method: 'POST', route: 'createLink', status: 404 }));
  journal.add(entry({ route: null, status: 499 }));
  journal.add(entry({ status: null }));
  t.same(ids(journal.list({ route: 'createLink' })), [2]);
  t.same(ids(journal.list({ method: 'post' })), [2]);
  t.same(ids(journal.list({ status: 404 })), [2]);
  t.same(ids(journal.list({ status: '4xx' })), [2, 3]);
  t.same(ids(journal.list({ after: 2 })), [3, 4]);
  t.same(ids(journal.list({ status: '4xx', after: 2, clientId: 'acme' })), [3]);
});

t.test('a bad filter is refused with every problem', async (t) => {
  const journal = create();
  const bad = { clientId: 1, route: 'verify', method: 'a b', status: '6xx', after: -1, count: 1 };
  t.throws(() => journal.list(bad as object), {
    code: 'request_invalid',
    details: [
      { pointer: '/clientId' },
      { pointer: '/route', detail: 'must be one of listSessions, createLink, openLink, submitClaim' },
      { pointer: '/method' },
      { pointer: '/status', detail: 'must be a status, 100 to 599, or a class of them, such as 4xx' },
      { pointer: '/after' },
      { pointer: '/count', detail: /^is not a member of a filter of requests/ },
    ],
  });
  for (const status of [99, 600, 200.5, '200', null]) {
    t.throws(() => journal.count({ status } as never), { code: 'request_invalid' });
  }
  t.throws(() => journal.clear({ clientid: 'acme' } as object), { code: 'request_invalid' });
  t.throws(() => journal.list(null as never), { code: 'request_invalid' });
});

t.test("clear forgets all, or one client's only", async (t) => {
  const journal = create();
  for (const clientId of ['a', 'b', null, 'a']) journal.add(entry({ clientId }));
  t.equal(journal.clear({ clientId: 'a' }), 2);
  t.equal(journal.clear({ clientId: 'a' }), 0);
  t.same(ids(journal.list()), [2, 3]);
  t.equal(journal.clear(), 2);
  t.equal(journal.count(), 0);
});

t.test('wait resolves at once to what is there already', async (t) => {
  const journal = create();
  journal.add(entry());
  journal.add(entry({ route: 'createLink' }));
  t.same(ids(await journal.wait()), [1, 2]);
  t.same(ids(await journal.wait({ route: 'createLink', count: 1 })), [2]);
});

t.test('wait resolves as soon as enough matching requests are there, older ones included', async (t) => {
  const journal = create();
  journal.add(entry({ route: 'createLink' }));
  const waiting = journal.wait({ route: 'createLink', count: 3 });
  for (const route of ['listSessions', 'createLink', 'openLink', 'createLink'] as RouteName[]) {
    journal.add(entry({ route }));
  }
  t.same(ids(await waiting), [1, 3, 5]);
});

t.test('several wait, each for its own', async (t) => {
  const journal = create();
  const waiting = [
    journal.wait({ clientId: 'a' }),
    journal.wait({ clientId: 'b' }),
    journal.wait({ count: 2 }),
  ];
  journal.add(entry({ clientId: 'b' }));
  journal.add(entry({ clientId: 'a' }));
  t.same((await Promise.all(waiting)).map(ids), [[2], [1], [1, 2]]);
});

t.test('what a waiting one has seen is not lost when newer requests push it out', async (t) => {
  const journal = create(2);
  const waiting = journal.wait({ route: 'createLink', count: 2 });
  journal.add(entry({ route: 'createLink' }));
  for (let i = 0; i < 5; i++) journal.add(entry());
  journal.add(entry({ route: 'createLink' }));
  t.same(ids(await waiting), [1, 7]);
});

t.test('requests before a clear do not count for one that waits', async (t) => {
  const journal = create();
  journal.add(entry());
  const waiting = journal.wait({ count: 2 });
  journal.clear({ clientId: 'other' });
  journal.clear({ clientId: 'acme' });
  journal.add(entry());
  journal.add(entry());
  t.same(ids(await waiting), [2, 3]);
});

t.test('wait rejects when too few come in time, and says how many came', async (t) => {
  const journal = create();
  const waiting = journal.wait({ route: 'createLink', count: 3, timeoutMs: 20 });
  journal.add(entry({ route: 'createLink' }));
  journal.add(entry());
  journal.add(entry({ route: 'createLink' }));
  const error = await waiting.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WaitTimeoutError)) throw error;
  t.match(
    error.message,
    /^2 of 3 requests \(route createLink\) came within 20 ms\. See which .* timeoutMs\.$/,
  );
  t.same(ids(error.requests), [1, 3]);
});

t.test('the filter is told in words, no filter in none', async (t) => {
  const filter = { clientId: 'a', method: 'POST', status: '5xx', after: 7, timeoutMs: 1 } as const;
  await t.rejects(create().wait(filter), {
    message: /^0 of 1 requests \(method POST, status 5xx, client a, after 7\) came within 1 ms/,
  });
  await t.rejects(create().wait({ timeoutMs: 1 }), { message: /^0 of 1 requests came within 1 ms/ });
});

t.test('a wait that is over keeps no timer', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const journal = create();
  const waiting = journal.wait({ timeoutMs: 60_000 });
  t.equal(timers(), before + 1, 'a test that waits stays alive');
  journal.add(entry());
  await waiting;
  t.equal(timers(), before);
});

t.test('wait refuses what cannot be waited for', async (t) => {
  const journal = create(10);
  await t.rejects(journal.wait({ count: 0, timeoutMs: 60_001, route: 'x' } as never), {
    code: 'request_invalid',
    details: [
      { pointer: '/count', detail: 'must be a whole number, 1 to 10' },
      { pointer: '/timeoutMs', detail: 'must be a whole number, 1 to 60000' },
      { pointer: '/route' },
    ],
  });
  await t.rejects(journal.wait({ count: 11 }), { code: 'request_invalid' });
});

t.test('close rejects whoever waits, and whoever will', async (t) => {
  const journal = create();
  const waiting = [journal.wait(), journal.wait({ route: 'createLink' })];
  journal.close();
  for (const one of [...waiting, journal.wait()]) await t.rejects(one, { message: /^The mock was closed/ });
});
