// Signs and verifies the token of a link: a JWS with a key ring and pinned algorithms.
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { ClaimlinkError, invalidOptions } from './errors.js';
import { createHmacSigner, type HmacHash } from './hmac.js';

const AUDIENCE = 'claimlink/standalone';
const TYPE = 'claim-link+jwt';
/** A token of ours is some 400 bytes with HMAC and 800 with RSA-4096; longer ones are not worth parsing. */
const MAX_TOKEN_LENGTH = 4096;
const MIN_SECRET_BYTES = 32;
const MIN_RSA_BITS = 2048;
/** RFC 7518, 3.4. */
const CURVES: Partial<Record<LinkAlgorithm, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};
const ALGORITHM = /^(?:HS|RS|PS|ES)(?:256|384|512)$/;

/** HMAC algorithms take a `secret`, the others PEM keys or `KeyObject`s. */
export type LinkAlgorithm = `${'HS' | 'RS' | 'PS' | 'ES'}${256 | 384 | 512}`;

/** One key of the ring. */
export interface LinkKey {
  /** Names the key in the token's header; unique in the ring. */
  kid: string;
  algorithm: LinkAlgorithm;
  /** HMAC: at least 32 bytes. A string is taken as its UTF-8 bytes. */
  secret?: string | Uint8Array | KeyObject;
  /** RSA (at least 2048 bits) or EC: PEM or a private `KeyObject`; signs and verifies. */
  privateKey?: string | KeyObject;
  /** RSA or EC: PEM or a public `KeyObject`; a key with only this verifies. */
  publicKey?: string | KeyObject;
}

/** What a ring is made of. */
export interface LinkSignerOptions {
  /** The first key signs, all verify. To rotate: put the new key first, drop the old one after the longest link life. */
  keys: readonly LinkKey[];
  /** Claim `iss`: the service's `publicUrl`. A token of another issuer is refused. */
  issuer: string;
  /** Tolerated difference between clocks when expiry is checked: 0 .. 300. Default 0. */
  clockToleranceSeconds?: number;
}

/** What a token says. No personal data: the payload is readable by whoever has the link. */
export interface LinkTokenClaims {
  /** Claim `jti`. */
  accessCode: string;
  /** Claim `client_id`. */
  clientId: string;
  /** Claim `iat`; whole seconds. */
  issuedAt: Date;
  /** Claim `exp`; whole seconds. */
  expiresAt: Date;
}

/** Signs and verifies link tokens. */
export interface LinkSigner {
  sign(claims: LinkTokenClaims): string;
  /** @throws `link_not_found` for a token that is not ours, `link_expired` for one of ours that is over. */
  verify(token: string, now: Date): LinkTokenClaims;
}

interface RingKey {
  kid: string;
  algorithm: LinkAlgorithm;
  signWith: KeyObject | undefined;
  verifyWith: KeyObject;
}

/**
 * Makes a link signer (RFC 7515, RFC 7519; RFC 8725 for the pinned algorithm and explicit type).
 * @throws `options_invalid` for an empty ring, a repeated kid, a secret under 32 bytes, a key that does not fit its
 * algorithm, or a first key that cannot sign.
 */
