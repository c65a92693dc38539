// One service process of a cluster: stateless, over the PostgreSQL of the others. Prints its port when it is ready.
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createPostgresStorage } from 'claimlink/postgres';
import { createWebhookSender } from 'claimlink/webhooks';
import pg from 'pg';

// A busy machine must not cause a 503: the tests count them.
const TIMEOUT_SECONDS = 60;
/** A test that is about time limits sets them: options of the pool, of the storage and of the service. */
const options = JSON.parse(process.env.CLUSTER_OPTIONS ?? '{}');
const pool = new pg.Pool({
  connectionString: process.env.CLUSTER_DATABASE_URL,
  max: 10,
  connectionTimeoutMillis: TIMEOUT_SECONDS * 1000,
  ...options.pool,
});
pool.on('error', () => {}); // a connection that breaks while idle; the next query tells its caller
const publicUrl = 'https://claims.example.com';

/** With a receiver, the process delivers submissions, or with options of events all events. Its clock runs fast. */
const { CLUSTER_RECEIVER, CLUSTER_EVENTS, CLUSTER_WEBHOOK_SECRET, CLUSTER_START, CLUSTER_SPEED } =
  process.env;
const start = Number(CLUSTER_START);
const deliveryOptions = {
  now: () => new Date(start + (Date.now() - start) * Number(CLUSTER_SPEED)),
  linkTtlSeconds: 2_592_000,
  onSubmit: async ({ id, attempt, session }) => {
    const body = JSON.stringify({ id, attempt, reference: session.reference });
    const response = await fetch(CLUSTER_RECEIVER, { method: 'POST', body });
    if (!response.ok) throw new Error(`The receiver responded with ${response.status}.`);
  },
};
if (CLUSTER_EVENTS) {
  delete deliveryOptions.onSubmit;
  const onEvent = createWebhookSender({ url: CLUSTER_RECEIVER, secrets: [CLUSTER_WEBHOOK_SECRET] });
  Object.assign(deliveryOptions, { onEvent, ...JSON.parse(CLUSTER_EVENTS) });
}

process.on('message', async ({ revoke: linkId }) => {
  // After a failure of the database, the caller asks another process.
  const isRevoked = await claimlink.revokeLink('acme', linkId).catch(() => undefined);
  process.send({ linkId, isRevoked });
});
process.on('disconnect', () => process.exit()); // the parent process has ended

const claimlink = createClaimlink({
  storage: createPostgresStorage(pool, {
    schema: process.env.CLUSTER_SCHEMA,
    queryTimeoutSeconds: TIMEOUT_SECONDS,
    ...options.storage,
  }),
  signer: createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: process.env.CLUSTER_SECRET }],
    issuer: publicUrl,
  }),
  publicUrl,
  storageTimeoutSeconds: TIMEOUT_SECONDS,
  ...options.service,
  ...(CLUSTER_RECEIVER && deliveryOptions),
  onError: ({ cause, code, message }) =>
    process.stderr.write(`${cause?.code || cause?.message || code || message}\n`),
});
async function deliver() {
  await claimlink.deliverPending().catch(() => {}); // the next call repeats it
  setTimeout(deliver, 50);
}
if (CLUSTER_RECEIVER) deliver();

/** Connections stay open for longer than the pauses of a load, so that none ends while its caller uses it again. */
const serverOptions = { keepAliveTimeout: 60_000 };
const server = createServer(serverOptions, createNodeHandler(claimlink));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
