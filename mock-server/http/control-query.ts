// Reads the query and the body of a control request, both against a closed list.
import { ClaimlinkError, type ErrorDetail, isClaimlinkError } from '../../lib/index.js';
import type { Scope } from '../control.js';
import { assertMembers, type MemberChecks } from '../traffic/check-members.js';

/** The parameters that were given, each once. @throws `request_invalid` for others, and for one given twice */
export function readQuery<N extends string>(query: unknown, names: readonly N[]): { [K in N]?: string } {
  const problems: ErrorDetail[] = [];
  for (const [name, value] of Object.entries(Object(query))) {
    if (!names.some((known) => known === name)) {
      const allowed = names.length === 0 ? 'there are none' : `which are ${names.join(', ')}`;
      problems.push({
        parameter: name.slice(0, 100),
        rule: 'unknown_option',
        detail: `is not a parameter of this route, ${allowed}`,
      });
    } else if (typeof value !== 'string') {
      problems.push({ parameter: name, rule: 'repeated', detail: 'must not be given more than once' });
    }
  }
  if (problems.length > 0) throw invalidQuery(problems);
  return query as { [K in N]?: string };
}

/** An error about parameters, all of them named. */
export function invalidQuery(details: readonly ErrorDetail[]): ClaimlinkError {
  const message = `The request is not valid: ${details.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ')}.`;
  return new ClaimlinkError('request_invalid', message, { details });
}

/** `?client=`, as a scope. @throws `request_invalid` for an empty one, which is not meant to be everybody */
export function scopeOf({ client }: { client?: string }): Scope {
  if (client === '')
    throw invalidQuery([{ parameter: 'client', rule: 'minLength', detail: 'must be the id of a client' }]);
  return client === undefined ? {} : { clientId: client };
}

/** Members of the control's types that have another name in a query. */
const PARAMETERS: Readonly<Record<string, string>> = { clientId: 'client', timeoutMs: 'timeout' };

/** Does what is given members out of a query: what it refuses of them is said of the parameters. */
export function fromQuery<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw toQueryError(error);
  }
}

/** As `fromQuery`, for what a promise rejects with. */
export function toQueryError(error: unknown): unknown {
  if (!isClaimlinkError(error) || error.code !== 'request_invalid' || !error.details) return error;
  return invalidQuery(
    error.details.map(({ pointer = '', rule, detail }) => {
      const name = pointer.slice(1);
      return { parameter: PARAMETERS[name] ?? name, rule, detail };
    }),
  );
}

/** A whole number. @throws `request_invalid` */
export function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw invalidQuery([{ parameter: name, rule: 'value', detail: 'must be a whole number' }]);
}

/** A JSON object with known members. @throws `request_invalid` with every problem */
export function readBody<T>(body: unknown, checks: MemberChecks, what: string): T {
  assertMembers(body ?? {}, checks, 'The body', what);
  return (body ?? {}) as T;
}
