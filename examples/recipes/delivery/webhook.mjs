// Sends submissions as Standard Webhooks (standardwebhooks.com).
import { Webhook } from 'standardwebhooks';

/** Returns an onSubmit. The secret looks like `whsec_...` and is the same at the receiver. */
export function createWebhookSender({ url, secret }) {
  const webhook = new Webhook(secret);
  return async ({ id, clientId, userId, linkId, session }) => {
    const data = { clientId, userId, linkId, session };
    const body = JSON.stringify({ type: 'claim.submitted', timestamp: session.date, data });
    const attemptedAt = new Date();
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id, // the same in every attempt
        'webhook-timestamp': String(Math.floor(attemptedAt.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, attemptedAt, body),
      },
      body,
      redirect: 'manual', // the claim goes to no other host
      signal: AbortSignal.timeout(15_000),
    });
    if (response.ok) return;
    const { status } = response;
    const reason = status >= 300 && status < 400 ? '_redirect' : '';
    // The event of an onSubmit that throws is delivered again. `claimlink deliveries list` shows the code.
    throw Object.assign(new Error('The receiver rejected the event.'), { code: `HTTP_${status}${reason}` });
  };
}
