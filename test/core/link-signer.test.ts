// The link signer: key ring, pinned algorithms, and every token that it rejects.
import {
  createHmac,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import jwt from 'jsonwebtoken';
import t from 'tap';
import {
  clientOfToken,
  createLinkSigner,
  type LinkSignerOptions,
  type LinkTokenClaims,
} from '../../lib/core/link-signer.js';
import type { SigningKey } from '../../lib/core/signing-keys.js';

const ISSUER = 'https://claims.example.com';
const NOW = new Date('2026-03-02T10:00:00.000Z');
/** 64 bytes, enough for each HMAC algorithm. */
const SECRET = 'a test secret of 64 bytes '.padEnd(64, '-');
const CLAIMS: Required<LinkTokenClaims> = {
  accessCode: 'code-1',
  clientId: 'acme',
  issuedAt: NOW,
  expiresAt: new Date(NOW.getTime() + 60_000),
};
const SECONDS = NOW.getTime() / 1000;
const PAYLOAD = {
  iss: ISSUER,
  aud: 'claimlink/standalone',
  jti: 'code-1',
  client_id: 'acme',
  iat: SECONDS,
  exp: SECONDS + 60,
};
const HEADER = { typ: 'claim-link+jwt', kid: 'k1', alg: 'HS256' };

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPss = generateKeyPairSync('rsa-pss', {
  modulusLength: 2048,
  hashAlgorithm: 'sha256',
  mgf1HashAlgorithm: 'sha256',
});
const smallRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const ed25519 = generateKeyPairSync('ed25519');
const HS: SigningKey = { kid: 'k1', algorithm: 'HS256', secret: SECRET };

const signerOf = (...keys: SigningKey[]) => createLinkSigner({ keys, issuer: ISSUER });
const pem = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

/** A token made by hand with the HMAC secret. */
function forge(header: object, payload: unknown, secret: string | KeyObject = SECRET): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const RINGS: Record<string, SigningKey> = {
  HS256: HS,
  'HS384 with bytes': { kid: 'k', algorithm: 'HS384', secret: Buffer.alloc(48, 1) },
  HS512: { kid: 'k', algorithm: 'HS512', secret: 'x'.repeat(64) },
  'RS256 with key objects': { kid: 'k', algorithm: 'RS256', ...rsa },
  'RS512 with a private key alone': { kid: 'k', algorithm: 'RS512', privateKey: rsa.privateKey },
  'RS256 in PEM': {
    kid: 'k',
    algorithm: 'RS256',
    privateKey: pem(rsa.privateKey),
    publicKey: pem(rsa.publicKey),
  },
  PS256: { kid: 'k', algorithm: 'PS256', ...rsa },
  PS384: { kid: 'k', algorithm: 'PS384', ...rsa },
  'PS256 with RSA-PSS keys': { kid: 'k', algorithm: 'PS256', ...rsaPss },
  ES256: { kid: 'k', algorithm: 'ES256', ...p256 },
  'ES384 in PEM': { kid: 'k', algorithm: 'ES384', privateKey: pem(p384.privateKey) },
  ES512: { kid: 'k', algorithm: 'ES512', ...p521 },
};

for (const [what, key] of Object.entries(RINGS)) {
  t.test(`a token signed with ${what} gives its claims back`, async (t) => {
    const signer = signerOf(key);
    const token = signer.sign(CLAIMS);
    t.strictSame(signer.verify(token, NOW), CLAIMS);
    t.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/, 'needs no escaping in a URL');
  });
}

t.test('header and payload have the documented members and no personal data', async (t) => {
  const [header, payload] = signerOf(HS).sign(CLAIMS).split('.');
  t.strictSame(decode(header), { alg: 'HS256', typ: 'claim-link+jwt', kid: 'k1' });
  t.strictSame(decode(payload), PAYLOAD);
});

