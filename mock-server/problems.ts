// Errors about options and about values that callers pass to a mock.
import { ClaimlinkError, type ErrorDetail, type ErrorRule } from '../lib/index.js';

/** Describes one problem. `detail` is a sentence without its subject, which the pointer names. */
export function problemAt(pointer: string, rule: ErrorRule, detail: string): ErrorDetail {
  return { pointer, rule, detail };
}

/** Returns `options_invalid` with every problem; the message names each option. */
export function invalidMockOptions(details: readonly ErrorDetail[], cause?: unknown): ClaimlinkError {
  return new ClaimlinkError('options_invalid', `startMockServer options: ${sentence(details, 'options')}.`, {
    details,
    ...(cause !== undefined && { cause }),
  });
}

/** Returns `options_invalid` for the persist file. */
export function persistError(detail: string, cause?: unknown): ClaimlinkError {
  return invalidMockOptions([problemAt('/persistFile', 'value', detail)], cause);
}

/** Returns `request_invalid` with every problem. `subject` starts the message: `The fault`. */
export function invalidValue(subject: string, details: readonly ErrorDetail[]): ClaimlinkError {
  return new ClaimlinkError('request_invalid', `${subject} is not valid: ${sentence(details, '')}.`, {
    details,
  });
}

function sentence(details: readonly ErrorDetail[], whole: string): string {
  return details
    .map(({ parameter, pointer, detail }) => `${parameter ?? (pointer?.slice(1) || whole)} ${detail}`.trim())
    .join('; ');
}
