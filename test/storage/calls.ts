// Calls of every method of a storage, of which the tests of plans read the statements.
import type { Interfaces } from '../../lib/core/guarded-storage.js';
import { CLIENT_ID, NOON, sampleLink, sampleRecord } from '../../lib/testing/storage-suite/samples.js';

type SqlStorage = Interfaces['AdminStorage'] &
  Interfaces['OutboxStorage'] &
  Interfaces['RecordStorage'] &
  Interfaces['SearchStorage'] &
  Interfaces['CheckStorage'] &
  Interfaces['IdempotencyStorage'] &
  Interfaces['LifeStorage'] &
  Interfaces['KeyUseStorage'] &
  Interfaces['ClientStorage'];

const limit = 100;
const owner = { clientId: CLIENT_ID, userId: 'user-1' };
const session = { clientId: CLIENT_ID, reference: 'S-1' };
const event = { ...session, id: 'event-1' };
const link = { clientId: CLIENT_ID, accessCodeHash: 'hash-1' };
const at = NOON;
/** After the first ten sessions, and the first ten links. */
const before = new Date(NOON.getTime() + 100);
const expired = new Date(before.getTime() + 86_400_000);
const { clientId: _, userId: __, ...submitted } = sampleRecord({ reference: 'S-new' });

/** The calls of each method. `listClients` returns a whole table. */
export const CALLS: Record<
  Exclude<keyof SqlStorage, 'listClients' | 'close'>,
  readonly ((storage: SqlStorage) => unknown)[]