t.test('times are rounded down to whole seconds', async (t) => {
  const signer = signerOf(HS);
  const expiresAt = new Date(CLAIMS.expiresAt.getTime() + 999);
  t.strictSame(signer.verify(signer.sign({ ...CLAIMS, expiresAt }), NOW).expiresAt, CLAIMS.expiresAt);
});

t.test('a token works until the moment of its expiry and is link_expired from then on', async (t) => {
  const signer = signerOf(HS);
  const token = signer.sign(CLAIMS);
  t.doesNotThrow(() => signer.verify(token, new Date(CLAIMS.expiresAt.getTime() - 1)));
  t.throws(() => signer.verify(token, CLAIMS.expiresAt), { code: 'link_expired' });
});

t.test('the given time counts, not the system clock, also at the start of Unix time', async (t) => {
  const signer = createLinkSigner({ keys: [HS], issuer: ISSUER });
  const token = signer.sign({ ...CLAIMS, issuedAt: new Date(0), expiresAt: new Date(60_000) });
  for (const time of [-1000, 0, 999, 59_999]) t.doesNotThrow(() => signer.verify(token, new Date(time)));
});

t.test('a token that the test signs is accepted: each forgery fails for its own reason', async (t) => {
  t.strictSame(signerOf(HS).verify(forge(HEADER, PAYLOAD), NOW), CLAIMS);
});

const good = signerOf(HS).sign(CLAIMS);
const [goodHeader = '', goodPayload = '', goodSignature = ''] = good.split('.');

const FORGERIES: Record<string, string> = {
  'an empty string': '',
  'no token at all': 'token',
  'dots alone': '..',
  'two parts': `${goodHeader}.${goodPayload}`,
  'four parts': `${good}.x`,
  'an altered payload': `${goodHeader}.${encode({ ...PAYLOAD, client_id: 'other' })}.${goodSignature}`,
  'an altered header': `${encode({ ...HEADER, x: 1 })}.${goodPayload}.${goodSignature}`,
  'an altered signature': `${good.slice(0, -5)}AAAAA`,
  'no signature': `${goodHeader}.${goodPayload}.`,
  'another key': forge(HEADER, PAYLOAD, 'another secret of at least 32 bytes'),
  'alg none': `${encode({ ...HEADER, alg: 'none' })}.${goodPayload}.`,
  'alg None': `${encode({ ...HEADER, alg: 'None' })}.${goodPayload}.`,
  'alg none with a signature': `${encode({ ...HEADER, alg: 'none' })}.${goodPayload}.${goodSignature}`,
  'another algorithm of the same secret': jwt.sign(PAYLOAD, SECRET, {
    algorithm: 'HS512',
    header: { ...HEADER, alg: 'HS512' },
  }),
  'another typ': forge({ ...HEADER, typ: 'JWT' }, PAYLOAD),
  'no typ': forge({ alg: 'HS256', kid: 'k1' }, PAYLOAD),
  'an unknown kid': forge({ ...HEADER, kid: 'k2' }, PAYLOAD),
  'no kid': forge({ alg: 'HS256', typ: HEADER.typ }, PAYLOAD),
  'a kid of another type': forge({ ...HEADER, kid: ['k1'] }, PAYLOAD),
  'the kid __proto__': forge({ ...HEADER, kid: '__proto__' }, PAYLOAD),
  'a header that is null': forge(null as unknown as object, PAYLOAD),
  'another issuer': forge(HEADER, { ...PAYLOAD, iss: 'https://evil.example' }),
  'no issuer': forge(HEADER, { ...PAYLOAD, iss: undefined }),
  'another audience': forge(HEADER, { ...PAYLOAD, aud: 'somebody' }),
  'no audience': forge(HEADER, { ...PAYLOAD, aud: undefined }),
  'no code': forge(HEADER, { ...PAYLOAD, jti: undefined }),
  'a code that is a number': forge(HEADER, { ...PAYLOAD, jti: 1 }),
  'no client': forge(HEADER, { ...PAYLOAD, client_id: undefined }),
  'no expiry': forge(HEADER, { ...PAYLOAD, exp: undefined }),
  'an expiry that is a string': forge(HEADER, { ...PAYLOAD, exp: String(PAYLOAD.exp) }),
  'no time of issue': forge(HEADER, { ...PAYLOAD, iat: undefined }),
  'not valid before tomorrow': forge(HEADER, { ...PAYLOAD, nbf: SECONDS + 86_400 }),
  'a payload that is a string': forge(HEADER, 'payload'),
  'a payload that is null': forge(HEADER, null),
  'a crit header': forge({ ...HEADER, crit: ['exp'], exp: SECONDS + 60 }, PAYLOAD),
  'an empty crit header': forge({ ...HEADER, crit: [] }, PAYLOAD),
  'typ JWT and a payload that is not JSON': `${encode({ typ: 'JWT', alg: 'HS256' })}.bm90IEpTT04.c2ln`,
  'a header that is a text': forge('text' as unknown as object, PAYLOAD),
  'over 4096 characters, rightly signed': forge(HEADER, { ...PAYLOAD, x: 'x'.repeat(4096) }),
  'a megabyte of nothing': 'a'.repeat(1_000_000),
  'a space appended': `${good} `,
};

