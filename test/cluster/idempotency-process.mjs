// One of several services over one database. Prints `ready`, then creates links with an Idempotency-Key when its parent says so.
import { createClaimlink, createLinkSigner } from 'claimlink';

const { database, keys, isKilled } = JSON.parse(process.env.IDEMPOTENCY_PROCESS);

async function openStorage() {
  if (database.file !== undefined) {
    const { createSqliteStorage } = await import('claimlink/sqlite');
    const { default: Database } = await import('libsql');
    return createSqliteStorage(new Database(database.file), { synchronous: 'normal' });
  }
  const { createPostgresStorage } = await import('claimlink/postgres');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: database.url, max: 20, connectionTimeoutMillis: 60_000 });
  return createPostgresStorage(pool, { schema: database.schema, queryTimeoutSeconds: 60 });
}

const storage = await openStorage();
const publicUrl = 'https://claims.example.com';
const claimlink = createClaimlink({
  storage: {
    ...storage,
    async insertLinkOnce(link, idempotency) {
      const isInserted = await storage.insertLinkOnce(link, idempotency);
      // Between the insertion and the response.
      if (isKilled && isInserted) process.kill(process.pid, 'SIGKILL');
      return isInserted;
    },
  },
  signer: createLinkSigner({ keys, issuer: publicUrl }),
  publicUrl,
  requireIdempotency: true,
  storageTimeoutSeconds: 60,
});

const body = JSON.stringify({
  callbackUrl: 'https://app.example.com/done',
  config: { contact: { email: 'help@example.com', phone: '1' }, currentUserId: 'user-1' },
});

async function create(key) {
  const headers = { 'x-api-key': 'clk_once', 'content-type': 'application/json', 'idempotency-key': key };
  const response = await claimlink.handle({ method: 'POST', url: '/acme/link', headers, body });
  return response.status === 200 ? JSON.parse(response.body).data : `${response.status} ${response.body}`;
}

process.on('message', async ({ key, count }) => {
  process.send(await Promise.all(Array.from({ length: count }, () => create(key))));
});
process.on('disconnect', () => process.exit()); // the parent process has ended
process.send('ready');
