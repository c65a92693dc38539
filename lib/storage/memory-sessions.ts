// The sessions of the storage in memory.
import {
  type CursorPosition,
  decodeCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeSubmissionCursor,
  type SubmissionPosition,
} from '../core/cursor.js';
import type { RecordStorage, SearchStorage, SessionKey, Storage } from '../core/storage.js';
import type { Session, SessionRecord } from '../core/types.js';
import { alreadyExists, compareText, compoundKey, toFrozen } from './memory-values.js';

/** The order in which the sessions of a client were submitted. */
export interface SubmissionOrder {
  clientId: string;
  /** Number of submissions of the client. */
  count: number;
  /** Number of each submission, from 1, by the reference of its session. Other sessions were inserted by hand. */
  numbers: Readonly<Record<string, number>>;
}

/** A session with its owner and its number. There is one per client and reference. */
export interface StoredSession {
  readonly user: UserSessions;
  /** Number of the submission among those of its client, from 1. 0 for a session that was inserted by hand. */
  sequence: number;
  session: Session;
}

/** The sessions of one user. */
interface UserSessions {
  readonly clientId: string;
  readonly userId: string;
  readonly sessions: Set<StoredSession>;
  /** The sessions in listing order, frozen, so that their JSON is cached. Removed by each change. */
  listing?: readonly Session[] | undefined;
}

type SessionMethods = Pick<Storage, 'listSessions'> &
  Pick<RecordStorage, 'findSession' | 'updateSession' | 'listClientSessions'> &
  Pick<SearchStorage, 'findSessions'>;

