// The error of the control interface, in this process and over HTTP.
import type { Problem } from '../../lib/index.js';

/** A control call that failed. */
export class MockControlError extends Error {
  /** HTTP status. 0: there was no response. */
  readonly status: number;
  /** Stable code, such as `client_not_found`; `unreachable`: there was no response. */
  readonly code: string;
  /** Every problem of the request. Empty unless the code is `request_invalid`. */
  readonly problems: readonly Problem[];

  constructor(
    status: number,
    code: string,
    message: string,
    options: { problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'MockControlError';
    this.status = status;
    this.code = code;
    this.problems = options.problems ?? [];
  }
}
