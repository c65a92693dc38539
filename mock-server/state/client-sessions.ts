// The sessions of a client as the control methods read and change them, with their changes to come.
import type { Session, SessionChanges, SessionRecord } from '../../lib/index.js';
import { controlError, invalidValue, problemAt } from '../control/errors.js';
import type { MockSession } from '../control/scenario.js';
import { SPECIAL_USERS } from '../schemas/defaults.js';
import type { ClientRecords } from './client-records.js';
import type { ClientSeed } from './client-seed.js';
import { sizeOfValue } from './json-pieces.js';
import { inOrder, type PlannedChange, withLater } from './later.js';
import type { Space } from './space.js';

/** Each due change is made within one request. */
const MAX_CHANGES = 10_000;

/** @param listedUsers the users whose seeded sessions `updateSession` looks through, with the special ones */
export function createClientSessions(
  records: ClientRecords,
  seed: ClientSeed,
  space: Space,
  listedUsers: readonly string[],
) {
  const { clientId, memory } = records;
  const likelyUsers = [...listedUsers, ...SPECIAL_USERS.map(({ id }) => id)];
  const emitSessions = (userId: string) => records.emit({ type: 'sessions', clientId, userId });

  return {
    /** Returns all sessions of a user, newest first. */
    sessions(userId: string): readonly MockSession[] {
      records.applyDue();
      return withLater(seed.sessionsOf(userId), records.data.changes, records.now());
    },
    extraSession: seed.extraSession,
    /**
     * Replaces the sessions of a user, and their changes to come.
     * @throws `already_exists` for a reference of another user; `request_invalid`, `storage_unavailable` for too much
     */
    setSessions(
      userId: string,
      newSessions: readonly SessionRecord[],
      planned: readonly PlannedChange[],
    ): void {
      const state = records.save();
      const { changes, storedUsers } = records.data;
      const byReference = new Map(newSessions.map((session) => [session.reference, session]));
      const kept = state.sessions.filter((session) => session.userId !== userId);
      const sessions = [...kept, ...newSessions];
      const references = new Set(kept.map(({ reference }) => reference));
      const later = withPlanned(
        changes.filter(({ reference }) => references.has(reference)),
        planned,
      );
      const former = state.sessions.filter((session) => session.userId === userId);
      const added =
        sizeOfValue(newSessions) + sizeOfValue(later) + (storedUsers.has(userId) ? 0 : sizeOfValue(userId));
      space.reserve(added - sizeOfValue(former) - sizeOfValue(changes));
      records.restore({
        ...state,
        storedUsers: [...new Set([...state.storedUsers, userId])],
        sessions,
        changes: later,
        events: (state.events ?? []).filter(
          (event) =>
            !('reference' in event) || sessions.some(({ reference }) => reference === event.reference),
        ),
        links: state.links.map((stored) => {
          if (stored.link.userId !== userId) return stored;
          const session = byReference.get(stored.session?.reference ?? '');
          const { session: _, ...others } = stored;
          return { ...others, ...(session && { session }) };
        }),
      });
      emitSessions(userId);
    },
    /**
     * Adds a session.
     * @throws `already_exists` for a reference that the client has already; `request_invalid`, `storage_unavailable` for too much
     */
    addSession(session: SessionRecord, planned: readonly PlannedChange[]): void {
      const { userId } = session;
      records.applyDue();
      const owner = memory.findSession(session)?.userId;
      // The seeded sessions of other users do not take references.
      if (owner !== undefined && owner !== userId && records.data.seeded.users.has(owner))
        records.dropExcess();
      const later = withPlanned(records.data.changes, planned);
      space.reserve(sizeOfValue(session) + sizeOfValue(planned) + seed.bytesToStore(userId));
      memory.insertSession(session);
      seed.store(userId);
      records.data.changes = later;
      emitSessions(userId);
    },
    /**
     * Changes a session. Looks for it in the seeded sessions of the users to start with as well.
     * @throws `session_not_found`
     */
    updateSession(reference: string, change: SessionChanges): Session {
      records.applyDue();
      const key = { clientId, reference };
      for (const userId of likelyUsers) if (memory.findSession(key) === undefined) seed.fill(userId);
      const { userId } = memory.findSession(key) ?? {};
      if (userId !== undefined) space.reserve(sizeOfValue(change) + seed.bytesToStore(userId));
      const session = memory.updateSession({ ...key, ...change });
      if (userId === undefined || session === undefined) throw controlError('session_not_found');
      seed.store(userId);
      emitSessions(userId);
      return session;
    },
  };
}

/** Adds changes of sessions to those that are to come. @throws `request_invalid` if they are too many */
function withPlanned(
  others: readonly PlannedChange[],
  planned: readonly PlannedChange[],
): readonly PlannedChange[] {
  if (planned.length === 0) return others;
  if (others.length + planned.length > MAX_CHANGES)
    throw invalidValue('The input', [
      problemAt('', 'value', `has too many changes to come: a client may have ${MAX_CHANGES}`),
    ]);
  return inOrder([...others, ...planned]);
}
