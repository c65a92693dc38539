// Rules about concurrent calls of which exactly one may succeed.

import type { Storage } from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  CLIENT_ID,
  concurrently,
  hashOf,
  later,
  linkId,
  linkOf,
  NOON,
  referencesOf,
  type StorageRule,
  sampleLink,
  sampleSession,
  sampleSubmission,
  withLink,
} from './samples.js';

const MANY = 100;
const ROUNDS = 20;

export const raceRules: readonly StorageRule[] = [
  {
    name: `of ${MANY} concurrent submissions of one link exactly one succeeds, and all return its session`,
    isRace: true,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const results = await concurrently(MANY, (index) =>
        storage.submitLink(
          sampleSubmission(accessCodeHash, { session: sampleSession({ reference: `S-${index}` }) }),
        ),
      );
      const references = await referencesOf(storage);
      assert.equal(references.length, 1, 'one session exists');
      assertCount(1, results, ({ outcome }) => outcome === 'submitted');
      assertCount(MANY - 1, results, ({ outcome }) => outcome === 'already_submitted');
      for (const result of results)
        assert.equal('session' in result && result.session.reference, references[0]);
    },
  },
  {
    name: 'of concurrent submissions of several links with one reference exactly one succeeds',
    isRace: true,
    async check(storage) {
      await withLinks(storage);
      const results = await concurrently(ROUNDS, (index) =>
        storage.submitLink(sampleSubmission(hashOf(index))),
      );
      assertCount(1, results, ({ outcome }) => outcome === 'submitted');
      assertCount(ROUNDS - 1, results, ({ outcome }) => outcome === 'reference_taken');
      assert.deepEqual(await referencesOf(storage), ['S-1']);
    },
  },
  {
    name: 'of a concurrent submission and revocation exactly one succeeds',
    isRace: true,
    async check(storage) {
      await withLinks(storage);
      const half = ROUNDS / 2;
      for (let round = 0; round < half; round++) await submitAgainstRevoke(storage, round);
      await concurrently(half, (index) => submitAgainstRevoke(storage, half + index));
    },
  },
  {
    name: 'of concurrent revocations of one link exactly one returns true',
    isRace: true,
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      const results = await concurrently(MANY, (index) =>
        storage.revokeLink({ clientId, accessCodeHash, at: later(index) }),
      );
      assertCount(1, results, (isRevoked) => isRevoked);
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.revokedAt, later(results.indexOf(true)));
    },
  },
  {
    name: 'of concurrent submissions around expiresAt only an earlier one succeeds',
    isRace: true,
    async check(storage) {
      const { accessCodeHash, expiresAt } = await withLink(storage);
      const results = await concurrently(ROUNDS, (index) => {
        const at = new Date(expiresAt.getTime() - (index % 2));
        return storage.submitLink(
          sampleSubmission(accessCodeHash, { at, session: sampleSession({ reference: `S-${index}` }) }),
        );
      });
      const submittedIndex = results.findIndex(({ outcome }) => outcome === 'submitted');
      assert.equal(submittedIndex % 2, 1, 'the successful submission is before expiresAt');
      assert.deepEqual(await referencesOf(storage), [`S-${submittedIndex}`]);
    },
  },
  {
    name: 'of concurrent insertions of one access code hash exactly one returns true, and its link is stored',
    isRace: true,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const results = await concurrently(MANY, (index) =>
        storage.insertLink(sampleLink({ userId: `user-${index}` })),
      );
      assertCount(1, results, (isStored) => isStored);
      const link = await linkOf(storage, sampleLink().accessCodeHash);
      assert.equal(link?.userId, `user-${results.indexOf(true)}`);
    },
  },
  {
    name: 'markLinkOpened during a submission does not undo the submission',
    isRace: true,
    async check(storage) {
      await withLinks(storage);
      await concurrently(ROUNDS * 2, (index) => {
        const accessCodeHash = hashOf(index >> 1);
        const session = sampleSession({ reference: `S-${index}` });
        return index % 2 === 0
          ? storage.submitLink(sampleSubmission(accessCodeHash, { at: later(2), session }))
          : storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      });
      for (let index = 0; index < ROUNDS; index++) {
        const stored = await storage.findLink(linkId(hashOf(index)));
        assert.deepEqual(stored?.link.submittedAt, later(2), `link ${index} is submitted`);
        assert.equal(stored?.session?.reference, `S-${index * 2}`, `link ${index} has its session`);
      }
    },
  },
  {
    name: 'findLink during a submission returns submittedAt and session together, or neither',
    isRace: true,
    async check(storage) {
      await withLinks(storage);
      const results = await concurrently(ROUNDS * 3, async (index) => {
        const accessCodeHash = hashOf(Math.floor(index / 3));
        if (index % 3 === 1) {
          const session = sampleSession({ reference: `S-${index}` });
          await storage.submitLink(sampleSubmission(accessCodeHash, { session }));
        }
        return storage.findLink(linkId(accessCodeHash));
      });
      for (const stored of results) {
        assert.ok(stored !== undefined);
        assert.equal(stored.session !== undefined, stored.link.submittedAt !== undefined, 'both or neither');
      }
    },
  },
];

/** Inserts the client and its links, which have the hashes from `hashOf(0)`. */
async function withLinks(storage: ProvisionedStorage): Promise<void> {
  await storage.insertClient({ clientId: CLIENT_ID });
  await concurrently(ROUNDS, (index) => storage.insertLink(sampleLink({ accessCodeHash: hashOf(index) })));
}

async function submitAgainstRevoke(storage: Storage, round: number): Promise<void> {
  const accessCodeHash = hashOf(round);
  const reference = `S-${round}`;
  const submit = async () =>
    storage.submitLink(sampleSubmission(accessCodeHash, { session: sampleSession({ reference }) }));
  const revoke = async () => storage.revokeLink({ clientId: CLIENT_ID, accessCodeHash, at: NOON });
  // In odd rounds, the revocation starts first.
  const earlyRevocation = round % 2 === 1 ? revoke() : undefined;
  const [{ outcome }, isRevoked] = await Promise.all([submit(), earlyRevocation ?? revoke()]);
  assert.equal(outcome, isRevoked ? 'revoked' : 'submitted', `round ${round}`);
  assert.equal((await referencesOf(storage)).includes(reference), !isRevoked, `round ${round}: the session`);
  const link = await linkOf(storage, accessCodeHash);
  assert.equal(link?.revokedAt !== undefined, isRevoked, `round ${round}: the link`);
}