export function createLinkSigner(options: LinkSignerOptions): LinkSigner {
  assertKnown(options, ['keys', 'issuer', 'clockToleranceSeconds'], '');
  const { issuer, clockToleranceSeconds: clockTolerance = 0 } = options;
  if (typeof issuer !== 'string' || issuer === '')
    throw invalidOptions([{ pointer: '/issuer', detail: 'is required' }]);
  if (typeof clockTolerance !== 'number' || !(clockTolerance >= 0 && clockTolerance <= 300)) {
    throw invalidOptions([{ pointer: '/clockToleranceSeconds', detail: 'must be 0 to 300' }]);
  }
  if (!Array.isArray(options.keys) || options.keys.length === 0) {
    throw invalidOptions([{ pointer: '/keys', detail: 'must hold at least one key' }]);
  }
  const ring = new Map<string, RingKey>();
  for (const [index, key] of options.keys.entries()) {
    const ringKey = toRingKey(key, `/keys/${index}`);
    if (ring.has(ringKey.kid))
      throw invalidOptions([{ pointer: `/keys/${index}/kid`, detail: 'is used twice' }]);
    ring.set(ringKey.kid, ringKey);
  }
  const signing = ring.values().next().value;
  const signWith = signing?.signWith;
  if (signing === undefined || signWith === undefined) {
    throw invalidOptions([
      { pointer: '/keys/0', detail: 'must be able to sign: give a secret or a privateKey' },
    ]);
  }
  const signOptions = {
    algorithm: signing.algorithm,
    header: { alg: signing.algorithm, typ: TYPE, kid: signing.kid },
  };
  // Catches a key of the wrong kind, or a pair that is none, here and not at the first link.
  attempt('/keys/0', () => {
    const sample = jwt.sign({ iat: 0 }, signWith, signOptions);
    jwt.verify(sample, signing.verifyWith, { algorithms: [signing.algorithm] });
  });

  const signPayload = signing.algorithm.startsWith('HS')
    ? createHmacJws(signOptions.header, signWith)
    : (payload: object) => jwt.sign(payload, signWith, signOptions);

  return {
    sign: ({ accessCode, clientId, issuedAt, expiresAt }) =>
      signPayload({
        iss: issuer,
        aud: AUDIENCE,
        jti: accessCode,
        client_id: clientId,
        iat: Math.floor(issuedAt.getTime() / 1000),
        exp: Math.floor(expiresAt.getTime() / 1000),
      }),

    verify(token, now) {
      const key = token.length <= MAX_TOKEN_LENGTH ? ring.get(kidOf(token)) : undefined;
      if (key === undefined) throw notFound();
      let payload: unknown;
      try {
        payload = jwt.verify(token, key.verifyWith, {
          algorithms: [key.algorithm],
          issuer,
          audience: AUDIENCE,
          clockTimestamp: Math.floor(now.getTime() / 1000),
          clockTolerance,
        });
      } catch (error) {
        throw error instanceof jwt.TokenExpiredError ? new ClaimlinkError('link_expired') : notFound();
      }
      return toClaims(payload);
    },
  };
}

/**
 * Signs with HMAC (RFC 7515, 5.1; RFC 7518, 3.2) the very bytes that jsonwebtoken would, without what its `sign`
 * does besides: it checks options and claims anew for each token. Tokens are verified by jsonwebtoken alone.
 */
function createHmacJws(header: { alg: LinkAlgorithm }, key: KeyObject): (payload: object) => string {
  const hmac = createHmacSigner(`sha${header.alg.slice(2)}` as HmacHash, key);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const encodedHeader = encode(header);
  return (payload) => {
    const signed = `${encodedHeader}.${encode(payload)}`;
    return `${signed}.${hmac(signed)}`;
  };
}

/** The kid of a token's header, still unverified: it only picks the key to verify with. */
function kidOf(token: string): string {
  try {
    const header: unknown = JSON.parse(
      Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString(),
    );
    if (isRecord(header) && header['typ'] === TYPE && typeof header['kid'] === 'string') return header['kid'];
  } catch {
    // Not a token at all: falls through to a kid that no ring has.
  }
  return '';
}

function toClaims(payload: unknown): LinkTokenClaims {
  if (isRecord(payload)) {
    const { jti, client_id: clientId, iat, exp } = payload;
    if (
      typeof jti === 'string' &&
      typeof clientId === 'string' &&
      typeof iat === 'number' &&
      typeof exp === 'number'
    ) {
      return { accessCode: jti, clientId, issuedAt: new Date(iat * 1000), expiresAt: new Date(exp * 1000) };
    }
  }
  throw notFound();
}

