// Errors about options and about values that callers pass to a mock.
import { invalidOptions } from '../lib/core/errors.js';
import { ClaimlinkError, type ErrorRule, type Problem } from '../lib/index.js';

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
