// The in-memory storage: the reference implementation of the storage port. Its data is lost when the process ends.
import { anyValue, assertOptions, mustBeList, type OptionChecks } from '../core/assert-options.js';
import { ClaimlinkError } from '../core/errors.js';
import { isUsable, linkState, reduceConfig } from '../core/link-state.js';
import { deepFreeze } from '../core/plain-data.js';
import type {
  AdminStorage,
  CheckStorage,
  ClientStorage,
  IdempotencyStorage,
  KeyUseStorage,
  LifeStorage,
  LinkRef,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
} from '../core/storage.js';
import type { ApiKey, Client, Session, SessionRecord } from '../core/types.js';
import { createMemoryClients } from './memory-clients.js';
import type { RecordedLife } from './memory-life.js';
import { createMemoryLinks, type StoredLink } from './memory-links.js';
import { createMemoryOutbox, type RecordedEvent } from './memory-outbox.js';
import { createMemorySessions, type StoredSession, type SubmissionOrder } from './memory-sessions.js';
import { toFrozen } from './memory-values.js';

/** Initial content of a memory storage. Clients, keys and links are inserted in the given order. */
export interface MemoryStorageSeed {
  clients?: readonly Client[];
  apiKeys?: readonly ApiKey[];
  sessions?: readonly SessionRecord[];
  /**
   * Links in any state, including expired ones. The session of a submitted link is the one in `sessions` with the same
   * client, user, `createdAt` and `reference`. If there is none, the link's session is inserted.
   */
  links?: readonly StoredLink[];
  /** Events that are not delivered. That of a submission belongs to a session of the seed. */
  events?: readonly RecordedEvent[];
  /** The order of the submissions. Default: the sessions of `listClientSessions` come by `date`. */
  submissions?: readonly SubmissionOrder[];
  /** Which events are recorded. Default: none. */
  life?: RecordedLife;
}

/**
 * The complete content of a memory storage. A new storage with this seed is equal to the first one.
 * A snapshot is frozen. Later changes of the storage do not change it. Sessions are in the order of client id, user id
 * and listing.
 */
export type MemoryStorageSnapshot = Readonly<Required<MemoryStorageSeed>>;

/**
 * An in-memory storage, which can be copied. Inserting or changing a session or a link copies no other record; `snapshot`
 * and `restore` go through all of them.
 */
export interface MemoryStorage
  extends AdminStorage,
    OutboxStorage,
    RecordStorage,
    SearchStorage,
    CheckStorage,
    IdempotencyStorage,
    LifeStorage,
    KeyUseStorage,
    ClientStorage {
  /** Returns the complete content. The snapshot shares the stored objects; it does not clone them. */
  snapshot(): MemoryStorageSnapshot;
  /**
   * Replaces the complete content by that of a snapshot or another seed. Changes nothing if it throws.
   * @throws the errors of `createMemoryStorage`
   */
  restore(snapshot: MemoryStorageSeed): void;
  /**
   * Lets a link in any state expire at this moment. Changes nothing, and returns false, if the link is unknown or expires
   * at this moment or earlier.
   */
  expireLink(link: LinkRef & { at: Date }): boolean;
}

const SEED_CHECKS: OptionChecks<MemoryStorageSeed> = {
  clients: mustBeList,
  apiKeys: mustBeList,
  sessions: mustBeList,
  links: mustBeList,
  events: mustBeList,
  submissions: mustBeList,
  life: anyValue,
};

/** The parts of a memory storage. */
function createMemory() {
  const clients = createMemoryClients();
  const sessions = createMemorySessions();
  const outbox = createMemoryOutbox(sessions.find);
  const links = createMemoryLinks(clients, sessions, outbox);
  return { clients, sessions, outbox, links };
}

type Memory = ReturnType<typeof createMemory>;

/**
 * Creates a storage in the memory of this process. Every method returns immediately, so it is atomic.
 * Inserting links deletes expired ones from time to time: the storage holds at most twice as many links as are usable.
 * @throws the errors of `AdminStorage` for an inconsistent seed, `already_exists` for a duplicate link,
 * `options_invalid` for an unknown member, a link with a session that is not submitted, and an event without a session.
 */
