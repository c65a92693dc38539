// Storage cases: concurrent calls, where exactly one may win.
import assert from 'node:assert/strict';
import { isClaimlinkError } from '../../core/errors.js';
import type { AdminStorage } from '../../core/storage.js';
import {
  atOnce,
  CLIENT_ID,
  count,
  later,
  linkId,
  NOON,
  referencesOf,
  type StorageCase,
  sampleKey,
  sampleLink,
  sampleRecord,
  sampleSession,
  USER_ID,
  withLink,
} from './samples.js';

const MANY = 100;
const ROUNDS = 20;

export const raceCases: readonly StorageCase[] = [
  {
    name: `of ${MANY} concurrent submissions of one link exactly one is submitted, and all others get its session`,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const results = await atOnce(MANY, (index) =>
        storage.submitLink({
          ...linkId(accessCodeHash),
          at: NOON,
          session: sampleSession({ reference: `S-${index}` }),
        }),
      );
      const stored = await referencesOf(storage);
      assert.equal(stored.length, 1, 'one session exists');
      assert.equal(
        count(results, ({ outcome }) => outcome === 'submitted'),
        1,
      );
      assert.equal(
        count(results, ({ outcome }) => outcome === 'already_submitted'),
        MANY - 1,
      );
      for (const result of results) assert.equal('session' in result && result.session.reference, stored[0]);
    },
  },
  {
    name: 'of concurrent submissions of many links with one reference exactly one is submitted',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await atOnce(ROUNDS, (index) => storage.insertLink(numberedLink(index)));
      const results = await atOnce(ROUNDS, (index) =>
        storage.submitLink({ ...linkId(numberedHash(index)), at: NOON, session: sampleSession() }),
      );
      assert.equal(
        count(results, ({ outcome }) => outcome === 'submitted'),
        1,
      );
      assert.equal(
        count(results, ({ outcome }) => outcome === 'reference_taken'),
        ROUNDS - 1,
      );
      assert.deepEqual(await referencesOf(storage), ['S-1']);
    },
  },
  {
    name: 'of a concurrent submission and revocation exactly one wins: a session, or a revoked link',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (let round = 0; round < ROUNDS; round++) await submitAgainstRevoke(storage, round);
    },
  },
  {
    name: 'of concurrent revocations of one link exactly one is true',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      const results = await atOnce(MANY, (index) =>
        storage.revokeLink({ clientId, accessCodeHash, at: later(index) }),
      );
      assert.equal(
        count(results, (isRevoked) => isRevoked),
        1,
      );
      const { revokedAt } = (await storage.findLink(linkId(accessCodeHash)))?.link ?? {};
      assert.deepEqual(revokedAt, later(results.indexOf(true)));
    },
  },
  {
    name: 'concurrent submissions around the moment of expiry: only those before it can win',
    async check(storage) {
      const { accessCodeHash, expiresAt } = await withLink(storage);
      const results = await atOnce(ROUNDS, (index) => {
        const at = new Date(expiresAt.getTime() - (index % 2));
        return storage.submitLink({
          ...linkId(accessCodeHash),
          at,
          session: sampleSession({ reference: `S-${index}` }),
        });
      });
      const winner = results.findIndex(({ outcome }) => outcome === 'submitted');
      assert.equal(winner % 2, 1, 'the winner came before the expiry');
      assert.deepEqual(await referencesOf(storage), [`S-${winner}`]);
    },
  },
  {
    name: 'of concurrent insertions of one access code hash exactly one is true, and that link is stored',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const results = await atOnce(MANY, (index) =>
        storage.insertLink(sampleLink({ userId: `user-${index}` })),
      );
      assert.equal(
        count(results, (isStored) => isStored),
        1,
      );
      const found = await storage.findLink(linkId(sampleLink().accessCodeHash));
      assert.equal(found?.link.userId, `user-${results.indexOf(true)}`);
    },
  },
  {
    name: 'an opening that races a submission undoes nothing of it',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await atOnce(ROUNDS, (index) => storage.insertLink(numberedLink(index)));
      await atOnce(ROUNDS * 2, (index) => {
        const accessCodeHash = numberedHash(index >> 1);
        const session = sampleSession({ reference: `S-${index}` });
        return index % 2 === 0
          ? storage.submitLink({ ...linkId(accessCodeHash), at: later(2), session })
          : storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      });
      for (let index = 0; index < ROUNDS; index++) {
        const found = await storage.findLink(linkId(numberedHash(index)));
        assert.deepEqual(found?.link.submittedAt, later(2), `link ${index} is submitted`);
        assert.equal(found?.session?.reference, `S-${index * 2}`, `link ${index} has its session`);
      }
    },
  },
  {
    name: 'whoever looks during a submission sees both link and session, or neither',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await atOnce(ROUNDS, (index) => storage.insertLink(numberedLink(index)));
      const seen = await atOnce(ROUNDS * 3, async (index) => {
        const accessCodeHash = numberedHash(Math.floor(index / 3));
        if (index % 3 === 1) {
          const session = sampleSession({ reference: `S-${index}` });
          await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session });
        }
        return storage.findLink(linkId(accessCodeHash));
      });
      for (const found of seen) {
        assert.ok(found !== undefined);
        assert.equal(found.session !== undefined, found.link.submittedAt !== undefined, 'both or neither');
      }
    },
  },
  {
    name: 'of concurrent insertions of one session reference exactly one succeeds',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const isStored = await atOnce(ROUNDS, (index) =>
        succeeds(() => storage.insertSession(sampleRecord({ userId: USER_ID, camsReference: `C-${index}` }))),
      );
      assert.equal(count(isStored, Boolean), 1);
      const { sessions } = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 10 });
      assert.deepEqual(
        sessions.map(({ camsReference }) => camsReference),
        [`C-${isStored.indexOf(true)}`],
      );
    },
  },
  {
    name: 'of concurrent insertions of one client id exactly one succeeds',
    async check(storage) {
      const isStored = await atOnce(ROUNDS, (index) =>
        succeeds(() => storage.insertClient({ clientId: CLIENT_ID, name: `name-${index}` })),
      );
      assert.equal(count(isStored, Boolean), 1);
      assert.equal((await storage.findClient(CLIENT_ID))?.name, `name-${isStored.indexOf(true)}`);
    },
  },
  {
    name: 'of concurrent insertions of one API key hash exactly one succeeds',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const isStored = await atOnce(ROUNDS, (index) =>
        succeeds(() => storage.insertApiKey(sampleKey({ id: `key-${index}` }))),
      );
      assert.equal(count(isStored, Boolean), 1);
      const keys = await storage.listApiKeys(CLIENT_ID);
      assert.deepEqual(
        keys.map(({ id }) => id),
        [`key-${isStored.indexOf(true)}`],
      );
    },
  },
  {
    name: 'of concurrent revocations of one API key exactly one is true, and its moment stays',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertApiKey(sampleKey());
      const results = await atOnce(ROUNDS, (index) => storage.revokeApiKey('key-1', later(index)));
      assert.equal(
        count(results, (isRevoked) => isRevoked),
        1,
      );
      const [key] = await storage.listApiKeys(CLIENT_ID);
      assert.deepEqual(key?.revokedAt, later(results.indexOf(true)));
    },
  },
];

