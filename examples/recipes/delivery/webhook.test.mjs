// Submissions as Standard Webhooks. Run it: node --test
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { createMockFetch } from 'claimlink/mock-server';
import { createWebhookSender } from 'claimlink/webhooks';
import { createFanOut } from './fan-out.mjs';
import { createService, submitClaim } from './submit.mjs';
import { createWebhookReceiver } from './webhook-receiver.mjs';

const secret = `whsec_${randomBytes(24).toString('base64')}`;

async function startReceiver(t, handle) {
  const server = createWebhookReceiver({ secret, handle });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

test('the receiver verifies a submission', async (t) => {
  const received = [];
  const url = await startReceiver(t, (message) => received.push(message));
  const { claimlink } = createService(createWebhookSender({ url, secrets: [secret] }));
  const reference = await submitClaim(claimlink);
  assert.deepEqual(
    received.map(({ type, data }) => [type, data.clientId, data.session.reference]),
    [['claim.submitted', 'acme', reference]],
  );
  const { links } = await claimlink.listLinks('acme');
  assert.equal(received[0].data.linkId, links[0].linkId);
  assert.deepEqual(received[0].data.session.link, { linkId: links[0].linkId, extra: { case: 'K-7' } });
});

test('a late delivery has the time of the submission', async (t) => {
  const received = [];
  const url = await startReceiver(t, (message) => received.push(message));
  const send = createWebhookSender({ url, secrets: [secret] });
  const { claimlink, advance } = createService(async (event) => {
    if (event.attempt === 1) throw new Error('The network is down.');
    await send({ ...event, session: { ...event.session, date: new Date('2026-03-02T10:00:00.000Z') } });
  });
  await submitClaim(claimlink);
  advance(10);
  await claimlink.deliverPending();
  assert.equal(received[0].timestamp, '2026-03-02T10:00:00.000Z');
});

test('the receiver handles a repeated delivery once', async (t) => {
  const received = [];
  const url = await startReceiver(t, (message) => received.push(message));
  const send = createWebhookSender({ url, secrets: [secret] });
  const ids = [];
  const { claimlink, advance } = createService(async (event) => {
    ids.push(event.id);
    await send(event);
    if (event.attempt === 1) throw new Error('The connection was reset after the receiver responded.');
  });
  await submitClaim(claimlink);
  advance(10);
  assert.deepEqual(await claimlink.deliverPending(), {
    delivered: 1,
    failedAttempts: 0,
    pending: 0,
    failed: 0,
  });
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
  assert.equal(received.length, 1);
});

test('the receiver rejects another signature, and the event stays', async (t) => {
  const url = await startReceiver(t, () => assert.fail('it is handled'));
  const other = `whsec_${randomBytes(24).toString('base64')}`;
  const { claimlink } = createService(createWebhookSender({ url, secrets: [other] }));
  await submitClaim(claimlink);
  assert.deepEqual(await claimlink.deliverPending(), {
    delivered: 0,
    failedAttempts: 0,
    pending: 1,
    failed: 0,
  });
});

test('the receiver verifies a submission of the mock', async (t) => {
  const received = [];
  const url = await startReceiver(t, (message) => received.push(message));
  const mock = createMockFetch({ webhook: url, webhookSecret: secret });
  const config = { contact: { email: 'help@example.com', phone: '+44 2' }, currentUserId: 'user-1' };
  const link = await mock.createLink('demo', { callbackUrl: 'https://app.example.com/done', config });
  const { reference } = await mock.submitLink(link.linkId);
  const [attempt] = await mock.waitForRequests({ route: 'claimSubmitted' });
  assert.equal(attempt.status, 204);
  assert.deepEqual(
    received.map(({ type, data }) => [type, data.linkId, data.session.reference]),
    [['claim.submitted', link.linkId, reference]],
  );
});

test('an event goes to each receiver, and again only to the one that failed', async (t) => {
  const calls = [];
  const url = await startReceiver(t, ({ data }) => calls.push(`claims ${data.session.reference}`));
  let isAway = true;
  const receivers = {
    claims: createWebhookSender({ url, secrets: [secret] }),
    crm: async (event) => {
      if (isAway) throw Object.assign(new Error('away'), { code: 'HTTP_503' });
      calls.push(`crm ${event.session.reference}`);
    },
  };
  const rows = new Set();
  const done = {
    has: async (id, receiver) => rows.has(`${id} ${receiver}`),
    add: async (id, receiver) => rows.add(`${id} ${receiver}`),
  };
  const { claimlink, advance } = createService(createFanOut(receivers, done));
  const reference = await submitClaim(claimlink);
  const [event] = await claimlink.listEvents({ state: 'pending' });
  assert.equal(event.reason, 'Error crm, cause: Error HTTP_503');
  isAway = false;
  advance(10);
  const { delivered, pending } = await claimlink.deliverPending();
  assert.deepEqual([delivered, pending], [1, 0]);
  assert.deepEqual(calls, [`claims ${reference}`, `crm ${reference}`]);
});
