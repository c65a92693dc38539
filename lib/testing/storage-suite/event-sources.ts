// The two kinds of events that an outbox keeps, as the rules of both record and compare them.

import type {
  AdminStorage,
  EventKey,
  EventKind,
  LifeStorage,
  NewEvent,
  OutboxStorage,
  RecordStorage,
  StoredEvent,
} from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertSession,
  CLIENT_ID,
  END,
  hashOf,
  NOON,
  sampleLink,
  sampleSession,
  sampleSubmission,
  USER_ID,
} from './samples.js';

/** A storage that keeps events. The rules about deletion apply if it has the methods that delete. */
export type ProvisionedOutbox = ProvisionedStorage &
  OutboxStorage &
  Partial<Pick<AdminStorage, 'deleteClient'> & Pick<RecordStorage, 'deleteSessions'>>;

/** A storage that keeps the events of links and of deletions as well. */
export type ProvisionedLife = ProvisionedOutbox & LifeStorage;

/** An event to record. */
export interface NumberedEvent {
  /** Number of its link. */
  index: number;
  /** Default: `NOON`. */
  due?: Date;
  /** Default: `CLIENT_ID`. The client is inserted if it does not exist. */
  clientId?: string;
}

/** Records the events of a kind. */
export interface EventSource<S extends ProvisionedOutbox> {
  kind: EventKind;
  /** Beginning of the names of the rules. */
  prefix: string;
  /** Records an event without attempts. Returns its key. */
  record(storage: S, event: NumberedEvent): Promise<EventKey>;
  /** The key of an event that does not exist. */
  unknown: EventKey;
  /** Asserts that a stored event has the members of a recorded one beside its state. */
  assertContent(actual: StoredEvent | undefined, event: NumberedEvent): void;
}

/** Inserts the numbered link of a client and submits it. */
export async function submitEvent(
  storage: ProvisionedOutbox,
  index: number,
  changes: Partial<Parameters<ProvisionedOutbox['submitLink']>[0]> & { event: NewEvent },
): Promise<void> {
  const clientId = changes.clientId ?? CLIENT_ID;
  await insertNumberedLink(storage, index, clientId);
  const session = sampleSession({ reference: `S-${index}` });
  const { outcome } = await storage.submitLink(sampleSubmission(hashOf(index), { session, ...changes }));
  assert.equal(outcome, 'submitted');
}

export const submissionEvents: EventSource<ProvisionedOutbox> = {
  kind: 'submission',
  prefix: '',
  unknown: { clientId: CLIENT_ID, reference: 'S-999', id: 'event-999' },
  async record(storage, { index, due = NOON, clientId = CLIENT_ID }) {
    // Ids are unique among the events of all clients.
    const id = clientId === CLIENT_ID ? `event-${index}` : `event-${clientId}-${index}`;
    await submitEvent(storage, index, { clientId, event: { id, attempts: 0, nextAttemptAt: due } });
    return { clientId, reference: `S-${index}`, id };
  },
  assertContent(actual, { index }) {
    assert.ok(actual !== undefined && 'session' in actual, 'the event of a submission has its session');
    assert.equal(actual.userId, USER_ID);
    assertSession(actual.session, sampleSession({ reference: `S-${index}` }));
  },
};

export const linkEvents: EventSource<ProvisionedOutbox & LifeStorage> = {
  kind: 'life',
  prefix: 'events of links: ',
  unknown: { clientId: CLIENT_ID, id: '00000000-0000-4000-8000-000000000000' },
  async record(storage, { index, due = NOON, clientId = CLIENT_ID }) {
    await storage.chooseEvents({ types: ['link.started'], expiryNoticeSeconds: 0 });
    await insertNumberedLink(storage, index, clientId);
    const link = { clientId, accessCodeHash: hashOf(index) };
    const moment = { type: 'link.started', at: due } as const;
    assert.equal(await storage.addMoment({ ...link, moment, sequence: 1 }), true);
    const pending = await storage.listEvents({ state: 'pending', clientId, kind: 'life', limit: 1000 });
    const event = pending.find((stored) => 'linkId' in stored && stored.linkId === link.accessCodeHash);
    assert.ok(event, 'the moment is an event');
    return { clientId, id: event.id };
  },
  assertContent(actual, { index, due = NOON, clientId = CLIENT_ID }) {
    assert.ok(actual !== undefined, 'the event exists');
    const { id, attempts, nextAttemptAt, failedAt, reason, ...event } = actual;
    assert.deepEqual(event, {
      type: 'link.started',
      at: due,
      clientId,
      userId: USER_ID,
      linkId: hashOf(index),
      expiresAt: END,
      sequence: 1,
    });
  },
};

async function insertNumberedLink(
  storage: ProvisionedOutbox,
  index: number,
  clientId: string,
): Promise<void> {
  if ((await storage.findClient(clientId)) === undefined) await storage.insertClient({ clientId });
  await storage.insertLink(sampleLink({ clientId, accessCodeHash: hashOf(index) }));
}
