// Requests that must not call the storage, or must not call it again.
import t from 'tap';
import { ClaimlinkError } from '../../lib/core/errors.js';
import type { AdminStorage, SessionQuery } from '../../lib/core/storage.js';
import { createWorld, outcomeOf, recordCalls } from './world.js';

for (const [length, isPassedOn] of [
  [2048, true],
  [2049, false],
] as const) {
  t.test(
    `a cursor of ${length} characters is ${isPassedOn ? '' : 'not '}passed to the storage`,
    async (t) => {
      const queries: SessionQuery[] = [];
      const world = await createWorld({
        wrapStorage: (storage) => ({
          ...storage,
          listSessions(query) {
            queries.push(query);
            throw new ClaimlinkError('request_invalid');
          },
        }),
      });
      const cursor = 'A'.repeat(length);
      t.equal(outcomeOf(await world.list(`?cursor=${cursor}`)), '400 request_invalid');
      await t.rejects(world.claimlink.listSessions('acme', 'user-1', { cursor }), {
        code: 'request_invalid',
      });
      const cursors = queries.map((query) => query.cursor);
      t.strictSame(cursors, isPassedOn ? [cursor, cursor] : []);
    },
  );
}

for (const accept of ['text/html', 'application/json']) {
  t.test(`an expired token looks its link up once, and calls nothing else: ${accept}`, async (t) => {
    const calls: string[] = [];
    const world = await createWorld({
      linkTtlSeconds: 60,
      wrapStorage: (storage) => recordCalls(storage, calls),
    });
    const link = await world.mint();
    world.advance(60_000);
    for (const method of ['GET', 'HEAD', 'POST']) {
      calls.length = 0;
      t.equal((await world.send(method, link.target, { headers: { accept } })).status, 410);
      t.strictSame(calls, ['findLink'], method);
    }
  });
}

t.test('only the first opening calls markLinkOpened', async (t) => {
  const calls: Parameters<AdminStorage['markLinkOpened']>[0][] = [];
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      markLinkOpened(query) {
        calls.push(query);
        return storage.markLinkOpened(query);
      },
    }),
  });
  const link = await world.mint();
  t.equal((await world.open(link)).status, 200);
  t.equal(calls.length, 1);
  world.advance(1000);
  t.equal((await world.open(link)).status, 200);
  t.equal((await world.claimlink.openLink(link.accessCode, link.token)).userId, 'user-1');
  t.equal(calls.length, 1);
});
