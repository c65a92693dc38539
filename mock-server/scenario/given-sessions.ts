// Reads the sessions that a test gives to a user of a running mock.
import { ClaimlinkError, type Session } from '../../lib/index.js';
import { invalidMembers } from '../traffic/check-members.js';
import { idSchema, type ScenarioSession } from './scenario.js';
import { checkSessions } from './scenario-check.js';
import { toSessions } from './scenario-sessions.js';

/** All sessions of a user. @throws `request_invalid` with every problem */
export function readSessions(sessions: readonly ScenarioSession[]): Session[] {
  const problems = checkSessions(sessions);
  if (problems.length > 0) throw invalidMembers('The list of sessions', problems);
  return toSessions(sessions);
}

/** One more session. @throws `request_invalid` with every problem */
export function readSession(session: ScenarioSession): Session[] {
  const problems = checkSessions([session]).map((problem) => ({
    ...problem,
    pointer: (problem.pointer ?? '').replace(/^\/0/, ''),
  }));
  if (problems.length > 0) throw invalidMembers('The session', problems);
  return toSessions([session]);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** What the service would refuse to list must not be stored. @throws `request_invalid` */
export function assertUserId(userId: string): void {
  const isId =
    typeof userId === 'string' &&
    userId.length >= idSchema.minLength &&
    userId.length <= idSchema.maxLength &&
    !CONTROL_CHARACTERS.test(userId) &&
    userId.isWellFormed() &&
    userId !== '.' &&
    userId !== '..';
  if (isId) return;
  const detail = `must be ${idSchema.minLength} to ${idSchema.maxLength} characters without control characters, and not . or ..`;
  throw new ClaimlinkError('request_invalid', `The request is not valid: userId ${detail}.`, {
    details: [{ parameter: 'userId', rule: 'id', detail }],
  });
}
