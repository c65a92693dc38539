// The webhook of a mock: sends submissions to a backend as docs/delivery.md does. Each attempt is in the request log.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubmissionEvent } from '../../lib/index.js';
import type { ClientSelection, ClockReading, LoggedRequest } from '../control/types.js';
import { abortedWith } from './abort.js';
import type { createFaults } from './faults.js';
import { redactBody, redactHeaders, redactPath } from './redaction.js';
import type { createRequestLog } from './requests.js';

const TIMEOUT_MS = 15_000;

/** A line of the terminal about one attempt to send the webhook. */
export interface WebhookAttempt
  extends Pick<LoggedRequest, 'method' | 'path' | 'status' | 'durationMs' | 'code' | 'fault'> {
  /** Number of the attempt, from 1. */
  attempt: number;
}

/** Thrown when the receiver did not accept an event. `onAttempt` has been called with the attempt. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The parts of a mock that the webhook uses. */
interface MockParts extends Pick<ReturnType<typeof createFaults>, 'decideFault'> {
  clock(selection: ClientSelection): ClockReading;
  logRequest: ReturnType<typeof createRequestLog>['add'];
  /** Aborted when the mock closes. */
  closing: AbortSignal;
  onAttempt(attempt: WebhookAttempt): void;
}

/** Returns the value of `webhook-signature` (Standard Webhooks). */
export function signWebhook(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/**
 * Creates the `onSubmit` of the services. It throws if the receiver did not accept the event. Faults of the route
 * `claimSubmitted` apply. `webhook-timestamp` is of the system clock, because receivers check it by that.
 */
export function createWebhook(
  { url, secret }: { url: string; secret: string },
  { clock, decideFault, logRequest, closing, onAttempt }: MockParts,
) {
  return async ({ id, attempt, clientId, userId, linkId, session }: SubmissionEvent): Promise<void> => {
    const startedAt = performance.now();
    const { now: time } = clock({ clientId });
    const target = { clientId, userId, route: 'claimSubmitted' } as const;
    const fault = decideFault(target)?.applied;
    const data = { clientId, userId, linkId, session };
    const whole = JSON.stringify({ type: 'claim.submitted', timestamp: session.date, data });
    const isBroken = fault?.effect === 'truncate' || fault?.effect === 'malformed';
    const body = isBroken ? whole.slice(0, whole.length / 2) : whole;
    const method = 'POST';
    let headers: Record<string, string> = { 'content-type': 'application/json', 'webhook-id': id };
    let status = fault?.status ?? null;
    let code: string | undefined = fault?.effect;
    try {
      await sleep(fault?.delayMs ?? 0, undefined, { signal: closing });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = signWebhook(secret, id, timestamp, whole);
      headers = { ...headers, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      if (status === null && fault?.effect !== 'reset-before') {
        const responded = await send(url, { method, headers, body }, closing);
        if (fault?.effect !== 'reset-after') status = responded;
      }
    } catch (error) {
      code = codeOf(error);
    }
    const isAccepted = status !== null && status >= 200 && status < 300;
    if (!isAccepted && status !== null) code = statusCode(status);
    const result = {
      method,
      status,
      ...(!isAccepted && code && { code }),
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(fault && { fault }),
    };
    onAttempt({ ...result, path: redactPath(url.replace(/[?#].*/, '')), attempt });
    logRequest({
      time,
      path: redactPath(url),
      ...target,
      ...result,
      headers: redactHeaders(headers),
      requestBody: redactBody(body),
    });
    if (!isAccepted)
      throw Object.assign(new WebhookError('The webhook failed.'), { code: `webhook_${code}` });
  };
}

/** Sends a request, and resolves to the status of its response. */
async function send(url: string, init: RequestInit, closing: AbortSignal): Promise<number> {
  const ended = abortedWith(closing, AbortSignal.timeout(TIMEOUT_MS));
  try {
    // A redirect would give the claim to another host, and lose it behind a login that responds with 200.
    const { status, body } = await fetch(url, { ...init, redirect: 'manual', signal: ended.signal });
    await body?.cancel();
    return status;
  } finally {
    ended.abort();
  }
}

/** Returns the code of a status that is no success: `HTTP_503`, `HTTP_302_redirect`. */
function statusCode(status: number): string {
  return `HTTP_${status}${status >= 300 && status < 400 ? '_redirect' : ''}`;
}

/** Returns a code such as `ECONNREFUSED`: fetch has it in the cause of its error. */
function codeOf(error: unknown): string {
  const { name, code, cause } = Object(error);
  return [cause?.code, code].find((each) => typeof each === 'string') ?? String(name);
}