/** Creates a memory without sessions. */
export function createMemorySessions() {
  const usersByKey = new Map<string, UserSessions>();
  const sessionsByClient = new Map<string, Map<string, StoredSession>>();
  /** Number of submissions of each client. */
  const sequences = new Map<string, number>();

  /** Adds a session. Returns false if the client already has the reference. */
  function add(clientId: string, userId: string, session: Session, sequence = 0): boolean {
    const byReference = sessionsByClient.get(clientId) ?? new Map<string, StoredSession>();
    if (byReference.has(session.reference)) return false;
    const key = compoundKey(clientId, userId);
    const user: UserSessions = usersByKey.get(key) ?? { clientId, userId, sessions: new Set() };
    const stored: StoredSession = { user, sequence, session };
    user.sessions.add(stored);
    user.listing = undefined;
    usersByKey.set(key, user);
    sessionsByClient.set(clientId, byReference.set(session.reference, stored));
    return true;
  }

  function find({ clientId, reference }: SessionKey): StoredSession | undefined {
    return sessionsByClient.get(clientId)?.get(reference);
  }

  function ofClient(clientId: string): StoredSession[] {
    return [...(sessionsByClient.get(clientId)?.values() ?? [])];
  }

  function listingOf(user: UserSessions): readonly Session[] {
    user.listing ??= Object.freeze(Array.from(user.sessions, ({ session }) => session).sort(compareSessions));
    return user.listing;
  }

  const storage: SessionMethods = {
    listSessions({ clientId, userId, limit, cursor, status }) {
      const position = cursor === undefined ? undefined : decodeCursor(cursor);
      const user = usersByKey.get(compoundKey(clientId, userId));
      const listing = user ? listingOf(user) : [];
      if (position === undefined && status === undefined && listing.length <= limit) {
        return { sessions: listing };
      }
      const next = position ? listing.findIndex((session) => compareSessions(session, position) > 0) : 0;
      const start = next === -1 ? listing.length : next;
      const following = listing
        .slice(start, status === undefined ? start + limit + 1 : undefined)
        .filter((session) => status === undefined || session.status === status);
      const sessions = following.slice(0, limit);
      const last = sessions.at(-1);
      return { sessions, ...(following.length > limit && last && { nextCursor: encodeCursor(last) }) };
    },

    findSession(key) {
      const stored = find(key);
      return stored && toRecord(stored);
    },

    updateSession({ clientId, reference, ...changes }) {
      const stored = find({ clientId, reference });
      if (stored === undefined) return undefined;
      stored.session = toFrozen({ ...stored.session, ...changes });
      stored.user.listing = undefined;
      return stored.session;
    },

    listClientSessions({ clientId, since, limit, cursor }) {
      const position = cursor === undefined ? undefined : decodeSubmissionCursor(cursor);
      const following = ofClient(clientId)
        .map(({ user, sequence, session }) => ({ clientId, userId: user.userId, ...session, sequence }))
        .filter(
          (session) =>
            (since === undefined || session.date >= since) &&
            (position === undefined || compareSubmissions(session, position) > 0),
        )
        .sort(compareSubmissions);
      const page = following.slice(0, limit);
      const last = page.at(-1);
      const nextCursor = last ? encodeSubmissionCursor(last) : cursor;
      return {
        sessions: page.map(({ sequence, ...session }) => session),
        ...(nextCursor !== undefined && { nextCursor }),
        hasMore: following.length > limit,
      };
    },

    findSessions: ({ reference }) =>
      [...sessionsByClient.values()]
        .map((byReference) => byReference.get(reference))
        .filter((stored) => stored !== undefined)
        .map(toRecord),
  };

  return {
    storage,
    find,
    ofClient,

    list: (): StoredSession[] => [...sessionsByClient.keys()].flatMap(ofClient),

    ofUser: (clientId: string, userId: string): StoredSession[] => [
      ...(usersByKey.get(compoundKey(clientId, userId))?.sessions ?? []),
    ],

    /** Inserts a session without a submission. @throws `already_exists` */
    insert(clientId: string, userId: string, session: Session): void {
      if (!add(clientId, userId, session)) throw alreadyExists('A session with this reference');
    },

    /** Adds the session of a submission. Returns false if the client already has the reference. */
    submit(clientId: string, userId: string, session: Session): boolean {
      const sequence = (sequences.get(clientId) ?? 0) + 1;
      if (!add(clientId, userId, session, sequence)) return false;
      sequences.set(clientId, sequence);
      return true;
    },

    delete(stored: StoredSession): void {
      const { user, session } = stored;
      user.sessions.delete(stored);
      user.listing = undefined;
      if (user.sessions.size === 0) usersByKey.delete(compoundKey(user.clientId, user.userId));
      sessionsByClient.get(user.clientId)?.delete(session.reference);
    },

    /** Forgets the order of the submissions of a client whose sessions are deleted. */
    forgetClient(clientId: string): void {
      sessionsByClient.delete(clientId);
      sequences.delete(clientId);
    },

    /** Returns the sessions in the order of client id, user id and listing. */
    snapshot: (): SessionRecord[] =>
      [...usersByKey]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, user]) =>
          listingOf(user).map((session) => ({ clientId: user.clientId, userId: user.userId, ...session })),
        ),

    submissions: (): SubmissionOrder[] =>
      [...sequences].map(([clientId, count]) => {
        const stored = ofClient(clientId).filter(({ sequence }) => sequence > 0);
        const numbers = stored.map(({ session, sequence }) => [session.reference, sequence]);
        return { clientId, count, numbers: Object.fromEntries(numbers) };
      }),

    /** Gives the sessions of a seed the numbers of their submissions. */
    restoreOrder({ clientId, count, numbers }: SubmissionOrder): void {
      sequences.set(clientId, count);
      for (const [reference, sequence] of Object.entries(numbers)) {
        const stored = find({ clientId, reference });
        if (stored) stored.sequence = sequence;
      }
    },

    content: [usersByKey, sessionsByClient, sequences] as readonly Map<string, unknown>[],
  };
}

function toRecord({ user, session }: StoredSession): SessionRecord {
  return { clientId: user.clientId, userId: user.userId, ...session };
}

/** The order of `listSessions`. */
function compareSessions(a: CursorPosition, b: CursorPosition): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || compareText(a.reference, b.reference);
}

/** The order of `listClientSessions`. */
function compareSubmissions(a: SubmissionPosition, b: SubmissionPosition): number {
  return (
    a.sequence - b.sequence || a.date.getTime() - b.date.getTime() || compareText(a.reference, b.reference)
  );
}
