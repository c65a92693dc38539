// The compact token: its bytes, what its MAC binds, and every text that it rejects.
import { createHmac, generateKeyPairSync, hkdfSync } from 'node:crypto';
import t from 'tap';
import { signCompact } from '../../lib/core/compact-token.js';
import { createAccessCode } from '../../lib/core/credentials.js';
import { createLinkSigner, type LinkSigner, type LinkTokenClaims } from '../../lib/core/link-signer.js';
import type { SigningKey } from '../../lib/core/signing-keys.js';

const ISSUER = 'https://claims.example.com';
const NOW = new Date('2026-03-02T10:00:00.000Z');
const SECRET = 'a test secret of 64 bytes '.padEnd(64, '-');
const HS: SigningKey = { kid: 'k1', algorithm: 'HS256', secret: SECRET };
const CODE = 'q83vEjRWeJCrze8SNFZ4kA';
const END = NOW.getTime() / 1000 + 60;
const CLAIMS: Required<LinkTokenClaims> = {
  accessCode: CODE,
  clientId: 'acme',
  issuedAt: NOW,
  expiresAt: new Date(END * 1000),
};
const { issuedAt: _, ...VERIFIED } = CLAIMS;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

const signerOf = (...keys: SigningKey[]) => createLinkSigner({ keys, issuer: ISSUER, format: 'compact' });
const signer = signerOf(HS);
const good = signer.sign(CLAIMS);
const goodBytes = Buffer.from(good, 'base64url');

/** Parts of a token to change. What is not given is right. */
interface Changes {
  version?: number;
  end?: number;
  clientId?: string | Uint8Array;
  /** The inputs of the MAC, each without its length. */
  parts?: readonly string[];
  key?: Uint8Array;
}

/** The key of compact tokens, derived by hand. */
function derived(secret: string, issuer = ISSUER, info = 'claimlink/compact-token'): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, issuer, info, 32));
}

/** HMAC-SHA-256 over each part with its length in 4 bytes, by hand. */
function macOf(key: Uint8Array, parts: readonly string[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(part));
    hmac.update(length).update(part);
  }
  return hmac.digest();
}

function bytesOf({ version = 1, end = END, clientId = 'acme' }: Changes, mac: Uint8Array): Buffer {
  const head = Buffer.alloc(6);
  head[0] = version;
  head.writeUIntBE(end, 1, 5);
  return Buffer.concat([head, Buffer.from(clientId as string), mac]);
}

/** A token made by hand. Without changes, it is the one of the signer. */
function forge(changes: Changes = {}): string {
  const { version = 1, end = END, clientId = 'acme' } = changes;
  const { parts = ['compact-token', ISSUER, String(version), String(end), String(clientId), CODE] } = changes;
  const mac = macOf(changes.key ?? derived(SECRET), parts).subarray(0, 16);
  return bytesOf(changes, mac).toString('base64url');
}