for (const [what, token] of Object.entries(FORGERIES)) {
  t.test(`a token with ${what} is link_not_found`, async (t) => {
    t.throws(() => signerOf(HS).verify(token, NOW), { code: 'link_not_found' });
  });
}

for (const token of [undefined, null, 42, {}, [good], Buffer.from(good)]) {
  t.test(`a token of type ${Object.prototype.toString.call(token)} is link_not_found`, async (t) => {
    t.throws(() => signerOf(HS).verify(token as never, NOW), { code: 'link_not_found' });
  });
}

t.test('a client id outside ASCII comes back as it was', async (t) => {
  const signer = signerOf(HS);
  const claims = { ...CLAIMS, clientId: 'Zoë “&” 客' };
  t.strictSame(signer.verify(signer.sign(claims), NOW), claims);
});

t.test('a forged token that has also expired is link_not_found, like any forged token', async (t) => {
  const token = forge(HEADER, { ...PAYLOAD, exp: SECONDS - 1 }, 'another secret of at least 32 bytes');
  t.throws(() => signerOf(HS).verify(token, NOW), { code: 'link_not_found' });
});

t.test('HS256 under the public key of RS256 is link_not_found (algorithm confusion)', async (t) => {
  const signer = signerOf({ kid: 'k1', algorithm: 'RS256', ...rsa });
  t.strictSame(signer.verify(signer.sign(CLAIMS), NOW), CLAIMS);
  for (const secret of [
    pem(rsa.publicKey),
    pem(rsa.publicKey).trim(),
    pem(createPublicKey(rsa.privateKey)),
  ]) {
    t.throws(() => signer.verify(forge(HEADER, PAYLOAD, secret), NOW), { code: 'link_not_found' });
  }
});

t.test('RS256 signed with the right key is rejected by a PS256 ring, and the reverse', async (t) => {
  const rs = signerOf({ kid: 'k1', algorithm: 'RS256', ...rsa });
  const ps = signerOf({ kid: 'k1', algorithm: 'PS256', ...rsa });
  t.throws(() => ps.verify(rs.sign(CLAIMS), NOW), { code: 'link_not_found' });
  t.throws(() => rs.verify(ps.sign(CLAIMS), NOW), { code: 'link_not_found' });
});

t.test('a token of the same kid and another RSA key is link_not_found', async (t) => {
  const one = signerOf({ kid: 'k1', algorithm: 'RS256', ...rsa });
  const other = signerOf({ kid: 'k1', algorithm: 'RS256', ...otherRsa });
  t.throws(() => one.verify(other.sign(CLAIMS), NOW), { code: 'link_not_found' });
});

