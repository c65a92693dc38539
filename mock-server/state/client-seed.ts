// The seeded sessions of a client: in memory when they are needed, and stored once something changes them.
import type { Session } from '../../lib/index.js';
import type { Seeder } from '../seed/seed.js';
import type { ClientRecords } from './client-records.js';
import { sizeOfValue } from './json-pieces.js';

export type ClientSeed = ReturnType<typeof createClientSeed>;

/** @param maxSessions of all users in memory; beyond it, the seeded sessions are dropped before the next ones. */
export function createClientSeed(records: ClientRecords, seeder: Seeder, maxSessions: number) {
  const { clientId, memory } = records;

  /** Fills the seeded sessions of a user into the memory storage. */
  function fill(userId: string): void {
    const { storedUsers, seeded: before } = records.data;
    if (storedUsers.has(userId) || before.users.has(userId)) return;
    const sessions = seeder.sessionsOf(clientId, userId);
    if (before.sessions > 0 && before.sessions + sessions.length > maxSessions) records.dropExcess();
    for (const session of sessions) {
      // A session that was set for another user may have the reference.
      if (memory.findSession({ clientId, reference: session.reference }) === undefined)
        memory.insertSession({ clientId, userId, ...session });
    }
    const { seeded } = records.data;
    seeded.users.add(userId);
    // A user without sessions takes space as well.
    seeded.sessions += Math.max(1, sessions.length);
  }

  function sessionsOf(userId: string): readonly Session[] {
    fill(userId);
    return memory.listSessions({ clientId, userId, limit: Number.MAX_SAFE_INTEGER }).sessions;
  }

  return {
    fill,
    sessionsOf,
    /** Keeps the sessions of a user: they are no longer those of the seed. */
    store(userId: string): void {
      fill(userId);
      const { storedUsers, seeded } = records.data;
      if (seeded.users.delete(userId)) storedUsers.add(userId);
    },
    /** Returns the size of what `store` adds to the state. */
    bytesToStore(userId: string): number {
      if (records.data.storedUsers.has(userId)) return 0;
      const sessions = sessionsOf(userId).map((session) => ({ clientId, userId, ...session }));
      return sizeOfValue(userId) + sizeOfValue(sessions);
    },
    /** Returns a seeded session that the client does not have, for members that a session to add leaves out. */
    extraSession(userId: string): Session {
      records.applyDue();
      fill(userId);
      const { lastExtra } = records.data.seeded;
      const create = seeder.extraSessionsOf(clientId, userId);
      let ordinal = lastExtra.get(userId) ?? 1;
      let session = create(ordinal);
      while (memory.findSession({ clientId, reference: session.reference }) !== undefined)
        session = create(++ordinal);
      lastExtra.set(userId, ordinal);
      return session;
    },
  };
}