function outcomeOf(token: string, accessCode: unknown = CODE, now = NOW, verifier: LinkSigner = signer) {
  try {
    verifier.verify(token, now, accessCode as string);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
  t.test(
    `a token under a key for ${algorithm} gives its claims back, without the time of issue`,
    async (t) => {
      const other = signerOf({ kid: 'k', algorithm, secret: SECRET });
      t.strictSame(other.verify(other.sign(CLAIMS), NOW, CODE), VERIFIED);
    },
  );
}

t.test('a token is version, end, client id and 16 bytes of MAC, as the test makes it by hand', async (t) => {
  t.equal(good, forge());
  t.equal(good, 'AQBppV_cYWNtZetaj0zSQlapGYPm4U4sflc', 'the same in every version of claimlink');
  t.equal(goodBytes.length, 1 + 5 + 4 + 16);
});

t.test('a link has 98 characters with a client id of 4, and at most 110', async (t) => {
  const url = `${ISSUER}/verify/${createAccessCode()}?token=${good}`;
  t.equal(url.length, 98);
});

t.test('client ids of each length and alphabet come back as they were', async (t) => {
  for (const clientId of ['a', 'Zoë “&” 客', '\ufeffx', '😀', 'x'.repeat(100), '客'.repeat(100)]) {
    const token = signer.sign({ ...CLAIMS, clientId });
    t.match(token, /^[\w-]+$/);
    t.strictSame(signer.verify(token, NOW, CODE), { ...VERIFIED, clientId });
  }
});

t.test('every access code that claimlink creates is accepted', async (t) => {
  for (let n = 0; n < 100; n++) {
    const accessCode = createAccessCode();
    const token = signer.sign({ ...CLAIMS, accessCode });
    t.equal(signer.verify(token, NOW, accessCode).accessCode, accessCode);
  }
});

t.test('times are rounded down to whole seconds', async (t) => {
  const expiresAt = new Date(CLAIMS.expiresAt.getTime() + 999);
  t.equal(signer.sign({ ...CLAIMS, expiresAt }), good);
});

t.test('a token works until the moment of its end and is link_expired from then on', async (t) => {
  t.equal(outcomeOf(good, CODE, new Date(END * 1000 - 1)), 'accepted');
  t.equal(outcomeOf(good, CODE, new Date(END * 1000)), 'link_expired');
  t.equal(outcomeOf(good, CODE, new Date(0)), 'accepted');
});

t.test('ends from 1970 on are signed; an earlier or later one is a RangeError', async (t) => {
  for (const end of [0, 1, 2 ** 32, 253_402_300_799]) {
    const token = signer.sign({ ...CLAIMS, expiresAt: new Date(end * 1000) });
    t.equal(outcomeOf(token, CODE, new Date((end - 1) * 1000)), 'accepted');
  }
  for (const end of [-1, 2 ** 40, Number.NaN])
    t.throws(() => signer.sign({ ...CLAIMS, expiresAt: new Date(end * 1000) }), RangeError);
});

t.test('a code of another form is not signed', async (t) => {
  for (const accessCode of ['', 'code-1', CODE.slice(1), `${CODE}A`, `${CODE.slice(1)}.`])
    t.throws(() => signer.sign({ ...CLAIMS, accessCode }), RangeError);
});

t.test('the code of the URL must be the one of the token, in its only form', async (t) => {
  const others = {
    'another code': createAccessCode(),
    null: null,
    'an empty code': '',
    'a list': [CODE],
    'a shorter code': CODE.slice(0, 21),
    'a longer code': `${CODE}A`,
    'padding behind it': `${CODE}==`,
    'another spelling of its bytes': `${CODE.slice(0, -1)}B`,
  };
  t.throws(() => signer.verify(good, NOW), { code: 'link_not_found' }, 'no code');
  for (const [name, code] of Object.entries(others)) t.equal(outcomeOf(good, code), 'link_not_found', name);
});

t.test('a code without its 22 characters is rejected, also if the MAC is right', async (t) => {
  for (const code of ['', 'code', `${CODE}A`, `${CODE.slice(1)}.`]) {
    const token = forge({ parts: ['compact-token', ISSUER, '1', String(END), 'acme', code] });
    t.equal(outcomeOf(token, code), 'link_not_found', code);
  }
});

const right = ['compact-token', ISSUER, '1', String(END), 'acme', CODE];
const without = (index: number) => right.filter((_, position) => position !== index);
const withPart = (index: number, part: string) => right.with(index, part);

const FORGERIES: Record<string, string> = {
  'a MAC without the purpose': forge({ parts: without(0) }),
  'a MAC of another purpose': forge({ parts: withPart(0, 'receipt') }),
  'a MAC without the issuer': forge({ parts: without(1) }),
  'a MAC of another issuer': forge({ parts: withPart(1, 'https://other.example') }),
  'a MAC without the version': forge({ parts: without(2) }),
  'a MAC of another version': forge({ parts: withPart(2, '2') }),
  'a MAC without the end': forge({ parts: without(3) }),
  'a MAC of another end': forge({ parts: withPart(3, String(END + 1)) }),
  'a MAC without the client': forge({ parts: without(4) }),
  'a MAC of another client': forge({ parts: withPart(4, 'other') }),
  'a MAC without the code': forge({ parts: without(5) }),
  'a MAC with another border between its parts': forge({
    parts: ['compact-token', ISSUER, '1', String(END), `acme${CODE[0]}`, CODE.slice(1)],
  }),
  'a MAC without lengths': bytesOf(
    {},
    createHmac('sha256', derived(SECRET)).update(right.join('')).digest().subarray(0, 16),
  ).toString('base64url'),
  'a MAC under the signing key itself': forge({ key: Buffer.from(SECRET) }),
  'a MAC under the key of receipts': forge({ key: derived(SECRET, ISSUER, 'claimlink/receipt') }),
  'a MAC under the key of another issuer': forge({ key: derived(SECRET, 'https://other.example') }),
  'a MAC under another secret': forge({ key: derived(`${SECRET}x`) }),
  'the second half of the MAC': bytesOf({}, macOf(derived(SECRET), right).subarray(16)).toString('base64url'),
  'the whole MAC': bytesOf({}, macOf(derived(SECRET), right)).toString('base64url'),
  'a MAC of 4 bytes': bytesOf({}, macOf(derived(SECRET), right).subarray(0, 4)).toString('base64url'),
  'a MAC of 15 bytes': bytesOf({}, macOf(derived(SECRET), right).subarray(0, 15)).toString('base64url'),
  'the MAC twice': bytesOf({}, Buffer.concat([goodBytes.subarray(-16), goodBytes.subarray(-16)])).toString(
    'base64url',
  ),
  'no MAC': bytesOf({}, Buffer.alloc(0)).toString('base64url'),
  'a MAC of zeros': bytesOf({}, Buffer.alloc(16)).toString('base64url'),
  'version 0, rightly signed': forge({ version: 0 }),
  'version 2, rightly signed': forge({ version: 2 }),
  'no client, rightly signed': forge({ clientId: '' }),
  'a client id that is not UTF-8': forge({
    clientId: Buffer.from([0x61, 0xff]),
    parts: withPart(4, 'a\ufffd'),
  }),
  'an overlong client id, rightly signed': forge({ clientId: 'x'.repeat(500) }),
  padding: `${good}=`,
  'a space behind it': `${good} `,
  'a line break inside': `${good.slice(0, 8)}\n${good.slice(8)}`,
  'a character outside the alphabet inside': `${good.slice(0, 8)}!${good.slice(8)}`,
  'the alphabet of base64': forge({ clientId: 'ÿÿÿ' }).replaceAll('_', '/').replaceAll('-', '+'),
  'one more character': `${good}A`,
  'one character less': good.slice(0, -1),
  'an empty text': '',
  'the version alone': 'AQ',
  'a megabyte': 'A'.repeat(1_000_000),
  'an access code': CODE,
};

for (const [what, token] of Object.entries(FORGERIES)) {
  t.test(`a token with ${what} is link_not_found`, async (t) => {
    t.equal(outcomeOf(token), 'link_not_found');
    t.equal(outcomeOf(token, CODE, CLAIMS.expiresAt), 'link_not_found', 'also after its end');
  });
}

t.test('of the spellings of the last character, one is accepted', async (t) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const clientId of ['a', 'ac', 'acm', 'acme']) {
    const token = signer.sign({ ...CLAIMS, clientId });
    const accepted = [...alphabet].filter((last) => outcomeOf(token.slice(0, -1) + last) === 'accepted');
    t.strictSame(accepted, [token.at(-1)], clientId);
  }
});

