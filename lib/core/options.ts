// Checks the options of createClaimlink against a closed list, fills in the defaults, copies and freezes them.

import { randomBytes } from 'node:crypto';
import {
  anyValue,
  assertOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeNumber,
  mustBeWhole,
  mustHave,
  type OptionCheck,
  type OptionChecks,
} from './assert-options.js';
import { CREDENTIAL_CACHE_CHECKS, type CredentialCacheOptions } from './credential-cache.js';
import { invalidOption } from './errors.js';
import { STORAGE_METHODS } from './guarded-storage.js';
import type { CheckRecipient } from './host-question.js';
import type { LinkSigner } from './link-signer.js';
import { PHOTOS_CHECKS, type PhotosOptions, type ResolvedPhotos, resolvePhotos } from './photo-options.js';
import type { EventChoice, Storage } from './storage.js';
import {
  type Awaitable,
  type ClaimlinkEvent,
  EVENT_TYPES,
  type EventType,
  type FailedEvent,
  type FailedRequest,
  type FailedSubmission,
  type SubmissionEvent,
} from './types.js';
import { baseUrlProblem } from './url.js';
import { isStandardSchema, type StandardSchema, type ValidateClaim } from './validate-claim.js';
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
  /** Maximum duration of a storage call in seconds; then the caller gets a 503: 0.05 .. 300. Default 10. */
  storageTimeoutSeconds?: number;
  /**
   * Caches the credentials of API requests in this process: a listing or a link over PostgreSQL then needs one statement.
   * Default: no cache.
   */
  credentialCache?: CredentialCacheOptions;
  /**
   * Time in seconds for which the browser that sent a claim shows its answers again after a reload: 0 .. 86_400. Default
   * 3600 (one hour). 0 sets no cookie: a reload then shows reference and time only, as with a signer without `derive`.
   */
  receiptSeconds?: number;
  /**
   * true rejects a POST of a link request without the header `Idempotency-Key`: 400 `request_invalid`. It needs a signer with
   * `derive` and a storage that implements `IdempotencyStorage`. Default false: the header is optional, and ignored if signer
   * or storage do not support it. It has no effect on calls of `createLink`.
   */
  requireIdempotency?: boolean;
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
  /**
   * Checks a claim beside claimlink's own rules, such as whether you know the policy: a function, or a Standard Schema. The
   * form and JSON show its problems as their own. It is not called for a repeated submission, and may run more than once
   * for one claim. If it throws, takes too long or returns anything else, the caller gets a 503, `onError` gets the
   * cause, and the link stays usable.
   */
  validateClaim?: ValidateClaim | StandardSchema;
  /** Maximum duration of `validateClaim` in seconds: 1 .. 30. Default 5. */
  validateClaimSeconds?: number;
  /**
   * Answers the questions of clients whose setting `recipientCheck` is a question: returns true if the answer of a recipient is
   * right, and false if it is wrong. It has 5 seconds. If it throws, takes too long or returns anything else, the caller gets a
   * 503, `onError` gets the names, codes and places of the error, and the recipient loses no attempt. After 20 failures of a link
   * in a process, each further one takes an attempt. Without it, such a client gets a 503 for each of its links.
   */
  checkRecipient?: CheckRecipient;
  /**
   * Where the photos of links are, and their limits. Default: links take no photos. It needs a storage that implements
   * `OutboxStorage`, which then records `claim.submitted` and `data.deleted`, whatever `events` has: they remove photos.
   */
  photos?: PhotosOptions;
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
   * Called for each event of the kinds in `events`, as `onSubmit` is for submissions: `onSubmit` is its short form for
   * one kind. Events of links come with the next `deliverPending`, or at once in the process that records them.
   */
  onEvent?: (event: ClaimlinkEvent) => void | Promise<void>;
  /**
   * The kinds of events that are recorded, until `onEvent` has handled them. Default: `claim.submitted` with `onSubmit` or
   * `onEvent`, otherwise none. All other kinds need a storage that implements `LifeStorage`. The storage keeps the
   * choice: every process and every command records by the latest one. Without `onEvent`, another process delivers them.
   */
  events?: readonly EventType[];
  /** How long before the end of a link `link.expiring` is due, in seconds: 60 .. 2_592_000. Default 14_400 (four hours). */
  expiryNoticeSeconds?: number;
  /**
   * true records an event with each submission, until `onSubmit` has handled it. Without `onSubmit`, another process
   * delivers the events. false records none: `onSubmit` is called at most once. Default: whether `events` has
   * `claim.submitted`, or `photos` is set, which false cannot be used with. true needs a storage that implements
   * `OutboxStorage`.
   */
  recordSubmissions?: boolean;
  /**
   * Called for every 5xx with its cause and the redacted request. `request.instance` is the `instance` of the response.
   * If `onSubmit` failed, there is no request, and `submission` identifies the stored submission. If `onEvent` failed for
   * another event, `event` identifies it.
   */
  onError?: (
    error: unknown,
    request: FailedRequest | undefined,
    submission?: FailedSubmission,
    event?: FailedEvent,
  ) => unknown;
}

