// Checks the options of createClaimlink against a closed list, fills in the defaults, copies and freezes them.

import { randomBytes } from 'node:crypto';
import { type ErrorDetail, invalidOption, invalidOptions } from './errors.js';
import type { LinkSigner } from './link-signer.js';
import type { Storage } from './storage.js';
import { missingMethods, OUTBOX_METHODS, STORAGE_METHODS } from './storage-methods.js';
import type { Awaitable, FailedRequest, FailedSubmission, SubmissionEvent } from './types.js';
import { baseUrlProblem } from './url.js';
import type { StandaloneWidget } from './widget.js';

/** Options of `createClaimlink`. It throws `options_invalid` for an unknown or bad one. */
export interface ClaimlinkOptions {
  /** Holds sessions and links. Required: there is no silent in-memory default. */
  storage: Storage;
  /** Signs the tokens of links: `createLinkSigner(...)`. */
  signer: LinkSigner;
  /**
   * The contract's {base_url}: an absolute http(s) URL with the mount prefix, without query and fragment. A trailing
   * slash is removed. claimlink never derives it from a Host header.
   */
  publicUrl: string;
  /** Lifetime of a link in seconds: 60 .. 2_592_000 (30 days). Default 86_400 (one day). */
  linkTtlSeconds?: number;
  /** Maximum and default number of sessions in one response: 1 .. 10_000. Default 1000. */
  maxPageSize?: number;
  /** Maximum duration of a storage call in seconds; then the caller gets a 500: 0.05 .. 300. Default 10. */
  storageTimeoutSeconds?: number;
  /** Allowed values of `initialStepKey`. Default: any string; the built-in pages ignore unknown keys. */
  stepKeys?: readonly string[];
  /** true allows callbacks to `http://localhost` and other loopback hosts, for development. Default false. */
  allowLoopbackCallbacks?: boolean;
  /**
   * The standalone pages. Default: the built-in pages. false: the host serves /verify with openLink, submitClaim and
   * pageHeaders.
   */
  widget?: StandaloneWidget | false;
  /** Returns a reference that is unique within its client, or a promise of it. Default: 80 random bits, as in `S-8K2M9P4T6W1X3Z5B`. */
  newReference?: (kind: 'session' | 'cams') => Awaitable<string>;
  /** Returns the current time. Default: the system clock. */
  now?: () => Date;
  /**
   * Called for each submission, after the commit. The response does not wait for it. It has 60 seconds. If it fails, or
   * the process ends before it does, `deliverPending` calls it again: at least once in all. `event.id` identifies a
   * repeated call. A failure goes to `onError`. Needs a storage that implements `OutboxStorage`, or
   * `recordSubmissions: false`.
   */
  onSubmit?: (event: SubmissionEvent) => void | Promise<void>;
  /**
   * true records an event with each submission, until `onSubmit` has handled it. Without `onSubmit`, another process
   * delivers the events. false records none: `onSubmit` is called at most once. Default: true with `onSubmit`, otherwise
   * false. true needs a storage that implements `OutboxStorage`.
   */
  recordSubmissions?: boolean;
  /**
   * Called for every 5xx with its cause and the redacted request. `request.instance` is the `instance` of the response.
   * If `onSubmit` failed, there is no request, and `submission` identifies the stored submission.
   */
  onError?: (error: unknown, request: FailedRequest | undefined, submission?: FailedSubmission) => unknown;
}

/** Options of `createClaimlink` with every default filled in. */
export type ResolvedOptions = Readonly<
  Required<Omit<ClaimlinkOptions, 'stepKeys' | 'widget' | 'onSubmit' | 'onError'>> &
    Pick<ClaimlinkOptions, 'onSubmit' | 'onError'> & {
      stepKeys: readonly string[] | undefined;
      widget: StandaloneWidget | undefined;
    }
>;

/** Returns what is wrong with the value of an option, or undefined. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Returns what is wrong with the lifetime of a link. */
export const ttlProblem: OptionCheck = mustBeWhole(60, 2_592_000, 'a whole number of seconds');

const CHECKS: Record<keyof ClaimlinkOptions, OptionCheck> = {
  storage: mustHave(...STORAGE_METHODS),
  signer: mustHave('sign', 'verify'),
  publicUrl: baseUrlProblem,
  linkTtlSeconds: ttlProblem,
  maxPageSize: mustBeWhole(1, 10_000),
  storageTimeoutSeconds: mustBeNumber(0.05, 300),
  stepKeys: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === 'string' && key !== '')
      ? undefined
      : 'must be a list of at least one non-empty string',
  allowLoopbackCallbacks: mustBeBoolean,
  widget: (value) =>
    value === false
      ? undefined
      : mustHave('readForm', 'renderForm', 'renderSuccess', 'renderUnavailable')(value),
  newReference: mustBeFunction,
  now: mustBeFunction,
  onSubmit: mustBeFunction,
  recordSubmissions: mustBeBoolean,
  onError: mustBeFunction,
};

