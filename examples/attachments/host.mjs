// A host whose form takes photos of the damage. Run: node host.mjs, then open the link that it prints last.
// Node has SQLite from version 22.13 on. For Node 20: npm install better-sqlite3
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import { openSqlite } from '../open-sqlite.mjs';
import { createOnEvent, EVENTS } from './on-event.mjs';
import { createPhotoStore } from './photo-store.mjs';
import { createUploadRoute } from './upload-route.mjs';
import { createPhotoWidget } from './widget.mjs';

const { DATABASE = 'claims.db', PHOTOS = 'photos', PORT = '3000' } = process.env;
const database = await openSqlite(DATABASE);
await migrate(database);
const store = createPhotoStore(PHOTOS);
const server = createServer().listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
const publicUrl = `http://127.0.0.1:${server.address().port}/claims`;
const keys = [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }]; // in production: from your secret store
const onError = (error, request, submission, event) =>
  console.error(request?.path ?? submission?.reference ?? event?.id, error);
const claimlink = createClaimlink({
  storage: createSqliteStorage(database),
  publicUrl,
  signer: createLinkSigner({ keys, issuer: publicUrl }),
  widget: createPhotoWidget(),
  events: EVENTS,
  onEvent: createOnEvent({ store, log: console.error }),
  onError,
});
const assets = { '/page/form.js': 'text/javascript', '/page/form.css': 'text/css' };
const upload = createUploadRoute({ claimlink, store, onError });
const claims = createNodeHandler(claimlink, { basePath: '/claims' });
server.on('request', async (req, res) => {
  if (await upload(req, res)) return;
  if (assets[req.url] === undefined) return claims(req, res);
  res
    .writeHead(200, { 'content-type': assets[req.url] })
    .end(readFileSync(new URL(`.${req.url}`, import.meta.url)));
});

const client = { clientId: 'acme', name: 'Acme Insurance' };
if (!(await claimlink.updateClient(client))) await claimlink.addClient(client);
const { key } = await claimlink.addApiKey('acme', { expiresAt: new Date(Date.now() + 24 * 60 * 60 * 1000) });
console.log(`curl -H 'x-api-key: ${key}' ${publicUrl}/acme/sessions/user-1`);
const { url } = await claimlink.createLink(
  'acme',
  JSON.parse(readFileSync(new URL('link.json', import.meta.url))),
);
console.log(url);
setInterval(() => claimlink.deliverPending().catch(console.error), 10_000).unref();
const close = () => claimlink.idle().then(() => database.close());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(close));
