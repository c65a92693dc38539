// The methods that read and change the sessions of a user.
import type { Session, SessionChanges } from '../../lib/index.js';
import { invalidValue } from '../control/errors.js';
import type { MockSession, ScenarioSession } from '../control/scenario.js';
import { firstProblems, sessionProblems, sessionsProblems } from '../scenario/scenario-check.js';
import type { Seeder } from '../seed/seed.js';
import type { Clients } from './clients.js';
import { completeSession, completeSessions } from './initial.js';
import { planChanges } from './later.js';

export interface User {
  clientId: string;
  userId: string;
}

export function createSessions({ need }: Pick<Clients, 'need'>, seeder: Seeder) {
  const sessions = ({ clientId, userId }: User): readonly MockSession[] => need(clientId).sessions(userId);

  return {
    sessions,
    /** The seed supplies missing members. @throws `request_invalid` */
    setSessions({
      sessions: written,
      ...user
    }: User & { sessions: readonly ScenarioSession[] }): readonly MockSession[] {
      const client = need(user.clientId);
      const problems = firstProblems(sessionsProblems(written, '/sessions'));
      if (problems.length > 0) throw invalidValue('The input', problems);
      const records = completeSessions(written, user, seeder);
      client.setSessions(user.userId, records, planChanges(written, records, client.now()));
      return sessions(user);
    },
    /** The seed supplies missing members. @throws `request_invalid`, `already_exists` */
    addSession({ session, ...user }: User & { session: ScenarioSession }): Session {
      const client = need(user.clientId);
      const problems = sessionProblems(session, '/session');
      if (problems.length > 0) throw invalidValue('The input', problems);
      const complete = completeSession(session, client.extraSession(user.userId));
      client.addSession({ ...user, ...complete }, planChanges([session], [complete], client.now()));
      return complete;
    },
    /** @throws `session_not_found` */
    updateSession: ({
      clientId,
      reference,
      change,
    }: {
      clientId: string;
      reference: string;
      change: SessionChanges;
    }): Session => need(clientId).updateSession(reference, change),
  };
}