export function createMemoryStorage(seed: MemoryStorageSeed = {}): MemoryStorage {
  const memory = createMemory();
  const { clients, sessions, outbox, links } = memory;
  const storage: MemoryStorage = {
    ...clients.storage,
    ...sessions.storage,
    ...outbox.storage,
    ...links.storage,
    ...links.life.storage,
    ...createDeletions(memory),
    ...createCopies(memory),

    submitLink({ at, session, event, ...id }) {
      const entry = links.find(id);
      if (entry === undefined || !clients.find(id.clientId)) return { outcome: 'not_found' };
      const { link } = entry;
      const state = linkState(link, at);
      if (state === 'submitted') {
        const first = links.sessionOf(entry);
        return first ? { outcome: 'already_submitted', session: first } : { outcome: 'not_found' };
      }
      if (!isUsable(state)) return { outcome: state };
      const { clientId, userId } = link;
      const { reference } = session;
      const inserted = toFrozen(session);
      if (!sessions.submit(clientId, userId, inserted)) return { outcome: 'reference_taken' };
      links.set({ ...link, config: reduceConfig(link.config), submittedAt: at }, reference);
      links.life.end(link);
      if (event) outbox.record({ clientId, reference, type: 'claim.submitted', ...event });
      return { outcome: 'submitted', session: inserted };
    },

    insertSession({ clientId, userId, ...session }) {
      // `session` is a new object, so freezing it lets its frozen members be shared.
      insertSession(memory, clientId, userId, Object.freeze(session));
    },

    expireLink({ at, ...id }) {
      const { link, reference } = links.find(id) ?? {};
      if (link === undefined || link.expiresAt <= at) return false;
      links.set({ ...link, expiresAt: at }, reference);
      const { moments, noticeAt } = links.life.lifeOf(link);
      if (noticeAt) links.life.setLife(link, { moments, noticeAt: at });
      return true;
    },
  };
  storage.restore(seed);
  return storage;
}

/** @throws `client_not_found`, `already_exists` */
function insertSession(
  { clients, sessions }: Memory,
  clientId: string,
  userId: string,
  session: Session,
): void {
  if (!clients.find(clientId)) throw new ClaimlinkError('client_not_found');
  sessions.insert(clientId, userId, toFrozen(session));
}

/** Creates the methods that delete records of several kinds. */
function createDeletions({
  clients,
  sessions,
  outbox,
  links,
}: Memory): Pick<RecordStorage & AdminStorage, 'deleteUser' | 'deleteSessions' | 'deleteClient'> {
  /** Deletes a session with its event. Returns whether there was an event. */
  function deleteSession(stored: StoredSession): boolean {
    const { user, session } = stored;
    sessions.delete(stored);
    return outbox.deleteOfSession({ clientId: user.clientId, reference: session.reference });
  }

  return {
    deleteUser({ clientId, userId, at }) {
      const deletedLinks = links.linksOf({ clientId, userId });
      for (const { link } of deletedLinks) links.remove(link);
      const deleted = sessions.ofUser(clientId, userId);
      const events = deleted.filter(deleteSession).length + outbox.deleteOfLinks({ clientId, userId });
      links.life.recordDeletion(links.deletedRecords(deletedLinks, deleted), 'user', at);
      return { sessions: deleted.length, links: deletedLinks.length, events };
    },

    deleteSessions(before, at) {
      const old = sessions.list().filter(({ session }) => session.date < before);
      for (const stored of old) deleteSession(stored);
      links.life.recordDeletion(links.deletedRecords([], old), 'retention', at);
      return old.length;
    },

    deleteClient(clientId, at) {
      if (!clients.delete(clientId)) return false;
      const deletedLinks = links.linksOf({ clientId });
      const deleted = sessions.ofClient(clientId);
      for (const { link } of deletedLinks) links.remove(link);
      for (const stored of deleted) deleteSession(stored);
      sessions.forgetClient(clientId);
      outbox.deleteOfLinks({ clientId });
      links.life.recordDeletion(links.deletedRecords(deletedLinks, deleted), 'client', at);
      return true;
    },
  };
}

/** Creates the methods that copy the content and replace it. */
function createCopies(memory: Memory): Pick<MemoryStorage, 'snapshot' | 'restore'> {
  const { clients, sessions, outbox, links } = memory;
  const content = Object.values(memory).flatMap((part) => part.content);

  /** Fills an empty storage. */
  function fill(seed: MemoryStorageSeed): void {
    for (const client of seed.clients ?? []) clients.storage.insertClient(client);
    for (const apiKey of seed.apiKeys ?? []) clients.storage.insertApiKey(apiKey);
    for (const { clientId, userId, ...session } of seed.sessions ?? [])
      insertSession(memory, clientId, userId, Object.freeze(session));
    for (const [index, stored] of (seed.links ?? []).entries()) {
      const { clientId, userId } = stored.link;
      links.restore(stored, index, (session) => insertSession(memory, clientId, userId, session));
    }
    for (const order of seed.submissions ?? []) sessions.restoreOrder(order);
    for (const [index, event] of (seed.events ?? []).entries()) outbox.restore(event, index);
    links.life.restore(seed.life);
    links.resetSweep();
  }

  return {
    snapshot: () =>
      deepFreeze({
        clients: clients.list(),
        apiKeys: clients.listKeys(),
        sessions: sessions.snapshot(),
        links: links.snapshot(),
        events: outbox.snapshot(),
        submissions: sessions.submissions(),
        life: links.life.snapshot(),
      }),

    restore(seed) {
      assertOptions(seed, SEED_CHECKS);
      const before = content.map((map) => [...map]);
      for (const map of content) map.clear();
      try {
        fill(seed);
      } catch (error) {
        for (const [index, map] of content.entries()) {
          map.clear();
          for (const [key, value] of before[index] ?? []) map.set(key, value);
        }
        throw error;
      }
    },
  };
}
