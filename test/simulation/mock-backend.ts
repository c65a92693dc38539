// The clients of a mock as the storage of a simulation: seeded sessions, links that expire on request, restarts.

import type { LinkSigner } from '../../lib/core/link-signer.js';
import type { CheckStorage, IdempotencyStorage, Storage } from '../../lib/core/storage.js';
import type { ClientSettings, Session } from '../../lib/core/types.js';
import {
  createMockClient,
  type MockClientState,
  type SharedParts,
} from '../../mock-server/state/mock-client.js';
import { createPhotoBytes } from '../../mock-server/state/photo-bytes.js';
import { storedSession } from '../core/world.js';

/** So few that the mock often drops seeded sessions. */
const MAX_SEEDED_SESSIONS = 3;
const SEEDED_PER_USER = 2;

type MockStorage = Storage & CheckStorage & IdempotencyStorage;

/** Creates the mock clients. `now` is the clock of the machine. */
export function createMockBackend(
  clients: readonly { clientId: string; apiKey: string; settings: ClientSettings }[],
  signer: LinkSigner,
  now: () => Date,
) {
  const parts: SharedParts = {
    publicUrl: 'https://claims.example.com',
    seeder: { sessionsOf } as unknown as SharedParts['seeder'],
    signer,
    systemNow: now,
    emit: () => {},
    changed: () => {},
    handleEvent: async () => {},
    photoBytes: createPhotoBytes(),
    serviceOptions: {},
    maxSeededSessions: MAX_SEEDED_SESSIONS,
  };
  const byId = new Map<string, MockClientState>();
  for (const client of clients) {
    const createInitial = () => ({
      client,
      storedUsers: [],
      sessions: [],
      links: [],
      submissions: [],
      urls: {},
      clock: { offsetMs: 0 },
      faults: [],
      randomCount: 0,
    });
    byId.set(client.clientId, createMockClient({ client, userIds: [], createInitial }, true, parts));
  }
  const of = (clientId: string) => byId.get(clientId)?.storage as MockStorage;
  /** Routes each call to its client. */
  const storage: MockStorage = {
    findCredentials: (query) => of(query.clientId).findCredentials(query),
    findClient: (clientId) => of(clientId).findClient(clientId),
    listSessions: (query) => of(query.clientId).listSessions(query),
    insertLink: (link) => of(link.clientId).insertLink(link),
    insertLinkOnce: (link, idempotency) => of(link.clientId).insertLinkOnce(link, idempotency),
    findIdempotentLink: (query) => of(query.clientId).findIdempotentLink(query),
    findLink: (id) => of(id.clientId).findLink(id),
    takeAttempt: (query) => of(query.clientId).takeAttempt(query),
    returnAttempt: (id) => of(id.clientId).returnAttempt(id),
    unlockLink: (id) => of(id.clientId).unlockLink(id),
    markLinkOpened: (query) => of(query.clientId).markLinkOpened(query),
    submitLink: (submission) => of(submission.clientId).submitLink(submission),
    revokeLink: (query) => of(query.clientId).revokeLink(query),
    deleteExpiredLinks(before) {
      const counts = [...byId.values()].map((client) => client.storage.deleteExpiredLinks(before) as number);
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
  return {
    storage,
    expireLink: (clientId: string, linkId: string) => byId.get(clientId)?.expireLink(linkId),
    /** Saves all state and reads it again, as a mock with `--persist` does when it starts. */
    restart() {
      for (const client of byId.values()) client.restore(client.save());
    },
    sessions: (clientId: string, userId: string) => byId.get(clientId)?.sessions(userId) ?? [],
  };
}

/** The seeded sessions of a user, which are the same in each call. */
function sessionsOf(clientId: string, userId: string): Session[] {
  const { selectedPolicy } = storedSession();
  return Array.from({ length: SEEDED_PER_USER }, (_, index) => ({
    reference: `seeded-${userId}-${index}`,
    date: new Date(index),
    camsReference: 'C',
    status: 'submitted',
    createdAt: new Date(index),
    selectedPolicy: { ...selectedPolicy, number: `${clientId}/${userId}/seeded` },
  }));
}