/** Which bytes of the token of `acme` have which part, and what a change of one bit gives. SECURITY.md has the table. */
const PARTS = [
  { part: 'version', from: 0, to: 1 },
  { part: 'end', from: 1, to: 6 },
  { part: 'client id', from: 6, to: 10 },
  { part: 'MAC', from: 10, to: 26 },
];

for (const { part, from, to } of PARTS) {
  t.test(`each change of a byte of the ${part} is link_not_found, before and after the end`, async (t) => {
    const outcomes = new Set<string>();
    for (let index = from; index < to; index++) {
      for (let change = 1; change < 256; change++) {
        const bytes = Buffer.from(goodBytes);
        bytes[index] = (bytes[index] ?? 0) ^ change;
        outcomes.add(outcomeOf(bytes.toString('base64url')));
        outcomes.add(outcomeOf(bytes.toString('base64url'), CODE, CLAIMS.expiresAt));
      }
    }
    t.strictSame([...outcomes], ['link_not_found']);
  });
}

t.test('a signer of either format accepts both, so a host can switch', async (t) => {
  const jws = createLinkSigner({ keys: [HS], issuer: ISSUER });
  t.strictSame(jws.verify(good, NOW, CODE), VERIFIED);
  t.strictSame(signer.verify(jws.sign(CLAIMS), NOW, CODE), CLAIMS);
  t.strictSame(signer.verify(jws.sign(CLAIMS), NOW), CLAIMS, 'a JWS needs no code');
});

t.test('every HMAC key of the ring accepts compact tokens, the first one signs them', async (t) => {
  const next: SigningKey = { kid: 'k2', algorithm: 'HS512', secret: `${SECRET}2` };
  const pair: SigningKey = { kid: 'rs', algorithm: 'RS256', ...rsa };
  const during = signerOf(next, pair, HS);
  t.strictSame(during.verify(good, NOW, CODE), VERIFIED);
  t.equal(during.sign(CLAIMS), signerOf(next).sign(CLAIMS));
  t.equal(outcomeOf(good, CODE, NOW, signerOf(next)), 'link_not_found', 'without its key');
  const jws = createLinkSigner({ keys: [pair, HS], issuer: ISSUER });
  t.strictSame(jws.verify(good, NOW, CODE), VERIFIED, 'behind a key pair that signs JWS');
  const withoutSecret = createLinkSigner({ keys: [pair], issuer: ISSUER });
  t.equal(outcomeOf(good, CODE, NOW, withoutSecret), 'link_not_found', 'a ring without HMAC keys');
});

t.test('no key of a key pair signs a compact token', async (t) => {
  const pair = createLinkSigner({ keys: [{ kid: 'rs', algorithm: 'RS256', ...rsa }], issuer: ISSUER });
  const [key = new Uint8Array()] = pair.derive?.('compact-token') ?? [];
  t.equal(outcomeOf(signCompact(key, ISSUER, CLAIMS), CODE, NOW, pair), 'link_not_found');
});

t.test('format compact without an HMAC key in the first place is options_invalid at /format', async (t) => {
  const pair: SigningKey = { kid: 'rs', algorithm: 'RS256', ...rsa };
  for (const keys of [[pair], [pair, HS]])
    t.throws(() => signerOf(...keys), {
      code: 'options_invalid',
      problems: [{ pointer: '/format', detail: /^compact needs an HMAC key as the first key of the ring/ }],
    });
});

t.test('a format that does not exist is options_invalid', async (t) => {
  for (const format of ['jwt', 'COMPACT', '', null, 1])
    t.throws(() => createLinkSigner({ keys: [HS], issuer: ISSUER, format: format as never }), {
      code: 'options_invalid',
      problems: [{ pointer: '/format', detail: 'must be jws or compact' }],
    });
});
