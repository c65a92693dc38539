// Rules about strings: a storage keeps and compares them code unit by code unit.
import assert from './assert.js';
import {
  CLIENT_ID,
  hashOf,
  linkId,
  referencesOf,
  type StorageRule,
  sampleLink,
  sampleRecord,
  sampleSession,
  sampleSubmission,
  sessionsOf,
  withSessions,
} from './samples.js';

const UNUSUAL_STRINGS: readonly [what: string, value: string][] = [
  ['quotes of all kinds', `'"\`´’`],
  ['SQL', "x'; DROP TABLE sessions; --"],
  ['backslashes and escapes', '\\ \\n \\u0041 %41 &amp;'],
  ['LIKE wildcards', '%_*?'],
  ['emoji with joiners', '👩‍🚒🏳️‍🌈🚗'],
  ['right-to-left text', 'שלום مرحبا'],
  ['a name that every object has', '__proto__'],
  ['another name that every object has', 'constructor'],
  ['the word null', 'null'],
  ['a number with a leading zero', '007'],
  ['JSON', '{"a":[1]}'],
  ['separators', 'a/b:c|d,e'],
  ['a space at either end', ' a '],
  ['100 characters', 'x'.repeat(100)],
  ['100 characters outside of ASCII', 'ü'.repeat(100)],
  ['50 astral characters', '🚗'.repeat(50)],
];

const SIMILAR_STRINGS: readonly [what: string, one: string, other: string][] = [
  ['upper and lower case', 'user-a', 'USER-A'],
  ['composed and decomposed', 'caf\u00e9', 'cafe\u0301'],
  ['sharp s and double s', 'straße', 'strasse'],
  ['full width and half width', 'ａ', 'a'],
  ['with and without a trailing space', 'a ', 'a'],
  ['with and without a zero-width space', 'a\u200b', 'a'],
  ['1 and 01', '1', '01'],
  ['1 and 1.0', '1', '1.0'],
  ['Latin a and Cyrillic а', 'a', '\u0430'],
  ['dotless and dotted i', 'ı', 'i'],
  ['a wildcard and a string that it matches', 'a%', 'ab'],
];

/** Pairs of a client and a user. Two pairs are equal if a storage joins the two strings. */
const CONCATENATED_IDS: readonly [client: string, user: string, otherClient: string, otherUser: string][] = [
  ['a', 'bc', 'ab', 'c'],
  ['a:b', 'c', 'a', 'b:c'],
  ['a/b', 'c', 'a', 'b/c'],
  ['a","b', 'c', 'a', 'b","c'],
  ['a|', 'b', 'a', '|b'],
];

const unusualRules = UNUSUAL_STRINGS.flatMap(([what, value]): StorageRule[] => [
  {
    name: `a userId, reference, status and text are stored unchanged: ${what}`,
    async check(storage) {
      const policy = sampleSession().selectedPolicy;
      const selectedPolicy = { ...policy, holder: { ...policy.holder, lastName: value } };
      await withSessions(storage, { userId: value, reference: value, status: value, selectedPolicy });
      const [session] = await sessionsOf(storage, { userId: value, status: value, limit: 1 });
      assert.deepEqual([session?.reference, session?.status], [value, value]);
      assert.equal(session?.selectedPolicy.holder.lastName, value);
    },
  },
  {
    name: `a link belongs to exactly its userId: ${what}`,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID, name: value });
      const link = sampleLink({ userId: value, config: { ...sampleLink().config, currentUserId: value } });
      await storage.insertLink(link);
      const stored = await storage.findLink(linkId(link.accessCodeHash));
      assert.deepEqual([stored?.link.config.currentUserId, stored?.client.name], [value, value]);
      const session = sampleSession({ reference: value });
      await storage.submitLink(sampleSubmission(link.accessCodeHash, { session }));
      assert.deepEqual(await referencesOf(storage, { userId: value }), [value]);
    },
  },
]);

const similarRules = SIMILAR_STRINGS.map(
  ([what, one, other]): StorageRule => ({
    name: `ids and references are different strings: ${what}`,
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

const concatenatedRules = CONCATENATED_IDS.map(([client, user, otherClient, otherUser]): StorageRule => {
  const one = { clientId: client, userId: user };
  const other = { clientId: otherClient, userId: otherUser };
  return {
    name: `client and user are separate: ${JSON.stringify([client, user])} is not ${JSON.stringify([otherClient, otherUser])}`,
    async check(storage) {
      await storage.insertClient({ clientId: client });
      await storage.insertClient({ clientId: otherClient });
      await storage.insertSession(sampleRecord({ ...one, reference: 'one' }));
      assert.deepEqual(await referencesOf(storage, other), []);
      await storage.insertSession(sampleRecord({ ...other, reference: 'other' }));
      assert.deepEqual(await referencesOf(storage, one), ['one']);
    },
  };
});

const LONGEST_USER_IDS: readonly [what: string, character: string][] = [
  ['ASCII', 'x'],
  ['outside of ASCII', 'ü'],
  ['three bytes a code unit', '語'],
  ['astral characters', '🚗'],
];

/** Ids that only their last character distinguishes: a storage that cuts them gives one user the records of another. */
const longestRules = LONGEST_USER_IDS.map(([what, character]): StorageRule => {
  const beginning = character.repeat(252 / character.length);
  const [one, other] = [`${beginning}-one`, `${beginning}-two`];
  return {
    name: `user ids of 256 UTF-16 code units are stored unchanged, and distinguished at their end: ${what}`,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (const [index, userId] of [one, other].entries()) {
        const accessCodeHash = hashOf(index);
        await storage.insertLink(sampleLink({ userId, accessCodeHash }));
        assert.equal((await storage.findLink(linkId(accessCodeHash)))?.link.userId, userId);
        const session = sampleSession({ reference: `S-${index}` });
        await storage.submitLink(sampleSubmission(accessCodeHash, { session }));
        await storage.insertSession(sampleRecord({ userId, reference: `R-${index}` }));
      }
      assert.deepEqual((await referencesOf(storage, { userId: one })).sort(), ['R-0', 'S-0']);
      assert.deepEqual((await referencesOf(storage, { userId: other })).sort(), ['R-1', 'S-1']);
    },
  };
});

export const stringRules: readonly StorageRule[] = [
  ...longestRules,
  ...unusualRules,
  ...similarRules,
  ...concatenatedRules,
];
