// Rules about links: insertion, opening, revocation, deletion.

import { isClaimlinkError } from '../../core/errors.js';
import type { Link } from '../../core/types.js';
import assert from './assert.js';
import {
  assertHas,
  CLIENT_ID,
  END,
  hashOf,
  JUST_BEFORE_END,
  later,
  linkId,
  linkOf,
  NOON,
  PREFILLED,
  REDUCED,
  referencesOf,
  type StorageRule,
  sampleLink,
  sampleSubmission,
  sessionsOf,
  withLink,
} from './samples.js';

const OPTIONAL_LINK_MEMBERS = [
  'openedAt',
  'revokedAt',
  'submittedAt',
] as const satisfies readonly (keyof Link)[];

export const linkRules: readonly StorageRule[] = [
  {
    name: 'findLink returns every member of a link, and its config unchanged',
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
          extra: { tenant: 'söhne', list: [1, null, { a: [] }], empty: {} },
        },
      });
      const stored = await storage.findLink(linkId(link.accessCodeHash));
      assertHas(stored?.link, link, OPTIONAL_LINK_MEMBERS);
      assert.equal(stored?.session, undefined);
    },
  },
  {
    name: 'findLink returns empty objects and arrays of a config as empty, and absent members as absent',
    async check(storage) {
      const config = { ...sampleLink().config, policy: { linkedContacts: [], holder: {} } };
      const link = await withLink(storage, { config });
      assert.deepEqual((await linkOf(storage, link.accessCodeHash))?.config, config);
    },
  },
  {
    name: 'findLink returns the client of the link',
    async check(storage) {
      const client = { clientId: CLIENT_ID, name: 'Acme', callbackOrigins: ['https://a.example'] };
      await storage.insertClient(client);
      await storage.insertLink(sampleLink());
      assertHas((await storage.findLink(linkId(sampleLink().accessCodeHash)))?.client, client, []);
    },
  },
  {
    name: 'findLink returns undefined for an unknown hash, and for the hash in upper case',
    async check(storage) {
      await withLink(storage);
      assert.equal(await storage.findLink(linkId(hashOf(2))), undefined);
      assert.equal(await storage.findLink(linkId('A'.repeat(64))), undefined);
    },
  },
  {
    name: 'findLink returns undefined for the hash of another client',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      assert.equal(await storage.findLink({ clientId: 'other', accessCodeHash }), undefined);
    },
  },
  {
    name: 'insertLink returns false if the access code hash exists, and does not change the first link',
    async check(storage) {
      const link = await withLink(storage);
      assert.equal(await storage.insertLink(sampleLink({ userId: 'user-2' })), false);
      assertHas(await linkOf(storage, link.accessCodeHash), link, OPTIONAL_LINK_MEMBERS);
    },
  },
  {
    name: 'insertLink returns true or throws client_not_found for an unknown client, and nothing finds the link',
    async check(storage) {
      try {
        assert.equal(await storage.insertLink(sampleLink()), true);
      } catch (error) {
        assert.ok(
          isClaimlinkError(error) && error.code === 'client_not_found',
          'the error is client_not_found',
        );
      }
      const { accessCodeHash } = sampleLink();
      assert.equal(await storage.findLink(linkId(accessCodeHash)), undefined);
      assert.equal((await storage.submitLink(sampleSubmission(accessCodeHash))).outcome, 'not_found');
    },
  },
  {
    name: 'insertLink returns false if the hash belongs to a revoked or submitted link',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      const submittedHash = hashOf(2);
      await storage.insertLink(sampleLink({ accessCodeHash: submittedHash }));
      await storage.revokeLink({ clientId, accessCodeHash, at: NOON });
      await storage.submitLink(sampleSubmission(submittedHash));
      assert.equal(await storage.insertLink(sampleLink()), false);
      assert.equal(await storage.insertLink(sampleLink({ accessCodeHash: submittedHash })), false);
    },
  },
  {
    name: 'findLink returns expired links and revoked links',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage, { expiresAt: new Date(1) });
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.expiresAt, new Date(1));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.revokeLink({ clientId, accessCodeHash: hashOf(2), at: later(3) });
      assert.deepEqual((await linkOf(storage, hashOf(2)))?.revokedAt, later(3));
    },
  },
  {
    name: 'markLinkOpened stores openedAt in milliseconds, and later calls do not change it',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(5000) });
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: NOON });
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.openedAt, later(1));
    },
  },
  {
    name: 'markLinkOpened changes one link only, and ignores unknown links',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.markLinkOpened({ ...linkId(hashOf(3)), at: NOON });
      await storage.markLinkOpened({ ...linkId(hashOf(2)), at: NOON });
      assert.equal((await linkOf(storage, accessCodeHash))?.openedAt, undefined);
      assert.equal(await storage.findLink(linkId(hashOf(3))), undefined);
    },
  },
  {
    name: 'markLinkOpened ignores the hash of another client',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      await storage.markLinkOpened({ clientId: 'other', accessCodeHash, at: NOON });
      assert.equal((await linkOf(storage, accessCodeHash))?.openedAt, undefined);
    },
  },
  {
    name: 'a link that findLink returned does not change afterwards',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const before = await storage.findLink(linkId(accessCodeHash));
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: NOON });
      await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.deepEqual(
        [before?.link.openedAt, before?.link.submittedAt, before?.session],
        Array(3).fill(undefined),
      );
    },
  },
  {
    name: 'revokeLink returns true once and keeps the first date',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: later(1) }), true);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: later(2) }), false);
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.revokedAt, later(1));
    },
  },
  {
    name: 'revokeLink removes all members of config except contact and currentUserId',
    async check(storage) {
      const { accessCodeHash, clientId, config } = await withLink(storage, { config: PREFILLED });
      await storage.revokeLink({ clientId, accessCodeHash, at: END });
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.config, config);
      await storage.revokeLink({ clientId, accessCodeHash, at: NOON });
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.config, REDUCED);
    },
  },
  {
    name: 'revokeLink returns false for an unknown link',
    async check(storage) {
      const { clientId } = await withLink(storage);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash: hashOf(2), at: NOON }), false);
    },
  },
  {
    name: 'revokeLink returns false for a link of another client, and the link stays usable',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      assert.equal(await storage.revokeLink({ clientId: 'other', accessCodeHash, at: NOON }), false);
      const { outcome } = await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(outcome, 'submitted');
    },
  },
  {
    name: 'revokeLink returns false for a submitted link, and the link stays submitted',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: later(1) }), false);
      const link = await linkOf(storage, accessCodeHash);
      assert.deepEqual([link?.revokedAt, link?.submittedAt], [undefined, NOON]);
    },
  },
  {
    name: 'revokeLink returns true a millisecond before expiresAt, and false at expiresAt',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: END }), false);
      assert.equal((await linkOf(storage, accessCodeHash))?.revokedAt, undefined);
      assert.equal(await storage.revokeLink({ clientId, accessCodeHash, at: JUST_BEFORE_END }), true);
    },
  },
  {
    name: 'deleteExpiredLinks deletes and counts links with expiresAt before the date, not at the date',
    async check(storage) {
      await withLink(storage, { expiresAt: JUST_BEFORE_END });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2), expiresAt: NOON }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3), expiresAt: END }));
      assert.equal(await storage.deleteExpiredLinks(END), 2);
      assert.equal(await storage.deleteExpiredLinks(END), 0);
      assert.equal(await storage.findLink(linkId('a'.repeat(64))), undefined);
      assert.equal(await storage.findLink(linkId(hashOf(2))), undefined);
      assertHas(await linkOf(storage, hashOf(3)), sampleLink({ accessCodeHash: hashOf(3) }), []);
    },
  },
  {
    name: 'deleteExpiredLinks also deletes opened, revoked and submitted links, but no sessions',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3) }));
      await storage.submitLink(sampleSubmission(accessCodeHash));
      await storage.revokeLink({ clientId, accessCodeHash: hashOf(2), at: NOON });
      await storage.markLinkOpened({ ...linkId(hashOf(3)), at: NOON });
      assert.equal(await storage.deleteExpiredLinks(later(60_001)), 3);
      assert.deepEqual(await referencesOf(storage), ['S-1']);
    },
  },
  {
    name: 'submitLink returns not_found for a deleted link, and creates no session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.deleteExpiredLinks(later(60_001));
      const result = await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(result.outcome, 'not_found');
      assert.equal((await sessionsOf(storage)).length, 0);
    },
  },
];