/** Options of `createClaimlink` with every default filled in. */
export type ResolvedOptions = Readonly<
  Required<
    Omit<
      ClaimlinkOptions,
      | 'credentialCache'
      | 'stepKeys'
      | 'widget'
      | 'validateClaim'
      | 'checkRecipient'
      | 'onSubmit'
      | 'onEvent'
      | 'expiryNoticeSeconds'
      | 'onError'
      | 'photos'
    >
  > &
    Pick<ClaimlinkOptions, 'credentialCache' | 'validateClaim' | 'checkRecipient' | 'onEvent' | 'onError'> & {
      stepKeys: readonly string[] | undefined;
      widget: StandaloneWidget | undefined;
      /** Absent: links take no photos. */
      photos?: ResolvedPhotos;
      /** What the storage is to record. Absent without the options `events` and `photos`. */
      choice?: EventChoice;
      /** Whether this process delivers the events of submissions: to the host, or to remove photos. */
      deliversSubmissions: boolean;
    }
>;

/** Returns what is wrong with the lifetime of a link. */
export const ttlProblem: OptionCheck = mustBeWhole(60, 2_592_000, 'a whole number of seconds');

const CHECKS: OptionChecks<ClaimlinkOptions> = {
  storage: mustHave(...STORAGE_METHODS.Storage),
  signer: mustHave('sign', 'verify'),
  publicUrl: baseUrlProblem,
  linkTtlSeconds: ttlProblem,
  maxPageSize: mustBeWhole(1, 10_000),
  storageTimeoutSeconds: mustBeNumber(0.05, 300),
  credentialCache: anyValue,
  receiptSeconds: mustBeWhole(0, 86_400, 'a whole number of seconds'),
  requireIdempotency: mustBeBoolean,
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
  validateClaim: (value) =>
    typeof value === 'function' || isStandardSchema(value)
      ? undefined
      : 'must be a function or a Standard Schema of version 1',
  validateClaimSeconds: mustBeNumber(1, 30),
  checkRecipient: mustBeFunction,
  photos: anyValue,
  now: mustBeFunction,
  onSubmit: mustBeFunction,
  onEvent: mustBeFunction,
  events: (value) =>
    Array.isArray(value) && value.every((type) => EVENT_TYPES.includes(type))
      ? undefined
      : `must be a list of: ${EVENT_TYPES.join(', ')}`,
  expiryNoticeSeconds: ttlProblem,
  recordSubmissions: mustBeBoolean,
  onError: mustBeFunction,
};

const REQUIRED: readonly string[] = ['storage', 'signer', 'publicUrl'];

/**
 * Checks and completes the options. Does not keep or change the caller's object.
 * @throws `options_invalid` with every problem.
 */
