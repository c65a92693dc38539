// Random attacks, the same in every run: requests with faults in every part, and tokens that were changed.
import t from 'tap';
import { ERRORS, type ErrorCode } from '../../lib/index.js';
import { createDice } from '../mock-server/dice.js';
import { sized } from '../size.js';
import { claim, createWorld, linkRequest, type MintedLink, SECRET, USER_ID, type World } from './world.js';

const REQUESTS = sized(30_000, 2_000);
const TOKENS = sized(10_000, 1_000);

const dice = createDice(20260401);
const FRAGMENTS = [
  ...String.raw`. .. / // \ % %zz %00 %2f %2e%2e %ff %ED%A0%80 ? # & = ; ä 🙂 " ' { [ * -1 0 1e9`.split(' '),
  ...'<script> __proto__ constructor null acme other sessions link verify'.split(' '),
  ...['', ' ', '\0', '\r\n', '\ud800', '\u202e', '9'.repeat(400), 'x'.repeat(5_000)],
];
const VALUES = [
  null,
  true,
  -1,
  1e308,
  '',
  [],
  {},
  [[]],
  { '': '' },
  'x'.repeat(20_000),
  '\ud800',
  '2026-02-30',
];

/** Returns a text with one to three faults. */
function damage(text: string): string {
  let damaged = text;
  for (let n = dice.upTo(2); n >= 0; n--) {
    const start = dice.upTo(damaged.length);
    const end = dice.chance(0.5) ? start : start + dice.upTo(4);
    damaged = damaged.slice(0, start) + dice.pick(FRAGMENTS) + damaged.slice(end);
  }
  return damaged;
}

/** Returns a copy with one member replaced, added or removed. */
function damageJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.2)) return dice.pick(VALUES);
  const entries = Object.entries(value);
  if (entries.length === 0 || dice.chance(0.1))
    return { ...value, [dice.pick(FRAGMENTS)]: dice.pick(VALUES) };
  const [name, member] = dice.pick(entries);
  if (dice.chance(0.15)) return Object.fromEntries(entries.filter(([other]) => other !== name));
  return Array.isArray(value) ? [damageJson(member)] : { ...value, [name]: damageJson(member) };
}

interface Attack {
  method: string;
  target: string;
  headers: Record<string, string | string[]>;
  body?: string | Buffer;
}

function bodyOf(valid: object): string | Buffer {
  const json = JSON.stringify(dice.chance(0.7) ? damageJson(valid) : valid);
  if (dice.chance(0.1)) return Buffer.from(Array.from({ length: dice.upTo(200) }, () => dice.upTo(255)));
  return dice.chance(0.3) ? damage(json) : json;
}

/** Returns a request that is near a valid one. */
function attack({ apiKey }: World, { target }: MintedLink): Attack {
  const paths = ['/acme/link', `/acme/sessions/${USER_ID}?limit=5&status=submitted`, target, damage('/')];
  const path = dice.pick(paths);
  const key = dice.pick<string | string[]>([
    apiKey,
    apiKey,
    damage(apiKey),
    '',
    [apiKey, apiKey],
    [],
    'clk_x',
  ]);
  const types = [
    'application/json',
    'application/json',
    'application/x-www-form-urlencoded',
    'text/html',
    damage('a/b'),
  ];
  const form =
    dice.chance(0.2) && new URLSearchParams({ claim: JSON.stringify(damageJson(claim())) }).toString();
  const fitting = path === '/acme/link' || dice.chance(0.3) ? 'POST' : 'GET';
  return {
    method: dice.chance(0.8) ? fitting : dice.pick(['HEAD', 'PUT', 'OPTIONS', 'TRACE', '', damage('GET')]),
    target: dice.chance(0.3) ? damage(path) : path,
    headers: {
      'x-api-key': key,
      'content-type': dice.pick(types),
      accept: dice.pick(['application/json', 'text/html', '*/*', damage('text/html;q=0.5')]),
      'accept-language': damage('de-DE,de;q=0.9'),
      ...(dice.chance(0.1) && { [damage('x')]: damage('y') }),
    },
    ...(dice.chance(0.8) && { body: form || bodyOf(target === path ? claim() : linkRequest()) }),
  };
}

