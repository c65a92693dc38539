// Every error that claimlink can answer or throw: one table, one class.

/** HTTP status and title (RFC 9457) of each error code. */
export const ERRORS = {
  request_invalid: [400, 'The request is not valid'],
  request_aborted: [400, 'The request ended before its body did'],
  api_key_missing: [401, 'The API key is missing'],
  api_key_invalid: [401, 'The API key is not valid'],
  client_not_found: [404, 'The client was not found'],
  route_not_found: [404, 'There is nothing at this path'],
  link_not_found: [404, 'The link is not valid'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request took too long'],
  already_exists: [409, 'It exists already'],
  link_expired: [410, 'The link has expired'],
  link_revoked: [410, 'The link has been withdrawn'],
  link_submitted: [410, 'The claim has been submitted already'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'A part of the path is too long'],
  content_type_unsupported: [415, 'The content type is not supported'],
  internal: [500, 'Something went wrong on our side'],
  body_consumed: [500, 'Something went wrong on our side'],
  options_invalid: [500, 'The options are not valid'],
  schema_mismatch: [500, 'The tables do not fit this version'],
  storage_unavailable: [503, 'The service is not available right now'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

/** Code of a claimlink error, stable across versions. */
export type ErrorCode = keyof typeof ERRORS;

/** One thing that is wrong, and where. */
export interface ErrorDetail {
  /** JSON Pointer (RFC 6901) into the body or the options; "" is the whole. */
  pointer?: string;
  /** Name of the path or query parameter. */
  parameter?: string;
  /** What is wrong, in words, without the value. */
  detail: string;
}

/** The one class of error that claimlink throws on purpose. Messages and details never quote a value. */
export class ClaimlinkError extends Error {
  /** Stable code, one of `ERRORS`. */
  readonly code: ErrorCode;
  /** HTTP status that goes with the code. */
  readonly statusCode: number;
  /** Everything that is wrong, all at once; set for `request_invalid` and `options_invalid`. */
  readonly details?: readonly ErrorDetail[];

  constructor(
    code: ErrorCode,
    message?: string,
    options?: { details?: readonly ErrorDetail[]; cause?: unknown },
  ) {
    const [statusCode, title] = ERRORS[code];
    super(message ?? `${title}.`, options && 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ClaimlinkError';
    this.code = code;
    this.statusCode = statusCode;
    if (options?.details) this.details = options.details;
  }
}

/** Whether a caught value is a `ClaimlinkError`, also one from another copy of the package. */
export function isClaimlinkError(error: unknown): error is ClaimlinkError {
  return (
    error instanceof Error && error.name === 'ClaimlinkError' && 'code' in error && 'statusCode' in error
  );
}

/** A 400 about the body: one detail per problem. */
export function invalidBody(details: readonly ErrorDetail[]): ClaimlinkError {
  return new ClaimlinkError('request_invalid', 'The request body is not valid; see errors.', { details });
}

/** A 400 about one path or query parameter. */
export function invalidParameter(parameter: string, detail: string): ClaimlinkError {
  return new ClaimlinkError('request_invalid', `The parameter ${parameter} ${detail}.`, {
    details: [{ parameter, detail }],
  });
}

/** Throw this for options of any factory. */
export function invalidOptions(details: readonly ErrorDetail[]): ClaimlinkError {
  const message = details
    .map(({ pointer, detail }) => `${pointer?.slice(1) || 'options'} ${detail}`)
    .join('; ');
  return new ClaimlinkError('options_invalid', `claimlink options: ${message}.`, { details });
}
