// Part `steps`: what the steps of a request cost without HTTP, measured with tinybench.
import { createSecretKey, hash, randomBytes } from 'node:crypto';
import { Ajv } from 'ajv';
import jwt from 'jsonwebtoken';
import { Bench } from 'tinybench';
import { API_KEY, CLIENT, createSessions, LINK_BODY, PUBLIC_URL, REQUESTS, SECRET } from './data.mjs';
import { tableOf } from './rounds.mjs';
import { linkSchema, toWire } from './servers/by-hand.mjs';
import { createService, handle } from './service.mjs';

export async function run({ seconds, signal }) {
  const bench = new Bench({ time: seconds * 500, warmupTime: 500, signal, throws: true });
  for (const [name, step] of Object.entries(await createSteps())) bench.add(name, step);
  await bench.run();
  signal.throwIfAborted();
  const rows = bench.tasks.map(({ name, result: { latency } }) => [
    name,
    (latency.p50 * 1000).toFixed(1),
    (latency.mean * 1000).toFixed(1),
    (latency.p99 * 1000).toFixed(1),
  ]);
  console.log(`\n${tableOf(['step', 'median µs', 'mean µs', 'p99 µs'], rows)}`);
}

/** Steps that any implementation takes, in plain code, and whole requests to claimlink. */
async function createSteps() {
  const sessions = createSessions();
  const validate = new Ajv({ useDefaults: true }).compile(linkSchema);
  const { callbackUrl } = JSON.parse(LINK_BODY);
  const key = createSecretKey(SECRET, 'utf8');
  const claims = { iss: PUBLIC_URL, aud: 'claimlink/standalone', client_id: CLIENT.clientId };
  const sign = () =>
    jwt.sign({ ...claims, jti: randomBytes(16).toString('base64url') }, key, { expiresIn: 3600 });
  const token = sign();
  const claimlink = await createService();
  const { data } = JSON.parse((await handle(claimlink, REQUESTS.link)).body);
  const page = { method: 'GET', path: data.slice(PUBLIC_URL.length), headers: { accept: 'text/html' } };
  return {
    'SHA-256 of the API key': () => hash('sha256', API_KEY),
    'JSON of 10 sessions': () => JSON.stringify(sessions.map(toWire)),
    'parse a link request': () => JSON.parse(LINK_BODY),
    'parse and validate it (ajv)': () => validate(JSON.parse(LINK_BODY)),
    'parse its callback URL': () => new URL(callbackUrl),
    'access code and its SHA-256': () => hash('sha256', randomBytes(16).toString('base64url')),
    'sign a token (HS256)': sign,
    'verify a token (HS256)': () => jwt.verify(token, key, { algorithms: ['HS256'] }),
    'claimlink: listing': () => respond(REQUESTS.listing),
    'claimlink: link': () => respond(REQUESTS.link),
    'claimlink: page of a link': () => respond(page),
  };

  async function respond(request) {
    const { status, body } = await handle(claimlink, request);
    if (status !== 200) throw new Error(`${request.path} got ${status}: ${body}`);
  }
}
