// Sets the sessions of users of a running mock.
import { parseId } from '../../lib/core/validators.js';
import { ClaimlinkError } from '../../lib/index.js';
import { invalidValue } from '../problems.js';
import { checkSessions } from '../scenario/scenario-check.js';
import type { Seeder } from '../seed/seed.js';
import { completeSession } from './fill.js';
import type { Tenants } from './tenants.js';
import type { MockState } from './types.js';

/** Creates the methods of the state for sessions. */
export function createSessionControl(
  tenants: Tenants,
  seeder: Seeder,
): Pick<MockState, 'setSessions' | 'addSession'> {
  return {
    setSessions(clientId, userId, sessions) {
      const tenant = tenants.need(clientId);
      parseId(userId, 'userId');
      const problems = checkSessions(sessions);
      if (problems.length > 0) throw invalidValue('The list of sessions', problems);
      const records = sessions.map((session, index) => ({
        clientId,
        userId,
        ...completeSession(session, seeder.extraSessionOf(clientId, userId, index + 1)),
      }));
      tenant.setSessions(userId, records);
    },

    addSession(clientId, userId, session) {
      const tenant = tenants.need(clientId);
      parseId(userId, 'userId');
      const problems = checkSessions([session]).map((problem) => ({
        ...problem,
        pointer: problem.pointer?.replace(/^\/0/, '') ?? '',
      }));
      if (problems.length > 0) throw invalidValue('The session', problems);
      const references = new Set(tenant.sessions.snapshot().sessions.map(({ reference }) => reference));
      if (!tenant.exactUsers.has(userId))
        for (const { reference } of seeder.sessionsOf(clientId, userId)) references.add(reference);
      let ordinal = 1;
      let extra = seeder.extraSessionOf(clientId, userId, ordinal);
      while (references.has(extra.reference)) extra = seeder.extraSessionOf(clientId, userId, ++ordinal);
      const complete = completeSession(session, extra);
      if (references.has(complete.reference))
        throw new ClaimlinkError('already_exists', 'A session with this reference exists already.');
      tenant.addSession({ clientId, userId, ...complete });
      return complete.reference;
    },
  };
}
