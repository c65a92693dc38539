// The request of a webhook as Standard Webhooks has it: body, headers and signature.
import { createHmac } from 'node:crypto';
import type { ClaimlinkEvent } from '../core/types.js';

/** What a receiver gets. */
export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

/** A secret of Standard Webhooks: 24 to 64 bytes in base64. */
export const WEBHOOK_SECRET =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{3}=|(?:[A-Za-z0-9+/]{4})?(?:[A-Za-z0-9+/]{2}==)?)$/;

/** Returns the request for an event. Each secret gives a signature, in their order. `at` is the time of the attempt. */
export function webhookRequest(event: ClaimlinkEvent, secrets: readonly string[], at: Date): WebhookRequest {
  const { id } = event;
  const body = JSON.stringify(payloadOf(event));
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signWebhook(secret, id, timestamp, body)).join(' '),
  };
  return { headers, body };
}

/** Returns the body of an event. Its id and the number of the attempt are no part of it. */
function payloadOf(event: ClaimlinkEvent): { type: string; timestamp: Date; data: object } {
  if (event.type === 'claim.submitted') {
    const { type, clientId, userId, linkId, session } = event;
    return { type, timestamp: session.date, data: { clientId, userId, linkId, session } };
  }
  const { id: _, attempt: __, type, at: timestamp, ...data } = event;
  return { type, timestamp, data };
}

/** Returns one signature of `webhook-signature`. */
export function signWebhook(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