t.test('the first key signs and all keys verify, so keys can rotate', async (t) => {
  const next: SigningKey = { kid: 'k2', algorithm: 'ES256', ...p256 };
  const before = signerOf(HS);
  const during = signerOf(next, HS);
  const after = signerOf(next);
  const oldToken = before.sign(CLAIMS);
  const newToken = during.sign(CLAIMS);
  t.equal(decode(newToken.split('.')[0]).kid, 'k2');
  t.strictSame(during.verify(oldToken, NOW), CLAIMS);
  t.strictSame(after.verify(newToken, NOW), CLAIMS);
  t.throws(() => after.verify(oldToken, NOW), { code: 'link_not_found' });
  t.throws(() => before.verify(newToken, NOW), { code: 'link_not_found' });
});

t.test('a later key may be a public key, which only verifies', async (t) => {
  const foreign = signerOf({ kid: 'k2', algorithm: 'RS256', ...rsa });
  const signer = signerOf(HS, { kid: 'k2', algorithm: 'RS256', publicKey: rsa.publicKey });
  t.strictSame(signer.verify(foreign.sign(CLAIMS), NOW), CLAIMS);
});

const BAD_RINGS: Record<string, [keys: unknown, pointer: string]> = {
  'no keys': [undefined, '/keys'],
  'an empty ring': [[], '/keys'],
  'keys that are not a list': [HS, '/keys'],
  'no kid': [[{ ...HS, kid: undefined }], '/keys/0/kid'],
  'a kid outside ASCII': [[{ ...HS, kid: 'schlüssel' }], '/keys/0/kid'],
  'an empty kid': [[{ ...HS, kid: '' }], '/keys/0/kid'],
  'a repeated kid': [[HS, { ...HS, secret: 'y'.repeat(32) }], '/keys/1/kid'],
  'an unknown algorithm': [[{ ...HS, algorithm: 'none' }], '/keys/0/algorithm'],
  EdDSA: [[{ kid: 'k', algorithm: 'EdDSA', ...ed25519 }], '/keys/0/algorithm'],
  'an algorithm in lower case': [[{ ...HS, algorithm: 'hs256' }], '/keys/0/algorithm'],
  'no secret': [[{ ...HS, secret: undefined }], '/keys/0/secret'],
  'a secret of 31 bytes': [[{ ...HS, secret: 'x'.repeat(31) }], '/keys/0/secret'],
  'a secret of 47 bytes for HS384': [
    [{ kid: 'k', algorithm: 'HS384', secret: 'x'.repeat(47) }],
    '/keys/0/secret',
  ],
  'a secret of 63 bytes for HS512': [
    [{ kid: 'k', algorithm: 'HS512', secret: new Uint8Array(63) }],
    '/keys/0/secret',
  ],
  'an empty secret': [[{ ...HS, secret: '' }], '/keys/0/secret'],
  'a secret of 31 bytes in a Uint8Array': [[{ ...HS, secret: new Uint8Array(31) }], '/keys/0/secret'],
  'a public key as a secret': [[{ ...HS, secret: rsa.publicKey }], '/keys/0/secret'],
  'a secret that is a number': [[{ ...HS, secret: 42 }], '/keys/0/secret'],
  'a secret for RS256': [[{ kid: 'k', algorithm: 'RS256', secret: SECRET }], '/keys/0/secret'],
  'a secret beside the keys for RS256': [
    [{ kid: 'k', algorithm: 'RS256', ...rsa, secret: SECRET }],
    '/keys/0/secret',
  ],
  'a private key for HS256': [[{ ...HS, privateKey: rsa.privateKey }], '/keys/0/privateKey'],
  'a public key instead of a secret for HS256': [
    [{ kid: 'k', algorithm: 'HS256', publicKey: rsa.publicKey }],
    '/keys/0/publicKey',
  ],
  'no key for RS256': [[{ kid: 'k', algorithm: 'RS256' }], '/keys/0'],
  'a private key that is a number': [
    [{ kid: 'k', algorithm: 'RS256', privateKey: 42 }],
    '/keys/0/privateKey',
  ],
  'a text that is not PEM': [[{ kid: 'k', algorithm: 'RS256', privateKey: SECRET }], '/keys/0/privateKey'],
  'a public key as the private one': [
    [{ kid: 'k', algorithm: 'RS256', privateKey: pem(rsa.publicKey) }],
    '/keys/0/privateKey',
  ],
  'a first key that only verifies': [
    [{ kid: 'k', algorithm: 'RS256', publicKey: rsa.publicKey }, HS],
    '/keys/0',
  ],
  'an EC key for RS256': [[{ kid: 'k', algorithm: 'RS256', ...p256 }], '/keys/0'],
  'an RSA key for ES256': [[{ kid: 'k', algorithm: 'ES256', ...rsa }], '/keys/0'],
  'an Ed25519 key for ES256': [[{ kid: 'k', algorithm: 'ES256', ...ed25519 }], '/keys/0'],
  'an RSA-PSS key for RS256': [[{ kid: 'k', algorithm: 'RS256', ...rsaPss }], '/keys/0'],
  'an RSA-PSS key for RS256, to verify with': [
    [HS, { kid: 'k', algorithm: 'RS256', publicKey: rsaPss.publicKey }],
    '/keys/1',
  ],
  'an RSA-PSS key of another hash, to verify with': [
    [HS, { kid: 'k', algorithm: 'PS512', publicKey: rsaPss.publicKey }],
    '/keys/1',
  ],
  'the wrong curve': [[{ kid: 'k', algorithm: 'ES256', ...p384 }], '/keys/0'],
  'the wrong curve, to verify with': [
    [HS, { kid: 'k', algorithm: 'ES256', publicKey: p384.publicKey }],
    '/keys/1',
  ],
  'an RSA key of 1024 bits': [[{ kid: 'k', algorithm: 'RS256', ...smallRsa }], '/keys/0'],
  'an RSA key of 1024 bits, to verify with': [
    [HS, { kid: 'k', algorithm: 'RS256', publicKey: smallRsa.publicKey }],
    '/keys/1',
  ],
  'two keys that are not a pair': [
    [{ kid: 'k', algorithm: 'RS256', privateKey: rsa.privateKey, publicKey: otherRsa.publicKey }],
    '/keys/0',
  ],
  'two later keys that are not a pair': [
    [HS, { kid: 'k', algorithm: 'RS256', privateKey: rsa.privateKey, publicKey: otherRsa.publicKey }],
    '/keys/1',
  ],
};

