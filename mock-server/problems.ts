// Errors about options and about values that callers pass to a mock.
import { ClaimlinkError, type ErrorRule, type Problem } from '../lib/index.js';

/** Describes one problem. `detail` is a sentence without its subject, which the pointer names. */
export function problemAt(pointer: string, rule: ErrorRule, detail: string): Problem {
  return { pointer, rule, detail };
}

/** Returns `options_invalid` with every problem; the message names each option. */
export function invalidMockOptions(problems: readonly Problem[], cause?: unknown): ClaimlinkError {
  return new ClaimlinkError('options_invalid', `startMockServer options: ${sentence(problems, 'options')}.`, {
    problems,
    ...(cause !== undefined && { cause }),
  });
}

/** Returns `options_invalid` for the persist file. */
export function persistError(detail: string, cause?: unknown): ClaimlinkError {
  return invalidMockOptions([problemAt('/persistFile', 'value', detail)], cause);
}

/** Returns `request_invalid` with every problem. `subject` starts the message: `The fault`. */
export function invalidValue(subject: string, problems: readonly Problem[]): ClaimlinkError {
  return new ClaimlinkError('request_invalid', `${subject} is not valid: ${sentence(problems, '')}.`, {
    problems,
  });
}

function sentence(problems: readonly Problem[], whole: string): string {
  return problems
    .map(({ parameter, pointer, detail }) => `${parameter ?? (pointer?.slice(1) || whole)} ${detail}`.trim())
    .join('; ');
}
