// The hand-written service on node:http and pg: the two documented endpoints, with the same indexed queries as claimlink.
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { Ajv } from 'ajv';
import pg from 'pg';
import { DATA_HEADERS, linkSchema, mintLink, Problem, toWire } from './by-hand.mjs';
import { host, port } from './listen.mjs';

const BODY_LIMIT_BYTES = 65_536;
const validateLink = new Ajv({ removeAdditional: true, coerceTypes: true, useDefaults: true }).compile(
  linkSchema,
);
const { DATABASE_URL, SCHEMA } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
pool.on('error', (error) => console.error(error));

createServer((req, res) => {
  respond(req).then(
    (json) => send(res, 200, { ...DATA_HEADERS, 'content-type': 'application/json; charset=utf-8' }, json),
    (error) => {
      const problem = error instanceof Problem ? error : new Problem('internal');
      if (problem.status === 500) console.error(error);
      send(res, problem.status, problem.headers, problem.body);
    },
  );
}).listen(port, host);

function send(res, status, headers, json) {
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(json) });
  res.end(json);
}

async function respond(req) {
  const [clientId, resource, userId] = req.url.slice(1).split('?', 1)[0].split('/').map(decodeURIComponent);
  const isListing = req.method === 'GET' && resource === 'sessions' && userId;
  const isLink = req.method === 'POST' && resource === 'link' && userId === undefined;
  if (!isListing && !isLink) throw new Problem('route_not_found');
  const client = await authenticate(req.headers['x-api-key'], clientId);
  return isListing ? listSessions(clientId, userId) : createLink(client, await readJson(req));
}

async function authenticate(key, clientId) {
  if (!key) throw new Problem('api_key_missing');
  const { rows } = await pool.query(
    `SELECT k.expires_at, k.revoked_at, c.callback_origins
     FROM ${SCHEMA}.claimlink_api_keys k
     JOIN ${SCHEMA}.claimlink_clients c ON c.client_id = k.client_id
     WHERE k.hash = $1 AND k.client_id = $2`,
    [hash('sha256', key), clientId],
  );
  const [row] = rows;
  const now = Date.now();
  if (row === undefined || row.expires_at?.getTime() <= now || row.revoked_at?.getTime() <= now)
    throw new Problem('api_key_invalid');
  return { clientId, callbackOrigins: new Set(row.callback_origins) };
}

async function listSessions(clientId, userId) {
  const { rows } = await pool.query(
    `SELECT reference, date, cams_reference AS "camsReference", status, created_at AS "createdAt",
       selected_policy AS "selectedPolicy"
     FROM ${SCHEMA}.claimlink_sessions
     WHERE client_id = $1 AND user_id = $2
     ORDER BY created_at DESC, reference
     LIMIT 1000`,
    [clientId, userId],
  );
  return JSON.stringify(rows.map(toWire));
}

async function createLink(client, request) {
  if (!validateLink(request)) {
    const [{ instancePath, message }] = validateLink.errors;
    throw new Problem('request_invalid', `${instancePath} ${message}`);
  }
  const now = Date.now();
  const { accessCodeHash, expiresAt, url } = mintLink(client, request, now);
  const { callbackUrl, callbackOnSubmit, config } = request;
  const link = [client.clientId, accessCodeHash, config.currentUserId, callbackUrl, callbackOnSubmit];
  await pool.query(
    `INSERT INTO ${SCHEMA}.claimlink_links
       (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...link, JSON.stringify(config), new Date(now), new Date(expiresAt)],
  );
  return JSON.stringify({ data: url });
}

async function readJson(req) {
  const chunks = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length > BODY_LIMIT_BYTES) throw new Problem('body_too_large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Problem('request_invalid', 'The body is not JSON.');
  }
}
