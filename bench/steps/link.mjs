// What a link costs at the least: constant bytes, and one step more of what the contract asks for with each turn. No
// rules on URLs, no further checks, one error for all, no copy without what is unknown: nothing to leave out.
import { createHmac, createSecretKey, hash, randomFillSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { createAnswers } from '../speed/answers.mjs';
import { API_KEY, CLIENT, LINK_TTL_SECONDS, PUBLIC_URL, SECRET } from '../speed/data.mjs';
import { linkSchema } from '../speed/servers/by-hand.mjs';

const { Ajv } = createRequire(new URL('../../package.json', import.meta.url))('ajv');

/** Each does what those before it do. */
const STEPS = {
  read: '... reads the body',
  parse: '... parses it',
  validate: '... holds it against its schema (ajv)',
  key: '... hashes the API key (SHA-256)',
  store: '... draws and hashes an access code, keeps the request',
  sign: '... signs a token (HMAC-SHA-256), answers the URL: by hand, no more than that',
};
const CODE_BYTES = 16;
const MAX_LINKS = 100_000;

/** `{ name, answers, handler }[]`. */
export async function createLinkTurns() {
  const { link, invalidLink } = await createAnswers();
  const validate = new Ajv({ allowUnionTypes: true }).compile(linkSchema);
  const clients = new Map([[hash('sha256', API_KEY), CLIENT]]);
  const links = new Map();
  const key = createSecretKey(SECRET, 'utf8');
  const header = encode({ alg: 'HS256', typ: 'claim-link+jwt', kid: '2026-01' });
  const random = Buffer.alloc(CODE_BYTES * 256);
  let drawn = random.length;

  function drawAccessCode() {
    if (drawn === random.length) {
      randomFillSync(random);
      drawn = 0;
    }
    drawn += CODE_BYTES;
    return random.toString('base64url', drawn - CODE_BYTES, drawn);
  }

  function answer(req, bytes, last) {
    if (last === 'read') return link;
    const request = JSON.parse(bytes.toString());
    if (last === 'parse') return link;
    if (!validate(request)) return invalidLink;
    if (last === 'validate') return link;
    const client = clients.get(hash('sha256', req.headers['x-api-key']));
    if (last === 'key') return link;
    const now = Date.now();
    const accessCode = drawAccessCode();
    links.set(
      hash('sha256', accessCode),
      JSON.stringify({ clientId: client.clientId, createdAt: now, request }),
    );
    for (const oldest of links.keys()) {
      if (links.size <= MAX_LINKS) break;
      links.delete(oldest);
    }
    if (last === 'store') return link;
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

  function send(res, { status, headers, body }) {
    res.writeHead(status, headers);
    res.end(body);
  }

  const constant = {
    name: 'constant bytes',
    answers: 'constant',
    handler: (req, res) => req.on('end', () => send(res, link)).resume(),
  };
  const steps = Object.entries(STEPS).map(([last, name]) => ({
    name,
    answers: last === 'sign' ? 'same' : 'constant',
    handler(req, res) {
      const chunks = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => send(res, answer(req, chunks[0], last)));
    },
  }));
  return [constant, ...steps];
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
