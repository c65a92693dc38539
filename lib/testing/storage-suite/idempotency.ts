// Rules of IdempotencyStorage: one link for a key, with what its row keeps.

import type { IdempotencyStorage, LinkIdempotency } from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  CLIENT_ID,
  concurrently,
  END,
  hashOf,
  later,
  linkId,
  NOON,
  PREFILLED,
  type StorageRule,
  sampleLink,
  sampleSubmission,
  USER_ID,
} from './samples.js';

/** A storage that creates one link for an Idempotency-Key. */
export type ProvisionedIdempotency = ProvisionedStorage & IdempotencyStorage;

const MANY = 100;
const ROUNDS = 5;
const OTHER = 'other';

/** Returns a text of base64url with 43 characters, as a MAC of 32 bytes has. */
function macOf(label: string): string {
  return label.padEnd(43, '-_0aZ');
}

function sample(changes: Partial<LinkIdempotency> = {}): LinkIdempotency {
  return {
    keyMac: macOf('Key'),
    requestMac: macOf('Request'),
    sealed: 'Sealed_-'.repeat(50),
    ...changes,
  };
}

export const idempotencyRules: readonly StorageRule<ProvisionedIdempotency>[] = [
  {
    name: 'insertLinkOnce inserts a link that findLink returns as one of insertLink',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const link = sampleLink({ config: PREFILLED });
      assert.equal(await storage.insertLinkOnce(link, sample()), true);
      const twin = { ...link, accessCodeHash: hashOf(1) };
      await storage.insertLink(twin);
      const stored = await storage.findLink(linkId(link.accessCodeHash));
      assert.deepEqual(stored?.link, link);
      assert.deepEqual({ ...stored, link: twin }, await storage.findLink(linkId(twin.accessCodeHash)));
    },
  },
  {
    name: 'findIdempotentLink returns hash, end and the three values unchanged, and undefined for an unknown key',
    async check(storage) {
      const { accessCodeHash, expiresAt } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(1) }));
      assert.deepEqual(await find(storage, sample().keyMac), { ...sample(), accessCodeHash, expiresAt });
      assert.equal(await find(storage, macOf('Unknown')), undefined);
    },
  },
  {
    name: 'insertLinkOnce returns false and changes nothing if the client has a link with that keyMac',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const other = sampleLink({ accessCodeHash: hashOf(1), userId: 'user-2' });
      const changes = { requestMac: macOf('Other'), sealed: 'Other' };
      assert.equal(await storage.insertLinkOnce(other, sample(changes)), false);
      assert.equal(await storage.findLink(linkId(other.accessCodeHash)), undefined);
      assertKept(await find(storage, sample().keyMac), accessCodeHash);
    },
  },
  {
    name: 'insertLinkOnce returns false and changes nothing if the client has a link with that hash',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const twin = sampleLink({ userId: 'user-2' });
      assert.equal(await storage.insertLinkOnce(twin, sample({ keyMac: macOf('Other') })), false);
      assert.equal((await storage.findLink(linkId(accessCodeHash)))?.link.userId, USER_ID);
      assert.equal(await find(storage, macOf('Other')), undefined);
      assertKept(await find(storage, sample().keyMac), accessCodeHash);
    },
  },
  {
    name: 'two clients have a link each with one keyMac, and each finds its link',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: OTHER });
      assert.equal(await find(storage, sample().keyMac, OTHER), undefined);
      const other = sampleLink({ clientId: OTHER, accessCodeHash: hashOf(1) });
      assert.equal(await storage.insertLinkOnce(other, sample()), true);
      assertKept(await find(storage, sample().keyMac), accessCodeHash);
      assertKept(await find(storage, sample().keyMac, OTHER), hashOf(1));
    },
  },
  {
    name: 'keyMacs are compared by each code unit',
    async check(storage) {
      await withLink(storage);
      const { keyMac } = sample();
      // The third one has the maximum length, and is equal to the second one for a collation that pads.
      const others = [keyMac.toLowerCase(), keyMac.slice(1), `${keyMac.slice(1)} `, keyMac.replace('-', '_')];
      for (const [index, other] of others.entries()) {
        assert.equal(await find(storage, other), undefined, other);
        const link = sampleLink({ accessCodeHash: hashOf(index) });
        assert.equal(await storage.insertLinkOnce(link, sample({ keyMac: other })), true, other);
      }
    },
  },
  {
    name: 'findIdempotentLink returns the link whose keyMac comes first in the list',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const macs = ['a', 'b', 'c'].map(macOf);
      for (const [index, keyMac] of macs.entries())
        await storage.insertLinkOnce(sampleLink({ accessCodeHash: hashOf(index) }), sample({ keyMac }));
      for (const keyMacs of [macs, macs.toReversed(), [macOf('z'), ...macs.slice(1)]]) {
        const stored = await storage.findIdempotentLink({ clientId: CLIENT_ID, keyMacs });
        assert.equal(
          stored?.keyMac,
          keyMacs.find((keyMac) => macs.includes(keyMac)),
        );
      }
    },
  },
  {
    name: 'a link keeps its values after its opening, its submission, its revocation and its end',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (const [index, label] of ['submitted', 'revoked', 'ended'].entries()) {
        const link = sampleLink({ accessCodeHash: hashOf(index), config: PREFILLED });
        await storage.insertLinkOnce(link, sample({ keyMac: macOf(label) }));
        await storage.markLinkOpened({ ...linkId(hashOf(index)), at: later(1) });
      }
      await storage.submitLink(sampleSubmission(hashOf(0), { at: later(2) }));
      await storage.revokeLink({ ...linkId(hashOf(1)), at: later(2) });
      await storage.reduceExpiredLinks?.(later(120_000));
      for (const [index, label] of ['submitted', 'revoked', 'ended'].entries())
        assertKept(await find(storage, macOf(label)), hashOf(index), { keyMac: macOf(label) });
    },
  },
  {
    name: 'a key is free again after the row of its link was deleted',
    async check(storage) {
      await withLink(storage);
      await storage.deleteExpiredLinks(new Date(END.getTime() + 1));
      await assertFree(storage, 'deleteExpiredLinks');
      if (storage.deleteUser) {
        await storage.deleteUser({ clientId: CLIENT_ID, userId: USER_ID });
        await assertFree(storage, 'deleteUser');
      }
      if (!storage.deleteClient) return;
      await storage.deleteClient(CLIENT_ID);
      await storage.insertClient({ clientId: CLIENT_ID });
      await assertFree(storage, 'deleteClient');
    },
  },
  {
    name: `of ${MANY} concurrent insertions with one keyMac exactly one returns true, and each other caller finds its link`,
    isRace: true,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (let round = 0; round < ROUNDS; round++) {
        const keyMac = macOf(`round-${round}-`);
        const results = await concurrently(MANY, async (index) => {
          const accessCodeHash = hashOf(round * MANY + index);
          const isInserted = await storage.insertLinkOnce(sampleLink({ accessCodeHash }), sample({ keyMac }));
          return { isInserted, hash: (await find(storage, keyMac))?.accessCodeHash };
        });
        assertCount(1, results, ({ isInserted }) => isInserted);
        const winner = hashOf(round * MANY + results.findIndex(({ isInserted }) => isInserted));
        assertCount(MANY, results, ({ hash }) => hash === winner);
        for (let index = 0; index < MANY; index++) {
          const hash = hashOf(round * MANY + index);
          const isStored = (await storage.findLink(linkId(hash))) !== undefined;
          assert.equal(isStored, hash === winner, `link ${index} of round ${round}`);
        }
      }
    },
  },
  {
    name: 'the longest values are stored unchanged',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const longest = sample({ sealed: 'Az_-09'.repeat(1366).slice(0, 8192) });
      await storage.insertLinkOnce(sampleLink(), longest);
      const { accessCodeHash, expiresAt } = sampleLink();
      assert.deepEqual(await find(storage, longest.keyMac), { ...longest, accessCodeHash, expiresAt });
    },
  },
];

/** Inserts the client and a link with the sample values. */
async function withLink(storage: ProvisionedIdempotency) {
  await storage.insertClient({ clientId: CLIENT_ID });
  const link = sampleLink();
  assert.equal(await storage.insertLinkOnce(link, sample()), true, 'a new link is inserted');
  return link;
}

async function find(storage: IdempotencyStorage, keyMac: string, clientId = CLIENT_ID) {
  return storage.findIdempotentLink({ clientId, keyMacs: [keyMac] });
}

function assertKept(stored: unknown, accessCodeHash: string, changes: Partial<LinkIdempotency> = {}): void {
  assert.deepEqual(stored, { ...sample(changes), accessCodeHash, expiresAt: END });
}

/** Asserts that the key of the sample has no link, and can have one. */
async function assertFree(storage: ProvisionedIdempotency, method: string): Promise<void> {
  assert.equal(await find(storage, sample().keyMac), undefined, method);
  const link = sampleLink({ createdAt: NOON });
  assert.equal(await storage.insertLinkOnce(link, sample()), true, method);
}