for (const [what, [keys, pointer]] of Object.entries(BAD_RINGS)) {
  t.test(`a ring with ${what} is options_invalid at ${pointer}`, async (t) => {
    const options = { keys: keys as SigningKey[], issuer: ISSUER };
    t.throws(() => createLinkSigner(options), { code: 'options_invalid', problems: [{ pointer }] });
  });
}

const PEM_SECRETS: Record<string, string | Uint8Array | KeyObject> = {
  'a public key': pem(rsa.publicKey),
  'a private key': pem(p256.privateKey),
  'bytes of a public key': Buffer.from(pem(rsa.publicKey)),
  'a KeyObject of a public key': createSecretKey(pem(rsa.publicKey), 'utf8'),
  'a public key with text before it': `-- a key --\n${pem(rsa.publicKey)}`,
};

for (const [what, secret] of Object.entries(PEM_SECRETS)) {
  t.test(`an HMAC secret that is ${what} in PEM is rejected with what to do`, async (t) => {
    t.throws(() => signerOf({ ...HS, secret }), {
      code: 'options_invalid',
      problems: [
        {
          pointer: '/keys/0/secret',
          detail:
            'is a key in PEM: give it as privateKey or publicKey with an RS, PS or ES algorithm, or generate a secret of random bytes',
        },
      ],
    });
  });
}

