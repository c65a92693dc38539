// Stands in for your claims system: opens claims as the Cloud API of Guidewire ClaimCenter does, and takes each transaction id once.
// A SQLite file has its claims. Run: CLAIMS_TOKEN=secret node claims-api.mjs
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { openSqlite } from '../open-sqlite.mjs';
import { ApiError, createClaims } from './claims-table.mjs';

const { CLAIMS_FILE = 'claims-system.db', CLAIMS_TOKEN, PORT = '8080' } = process.env;
if (!CLAIMS_TOKEN) throw new Error('Set CLAIMS_TOKEN: the host sends it with each claim.');
const database = await openSqlite(CLAIMS_FILE);
const claims = createClaims(database);

async function answer(req) {
  if (req.headers.authorization !== `Bearer ${CLAIMS_TOKEN}`)
    throw new ApiError(401, 'Unauthorized', 'No access.');
  const route = `${req.method} ${req.url}`;
  if (route === 'GET /rest/claim/v1/claims') return { data: claims.list() };
  if (route !== 'POST /rest/composite/v1/composite')
    throw new ApiError(404, 'NotFound', `There is no ${route}.`);
  const body = await json(req).catch(() => undefined);
  return { responses: claims.execute(body?.requests, req.headers['gw-dbtransaction-id']) };
}

const server = createServer(async (req, res) => {
  let [status, body] = [200, undefined];
  try {
    body = await answer(req);
  } catch (error) {
    const { status: code = 500, errorCode = 'InternalError' } = error;
    [status, body] = [code, { error: { status: code, errorCode, userMessage: error.message } }];
  }
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/rest/`),
);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => database.close()));