> = {
  findCredentials: [
    (storage) => storage.findCredentials({ apiKeyHash: 'hash-1', clientId: 'client-1' }),
    (storage) =>
      storage.findCredentials({
        apiKeyHash: 'hash-1',
        clientId: 'client-1',
        listing: { userId: 'user-1', limit, at },
      }),
  ],
  findClient: [(storage) => storage.findClient(CLIENT_ID)],
  listSessions: [
    (storage) => storage.listSessions({ ...owner, limit }),
    (storage) => storage.listSessions({ ...owner, limit, status: 'closed' }),
  ],
  insertLink: [(storage) => storage.insertLink(sampleLink())],
  insertLinkOnce: [
    (storage) =>
      storage.insertLinkOnce(sampleLink({ accessCodeHash: 'new' }), {
        keyMac: 'new',
        requestMac: 'new',
        sealed: 'new',
      }),
  ],
  findIdempotentLink: [
    (storage) => storage.findIdempotentLink({ clientId: CLIENT_ID, keyMacs: ['mac-1'] }),
    (storage) => storage.findIdempotentLink({ clientId: CLIENT_ID, keyMacs: ['mac-1', 'mac-2'] }),
  ],
  findLink: [(storage) => storage.findLink(link)],
  markLinkOpened: [(storage) => storage.markLinkOpened({ ...link, at })],
  submitLink: [
    (storage) => storage.submitLink({ ...link, at, session: submitted }),
    (storage) =>
      storage.submitLink({
        ...link,
        at,
        session: submitted,
        event: { id: 'new', attempts: 0, nextAttemptAt: at },
      }),
  ],
  revokeLink: [(storage) => storage.revokeLink({ ...link, at })],
  deleteExpiredLinks: [(storage) => storage.deleteExpiredLinks(expired, expired)],
  takeAttempt: [(storage) => storage.takeAttempt({ ...link, limit: 5 })],
  returnAttempt: [(storage) => storage.returnAttempt(link)],
  unlockLink: [(storage) => storage.unlockLink(link)],
  chooseEvents: [(storage) => storage.chooseEvents({ types: ['link.expired'], expiryNoticeSeconds: 60 })],
  addMoment: [
    (storage) => storage.addMoment({ ...link, moment: { type: 'link.started', at }, sequence: 1 }),
    (storage) =>
      storage.addMoment({
        ...link,
        moment: { type: 'link.declined', at, why: 'other' },
        sequence: 1,
        revoke: true,
      }),
  ],
  listMoments: [(storage) => storage.listMoments(link)],
  addDueMoments: [(storage) => storage.addDueMoments({ at: expired, limit })],
  insertClient: [(storage) => storage.insertClient({ clientId: 'new' })],
  updateClient: [(storage) => storage.updateClient({ clientId: CLIENT_ID })],
  changeClient: [
    (storage) =>
      storage.changeClient({
        clientId: CLIENT_ID,
        set: { name: 'New', callbackOrigins: [], settings: { allowDecline: true } },
        remove: ['locale', 'branding.logoUrl', 'settings.form'],
      }),
  ],
  deleteClient: [(storage) => storage.deleteClient('client-9', at)],
  insertApiKey: [
    (storage) => storage.insertApiKey({ id: 'new', clientId: CLIENT_ID, hash: 'new', createdAt: at }),
  ],
  listApiKeys: [(storage) => storage.listApiKeys('client-1')],
  revokeApiKey: [(storage) => storage.revokeApiKey('key-1', at)],
  findApiKey: [(storage) => storage.findApiKey('key-1')],
  updateApiKey: [(storage) => storage.updateApiKey('key-1', { expiresAt: at })],
  recordKeyUse: [(storage) => storage.recordKeyUse({ apiKeyHash: 'hash-1', at })],
  insertSession: [(storage) => storage.insertSession(sampleRecord({ reference: 'S-new' }))],
  findSession: [(storage) => storage.findSession(session)],
  findSessions: [(storage) => storage.findSessions({ reference: 'S-1' })],
  findLinks: [(storage) => storage.findLinks({ accessCodeHash: 'hash-1' })],
  updateSession: [(storage) => storage.updateSession({ ...session, status: 'closed' })],
  listLinks: [
    (storage) => storage.listLinks({ ...owner, at, limit }),
    (storage) => storage.listLinks({ clientId: CLIENT_ID, at, limit }),
    (storage) => storage.listLinks({ clientId: CLIENT_ID, at, limit, state: 'created' }),
  ],
  revokeLinks: [
    (storage) => storage.revokeLinks({ ...owner, at }),
    (storage) => storage.revokeLinks({ clientId: 'client-9', at }),
  ],
  listClientSessions: [
    (storage) => storage.listClientSessions({ clientId: CLIENT_ID, limit }),
    (storage) => storage.listClientSessions({ clientId: CLIENT_ID, limit, since: before }),
  ],
  deleteUser: [(storage) => storage.deleteUser({ ...owner, at })],
  deleteSessions: [(storage) => storage.deleteSessions(before, at)],
  reduceExpiredLinks: [(storage) => storage.reduceExpiredLinks(expired)],
  leaseEvents: [
    (storage) => storage.leaseEvents({ at, leaseUntil: at, limit }),
    (storage) => storage.leaseEvents({ at, leaseUntil: at, limit, kind: 'submission' }),
    (storage) => storage.leaseEvents({ at, leaseUntil: at, limit, kind: 'life' }),
  ],
  settleEvent: [(storage) => storage.settleEvent(event)],
  postponeEvent: [
    (storage) => storage.postponeEvent({ ...event, attempts: 1, nextAttemptAt: at, reason: 'Error' }),
  ],
  countEvents: [
    (storage) => storage.countEvents({ limit: 1000 }),
    (storage) => storage.countEvents({ limit: 1000, kind: 'submission' }),
    (storage) => storage.countEvents({ limit: 1000, kind: 'life' }),
  ],
  listEvents: [
    (storage) => storage.listEvents({ state: 'pending', limit }),
    (storage) => storage.listEvents({ state: 'failed', limit }),
    (storage) => storage.listEvents({ state: 'pending', kind: 'submission', limit }),
    (storage) => storage.listEvents({ state: 'failed', kind: 'life', limit }),
    (storage) => storage.listEvents({ state: 'failed', clientId: 'client-9', limit }),
  ],
  retryEvents: [
    (storage) => storage.retryEvents({ at }),
    (storage) => storage.retryEvents({ clientId: CLIENT_ID, at }),
    (storage) => storage.retryEvents({ ...session, at }),
  ],
};