t.test('an error does not quote a rejected key', async (t) => {
  const secret = 'only 17 bytes long';
  try {
    signerOf({ ...HS, secret });
    t.fail('must throw');
  } catch (error) {
    t.notOk(String((error as Error).stack).includes(secret));
  }
});

t.test('an issuer is required', async (t) => {
  t.throws(() => createLinkSigner({ keys: [HS], issuer: '' }), {
    code: 'options_invalid',
    problems: [{ pointer: '/issuer' }],
  });
  t.throws(() => createLinkSigner({ keys: [HS] } as never), {
    code: 'options_invalid',
    problems: [{ pointer: '/issuer' }],
  });
});

t.test('options or keys that are not objects are options_invalid, not a TypeError', async (t) => {
  const issuer = 'https://x';
  const bad: unknown[] = [undefined, null, { issuer, keys: [null] }, { issuer, keys: [1] }];
  for (const options of bad) {
    t.throws(() => createLinkSigner(options as LinkSignerOptions), { code: 'options_invalid' });
  }
});

t.test('derive gives a key for each purpose, issuer and signing key, the first key first', async (t) => {
  const hs2: SigningKey = { kid: 'k2', algorithm: 'HS256', secret: `${SECRET}2` };
  const privateKey: SigningKey = { kid: 'rs', algorithm: 'RS256', privateKey: rsa.privateKey };
  const publicKey: SigningKey = { kid: 'es', algorithm: 'ES256', publicKey: p256.publicKey };
  const derive = (purpose: string, ...keys: SigningKey[]) =>
    (signerOf(...keys).derive?.(purpose) ?? []).map((key) => Buffer.from(key).toString('hex'));
  const ring = derive('receipt', HS, publicKey, hs2, privateKey);
  t.equal(new Set(ring).size, 3, 'a key that only verifies is no secret');
  t.ok(ring.every((key) => /^[0-9a-f]{64}$/.test(key)));
  t.strictSame(derive('receipt', hs2, HS), [ring[1], ring[0]]);
  t.strictSame(derive('receipt', privateKey), [ring[2]], 'the same in every process');
  t.notSame(derive('check', HS), [ring[0]]);
  const other = createLinkSigner({ keys: [HS], issuer: 'https://other.example' });
  t.notSame(
    (other.derive?.('receipt') ?? []).map((key) => Buffer.from(key).toString('hex')),
    [ring[0]],
  );
});

t.test(
  'clientOfToken returns the client of a token of any signer, verified or not, and of no other text',
  async (t) => {
    const signer = createLinkSigner({
      keys: [{ kid: 'another', algorithm: 'HS256', secret: 'a secret that this process does not have' }],
      issuer: 'https://elsewhere.example.com',
    });
    const time = { issuedAt: new Date(0), expiresAt: new Date(1000) };
    const token = signer.sign({ accessCode: 'code', clientId: 'acme', ...time });
    t.equal(clientOfToken(token), 'acme');
    t.equal(clientOfToken(`${token}x`), 'acme', 'another signature');
    for (const clientId of ['', '.', 'a\nb', 'x'.repeat(101)])
      t.equal(clientOfToken(signer.sign({ accessCode: 'code', clientId, ...time })), undefined, clientId);
    const otherType = jwt.sign({ client_id: 'acme' }, 'x'.repeat(32));
    const compact = createLinkSigner({
      keys: [HS],
      issuer: 'https://elsewhere.example.com',
      format: 'compact',
    }).sign({ accessCode: 'A'.repeat(22), clientId: 'acme', ...time });
    t.equal(clientOfToken(compact), 'acme', 'a compact token');
    for (const text of [`${compact}=`, `${compact}.`, `${token}.`])
      t.equal(clientOfToken(text), 'acme', 'with what a mail program added');
    for (const text of ['', 'x', 'a.b.c', 'é', otherType, 'x'.repeat(5000)])
      t.equal(clientOfToken(text), undefined, text.slice(0, 20));
  },
);
