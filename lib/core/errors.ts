// Every error that claimlink responds with or throws: one table of codes, one list of rules, one class.
import { isError } from './plain-data.js';

/** HTTP status and title (RFC 9457) of each error code. */
export const ERRORS = {
  request_invalid: [400, 'The request is not valid'],
  request_aborted: [400, 'The request ended before its body did'],
  api_key_missing: [401, 'The API key is missing'],
  api_key_invalid: [401, 'The API key is not valid'],
  recipient_check_required: [403, 'The recipient of the link must answer a question'],
  recipient_check_failed: [403, 'The answer does not match'],
  client_not_found: [404, 'The client was not found'],
  route_not_found: [404, 'There is nothing at this path'],
  link_not_found: [404, 'The link is not valid'],
  photo_not_found: [404, 'The photo is not there, or not for this browser'],
  method_not_allowed: [405, 'The method is not allowed here'],
  request_timeout: [408, 'The request took too long'],
  already_exists: [409, 'It exists already'],
  photo_limit_reached: [409, 'There is no place for another photo'],
  link_expired: [410, 'The link has expired'],
  link_revoked: [410, 'The link has been withdrawn'],
  link_submitted: [410, 'The claim has been submitted already'],
  length_required: [411, 'The request has no Content-Length'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'A part of the path is too long'],
  content_type_unsupported: [415, 'The content type is not supported'],
  idempotency_key_reused: [422, 'The Idempotency-Key belongs to another request'],
  link_locked: [423, 'The link is locked after too many wrong answers'],
  too_many_requests: [429, 'There are too many requests'],
  internal: [500, 'Something went wrong on our side'],
  body_consumed: [500, 'Something went wrong on our side'],
  options_invalid: [500, 'The options are not valid'],
  schema_mismatch: [500, 'The tables do not fit this version'],
  recipient_check_unavailable: [503, 'The answer cannot be checked right now'],
  settings_unknown: [503, 'The settings of the client need a newer version'],
  storage_unavailable: [503, 'The service is not available right now'],
  validation_unavailable: [503, 'The claim cannot be checked right now'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

/** Code of a claimlink error, stable across versions. */
export type ErrorCode = keyof typeof ERRORS;

/** Codes that no response contains. Factories, adapters and storages throw them; a response then has `internal`. */
const THROWN_ONLY = [
  'already_exists',
  'body_consumed',
  'options_invalid',
  'schema_mismatch',
] as const satisfies readonly ErrorCode[];

type ResponseCode = Exclude<ErrorCode, (typeof THROWN_ONLY)[number]>;

/** The codes of responses. */
export const RESPONSE_CODES = Object.keys(ERRORS).filter(
  (code): code is ResponseCode => !(THROWN_ONLY as readonly string[]).includes(code),
);

/**
 * The rules that the `errors` of an HTTP response name. The comments say which value breaks the rule.
 * A rule that JSON Schema also knows has the name of the keyword.
 */
export const REQUEST_RULES = [
  'required', // A required member is missing.
  'type', // The value has another JSON type.
  'format', // The text is not a calendar date, YYYY-MM-DD, or a claim has a date before 1900-01-01.
  'minLength', // The text is empty.
  'maxLength', // The text is too long.
  'maxItems', // The list is too long.
  'minimum', // The number is under the range of safe integers.
  'maximum', // The number is over the range of safe integers.
  'json', // The body is not JSON.
  'json_prototype', // The body has a `__proto__` or `constructor.prototype` member.
  'utf8', // The body is not UTF-8.
  'text', // The text has a NUL character or a lone surrogate, which databases reject.
  'control_characters', // The text has a control character.
  'printable_ascii', // The text has characters other than printable ASCII.
  'id', // The id is `.` or `..`, which URLs drop from their paths.
  'percent_encoding', // The path segment has a malformed percent escape.
  'repeated', // The query parameter occurs more than once.
  'limit', // The page size is not a whole number in its range.
  'cursor', // The service did not create the paging cursor.
  'email', // The text is not an e-mail address.
  'url', // The text is not an absolute URL of an accepted kind.
  'url_credentials', // The URL has a user name or a password.
  'callback_scheme', // The scheme of the callback URL is not allowed.
  'callback_origin', // The origin of the callback URL is not in the client's list.
  'callback_placeholder', // The host of the callback URL has a placeholder, or one is percent-encoded.
  'step_key', // The step key is not in the option `stepKeys`.
  'size', // The JSON of the value is too long, or has too many levels.
  'date_order', // A period ends before it begins.
  'date_future', // The date is after today; one day later is accepted, because of time zones.
  'phone_digits', // The phone number has fewer than three digits.
  'time', // The text is not a time of the day, HH:MM.
  'choice', // The text is not a key of the list in the form of the client.
  'unknown_question', // The form of the client has no question with this key.
  'unknown_photo', // The link has no photo with this id.
  'accepted', // The user has not confirmed it: the member must be true.
  'recipient', // The recipient of the link has not answered, or the answer does not match.
  'value', // The value is not allowed; the detail says why.
  'claim', // The Standard Schema in the option `validateClaim` rejects the value; the detail says why.
] as const;

/** The rules that only thrown errors name, and the control routes of the mock. */
const OTHER_RULES = [
  'unknown_option', // The option or member is not known.
  'reserved_id', // The client id is reserved for routes.
  'callback_origins', // The entry is neither an origin nor a custom scheme.
  'unique', // Another object has the same value, which must be unique.
  'combination', // Two values exclude each other, or one needs the other.
] as const;

/** Name of the rule that a value breaks. Stable across versions, so that a form can translate it. */
export type ErrorRule = (typeof REQUEST_RULES)[number] | (typeof OTHER_RULES)[number];

/** Name of a rule of the host: any text. As a type of its own, it leaves editors the names of `ErrorRule` to suggest. */
export type HostRule = string & Record<never, never>;

/** What is wrong with a request or with options: the rule that a value breaks, and its place. */
export interface Problem {
  /** Stable name of the rule: an `ErrorRule`, or a name of the host if `validateClaim` found the problem. */
  rule: ErrorRule | HostRule;
  /** The same in English, without the value; a sentence of the host if `validateClaim` found the problem. */
  detail: string;
  /** JSON Pointer (RFC 6901) into the body or the options; "" is the whole value. */
  pointer?: string;
  /** Name of the path or query parameter. */
  parameter?: string;
  /** Name of the request header. */
  header?: string;
  /** Sentences for the user by BCP 47 tag, perhaps none. Present if `validateClaim` found the problem. */
  messages?: Readonly<Record<string, string>>;
}

/** A problem that claimlink finds. */
export interface RuleProblem extends Problem {
  rule: ErrorRule;
}

/** Maximum number of problems in one error about a request body, so that a small body gets no large response. */
export const MAX_PROBLEMS = 20;

/** The class of every error that claimlink throws on purpose. Messages and problems never quote a value. */
export class ClaimlinkError extends Error {
  /** Stable code, one of `ERRORS`. */
  readonly code: ErrorCode;
  /** HTTP status that goes with the code. */
  readonly statusCode: number;
  /** The problems of the request or the options; set for `request_invalid` and `options_invalid`. */
  readonly problems?: readonly Problem[];
  /** Seconds after which the caller may try again; the `Retry-After` of a 429 or a 503. Default: 60 or 5. */
  readonly retryAfterSeconds?: number;

  constructor(
    code: ErrorCode,
    message?: string,
    options?: { problems?: readonly Problem[]; cause?: unknown; retryAfterSeconds?: number },
  ) {
    const [statusCode, title] = ERRORS[code];
    super(message ?? `${title}.`, options);
    this.name = 'ClaimlinkError';
    this.code = code;
    this.statusCode = statusCode;
    if (options?.problems) this.problems = options.problems;
    if (options?.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Returns whether a caught value is a `ClaimlinkError`, also one of another copy of the package. */
export function isClaimlinkError(error: unknown): error is ClaimlinkError {
  return isError(error) && error.name === 'ClaimlinkError' && 'code' in error && 'statusCode' in error;
}

/** Returns a thrown value as a ClaimlinkError. Any other value becomes `internal` with the value as its cause. */
export function asClaimlinkError(error: unknown): ClaimlinkError {
  return isClaimlinkError(error) ? error : new ClaimlinkError('internal', undefined, { cause: error });
}

/** Returns the code that the caller sees: `internal` for a code that no response of this version has. */
export function publicCode({ code }: ClaimlinkError): ErrorCode {
  return RESPONSE_CODES.find((responseCode) => responseCode === code) ?? 'internal';
}

/** Returns a 400 about the body, with the first 20 problems. */
export function invalidBody(problems: readonly Problem[]): ClaimlinkError {
  return new ClaimlinkError('request_invalid', 'The request body is not valid; see errors.', {
    problems: problems.slice(0, MAX_PROBLEMS),
  });
}

/** Returns a 400 about one path or query parameter. */
export function invalidParameter(parameter: string, rule: ErrorRule, detail: string): ClaimlinkError {
  return new ClaimlinkError('request_invalid', `The parameter ${parameter} ${detail}.`, {
    problems: [{ parameter, rule, detail }],
  });
}

/** Returns a 400 about one header. */
export function invalidHeader(header: string, rule: ErrorRule, detail: string): ClaimlinkError {
  return new ClaimlinkError('request_invalid', `The header ${header} ${detail}.`, {
    problems: [{ header, rule, detail }],
  });
}

/** Returns the error of a factory whose options are not valid. */
export function invalidOptions(problems: readonly Problem[], cause?: unknown): ClaimlinkError {
  const message = problems
    .map(({ pointer, detail }) => `${pointer?.slice(1) || 'options'} ${detail}`)
    .join('; ');
  return new ClaimlinkError('options_invalid', `claimlink options: ${message}.`, {
    problems,
    ...(cause !== undefined && { cause }),
  });
}

/** Returns the error of a factory with one option that is not valid. */
export function invalidOption(pointer: string, rule: ErrorRule, detail: string): ClaimlinkError {
  return invalidOptions([{ pointer, rule, detail }]);
}
