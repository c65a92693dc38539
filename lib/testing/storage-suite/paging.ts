// Rules about pages and cursors, also while sessions are inserted.

import { isClaimlinkError } from '../../core/errors.js';
import type { Storage } from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertFails,
  CLIENT_ID,
  followPages,
  later,
  referencesOf,
  type StorageRule,
  sampleRecord,
  USER_ID,
  withSessions,
} from './samples.js';

const OWNER = { clientId: CLIENT_ID, userId: USER_ID };

const INVALID_CURSORS: readonly [what: string, cursor: string][] = [
  ['words', 'not-a-cursor'],
  ['characters outside of any encoding', '\u{1f600}"\'; --'],
  ['an encoded empty object', 'e30'],
  ['an encoded list of numbers', 'WzEsMl0'],
  ['a number', '10'],
  ['two thousand characters', 'A'.repeat(2000)],
];

const invalidCursorRules = INVALID_CURSORS.map(
  ([what, cursor]): StorageRule => ({
    name: `listSessions throws request_invalid for a cursor that no storage returned: ${what}`,
    async check(storage) {
      await fill(storage, 3);
      await assertFails('request_invalid', () => storage.listSessions({ ...OWNER, limit: 1, cursor }));
    },
  }),
);

export const pagingRules: readonly StorageRule[] = [
  {
    name: 'a page contains the first sessions of the listing, at most limit',
    async check(storage) {
      await fill(storage, 5);
      assert.deepEqual(await referencesOf(storage, { limit: 2 }), ['S-04', 'S-03']);
    },
  },
  {
    name: 'nextCursor is present if and only if more sessions follow',
    async check(storage) {
      await fill(storage, 3);
      assert.equal(typeof (await storage.listSessions({ ...OWNER, limit: 2 })).nextCursor, 'string');
      assert.equal((await storage.listSessions({ ...OWNER, limit: 3 })).nextCursor, undefined);
      assert.equal((await storage.listSessions({ ...OWNER, limit: 4 })).nextCursor, undefined);
    },
  },
  {
    name: 'the pages contain every session once, in order, also if the last page is full',
    async check(storage) {
      await fill(storage, 6);
      const pages = await follow(storage, { limit: 2 });
      assert.deepEqual(pages, [
        ['S-05', 'S-04'],
        ['S-03', 'S-02'],
        ['S-01', 'S-00'],
      ]);
    },
  },
  {
    name: 'the pages contain every session once if all have the same createdAt',
    async check(storage) {
      const references = ['A', 'B', 'C', 'a', 'b', 'c', "d'", 'e"', '🚗'];
      await withSessions(storage, ...references.map((reference) => ({ reference })));
      assert.deepEqual((await follow(storage, { limit: 2 })).flat(), references);
    },
  },
  {
    name: 'the pages contain every session once if they are a millisecond apart',
    async check(storage) {
      const references = ['c', 'b', 'a', 'd'];
      await withSessions(
        storage,
        ...references.map((reference, index) => ({ reference, createdAt: later(index) })),
      );
      assert.deepEqual(await follow(storage, { limit: 1 }), [['d'], ['a'], ['b'], ['c']]);
    },
  },
  {
    name: 'the status filter applies before the limit, on every page',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (let index = 0; index < 9; index++) {
        const status = index % 3 === 0 ? 'submitted' : 'approved';
        const record = sampleRecord({ reference: `S-${index}`, status, createdAt: later(index) });
        await storage.insertSession(record);
      }
      assert.deepEqual(await follow(storage, { limit: 2, status: 'submitted' }), [['S-6', 'S-3'], ['S-0']]);
      const last = await storage.listSessions({ ...OWNER, limit: 3, status: 'submitted' });
      assert.equal(last.nextCursor, undefined);
    },
  },
  {
    name: 'a cursor returns the same page again',
    async check(storage) {
      await fill(storage, 4);
      const { nextCursor: cursor = '' } = await storage.listSessions({ ...OWNER, limit: 2 });
      assert.deepEqual(await referencesOf(storage, { limit: 2, cursor }), ['S-01', 'S-00']);
      assert.deepEqual(await referencesOf(storage, { limit: 2, cursor }), ['S-01', 'S-00']);
    },
  },
  {
    name: 'while sessions are inserted, the pages contain each earlier session exactly once',
    async check(storage) {
      await fill(storage, 8);
      const pages = await follow(storage, { limit: 3 }, async (pageCount) => {
        const insert = (reference: string, createdAt: Date) =>
          storage.insertSession(sampleRecord({ reference, createdAt }));
        await insert(`newer-than-all-${pageCount}`, later(99_000 + pageCount));
        if (pageCount > 1) return;
        await insert('older-than-all', later(-1));
        await insert('in-between', later(3500));
      });
      const references = pages.flat();
      assert.equal(new Set(references).size, references.length, 'no session is repeated');
      assert.deepEqual(
        references.filter((reference) => reference.startsWith('S-')),
        ['S-07', 'S-06', 'S-05', 'S-04', 'S-03', 'S-02', 'S-01', 'S-00'],
      );
    },
  },
  {
    name: 'after a cursor, sessions with its createdAt follow only if their reference is greater',
    async check(storage) {
      await withSessions(storage, { reference: 'b' }, { reference: 'd' }, { reference: 'f' });
      const { nextCursor: cursor = '' } = await storage.listSessions({ ...OWNER, limit: 2 });
      for (const reference of ['c', 'e']) await storage.insertSession(sampleRecord({ reference }));
      assert.deepEqual(await referencesOf(storage, { cursor }), ['e', 'f']);
    },
  },
  {
    name: 'a cursor never shows the sessions of another user: it is rejected, or only positions the listing',
    async check(storage) {
      await fill(storage, 3);
      await storage.insertSession(
        sampleRecord({ reference: 'of-user-2', userId: 'user-2', createdAt: later(-1) }),
      );
      const { nextCursor: cursor = '' } = await storage.listSessions({ ...OWNER, limit: 1 });
      const references = await referencesOf(storage, { userId: 'user-2', cursor }).catch((error: unknown) => {
        assert.ok(
          isClaimlinkError(error) && error.code === 'request_invalid',
          'the error is request_invalid',
        );
        return ['of-user-2'];
      });
      assert.deepEqual(references, ['of-user-2']);
    },
  },
  {
    name: 'listSessions throws request_invalid for a changed cursor',
    async check(storage) {
      await fill(storage, 3);
      const { nextCursor = '' } = await storage.listSessions({ ...OWNER, limit: 1 });
      await assertFails('request_invalid', () =>
        storage.listSessions({ ...OWNER, limit: 1, cursor: `${nextCursor}!` }),
      );
    },
  },
  ...invalidCursorRules,
];

/** Inserts a client and sessions of its user, a second apart. S-00 is the oldest. */
async function fill(storage: ProvisionedStorage, sessions: number): Promise<void> {
  await storage.insertClient({ clientId: CLIENT_ID });
  for (let index = 0; index < sessions; index++) {
    const reference = `S-${String(index).padStart(2, '0')}`;
    await storage.insertSession(sampleRecord({ reference, createdAt: later(index * 1000) }));
  }
}

/** Returns the references of every page. */
async function follow(
  storage: Storage,
  query: { limit: number; status?: string },
  afterPage?: (pageCount: number) => Promise<void>,
): Promise<string[][]> {
  const pages = await followPages(
    (cursor) => storage.listSessions({ ...OWNER, ...query, ...cursor }),
    afterPage,
  );
  return pages.map(({ sessions }) => sessions.map(({ reference }) => reference));
}
