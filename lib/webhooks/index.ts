/**
 * Sends events to a backend as Standard Webhooks (standardwebhooks.com). The OpenAPI document has the request under
 * `webhooks`, and docs/delivery.md shows receivers.
 *
 * @module claimlink/webhooks
 */
import {
  anyValue,
  assertOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeList,
  mustBeNumber,
} from '../core/assert-options.js';
import { LEASE_SECONDS } from '../core/delivery-attempt.js';
import { withRetry } from '../core/delivery-error.js';
import { invalidOption } from '../core/errors.js';
import type { ClaimlinkEvent } from '../core/types.js';
import { isLoopback, parseUrl, portProblem } from '../core/url.js';
import { createGuardedPost, nodeModules } from './guarded-post.js';
import {
  failureCode,
  type PostWebhook,
  postWebhook,
  retryAfter,
  statusProblem,
  type WebhookResponse,
} from './post.js';
import { WEBHOOK_SECRET, webhookRequest } from './request.js';

const MAX_SECRETS = 5;
const DEFAULT_TIMEOUT_SECONDS = 15;

/** Options of `createWebhookSender`. */
export interface WebhookSenderOptions {
  /** URL of the receiver, without user, password and fragment: `https`, or `http` to a loopback host. */
  url: string;
  /**
   * Secrets of the receiver, 1 to 5: `whsec_` and 24 to 64 bytes in base64. Each gives a signature, so that a secret can be replaced without
   * a lost event: send with both, change the receiver, remove the old one.
   */
  secrets: readonly string[];
  /** Maximum duration of an attempt in seconds, 1 to 59: the lease of an event is 60. Default: 15. */
  timeoutSeconds?: number;
  /**
   * Whether to reject a host any of whose addresses is not public (RFC 6890), with the code `private_address`. For URLs that
   * others enter. Needs `https` and Node: other runtimes cannot choose the address that they connect to. Behind a proxy or NAT64, your
   * network must do it instead. Default: false.
   */
  rejectPrivateAddresses?: boolean;
  /** Returns the time of an attempt. Default: the system clock, which receivers compare it with. */
  now?: () => Date;
}

/** Sends an event. Resolves when the receiver has accepted it, with a status of 2xx. */
export type WebhookSender = (event: ClaimlinkEvent) => Promise<void>;

/** Thrown when the receiver did not accept an event. It has no URL, no secret and no data of the event. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  /**
   * Why, as `claimlink deliveries list` shows it: `HTTP_503` for a status, `HTTP_307_redirect` for a redirect, which is not followed,
   * `TimeoutError` at the end of the time, `private_address`, and codes of Node such as `ECONNREFUSED`.
   */
  readonly code: string;

  constructor(code: string) {
    super(`The receiver of the webhook did not accept the event: ${code}.`);
    this.code = code;
  }
}

/**
 * Creates a function for `onSubmit` or `onEvent` that sends each event to a URL. It makes one attempt in each call: an event that the
 * receiver did not accept is delivered again, as every event (docs/delivery.md): not after a 410, and not before the time of
 * `Retry-After`.
 * @throws `options_invalid`. The sender rejects with a WebhookError.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  assertOptions<WebhookSenderOptions>(
    options,
    {
      url: anyValue,
      secrets: mustBeList,
      timeoutSeconds: mustBeNumber(1, LEASE_SECONDS - 1),
      rejectPrivateAddresses: mustBeBoolean,
      now: mustBeFunction,
    },
    { required: ['url', 'secrets'] },
  );
  const { url, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, rejectPrivateAddresses = false } = options;
  const { now = () => new Date() } = options;
  const secrets = [...options.secrets];
  assertSecrets(secrets);
  assertUrl(url, rejectPrivateAddresses);
  const post = rejectPrivateAddresses ? guardedPost() : postWebhook;

  return async (event) => {
    const request = webhookRequest(event, secrets, now());
    let response: WebhookResponse;
    try {
      response = await post(url, request, AbortSignal.timeout(timeoutSeconds * 1000));
    } catch (error) {
      throw new WebhookError(failureCode(error));
    }
    const problem = statusProblem(response.status);
    if (problem !== undefined) throw withRetry(new WebhookError(problem), retryAfter(response, now()));
  };
}

function assertSecrets(secrets: readonly unknown[]): void {
  if (secrets.length < 1 || secrets.length > MAX_SECRETS)
    throw invalidOption('/secrets', 'value', `must be a list of 1 to ${MAX_SECRETS} secrets`);
  for (const [index, secret] of secrets.entries())
    if (typeof secret !== 'string' || !WEBHOOK_SECRET.test(secret))
      throw invalidOption(`/secrets/${index}`, 'value', 'must be whsec_ and 24 to 64 bytes in base64');
}

function assertUrl(value: unknown, isGuarded: boolean): void {
  const url = typeof value === 'string' ? parseUrl(value) : undefined;
  const isHttp = url?.protocol === 'http:' && isLoopback(url.hostname) && !isGuarded;
  if (url === undefined || !(url.protocol === 'https:' || isHttp)) {
    const exception = isGuarded ? '' : ', or http to a loopback host';
    throw invalidOption('/url', 'value', `must be an absolute https URL${exception}`);
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalidOption('/url', 'value', 'must have no user, password or fragment');
  const problem = isGuarded ? undefined : portProblem(url.port);
  if (problem !== undefined) throw invalidOption('/url', 'value', problem);
}

function guardedPost(): PostWebhook {
  const modules = nodeModules();
  if (modules === undefined)
    throw invalidOption(
      '/rejectPrivateAddresses',
      'value',
      'needs Node: this runtime cannot choose the address of a host',
    );
  return createGuardedPost(modules);
}