function assertKnown(options: unknown, names: readonly string[], pointer: string): void {
  if (!isRecord(options)) throw invalidOptions([{ pointer, detail: 'must be an object' }]);
  const unknown = Object.keys(options).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw invalidOptions(
    unknown.map((name) => ({ pointer: `${pointer}/${name}`, detail: 'is not an option' })),
  );
}

function toRingKey(key: LinkKey, pointer: string): RingKey {
  assertKnown(key, ['kid', 'algorithm', 'secret', 'privateKey', 'publicKey'], pointer);
  if (typeof key.kid !== 'string' || key.kid === '') {
    throw invalidOptions([{ pointer: `${pointer}/kid`, detail: 'is required' }]);
  }
  if (!ALGORITHM.test(key.algorithm)) {
    throw invalidOptions([
      { pointer: `${pointer}/algorithm`, detail: 'must be HS, RS, PS or ES with 256, 384 or 512' },
    ]);
  }
  const { kid, algorithm } = key;
  if (algorithm.startsWith('HS')) {
    const secret = key.secret;
    if (secret === undefined) throw invalidOptions([{ pointer: `${pointer}/secret`, detail: 'is required' }]);
    const keyObject = attempt(`${pointer}/secret`, () => toSecretKey(secret));
    if (keyObject.type !== 'secret' || (keyObject.symmetricKeySize ?? 0) < MIN_SECRET_BYTES) {
      throw invalidOptions([
        { pointer: `${pointer}/secret`, detail: `must have at least ${MIN_SECRET_BYTES} bytes` },
      ]);
    }
    return { kid, algorithm, signWith: keyObject, verifyWith: keyObject };
  }
  const { privateKey, publicKey } = key;
  const source = publicKey ?? privateKey;
  if (source === undefined) {
    throw invalidOptions([{ pointer, detail: 'needs a privateKey, or a publicKey to verify with' }]);
  }
  const signWith =
    privateKey === undefined ? undefined : attempt(`${pointer}/privateKey`, () => toPrivateKey(privateKey));
  const verifyWith = attempt(`${pointer}/publicKey`, () => toPublicKey(source));
  const expected = algorithm.startsWith('ES') ? 'ec' : 'rsa';
  if (!verifyWith.asymmetricKeyType?.startsWith(expected)) {
    throw invalidOptions([{ pointer, detail: `must be an ${expected.toUpperCase()} key for ${algorithm}` }]);
  }
  const { namedCurve, modulusLength = 0 } = verifyWith.asymmetricKeyDetails ?? {};
  if (expected === 'ec' && namedCurve !== CURVES[algorithm]) {
    throw invalidOptions([{ pointer, detail: `must be on the curve of ${algorithm}, ${CURVES[algorithm]}` }]);
  }
  if (expected === 'rsa' && modulusLength < MIN_RSA_BITS) {
    throw invalidOptions([{ pointer, detail: `must have at least ${MIN_RSA_BITS} bits` }]);
  }
  return { kid, algorithm, signWith, verifyWith };
}

function toSecretKey(secret: string | Uint8Array | KeyObject): KeyObject {
  if (typeof secret === 'string') return createSecretKey(secret, 'utf8');
  return secret instanceof Uint8Array ? createSecretKey(secret) : secret;
}

function toPrivateKey(key: string | KeyObject): KeyObject {
  return typeof key === 'string' ? createPrivateKey(key) : key;
}

function toPublicKey(key: string | KeyObject): KeyObject {
  return typeof key === 'string' || key.type === 'private' ? createPublicKey(key) : key;
}

/** Runs a conversion; its failure becomes `options_invalid` without a word of the key. */
function attempt<T>(pointer: string, convert: () => T): T {
  try {
    return convert();
  } catch {
    throw invalidOptions([{ pointer, detail: 'is not a usable key for its algorithm' }]);
  }
}

function notFound(): ClaimlinkError {
  return new ClaimlinkError('link_not_found');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
