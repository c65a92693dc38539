// Storage cases: strings are kept and compared code unit by code unit, whatever they hold.
import assert from 'node:assert/strict';
import {
  CLIENT_ID,
  linkId,
  referencesOf,
  type StorageCase,
  sampleLink,
  sampleRecord,
  sampleSession,
} from './samples.js';

const ODD_STRINGS: readonly [what: string, value: string][] = [
  ['quotes of all kinds', `'"\`´’`],
  ['SQL', "x'; DROP TABLE sessions; --"],
  ['backslashes and escapes', '\\ \\n \\u0041 %41 &amp;'],
  ['LIKE wildcards', '%_*?'],
  ['emoji with joiners', '👩‍🚒🏳️‍🌈🚗'],
  ['right-to-left text', 'שלום مرحبا'],
  ['a name of every object', '__proto__'],
  ['another name of every object', 'constructor'],
  ['the word null', 'null'],
  ['a number with a leading zero', '007'],
  ['JSON', '{"a":[1]}'],
  ['separators', 'a/b:c|d,e'],
  ['a space at either end', ' a '],
  ['100 characters', 'x'.repeat(100)],
  ['100 characters outside of ASCII', 'ü'.repeat(100)],
  ['50 astral characters', '🚗'.repeat(50)],
];

const LOOK_ALIKES: readonly [what: string, one: string, other: string][] = [
  ['upper and lower case', 'user-a', 'USER-A'],
  ['composed and decomposed', 'caf\u00e9', 'cafe\u0301'],
  ['sharp s and double s', 'straße', 'strasse'],
  ['full width and half width', 'ａ', 'a'],
  ['a trailing space and none', 'a ', 'a'],
  ['a zero-width space and none', 'a\u200b', 'a'],
  ['1 and 01', '1', '01'],
  ['1 and 1.0', '1', '1.0'],
  ['Latin a and Cyrillic а', 'a', '\u0430'],
  ['dotless and dotted i', 'ı', 'i'],
  ['a wildcard and what it matches', 'a%', 'ab'],
];

/** Pairs of (clientId, userId) that are the same when they are run together without care. */
const RUN_TOGETHER: readonly [one: readonly [string, string], other: readonly [string, string]][] = [
  [
    ['a', 'bc'],
    ['ab', 'c'],
  ],
  [
    ['a:b', 'c'],
    ['a', 'b:c'],
  ],
  [
    ['a/b', 'c'],
    ['a', 'b/c'],
  ],
  [
    ['a","b', 'c'],
    ['a', 'b","c'],
  ],
  [
    ['a|', 'b'],
    ['a', '|b'],
  ],
];

const oddCases = ODD_STRINGS.flatMap(([what, value]): StorageCase[] => [
  {
    name: `a userId, reference, status and text of ${what} come back as they were`,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const holder = { ...sampleSession().selectedPolicy.holder, lastName: value };
      const selectedPolicy = { ...sampleSession().selectedPolicy, holder };
      const record = sampleRecord({ userId: value, reference: value, status: value, selectedPolicy });
      await storage.insertSession(record);
      const { sessions } = await storage.listSessions({
        clientId: CLIENT_ID,
        userId: value,
        limit: 1,
        status: value,
      });
      const [session] = sessions;
      assert.deepEqual([session?.reference, session?.status], [value, value]);
      assert.equal(session?.selectedPolicy.holder.lastName, value);
    },
  },
  {
    name: `a link for a userId of ${what} is submitted for that user`,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID, name: value });
      const link = sampleLink({ userId: value, config: { ...sampleLink().config, currentUserId: value } });
      await storage.insertLink(link);
      const found = await storage.findLink(linkId(link.accessCodeHash));
      assert.deepEqual([found?.link.config.currentUserId, found?.client.name], [value, value]);
      const { accessCodeHash, createdAt: at } = link;
      await storage.submitLink({
        ...linkId(accessCodeHash),
        at,
        session: sampleSession({ reference: value }),
      });
      assert.deepEqual(await referencesOf(storage, { userId: value }), [value]);
    },
  },
]);

const lookAlikeCases = LOOK_ALIKES.map(
  ([what, one, other]): StorageCase => ({
    name: `ids and references that differ in ${what} are two`,
    async check(storage) {
      await storage.insertClient({ clientId: one, name: 'one' });
      await storage.insertClient({ clientId: other, name: 'other' });
      assert.equal((await storage.findClient(one))?.name, 'one', 'clients');
      for (const reference of [one, other]) {
        await storage.insertSession(sampleRecord({ clientId: one, userId: 'user', reference }));
      }
      const references = await referencesOf(storage, { clientId: one, userId: 'user' });
      assert.deepEqual(references.sort(), [one, other].sort(), 'references');
      assert.deepEqual(
        await referencesOf(storage, { clientId: other, userId: 'user' }),
        [],
        'listings of clients',
      );
      await storage.insertSession(sampleRecord({ clientId: one, userId: one, reference: 'first' }));
      await storage.insertSession(sampleRecord({ clientId: one, userId: other, reference: 'second' }));
      assert.deepEqual(await referencesOf(storage, { clientId: one, userId: one }), ['first'], 'users');
      assert.deepEqual(await referencesOf(storage, { clientId: one, userId: other }), ['second'], 'users');
    },
  }),
);

const togetherCases = RUN_TOGETHER.map(
  ([one, other]): StorageCase => ({
    name: `client and user are two strings: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`,
    async check(storage) {
      await storage.insertClient({ clientId: one[0] });
      await storage.insertClient({ clientId: other[0] });
      await storage.insertSession(sampleRecord({ clientId: one[0], userId: one[1], reference: 'one' }));
      assert.deepEqual(await referencesOf(storage, { clientId: other[0], userId: other[1] }), []);
      await storage.insertSession(sampleRecord({ clientId: other[0], userId: other[1], reference: 'other' }));
      assert.deepEqual(await referencesOf(storage, { clientId: one[0], userId: one[1] }), ['one']);
    },
  }),
);

export const stringCases: readonly StorageCase[] = [...oddCases, ...lookAlikeCases, ...togetherCases];
