// Storage cases: pages and cursors, in a listing that stands still and in one that grows.
import assert from 'node:assert/strict';
import { isClaimlinkError } from '../../core/errors.js';
import type { AdminStorage } from '../../core/storage.js';
import {
  assertFails,
  CLIENT_ID,
  later,
  NOON,
  referencesOf,
  type StorageCase,
  sampleRecord,
  USER_ID,
} from './samples.js';

const OWNER = { clientId: CLIENT_ID, userId: USER_ID };

const FOREIGN_CURSORS: readonly [what: string, cursor: string][] = [
  ['words', 'not-a-cursor'],
  ['characters outside of any encoding', '\u{1f600}"\'; --'],
  ['an encoded empty object', 'e30'],
  ['an encoded list of numbers', 'WzEsMl0'],
  ['a number', '10'],
  ['two thousand characters', 'A'.repeat(2000)],
];

const foreignCases = FOREIGN_CURSORS.map(
  ([what, cursor]): StorageCase => ({
    name: `a cursor of another's making is request_invalid: ${what}`,
    async check(storage) {
      await fill(storage, 3);
      await assertFails('request_invalid', () => storage.listSessions({ ...OWNER, limit: 1, cursor }));
    },
  }),
);

export const pagingCases: readonly StorageCase[] = [
  {
    name: 'a page holds at most limit sessions, the first of the order',
    async check(storage) {
      await fill(storage, 5);
      assert.deepEqual(await referencesOf(storage, { limit: 2 }), ['S-04', 'S-03']);
    },
  },
  {
    name: 'nextCursor is present exactly when more follows',
    async check(storage) {
      await fill(storage, 3);
      assert.equal(typeof (await storage.listSessions({ ...OWNER, limit: 2 })).nextCursor, 'string');
      assert.equal((await storage.listSessions({ ...OWNER, limit: 3 })).nextCursor, undefined);
      assert.equal((await storage.listSessions({ ...OWNER, limit: 4 })).nextCursor, undefined);
    },
  },
  {
    name: 'following the cursor gives every session once, in order, with an exact last page',
    async check(storage) {
      await fill(storage, 6);
      const pages = await follow(storage, 2);
      assert.deepEqual(pages, [
        ['S-05', 'S-04'],
        ['S-03', 'S-02'],
        ['S-01', 'S-00'],
      ]);
    },
  },
  {
    name: 'following the cursor gives every session once when all are of the same moment',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const references = ['A', 'B', 'C', 'a', 'b', 'c', "d'", 'e"', '🚗'];
      for (const reference of references) await storage.insertSession(sampleRecord({ reference }));
      assert.deepEqual((await follow(storage, 2)).flat(), references);
    },
  },
  {
    name: 'following the cursor gives every session once when they are a millisecond apart',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (const [index, reference] of ['c', 'b', 'a', 'd'].entries()) {
        await storage.insertSession(sampleRecord({ reference, createdAt: later(index) }));
      }
      assert.deepEqual(await follow(storage, 1), [['d'], ['a'], ['b'], ['c']]);
    },
  },
  {
    name: 'the status filter is applied before the page is cut, and along the cursor',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (let index = 0; index < 9; index++) {
        const status = index % 3 === 0 ? 'submitted' : 'approved';
        await storage.insertSession(
          sampleRecord({ reference: `S-${index}`, status, createdAt: later(index) }),
        );
      }
      assert.deepEqual(await follow(storage, 2, 'submitted'), [['S-6', 'S-3'], ['S-0']]);
      const last = await storage.listSessions({ ...OWNER, limit: 3, status: 'submitted' });
      assert.equal(last.nextCursor, undefined);
    },
  },
  {
    name: 'a cursor can be followed again and gives the same page',
    async check(storage) {
      await fill(storage, 4);
      const { nextCursor: cursor = '' } = await storage.listSessions({ ...OWNER, limit: 2 });
      assert.deepEqual(await referencesOf(storage, { limit: 2, cursor }), ['S-01', 'S-00']);
      assert.deepEqual(await referencesOf(storage, { limit: 2, cursor }), ['S-01', 'S-00']);
    },
  },
  {
    name: 'while sessions are inserted, paging returns none twice and skips none that was there all the time',
    async check(storage) {
      await fill(storage, 8);
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let round = 0; round === 0 || cursor !== undefined; round++) {
        const page = await storage.listSessions({
          ...OWNER,
          limit: 3,
          ...(cursor !== undefined && { cursor }),
        });
        seen.push(...page.sessions.map(({ reference }) => reference));
        cursor = page.nextCursor;
        // One newer than all, one older than all, and one in between.
        await storage.insertSession(
          sampleRecord({ reference: `new-${round}`, createdAt: later(99_000 + round) }),
        );
        if (round === 0)
          await storage.insertSession(sampleRecord({ reference: 'old', createdAt: later(-1) }));
        if (round === 0)
          await storage.insertSession(sampleRecord({ reference: 'between', createdAt: later(3500) }));
        assert.ok(round < 20, 'paging comes to an end');
      }
      assert.equal(new Set(seen).size, seen.length, 'none twice');
      assert.deepEqual(
        seen.filter((reference) => reference.startsWith('S-')),
        ['S-07', 'S-06', 'S-05', 'S-04', 'S-03', 'S-02', 'S-01', 'S-00'],
      );
    },
  },
  {
    name: "a session of the cursor's own moment is found after it when its reference is greater, and only then",
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (const reference of ['b', 'd', 'f']) await storage.insertSession(sampleRecord({ reference }));
      const { nextCursor: cursor = '' } = await storage.listSessions({ ...OWNER, limit: 2 });
      for (const reference of ['c', 'e']) await storage.insertSession(sampleRecord({ reference }));
      assert.deepEqual(await referencesOf(storage, { cursor }), ['e', 'f']);
    },
  },
  {
    name: "a cursor opens no other user's listing: it is refused there, or shows that user's sessions only",
    async check(storage) {
      await fill(storage, 3);
      await storage.insertSession(
        sampleRecord({ reference: 'theirs', userId: 'user-2', createdAt: later(-1) }),
      );
      const { nextCursor: cursor = '' } = await storage.listSessions({ ...OWNER, limit: 1 });
      const references = await referencesOf(storage, { userId: 'user-2', cursor }).catch((error: unknown) => {
        assert.ok(
          isClaimlinkError(error) && error.code === 'request_invalid',
          'the refusal is request_invalid',
        );
        return ['theirs'];
      });
      assert.deepEqual(references, ['theirs']);
    },
  },
  {
    name: 'a cursor that was changed is request_invalid',
    async check(storage) {
      await fill(storage, 3);
      const { nextCursor = '' } = await storage.listSessions({ ...OWNER, limit: 1 });
      await assertFails('request_invalid', () =>
        storage.listSessions({ ...OWNER, limit: 1, cursor: `${nextCursor}!` }),
      );
    },
  },
  ...foreignCases,
];

/** A client and so many sessions of its user, a second apart: S-00 is the oldest. */
async function fill(storage: AdminStorage, sessions: number): Promise<void> {
  await storage.insertClient({ clientId: CLIENT_ID });
  for (let index = 0; index < sessions; index++) {
    const reference = `S-${String(index).padStart(2, '0')}`;
    await storage.insertSession(
      sampleRecord({ reference, createdAt: new Date(NOON.getTime() + index * 1000) }),
    );
  }
}

/** The references of every page, from the first to the last. */
async function follow(storage: AdminStorage, limit: number, status?: string): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await storage.listSessions({
      ...OWNER,
      limit,
      ...(cursor !== undefined && { cursor }),
      ...(status !== undefined && { status }),
    });
    pages.push(page.sessions.map(({ reference }) => reference));
    cursor = page.nextCursor;
    assert.ok(pages.length < 50, 'paging comes to an end');
  } while (cursor !== undefined);
  return pages;
}
