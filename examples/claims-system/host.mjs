// A host that opens a claim in a claims system for each submission: see on-event.mjs. Node before 22.13 needs a driver for SQLite.
//   CLAIMS_TOKEN=secret node claims-api.mjs
//   CLAIMS_TOKEN=secret CLAIMS_URL=http://127.0.0.1:8080/rest/ SIGNING_SECRET=$(openssl rand -hex 32) node host.mjs
// Keep SIGNING_SECRET: with another one, all links end.
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createFolderStore } from 'claimlink/photos';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import { openSqlite } from '../open-sqlite.mjs';
import { createClaimsSystem } from './claims-system.mjs';
import { INCIDENT_TYPES } from './fnol.mjs';
import { createOnEvent, EVENTS } from './on-event.mjs';
import { createTasks } from './tasks.mjs';

const { CLAIMS_URL, CLAIMS_TOKEN, SIGNING_SECRET = '' } = process.env;
const { DATABASE = 'claims.db', PHOTOS = 'photos', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;
if (!CLAIMS_URL || !CLAIMS_TOKEN) throw new Error('Set CLAIMS_URL and CLAIMS_TOKEN: see the first lines.');
if (!/^[0-9a-f]{64,}$/i.test(SIGNING_SECRET)) throw new Error('Set SIGNING_SECRET: openssl rand -hex 32');

const database = await openSqlite(DATABASE);
await migrate(database);
const claims = createClaimsSystem({ url: CLAIMS_URL, token: CLAIMS_TOKEN });
const tasks = createTasks(database);
const secret = Buffer.from(SIGNING_SECRET, 'hex');
const claimlink = createClaimlink({
  storage: createSqliteStorage(database),
  publicUrl: PUBLIC_URL,
  signer: createLinkSigner({ keys: [{ kid: '1', algorithm: 'HS256', secret }], issuer: PUBLIC_URL }),
  photos: { store: createFolderStore(PHOTOS) },
  events: EVENTS,
  onEvent: createOnEvent({ claims, tasks, log: console.error }),
  onError(error, request, submission, event) {
    // Without the id of the user, which may be personal.
    const { path, reference, id, attempt } = { ...request, ...submission, ...event };
    console.error(JSON.stringify({ error: `${error}`, code: error.code, path, reference, id, attempt }));
  },
});
// What the claims system needs is required in the form.
const fields = { '/incident/date': 'required', '/incident/type': 'required' };
const form = { fields, incidentTypes: INCIDENT_TYPES, photos: { need: 'optional' } };
const client = { clientId: 'acme', name: 'Acme Insurance', settings: { allowDecline: true, form } };
if (!(await claimlink.updateClient(client))) await claimlink.addClient(client);
const { key } = await claimlink.addApiKey('acme', { expiresAt: new Date(Date.now() + 24 * 60 * 60 * 1000) });

const server = createServer(createNodeHandler(claimlink, { basePath: '/claims' }));
server.listen(Number(PORT), '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  console.log(`curl -H 'x-api-key: ${key}' ${origin}/claims/acme/sessions/user-1`);
});
setInterval(() => claimlink.deliverPending().catch(console.error), 10_000).unref();
const close = () => claimlink.idle().then(() => database.close());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(close));
