// Receives Standard Webhooks, and handles each one once.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export function createWebhookReceiver({ secret, handle }) {
  const webhook = new Webhook(secret);
  const handled = new Set(); // in production: a table with a unique id, in the transaction of the work
  return createServer(async (req, res) => {
    const body = await text(req); // the signature is over the bytes of the body
    let message;
    try {
      message = webhook.verify(body, req.headers);
    } catch {
      res.writeHead(401).end();
      return;
    }
    const id = req.headers['webhook-id'];
    if (!handled.has(id)) {
      await handle(message);
      handled.add(id);
    }
    res.writeHead(204).end();
  });
}
