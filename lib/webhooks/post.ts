// Posts the request of a webhook. No redirect is followed: it would give the claim to another host, and lose it behind a login
// that responds with 200.
import { signalOption } from '../core/fetch-signal.js';
import type { WebhookRequest } from './request.js';

/** The part of a response that decides about the next attempt. */
export interface WebhookResponse {
  status: number;
  /** The header `Retry-After`. */
  retryAfter?: string | null | undefined;
}

/** Sends a request, and resolves to its response. */
export type PostWebhook = (
  url: string,
  request: WebhookRequest,
  signal: AbortSignal,
) => Promise<WebhookResponse>;

/** Posts with `fetch`, in any runtime. */
export async function postWebhook(
  url: string,
  request: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const init = { method: 'POST', ...request, redirect: 'manual', ...signalOption(signal) } as const;
  const { status, headers, body } = await new Promise<Response>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    fetch(url, init).then(resolve, reject);
  });
  await body?.cancel();
  return { status, retryAfter: headers.get('retry-after') };
}

/**
 * Returns when a receiver wants the next attempt: never after a 410, which says that it has ended (Standard Webhooks), and at
 * the time of `Retry-After` (RFC 9110, 10.2.3). Returns undefined if it does not say.
 */
export function retryAfter(
  { status, retryAfter: text }: WebhookResponse,
  now: Date,
): false | Date | undefined {
  if (status === 410) return false;
  if (!text) return undefined;
  const isSeconds = /^\d{1,9}$/.test(text);
  // `Date` also takes what is no date of HTTP, such as -1.
  if (!isSeconds && !text.endsWith(' GMT')) return undefined;
  const date = new Date(isSeconds ? now.getTime() + Number(text) * 1000 : text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Returns why a response is no success, such as `HTTP_503` and `HTTP_302_redirect`. Returns undefined for a success. */
export function statusProblem(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return `HTTP_${status}${status >= 300 && status < 400 ? '_redirect' : ''}`;
}

/** Returns the code of a failed call, such as `ECONNREFUSED`: `fetch` has it in the cause of its error. */
export function failureCode(error: unknown): string {
  const { name, code, cause } = Object(error);
  return [cause?.code, code].find((each) => typeof each === 'string') ?? String(name);
}