/** The names of all options. */
export const OPTION_NAMES: readonly string[] = Object.keys(CHECKS);

const REQUIRED: readonly string[] = ['storage', 'signer', 'publicUrl'];

/**
 * Checks and completes the options. Does not keep or change the caller's object.
 * @throws `options_invalid` with every problem.
 */
export function resolveOptions(
  options: ClaimlinkOptions,
  builtInWidget: () => StandaloneWidget,
): ResolvedOptions {
  assertOptions(options, CHECKS, REQUIRED);
  const { widget, onSubmit, recordSubmissions = onSubmit !== undefined } = options;
  const missing = recordSubmissions ? missingMethods(options.storage, OUTBOX_METHODS) : [];
  if (missing.length > 0) {
    const detail = onSubmit
      ? `${missingOutbox('onSubmit', missing)}; with recordSubmissions: false, onSubmit needs none of them and is called at most once`
      : missingOutbox('recordSubmissions', missing);
    throw invalidOption('/storage', 'combination', detail);
  }
  return Object.freeze({
    storage: options.storage,
    signer: options.signer,
    publicUrl: options.publicUrl.replace(/\/+$/, ''),
    linkTtlSeconds: options.linkTtlSeconds ?? 86_400,
    maxPageSize: options.maxPageSize ?? 1000,
    storageTimeoutSeconds: options.storageTimeoutSeconds ?? 10,
    stepKeys: options.stepKeys && Object.freeze([...options.stepKeys]),
    allowLoopbackCallbacks: options.allowLoopbackCallbacks ?? false,
    widget: widget === false ? undefined : (widget ?? builtInWidget()),
    newReference: options.newReference ?? randomReference,
    now: options.now ?? (() => new Date()),
    ...(onSubmit && { onSubmit }),
    recordSubmissions,
    ...(options.onError && { onError: options.onError }),
  });
}

/** Returns the problem of a storage that lacks methods of `OutboxStorage`. */
export function missingOutbox(cause: string, missing: readonly string[]): string {
  return `must implement OutboxStorage, which ${cause} needs; it lacks ${missing.join(', ')}`;
}

/**
 * Checks options against a closed list.
 * @throws `options_invalid` with every problem.
 */
export function assertOptions<T extends object>(
  options: T,
  checks: Readonly<Record<keyof T & string, OptionCheck>>,
  required: readonly string[] = [],
): void {
  if (typeof options !== 'object' || options === null) throw invalidOption('', 'type', 'must be an object');
  const problems: ErrorDetail[] = [];
  // Also checks inherited members, because the callers read them.
  for (const [name, check] of Object.entries<OptionCheck>(checks)) {
    const value: unknown = options[name as keyof T];
    if (value === undefined && !required.includes(name)) continue;
    const detail = value === undefined ? 'is required' : check(value);
    const rule = value === undefined ? 'required' : 'value';
    if (detail !== undefined) problems.push({ pointer: `/${name}`, rule, detail });
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(checks, name)) continue;
    problems.push({ pointer: `/${name}`, rule: 'unknown_option', detail: 'is not an option of claimlink' });
  }
  if (problems.length > 0) throw invalidOptions(problems);
}

/** Crockford's base 32. It has no I, L, O and U, so users can read out a reference on the phone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function randomReference(kind: 'session' | 'cams'): string {
  let reference = kind === 'session' ? 'S-' : 'C-';
  for (const byte of randomBytes(16)) reference += ALPHABET.charAt(byte % ALPHABET.length);
  return reference;
}

/** Accepts an object with these methods. */
export function mustHave(...names: string[]): OptionCheck {
  return (value) => {
    const missing = missingMethods(value, names);
    return missing.length === 0
      ? undefined
      : `must have the methods ${names.join(', ')}; it lacks ${missing.join(', ')}`;
  };
}

function mustBeBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false';
}

/** Accepts a function. */
export function mustBeFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function';
}

/** Accepts a number within a range. */
export function mustBeNumber(minimum: number, maximum: number, description = 'a number'): OptionCheck {
  return (value) =>
    typeof value === 'number' && value >= minimum && value <= maximum
      ? undefined
      : `must be ${description}, ${minimum} to ${maximum}`;
}

/** Accepts a whole number within a range. */
export function mustBeWhole(minimum: number, maximum: number, description = 'a whole number'): OptionCheck {
  const check = mustBeNumber(minimum, maximum, description);
  return (value) => check(Number.isInteger(value) ? value : Number.NaN);
}
