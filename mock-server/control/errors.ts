// The errors of the mock: of the values that callers pass, and of the control interface with their codes.
import { invalidOptions } from '../../lib/core/errors.js';
import { isError } from '../../lib/core/plain-data.js';
import {
  ClaimlinkError,
  ERRORS,
  type ErrorCode,
  type ErrorRule,
  isClaimlinkError,
  type Problem,
} from '../../lib/index.js';
import { MockControlError } from './control-error.js';

/** Status and title of each code that only the mock has. */
const MOCK_PROBLEMS = {
  control_unauthorized: [401, 'The control token is missing or wrong'],
  control_forbidden: [403, 'The control token of a client is for this client only'],
  host_not_allowed: [403, 'This host name is not allowed here'],
  origin_not_allowed: [403, 'Requests from other origins are not allowed here'],
  fault_shared: [409, 'This fault applies to all clients: clear it without a client, and not with its token'],
  state_replaced: [409, 'A reset, a restored snapshot or a new scenario has replaced the state'],
  session_not_found: [404, 'There is no such session; read the sessions of its user first'],
  snapshot_not_found: [404, 'There is no such snapshot'],
  preference_invalid: [422, 'The Prefer header is not valid'],
  caller_gone: [499, 'The caller has closed the connection'],
  mock_closed: [503, 'The mock is closing'],
  too_many_readers: [503, 'There are too many readers of events'],
  too_many_waits: [429, 'A client may have 50 waits at once; end some, or wait with one filter'],
  too_many_calls: [429, 'A client may have 50 calls at once; wait for the responses of some'],
  too_many_held: [429, 'There are too many requests that a delay or a slow response holds'],
  too_many_unread: [503, 'This caller has too many responses that it did not read'],
  wait_timed_out: [504, 'The expected requests did not arrive'],
} as const;

export type ProblemCode = keyof typeof MOCK_PROBLEMS | ErrorCode;

/** Returns the error of a control route. `detail` defaults to the title of the code. */
export function controlError(
  code: ProblemCode,
  detail?: string,
  problems?: readonly Problem[],
  cause?: unknown,
): MockControlError {
  const [status, title] = PROBLEMS[code];
  return new MockControlError(status, code, detail ?? `${title}.`, {
    ...(problems && { problems }),
    ...(cause !== undefined && { cause }),
  });
}

/** Returns the error for a page of another origin. It names the flag that allows the origin. */
export function originError(origin = '', action: string, flag: 'cors' | 'control'): MockControlError {
  const detail = `Pages of ${origin} may not ${action}. Allow them with --${flag}-origin ${origin}`;
  return controlError('origin_not_allowed', detail);
}

/** Returns the error that the control API responds with, or undefined for an unexpected error. */
export function toControlError(error: unknown): MockControlError | undefined {
  if (error instanceof MockControlError) return error;
  if (!isError(error)) return undefined;
  const { statusCode }: Error & { statusCode?: unknown } = error;
  // The storage of a mock is unavailable if the client of the caller holds too much: the message says so.
  if (isClaimlinkError(error) && error.code === 'storage_unavailable')
    return controlError(error.code, error.message);
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined;
  if (isClaimlinkError(error)) {
    // A control request that is well-formed and invalid is a 422 (RFC 9110, 15.5.21).
    const status = statusCode === 400 ? 422 : statusCode;
    return new MockControlError(status, error.code, error.message, { problems: error.problems ?? [] });
  }
  // Errors of Fastify's body reader quote the body; these do not.
  if (statusCode === 415)
    return controlError('content_type_unsupported', 'Send the body with Content-Type: application/json.');
  if (statusCode === 413) return controlError('body_too_large');
  return new MockControlError(statusCode, 'request_invalid', 'The body must be JSON.');
}

/** Status and title of each code. The code of a fault is not in it. */
const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  ...ERRORS,
  ...MOCK_PROBLEMS,
};

/** Returns the title of a code, if it has one. */
export function titleOf(code: string): string | undefined {
  return Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code as ProblemCode][1] : undefined;
}

/** Describes one problem. `detail` is a sentence without its subject, which the pointer names. */
export function problemAt(pointer: string, rule: ErrorRule, detail: string): Problem {
  return { pointer, rule, detail };
}

/** Returns `options_invalid` for the persist file. */
export function persistError(detail: string, cause?: unknown): ClaimlinkError {
  return invalidOptions([problemAt('/persistFile', 'value', detail)], cause);
}

/** Returns `request_invalid` with every problem. `subject` starts the message: `The fault`. */
export function invalidValue(subject: string, problems: readonly Problem[]): ClaimlinkError {
  const sentences = problems.map(({ pointer, detail }) => `${pointer?.slice(1) ?? ''} ${detail}`.trim());
  return new ClaimlinkError('request_invalid', `${subject} is not valid: ${sentences.join('; ')}.`, {
    problems,
  });
}
