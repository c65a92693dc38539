// Rules about sizes: a storage keeps every text at its maximum length, and data of a host with its bytes and levels.

import type { AdminStorage, StoredSubmission } from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedLife, ProvisionedOutbox } from './event-sources.js';
import { deepestExtra, FILLINGS, type LargestRecords, largestRecords } from './largest.js';
import type { ProvisionedStorage } from './provisioning.js';
import type { ProvisionedRecords } from './records.js';
import {
  assertHas,
  assertSession,
  linkId,
  NOON,
  type StorageRule,
  sampleLink,
  sampleSession,
  sampleSubmission,
  sessionsOf,
  withLink,
} from './samples.js';

/** Returns a rule for each filling of the texts. */
function sizeRules<S extends ProvisionedStorage>(
  subject: string,
  check: (storage: S, records: LargestRecords) => Promise<void>,
): StorageRule<S>[] {
  return FILLINGS.map(([what, filling]) => ({
    name: `${subject} with each text at its maximum length is stored unchanged: ${what}`,
    check: (storage) => check(storage, largestRecords(filling)),
  }));
}

export const sizeRulesOfStorage: readonly StorageRule[] = [
  ...sizeRules('the name of a client', async (storage, { client, link }) => {
    const { clientId, name = '', callbackOrigins = [] } = client;
    const named = { clientId, name, callbackOrigins };
    await storage.insertClient(named);
    assertHas(await storage.findClient(clientId), named, []);
    await storage.insertLink(link);
    assertHas((await storage.findLink(link))?.client, named, []);
  }),
  ...sizeRules('a link', async (storage, { client, link }) => {
    await storage.insertClient(client);
    assert.equal(await storage.insertLink(link), true);
    assertHas((await storage.findLink(link))?.link, link, []);
  }),
  ...sizeRules('a session', async (storage, { client, session }) => {
    await storage.insertClient(client);
    await storage.insertSession(session);
    const { clientId, userId, ...members } = session;
    const [listed] = await sessionsOf(storage, { clientId, userId, status: session.status });
    assertSession(listed, members);
  }),
  ...sizeRules('the session of a submission', async (storage, { client, link, session }) => {
    await storage.insertClient(client);
    await storage.insertLink(link);
    const { clientId, userId, ...submitted } = session;
    const { accessCodeHash } = link;
    const result = await storage.submitLink({ clientId, accessCodeHash, at: NOON, session: submitted });
    assert.equal(result.outcome, 'submitted');
    assertSession((await storage.findLink(link))?.session, submitted);
    assertSession((await sessionsOf(storage, { clientId, userId }))[0], submitted);
  }),
  {
    name: 'extra with its greatest number of levels is stored unchanged: of a link, of a claim, and of the link of a session',
    async check(storage) {
      const extra = deepestExtra();
      const { config } = sampleLink();
      const { accessCodeHash } = await withLink(storage, { config: { ...config, extra } });
      assert.deepEqual((await storage.findLink(linkId(accessCodeHash)))?.link.config.extra, extra);
      const session = sampleSession({ extra, link: { linkId: accessCodeHash, extra } });
      await storage.submitLink(sampleSubmission(accessCodeHash, { session }));
      assertSession((await sessionsOf(storage))[0], session);
    },
  },
];

export const sizeRulesOfAdmin: readonly StorageRule<AdminStorage>[] = [
  ...sizeRules<AdminStorage>('a client', async (storage, { client, link }) => {
    await storage.insertClient(client);
    assert.deepEqual(await storage.findClient(client.clientId), client);
    await storage.updateClient({ clientId: client.clientId });
    await storage.updateClient(client);
    await storage.insertLink(link);
    assert.deepEqual((await storage.findLink(link))?.client, client);
  }),
  ...sizeRules<AdminStorage>('an API key', async (storage, { client, apiKey }) => {
    await storage.insertClient(client);
    await storage.insertApiKey(apiKey);
    assertHas(await storage.findApiKey(apiKey.id), apiKey, []);
    const { apiKey: presented } = await storage.findCredentials({
      apiKeyHash: apiKey.hash,
      clientId: client.clientId,
    });
    assert.equal(presented?.clientId, client.clientId);
  }),
];

export const sizeRulesOfOutbox: readonly StorageRule<ProvisionedOutbox>[] = sizeRules(
  'an event',
  async (storage, { client, link, session, event }) => {
    await storage.insertClient(client);
    await storage.insertLink(link);
    const { clientId, userId, ...submitted } = session;
    const { id, nextAttemptAt, reason = '' } = event;
    await storage.submitLink({
      clientId,
      accessCodeHash: link.accessCodeHash,
      at: NOON,
      session: submitted,
      event: { id, attempts: 1, nextAttemptAt: NOON },
    });
    const failure = { clientId, reference: session.reference, id, attempts: 1, nextAttemptAt, reason };
    await storage.postponeEvent(failure);
    const [stored] = await storage.listEvents({ state: 'pending', clientId, limit: 1 });
    assertHas<Partial<StoredSubmission>>(stored as StoredSubmission, { ...failure, userId }, []);
    assertSession((stored as StoredSubmission).session, submitted);
    await storage.settleEvent(failure);
    assert.deepEqual(await storage.countEvents({ limit: 1 }), { pending: 0, failed: 0 });
  },
);

export const sizeRulesOfLife: readonly StorageRule<ProvisionedLife>[] = sizeRules(
  'an event of a link',
  async (storage, { client, link, event: { nextAttemptAt, reason = '' } }) => {
    await storage.insertClient(client);
    await storage.insertLink(link);
    await storage.chooseEvents({ types: ['link.started'], expiryNoticeSeconds: 0 });
    const moment = { type: 'link.started', at: NOON } as const;
    await storage.addMoment({ ...link, moment, sequence: 1 });
    const { clientId, userId, accessCodeHash, expiresAt } = link;
    const [recorded] = await storage.listEvents({ state: 'pending', clientId, limit: 1 });
    const key = { clientId, id: recorded?.id ?? '' };
    await storage.postponeEvent({ ...key, attempts: 0, nextAttemptAt, reason });
    const [stored] = await storage.listEvents({ state: 'pending', clientId, limit: 1 });
    const event = { ...moment, clientId, userId, linkId: accessCodeHash, expiresAt, sequence: 1 };
    const state = { attempts: 0, nextAttemptAt, reason };
    assertHas<object>(stored, { ...key, ...event, ...state }, []);
    await storage.settleEvent(key);
    assert.deepEqual(await storage.countEvents({ limit: 1 }), { pending: 0, failed: 0 });
  },
);

export const sizeRulesOfRecords: readonly StorageRule<ProvisionedRecords>[] = sizeRules(
  'a change of a session',
  async (storage, { client, session }) => {
    const { clientId, reference, status, camsReference } = session;
    await storage.insertClient(client);
    await storage.insertSession({ ...session, status: 'submitted', camsReference: 'C-1' });
    await storage.updateSession({ clientId, reference, status, camsReference });
    assertHas(await storage.findSession({ clientId, reference }), session, []);
  },
);
