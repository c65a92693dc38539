// Rules of CheckStorage: count the answers of recipients, and lock a link after too many of them.

import type { CheckStorage } from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  assertHas,
  CLIENT_ID,
  concurrently,
  hashOf,
  linkId,
  linkOf,
  NOON,
  type StorageRule,
  sampleLink,
  sampleSubmission,
  withLink,
} from './samples.js';

/** A storage that counts attempts. */
export type ProvisionedCheck = ProvisionedStorage & CheckStorage;

const LIMIT = 5;
const MANY = 50;

/** Takes attempts up to the limit, and returns their numbers. */
async function takeAll(storage: CheckStorage, accessCodeHash: string): Promise<number[]> {
  const numbers: number[] = [];
  for (;;) {
    const number = await storage.takeAttempt({ ...linkId(accessCodeHash), limit: LIMIT });
    if (number === undefined || numbers.length > LIMIT) return numbers;
    numbers.push(number);
  }
}

const ALL = Array.from({ length: LIMIT }, (_, index) => index + 1);

export const checkRules: readonly StorageRule<ProvisionedCheck>[] = [
  {
    name: 'takeAttempt counts the attempts of one link from 1 to the limit, and then returns undefined',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      assert.deepEqual(await takeAll(storage, accessCodeHash), ALL);
      assert.equal(await storage.takeAttempt({ ...linkId(accessCodeHash), limit: LIMIT }), undefined);
      assert.equal(await storage.takeAttempt({ ...linkId(accessCodeHash), limit: LIMIT + 1 }), LIMIT + 1);
      assert.deepEqual(await takeAll(storage, hashOf(2)), ALL, 'of the other link');
    },
  },
  {
    name: `of ${MANY} concurrent attempts at one link each number up to the limit is taken once`,
    isRace: true,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const results = await concurrently(MANY, () =>
        storage.takeAttempt({ ...linkId(accessCodeHash), limit: LIMIT }),
      );
      for (const number of ALL) assertCount(1, results, (result) => result === number);
      assertCount(MANY - LIMIT, results, (result) => result === undefined);
    },
  },
  {
    name: 'of concurrent attempts of which every second is returned, no more than the limit are wrong',
    isRace: true,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const id = linkId(accessCodeHash);
      const results = await concurrently(MANY, async (index) => {
        const number = await storage.takeAttempt({ ...id, limit: LIMIT });
        if (number === undefined || index % 2 === 1) return number;
        await storage.returnAttempt(id);
        return undefined;
      });
      const wrong = results.filter((result) => result !== undefined).length;
      assert.ok(wrong <= LIMIT, `${wrong} wrong attempts`);
      assert.equal((await takeAll(storage, accessCodeHash)).length, LIMIT - wrong, 'attempts that are left');
    },
  },
  {
    name: 'returnAttempt gives one attempt back, never more than were taken',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const id = linkId(accessCodeHash);
      await storage.returnAttempt(id);
      assert.deepEqual(await takeAll(storage, accessCodeHash), ALL);
      await storage.returnAttempt(id);
      assert.deepEqual(await takeAll(storage, accessCodeHash), [LIMIT]);
      for (let count = 0; count < LIMIT + 2; count++) await storage.returnAttempt(id);
      assert.deepEqual(await takeAll(storage, accessCodeHash), ALL);
    },
  },
  {
    name: 'unlockLink sets the attempts of one link to 0 and returns true',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      for (const hash of [accessCodeHash, hashOf(2)]) await takeAll(storage, hash);
      assert.equal(await storage.unlockLink(linkId(accessCodeHash)), true);
      assert.deepEqual(await takeAll(storage, accessCodeHash), ALL);
      assert.deepEqual(await takeAll(storage, hashOf(2)), [], 'the other link stays locked');
      assert.equal(await storage.unlockLink(linkId(hashOf(2))), true);
      assert.equal(await storage.unlockLink(linkId(hashOf(2))), true, 'without attempts');
    },
  },
  {
    name: 'a link that does not exist, or belongs to another client, has no attempts',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      for (const id of [linkId(hashOf(2)), { clientId: 'other', accessCodeHash }]) {
        assert.equal(await storage.takeAttempt({ ...id, limit: LIMIT }), undefined);
        assert.equal(await storage.returnAttempt(id), undefined);
        assert.equal(await storage.unlockLink(id), false);
      }
      assert.deepEqual(await takeAll(storage, accessCodeHash), ALL);
    },
  },
  {
    name: 'attempts change nothing else that findLink returns, and opening or submitting a link changes no attempts',
    async check(storage) {
      const link = await withLink(storage);
      const { accessCodeHash } = link;
      const id = linkId(accessCodeHash);
      for (let count = 0; count < 2; count++) await storage.takeAttempt({ ...id, limit: LIMIT });
      assertHas(await linkOf(storage, accessCodeHash), link, ['openedAt', 'revokedAt', 'submittedAt']);
      const { checkAttempts: _, ...others } = (await storage.findLink(id)) ?? {};
      assert.deepEqual(Object.keys(others).sort(), ['client', 'link']);
      await storage.markLinkOpened({ ...id, at: NOON });
      assert.equal(await storage.takeAttempt({ ...id, limit: LIMIT }), 3);
      assert.equal((await storage.submitLink(sampleSubmission(accessCodeHash))).outcome, 'submitted');
      assert.equal(await storage.takeAttempt({ ...id, limit: LIMIT }), 4);
      assert.equal(await storage.unlockLink(id), true);
      assert.equal((await linkOf(storage, accessCodeHash))?.clientId, CLIENT_ID);
    },
  },
  {
    name: 'checkAttempts of findLink is the number of attempts, or always absent',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      const id = linkId(accessCodeHash);
      const read = async () => (await storage.findLink(id))?.checkAttempts;
      const take = () => storage.takeAttempt({ ...id, limit: LIMIT });
      assert.ok(((await read()) ?? 0) === 0, 'of a new link');
      await take();
      const isTold = (await read()) !== undefined;
      const assertNumber = async (number: number) => {
        const checkAttempts = await read();
        assert.equal(checkAttempts ?? 0, isTold ? number : 0);
        assert.ok(checkAttempts === undefined || Number.isSafeInteger(checkAttempts));
      };
      await assertNumber(1);
      for (let number = 2; number <= LIMIT; number++) await take();
      await take();
      await assertNumber(LIMIT);
      await storage.returnAttempt(id);
      await assertNumber(LIMIT - 1);
      assert.equal((await storage.findLink(linkId(hashOf(2))))?.checkAttempts ?? 0, 0, 'of another link');
      await storage.unlockLink(id);
      await assertNumber(0);
    },
  },
  {
    name: 'a link that is inserted again after its deletion has no attempts',
    async check(storage) {
      const { accessCodeHash, expiresAt } = await withLink(storage);
      await takeAll(storage, accessCodeHash);
      assert.equal(await storage.deleteExpiredLinks(new Date(expiresAt.getTime() + 1)), 1);
      assert.equal(await storage.unlockLink(linkId(accessCodeHash)), false);
      await storage.insertLink(sampleLink());
      assert.deepEqual(await takeAll(storage, accessCodeHash), ALL);
    },
  },
];