t.test(
  `${REQUESTS} requests with faults: none gets a 5xx, and each failure has a code and safe headers`,
  async (t) => {
    const world = await createWorld();
    const statuses: Record<number, number> = {};
    const unexpected: unknown[] = [];
    let link = await world.mint();
    for (let n = 0; n < REQUESTS; n++) {
      // A link that was submitted ends here.
      if (n % 100 === 0) link = await world.mint();
      const request = attack(world, link);
      const { status, headers, body } = await world.send(request.method, request.target, request);
      statuses[status] = (statuses[status] ?? 0) + 1;
      const isPage = headers['content-type']?.startsWith('text/html') === true;
      const code: ErrorCode | undefined =
        status < 400 || isPage || body === '' ? undefined : JSON.parse(body).code;
      const isDocumented = code === undefined || ERRORS[code]?.[0] === status;
      const isSafe =
        headers['cache-control'] === 'no-store' &&
        headers['x-content-type-options'] === 'nosniff' &&
        !Object.values(headers).some((value) => /[^\t -~]/.test(value));
      const hasAccess =
        status >= 400 ||
        request.target.startsWith('/verify/') ||
        [request.headers['x-api-key']].flat()[0] === world.apiKey;
      const isQuiet = ![SECRET, world.apiKey, 'node_modules', '.ts:'].some((text) => body.includes(text));
      if (status >= 500 || !isDocumented || !isSafe || !hasAccess || !isQuiet)
        unexpected.push({ request, status, headers, body });
    }
    t.comment(`responses by status: ${JSON.stringify(statuses)}`);
    t.same(unexpected.slice(0, 3), []);
    t.same(world.errors, [], 'onError got nothing');
    for (const status of [200, 400, 401, 404, 405, 410, 414, 415])
      t.ok(statuses[status], `some got ${status}: ${JSON.stringify(statuses)}`);
  },
);

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Returns a token that differs from a genuine one. */
function forge(token: string, other: string): string {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const [otherHeader = '', otherClaims = '', otherSignature = ''] = other.split('.');
  const at = dice.upTo(token.length - 1);
  const replacement = dice.pick([...BASE64URL].filter((character) => character !== token[at]));
  const algorithm = dice.pick([
    'none',
    'None',
    'HS384',
    'HS512',
    'RS256',
    'ES256',
    'EdDSA',
    '',
    null,
    ['HS256'],
  ]);
  const member = dice.pick(['kid', 'typ', 'crit', 'jwk', 'jku', 'x5c', 'b64', 'zip']);
  const claim = dice.pick(['jti', 'client_id', 'iss', 'aud', 'iat', 'exp', 'nbf', 'sub']);
  return dice.pick([
    () => token.slice(0, at) + replacement + token.slice(at + 1),
    () => token.slice(0, at) + token.slice(at + 1),
    () => token.slice(0, at) + replacement + token.slice(at),
    () => token.slice(0, at),
    () => `${encode({ ...decode(header), alg: algorithm })}.${claims}.${dice.pick([signature, ''])}`,
    () => `${encode({ ...decode(header), [member]: dice.pick(VALUES) })}.${claims}.${signature}`,
    () => `${header}.${encode({ ...decode(claims), [claim]: dice.pick(VALUES) })}.${signature}`,
    () => `${header}.${claims}.${otherSignature}`,
    () => `${header}.${otherClaims}.${signature}`,
    () => `${otherHeader}.${otherClaims}.${otherSignature}`,
    () => `${token}${dice.pick(['.', '=', '%00', '%20', 'A', `.${token}`])}`,
  ])();
}

t.test(`${TOKENS} forged tokens: each gets a 404, and the storage is not called`, async (t) => {
  let calls = 0;
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      findLink(id) {
        calls++;
        return storage.findLink(id);
      },
    }),
  });
  const accepted: unknown[] = [];
  const link = await world.mint();
  const other = await world.mint();
  for (let n = 0; n < TOKENS; n++) {
    const token = forge(link.token, other.token);
    const response = await world.send(
      dice.pick(['GET', 'POST']),
      `/verify/${link.accessCode}?token=${token}`,
      {
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(claim()),
      },
    );
    if (response.status !== 404) accepted.push({ token, status: response.status });
  }
  t.same(accepted.slice(0, 3), []);
  t.equal(calls, 0);
  t.equal((await world.open(link)).status, 200, 'the genuine token opens the link');
});