function numberedHash(index: number): string {
  return index.toString(16).padStart(64, '0');
}

function numberedLink(index: number) {
  return sampleLink({ accessCodeHash: numberedHash(index) });
}

async function submitAgainstRevoke(storage: AdminStorage, round: number): Promise<void> {
  const accessCodeHash = numberedHash(round);
  const reference = `S-${round}`;
  await storage.insertLink(numberedLink(round));
  const submit = async () =>
    storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession({ reference }) });
  const revoke = async () => storage.revokeLink({ clientId: CLIENT_ID, accessCodeHash, at: NOON });
  let submitted: ReturnType<typeof submit>;
  let revoked: ReturnType<typeof revoke>;
  if (round % 2 === 0) {
    submitted = submit();
    revoked = revoke();
  } else {
    revoked = revoke();
    submitted = submit();
  }
  const [{ outcome }, isRevoked] = await Promise.all([submitted, revoked]);
  assert.equal(outcome, isRevoked ? 'revoked' : 'submitted', `round ${round}`);
  assert.equal((await referencesOf(storage)).includes(reference), !isRevoked, `round ${round}: the session`);
  const found = await storage.findLink(linkId(accessCodeHash));
  assert.equal(found?.link.revokedAt !== undefined, isRevoked, `round ${round}: the link`);
}

/** Whether a call succeeds; a refusal other than already_exists is a failure of the case. */
async function succeeds(call: () => unknown): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'already_exists') return false;
    throw error;
  }
}
