// Reports server errors to the host. The caller gets a generic 500.
import type { ClaimlinkOptions } from './options.js';
import type { FailedEvent, FailedRequest, FailedSubmission } from './types.js';

/** Reports a server error. Never throws. */
export type Report = (
  error: unknown,
  request: FailedRequest | undefined,
  submission?: FailedSubmission,
  event?: FailedEvent,
) => void;

/** Creates a report function that calls the host's `onError`, or warns once if the host has none. */
export function createReport(onError: ClaimlinkOptions['onError']): Report {
  let warned = false;
  return async (error, request, submission, event) => {
    if (onError !== undefined) {
      // An onError that throws or rejects must not change the response or end the process.
      try {
        await onError(error, request, submission, event);
      } catch {}
    } else if (!warned) {
      warned = true;
      process.emitWarning(
        'An unexpected error occurred in claimlink. Pass the option onError to get its cause.',
        { code: 'CLAIMLINK_ON_ERROR' },
      );
    }
  };
}
