// Posts the request of a webhook. No redirect is followed: it would give the claim to another host, and lose it behind a login
// that responds with 200.
import type { WebhookRequest } from './request.js';

/** Sends a request, and resolves to the status of its response. */
export type PostWebhook = (url: string, request: WebhookRequest, signal: AbortSignal) => Promise<number>;

/** Posts with `fetch`, in any runtime. */
export async function postWebhook(
  url: string,
  request: WebhookRequest,
  signal: AbortSignal,
): Promise<number> {
  const { status, body } = await fetch(url, { method: 'POST', ...request, redirect: 'manual', signal });
  await body?.cancel();
  return status;
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
