// The webhook of a mock: sends submissions to a backend as docs/delivery.md does. Each attempt is in the request log.
import { setTimeout as sleep } from 'node:timers/promises';
import { withRetry } from '../../lib/core/delivery-error.js';
import type { ClaimlinkEvent } from '../../lib/index.js';
import {
  failureCode,
  postWebhook,
  retryAfter,
  statusProblem,
  type WebhookResponse,
} from '../../lib/webhooks/post.js';
import { type WebhookRequest, webhookRequest } from '../../lib/webhooks/request.js';
import type { ClientSelection, ClockReading, LoggedRequest } from '../control/types.js';
import { abortedWith } from './abort.js';
import type { createFaults } from './faults.js';
import type { Hold } from './holds.js';
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
  hold: Hold;
  logRequest: ReturnType<typeof createRequestLog>['add'];
  /** Aborted when the mock closes. */
  closing: AbortSignal;
  onAttempt(attempt: WebhookAttempt): void;
}

/**
 * Creates the `onEvent` of the services. It throws if the receiver did not accept the event. Faults of the route
 * `claimSubmitted` apply. `webhook-timestamp` is of the system clock, because receivers check it by that. `epoch` is aborted
 * when the state of the event is replaced: that ends the attempt, and nothing of it is logged.
 */
export function createWebhook(
  { url, secret }: { url: string; secret: string },
  { clock, decideFault, hold, logRequest, closing, onAttempt }: MockParts,
) {
  return async (event: ClaimlinkEvent, epoch: AbortSignal): Promise<void> => {
    const { attempt, clientId } = event;
    const userId = 'userId' in event ? event.userId : null;
    const startedAt = performance.now();
    const { now: time } = clock({ clientId });
    const target = { clientId, userId, route: 'claimSubmitted' } as const;
    const fault = decideFault(target)?.applied;
    const { headers, body: whole } = webhookRequest(event, [secret], new Date());
    const isBroken = fault?.effect === 'truncate' || fault?.effect === 'malformed';
    const body = isBroken ? whole.slice(0, whole.length / 2) : whole;
    let response: WebhookResponse | null = fault?.status === undefined ? null : { status: fault.status };
    let code: string | undefined = fault?.effect;
    const ended = abortedWith(closing, epoch);
    try {
      const rejection = fault?.delayMs ? hold(clientId, Buffer.byteLength(body), ended.signal) : undefined;
      if (rejection !== undefined) throw rejection;
      await sleep(fault?.delayMs ?? 0, undefined, { signal: ended.signal });
      if (response === null && fault?.effect !== 'reset-before') {
        const responded = await send(url, { headers, body }, ended.signal);
        if (fault?.effect !== 'reset-after') response = responded;
      }
    } catch (error) {
      code = failureCode(error);
    } finally {
      ended.abort();
    }
    // The log is of a state that this event is not in.
    epoch.throwIfAborted();
    const status = response?.status ?? null;
    if (status !== null) code = statusProblem(status);
    const isAccepted = status !== null && code === undefined;
    const result = {
      method: 'POST',
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
    if (!isAccepted) {
      const error = Object.assign(new WebhookError('The webhook failed.'), { code: `webhook_${code}` });
      throw withRetry(error, response ? retryAfter(response, time) : undefined);
    }
  };
}

/** Sends a request, and resolves to its response. */
async function send(url: string, request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse> {
  const ended = abortedWith(signal, AbortSignal.timeout(TIMEOUT_MS));
  try {
    return await postWebhook(url, request, ended.signal);
  } finally {
    ended.abort();
  }
}
