// Storage cases: links from insertion over opening and revoking to their deletion.
import assert from 'node:assert/strict';
import type { Link } from '../../core/types.js';
import {
  assertHas,
  CLIENT_ID,
  later,
  linkId,
  NOON,
  type StorageCase,
  sampleKey,
  sampleLink,
  sampleSession,
  withLink,
} from './samples.js';

const OPTIONAL_LINK_MEMBERS = [
  'openedAt',
  'revokedAt',
  'submittedAt',
] as const satisfies readonly (keyof Link)[];
const END = sampleLink().expiresAt;

export const linkCases: readonly StorageCase[] = [
  {
    name: 'a link comes back with every member, its config as it was given',
    async check(storage) {
      const link = await withLink(storage, {
        callbackOnSubmit: true,
        userId: '42',
        config: {
          contact: { email: 'help@example.com', phone: '+44 1', link: 'https://example.com/?a=1&b="2"' },
          currentUserId: 42,
          policy: {
            provider: 'Söhne',
            number: '',
            validFrom: '2026-01-01',
            validTo: 'soon',
            holder: { firstName: "O'Neill", lastName: '🚗', email: 'a@b', phone: '1' },
            vehicle: { licensePlate: 'B 1' },
            linkedContacts: [{ firstName: 'Grace', phone: '2' }, {}],
          },
          initialStepKey: 'incident',
          privacyPolicyUrl: 'https://example.com/privacy',
        },
      });
      const found = await storage.findLink(linkId(link.accessCodeHash));
      assertHas(found?.link, link, OPTIONAL_LINK_MEMBERS);
      assert.equal(found?.session, undefined);
    },
  },
  {
    name: 'an empty policy and empty contacts in a config stay empty, and absent members stay absent',
    async check(storage) {
      const config = { ...sampleLink().config, policy: { linkedContacts: [], holder: {} } };
      const link = await withLink(storage, { config });
      assert.deepEqual((await storage.findLink(linkId(link.accessCodeHash)))?.link.config, config);
    },
  },
  {
    name: 'findLink brings the client along',
    async check(storage) {
      const client = { clientId: CLIENT_ID, name: 'Acme', callbackOrigins: ['https://a.example'] };
      await storage.insertClient(client);
      await storage.insertLink(sampleLink());
      assertHas((await storage.findLink(linkId(sampleLink().accessCodeHash)))?.client, client, []);
    },
  },
  {
    name: 'findLink is undefined for an unknown hash, and for the same hash in upper case',
    async check(storage) {
      await withLink(storage);
      assert.equal(await storage.findLink(linkId('b'.repeat(64))), undefined);
      assert.equal(await storage.findLink(linkId('A'.repeat(64))), undefined);
    },
  },
  {
    name: 'findCredentials tells a hash from the same one in upper case',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertApiKey(sampleKey());
      const found = await storage.findCredentials({ apiKeyHash: 'F'.repeat(64), clientId: CLIENT_ID });
      assert.equal(found.apiKey, undefined);
    },
  },
  {
    name: 'insertLink is false for a taken access code hash, and the first link stays',
    async check(storage) {
      const link = await withLink(storage);
      assert.equal(await storage.insertLink(sampleLink({ userId: 'user-2' })), false);
      assertHas((await storage.findLink(linkId(link.accessCodeHash)))?.link, link, OPTIONAL_LINK_MEMBERS);
    },
  },
  {
    name: 'insertLink is false for a hash whose link is revoked or submitted',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      const submittedHash = 'b'.repeat(64);
      await storage.insertLink(sampleLink({ accessCodeHash: submittedHash }));
      await storage.revokeLink({ clientId, accessCodeHash, at: NOON });
      await storage.submitLink({ ...linkId(submittedHash), at: NOON, session: sampleSession() });
      assert.equal(await storage.insertLink(sampleLink()), false);
      assert.equal(await storage.insertLink(sampleLink({ accessCodeHash: submittedHash })), false);
    },
  },
  {
    name: 'findLink finds links that are expired or revoked, too',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage, { expiresAt: new Date(1) });
      assert.deepEqual((await storage.findLink(linkId(accessCodeHash)))?.link.expiresAt, new Date(1));
      await storage.insertLink(sampleLink({ accessCodeHash: 'b'.repeat(64) }));
      await storage.revokeLink({ clientId, accessCodeHash: 'b'.repeat(64), at: later(3) });
      assert.deepEqual((await storage.findLink(linkId('b'.repeat(64))))?.link.revokedAt, later(3));
    },
  },
  {
    name: 'markLinkOpened sets openedAt to the millisecond, and the first opening stays',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(5000) });
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: NOON });
      assert.deepEqual((await storage.findLink(linkId(accessCodeHash)))?.link.openedAt, later(1));
    },
  },
  {
    name: 'markLinkOpened opens that link only, and ignores unknown ones',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: 'b'.repeat(64) }));
      await storage.markLinkOpened({ ...linkId('c'.repeat(64)), at: NOON });
      await storage.markLinkOpened({ ...linkId('b'.repeat(64)), at: NOON });
      assert.equal((await storage.findLink(linkId(accessCodeHash)))?.link.openedAt, undefined);
      assert.equal(await storage.findLink(linkId('c'.repeat(64))), undefined);
    },
  },
  {
    name: 'a link that was found is not changed by what happens to it afterwards',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const before = await storage.findLink(linkId(accessCodeHash));
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: NOON });
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      assert.deepEqual(
        [before?.link.openedAt, before?.link.submittedAt, before?.session],
        Array(3).fill(undefined),
      );
    },
  },
  {
    name: 'revokeLink is true once and keeps the moment; false when revoked before',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: later(1) }), true);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: later(2) }), false);
      assert.deepEqual((await storage.findLink(linkId(accessCodeHash)))?.link.revokedAt, later(1));
    },
  },
  {
    name: 'revokeLink is false for an unknown link',
    async check(storage) {
      const { clientId } = await withLink(storage);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash: 'b'.repeat(64), at: NOON }), false);
    },
  },
  {
    name: "revokeLink is false for another client's link, which stays usable",
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      assert.equal(await storage.revokeLink({ clientId: 'other', accessCodeHash, at: NOON }), false);
      const { outcome } = await storage.submitLink({
        ...linkId(accessCodeHash),
        at: NOON,
        session: sampleSession(),
      });
      assert.equal(outcome, 'submitted');
    },
  },
  {
    name: 'revokeLink is false for a submitted link, which stays submitted',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: later(1) }), false);
      const found = await storage.findLink(linkId(accessCodeHash));
      assert.deepEqual([found?.link.revokedAt, found?.link.submittedAt], [undefined, NOON]);
    },
  },
  {
    name: 'revokeLink is true a millisecond before the expiry, and false at it',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: END }), false);
      assert.equal((await storage.findLink(linkId(accessCodeHash)))?.link.revokedAt, undefined);
      const justBefore = new Date(END.getTime() - 1);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: justBefore }), true);
    },
  },
  {
    name: 'deleteExpiredLinks deletes links that ended before the moment, not those that end at it, and counts them',
    async check(storage) {
      await withLink(storage, { expiresAt: new Date(END.getTime() - 1) });
      await storage.insertLink(sampleLink({ accessCodeHash: 'b'.repeat(64), expiresAt: NOON }));
      await storage.insertLink(sampleLink({ accessCodeHash: 'c'.repeat(64), expiresAt: END }));
      assert.equal(await storage.deleteExpiredLinks(END), 2);
      assert.equal(await storage.deleteExpiredLinks(END), 0);
      assert.equal(await storage.findLink(linkId('a'.repeat(64))), undefined);
      assert.equal(await storage.findLink(linkId('b'.repeat(64))), undefined);
      assertHas(
        (await storage.findLink(linkId('c'.repeat(64))))?.link,
        sampleLink({ accessCodeHash: 'c'.repeat(64) }),
        [],
      );
    },
  },
  {
    name: 'deleteExpiredLinks deletes opened, revoked and submitted links, too; sessions stay',
    async check(storage) {
      const { accessCodeHash, clientId, userId } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: 'b'.repeat(64) }));
      await storage.insertLink(sampleLink({ accessCodeHash: 'c'.repeat(64) }));
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      await storage.revokeLink({ clientId, accessCodeHash: 'b'.repeat(64), at: NOON });
      await storage.markLinkOpened({ ...linkId('c'.repeat(64)), at: NOON });
      assert.equal(await storage.deleteExpiredLinks(later(60_001)), 3);
      const { sessions } = await storage.listSessions({ clientId, userId, limit: 10 });
      assert.deepEqual(
        sessions.map(({ reference }) => reference),
        ['S-1'],
      );
    },
  },
  {
    name: 'a deleted link is not_found for a submission, and creates nothing',
    async check(storage) {
      const { accessCodeHash, clientId, userId } = await withLink(storage);
      await storage.deleteExpiredLinks(later(60_001));
      const result = await storage.submitLink({
        ...linkId(accessCodeHash),
        at: NOON,
        session: sampleSession(),
      });
      assert.equal(result.outcome, 'not_found');
      assert.equal((await storage.listSessions({ clientId, userId, limit: 10 })).sessions.length, 0);
    },
  },
];