export function resolveOptions(
  options: ClaimlinkOptions,
  builtInWidget: () => StandaloneWidget,
): ResolvedOptions {
  assertOptions(options, CHECKS, { required: REQUIRED });
  const { credentialCache, widget, validateClaim, checkRecipient, onSubmit, onEvent } = options;
  if (onSubmit && (onEvent ?? options.events))
    throw invalidOption('/onSubmit', 'combination', 'must not be used with onEvent and events: use onEvent');
  const handler = onSubmit ?? onEvent;
  const events = Object.freeze([...(options.events ?? (handler ? (['claim.submitted'] as const) : []))]);
  if (credentialCache !== undefined)
    assertOptions(credentialCache, CREDENTIAL_CACHE_CHECKS, { pointer: '/credentialCache' });
  if (options.photos !== undefined)
    assertOptions(options.photos, PHOTOS_CHECKS, { pointer: '/photos', required: ['store'] });
  if (options.photos !== undefined && options.recordSubmissions === false) {
    const detail =
      'must not be false with photos: the event of a submission removes the photos that it does not name';
    throw invalidOption('/recordSubmissions', 'combination', detail);
  }
  const recordedTypes = [
    ...events,
    ...(options.photos ? PHOTO_EVENTS.filter((type) => !events.includes(type)) : []),
  ];
  return Object.freeze({
    storage: options.storage,
    signer: options.signer,
    publicUrl: options.publicUrl.replace(/\/+$/, ''),
    linkTtlSeconds: options.linkTtlSeconds ?? 86_400,
    maxPageSize: options.maxPageSize ?? 1000,
    storageTimeoutSeconds: options.storageTimeoutSeconds ?? 10,
    ...(credentialCache && { credentialCache: Object.freeze({ ...credentialCache }) }),
    receiptSeconds: options.receiptSeconds ?? 3600,
    requireIdempotency: options.requireIdempotency ?? false,
    stepKeys: options.stepKeys && Object.freeze([...options.stepKeys]),
    allowLoopbackCallbacks: options.allowLoopbackCallbacks ?? false,
    widget: widget === false ? undefined : (widget ?? builtInWidget()),
    newReference: options.newReference ?? randomReference,
    ...(validateClaim && { validateClaim }),
    validateClaimSeconds: options.validateClaimSeconds ?? 5,
    ...(checkRecipient && { checkRecipient }),
    ...(options.photos && { photos: resolvePhotos(options.photos) }),
    now: options.now ?? (() => new Date()),
    ...(handler && { onEvent: handler as NonNullable<ClaimlinkOptions['onEvent']> }),
    events,
    ...((options.events ?? options.photos) && {
      choice: choiceOf(recordedTypes, options.expiryNoticeSeconds),
    }),
    recordSubmissions: options.recordSubmissions ?? recordedTypes.includes('claim.submitted'),
    deliversSubmissions: deliversSubmissions(options, events),
    ...(options.onError && { onError: options.onError }),
  });
}

/** The events that remove photos. The storage records them, whatever the host chose. */
export const PHOTO_EVENTS: readonly EventType[] = ['claim.submitted', 'data.deleted'];

/** Whether a process delivers the events of submissions. Without a handler, another process does that for a choice of events. */
function deliversSubmissions(
  { photos, onSubmit, onEvent, events, recordSubmissions }: ClaimlinkOptions,
  chosen: readonly EventType[],
): boolean {
  const hasHandler = (onSubmit ?? onEvent) !== undefined;
  if (chosen.includes('claim.submitted')) return hasHandler;
  return photos !== undefined && recordSubmissions === undefined && (hasHandler || events === undefined);
}

/** Returns what a `LifeStorage` records. */
function choiceOf(events: readonly EventType[], expiryNoticeSeconds = 14_400): EventChoice {
  const types = events.filter((type) => type !== 'claim.submitted');
  return Object.freeze({ types: Object.freeze(types), expiryNoticeSeconds });
}

/** Crockford's base 32. It has no I, L, O and U, so users can read out a reference on the phone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function randomReference(kind: 'session' | 'cams'): string {
  let reference = kind === 'session' ? 'S-' : 'C-';
  for (const byte of randomBytes(16)) reference += ALPHABET.charAt(byte % ALPHABET.length);
  return reference;
}
