// Checks an object that a caller hands over against a closed list of members, and names every problem at once.
import { ClaimlinkError, type ErrorDetail } from '../../lib/index.js';

/** What is wrong with a member's value, in words and without the value; undefined: nothing. */
export type MemberCheck = (value: unknown) => string | undefined;

/** The checks of all members that there are. */
export type MemberChecks = Readonly<Record<string, MemberCheck>>;

/** Every problem of an object. A member that is undefined counts as absent. `what`, such as `a fault`, is for messages. */
export function checkMembers(value: unknown, checks: MemberChecks, what: string): ErrorDetail[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer: '', rule: 'type', detail: `must be an object: ${what}` }];
  }
  const problems: ErrorDetail[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const detail = check
      ? check(member)
      : `is not a member of ${what}, which are ${Object.keys(checks).join(', ')}`;
    if (detail !== undefined)
      problems.push({ pointer: toPointer(name), rule: check ? 'value' : 'unknown_option', detail });
  }
  return problems;
}

/** `request_invalid` with the problems, named in the message, too. `subject` begins it: `The fault`. */
export function invalidMembers(subject: string, details: readonly ErrorDetail[]): ClaimlinkError {
  const problems = details.map(({ pointer = '', detail }) => `${pointer.slice(1)} ${detail}`.trim());
  return new ClaimlinkError('request_invalid', `${subject} is not valid: ${problems.join('; ')}.`, {
    details,
  });
}

/** @throws `request_invalid` with every problem that `checkMembers` finds. */
export function assertMembers(value: unknown, checks: MemberChecks, subject: string, what: string): void {
  const problems = checkMembers(value, checks, what);
  if (problems.length > 0) throw invalidMembers(subject, problems);
}

/** A whole number in a range, as messages have it. */
export function checkInteger(minimum: number, maximum: number): MemberCheck {
  return (value) =>
    isIntegerBetween(value, minimum, maximum)
      ? undefined
      : `must be a whole number, ${minimum} to ${maximum}`;
}

/** Whether it is a whole number within a range, both ends included. */
export function isIntegerBetween(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}

/** One of a few texts. */
export function checkOneOf(allowed: readonly string[]): MemberCheck {
  return (value) =>
    allowed.some((entry) => entry === value) ? undefined : `must be one of ${allowed.join(', ')}`;
}

/** The id of a client; whether there is such a client is for the caller to say. */
export const checkClientId: MemberCheck = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be the id of a client, a string';

/** RFC 6901; a name that a caller made up may be long. */
function toPointer(name: string): string {
  return `/${name.slice(0, 100).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
