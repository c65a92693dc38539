// Sends submissions as Standard Webhooks (standardwebhooks.com).
import { Webhook } from 'standardwebhooks';

/** Returns an onSubmit. The secret looks like `whsec_...` and is the same at the receiver. */
export function createWebhookSender({ url, secret }) {
  const webhook = new Webhook(secret);
  return async ({ id, clientId, userId, session }) => {
    const timestamp = new Date();
    const body = JSON.stringify({ type: 'claim.submitted', timestamp, data: { clientId, userId, session } });
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id, // the same in every attempt
        'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, timestamp, body),
      },
      body,
      signal: AbortSignal.timeout(15_000),
    });
    // The event of an onSubmit that throws is delivered again.
    if (!response.ok) throw new Error(`The receiver responded with ${response.status}.`);
  };
}
