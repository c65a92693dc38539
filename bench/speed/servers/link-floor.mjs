// What a link costs at the least: bare node:http, and one step more of what the contract asks for with each name.
//   read      the body is read
//   parse     and parsed
//   validate  and held against its JSON Schema by ajv
//   key       the API key is hashed, and looked up
//   store     an access code is drawn and hashed, the request kept as text under the hash
//   sign      a token is signed with HMAC-SHA-256, the URL answered
// No rules on URLs, no further checks, one error for all, no copy without what is unknown: nothing to leave out.
import { createHmac, createSecretKey, hash, randomFillSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createAnswers } from '../answers.mjs';
import { API_KEY, CLIENT, LINK_TTL_SECONDS, PUBLIC_URL, SECRET } from '../data.mjs';
import { linkSchema } from './by-hand.mjs';
import { host, port } from './listen.mjs';

const { Ajv } = createRequire(new URL('../../../package.json', import.meta.url))('ajv');

const STEPS = ['read', 'parse', 'validate', 'key', 'store', 'sign'];
const steps = STEPS.indexOf(process.argv[3]);
if (steps === -1) throw new Error(`a step is one of ${STEPS.join(', ')}`);

const { link, invalidLink } = await createAnswers();
const validate = new Ajv({ allowUnionTypes: true }).compile(linkSchema);
const clients = new Map([[hash('sha256', API_KEY), CLIENT]]);
const links = new Map();
const key = createSecretKey(SECRET, 'utf8');
const header = encode({ alg: 'HS256', typ: 'claim-link+jwt', kid: '2026-01' });
const random = Buffer.alloc(16 * 256);
let drawn = random.length;

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const { status, headers, body } = answer(req, chunks[0]);
    res.writeHead(status, headers);
    res.end(body);
  });
}).listen(port, host);

function answer(req, bytes) {
  if (steps < STEPS.indexOf('parse')) return link;
  const request = JSON.parse(bytes.toString());
  if (steps < STEPS.indexOf('validate')) return link;
  if (!validate(request)) return invalidLink;
  if (steps < STEPS.indexOf('key')) return link;
  const client = clients.get(hash('sha256', req.headers['x-api-key']));
  if (steps < STEPS.indexOf('store')) return link;
  const now = Date.now();
  const accessCode = drawAccessCode();
  links.set(
    hash('sha256', accessCode),
    JSON.stringify({ clientId: client.clientId, createdAt: now, request }),
  );
  for (const oldest of links.keys()) {
    if (links.size <= 100_000) break;
    links.delete(oldest);
  }
  if (steps < STEPS.indexOf('sign')) return link;
  const iat = Math.floor(now / 1000);
  const claims = {
    iss: PUBLIC_URL,
    aud: 'claimlink/standalone',
    jti: accessCode,
    client_id: client.clientId,
  };
  const signed = `${header}.${encode({ ...claims, iat, exp: iat + LINK_TTL_SECONDS })}`;
  const token = `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  // As long as the constant one, whose headers it has therefore.
  return { ...link, body: JSON.stringify({ data: `${PUBLIC_URL}/verify/${accessCode}?token=${token}` }) };
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function drawAccessCode() {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  drawn += 16;
  return random.toString('base64url', drawn - 16, drawn);
}
