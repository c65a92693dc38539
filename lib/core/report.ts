// Tells the host of a failure that the client is not told of. Never throws.
import type { ClaimlinkOptions } from './options.js';
import type { RedactedRequest } from './types.js';

/** Reports a failure; `request` is undefined where there was none. */
export type Report = (error: unknown, request: RedactedRequest | undefined) => void;

/** Reports to the host's `onError`, or warns once that there is none. */
export function createReport(onError: ClaimlinkOptions['onError']): Report {
  if (onError === undefined) return warnOnce;
  return (error, request) => {
    // The host's reporter may fail, at once or later; the client's answer must not, nor the process.
    try {
      Promise.resolve(onError(error, request)).catch(() => {});
    } catch {}
  };
}

let warned = false;

function warnOnce(): void {
  if (warned) return;
  warned = true;
  process.emitWarning('claimlink met an unexpected error. Pass the option onError to learn why.', {
    code: 'CLAIMLINK_ON_ERROR',
  });
}
