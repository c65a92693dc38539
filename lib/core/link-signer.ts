// Signs and verifies the token of a link: a JWS with a key ring and pinned algorithms.
import { createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { ClaimlinkError, type ErrorRule, invalidOptions } from './errors.js';

const AUDIENCE = 'claimlink/standalone';
const TYPE = 'claim-link+jwt';
/** A token has about 400 characters with HMAC and 800 with RSA-4096. A longer one is refused before it is parsed. */
const MAX_TOKEN_LENGTH = 4096;
/** The length of the hash (RFC 7518, 3.2). */
const MIN_SECRET_BYTES: Readonly<Record<HmacAlgorithm, number>> = { HS256: 32, HS384: 48, HS512: 64 };
const MIN_RSA_BITS = 2048;
/** RFC 7518, 3.4. */
const CURVES: Partial<Record<LinkAlgorithm, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};
const ALGORITHM = /^(?:HS|RS|PS|ES)(?:256|384|512)$/;

type HmacAlgorithm = `HS${256 | 384 | 512}`;
type KeyPairAlgorithm = `${'RS' | 'PS' | 'ES'}${256 | 384 | 512}`;

/** Algorithms of tokens. HMAC algorithms take a `secret`, the others PEM keys or `KeyObject`s. */
export type LinkAlgorithm = HmacAlgorithm | KeyPairAlgorithm;

/** A key that signs and verifies with HMAC. */
export interface SecretLinkKey {
  /** Names the key in the header of a token. Printable ASCII, unique in the ring. */
  kid: string;
  algorithm: HmacAlgorithm;
  /** At least 32, 48 or 64 bytes, as long as the hash. A string stands for its UTF-8 bytes. */
  secret: string | Uint8Array | KeyObject;
}

/** A key that signs and verifies with RSA (at least 2048 bits) or EC. */
export interface PrivateLinkKey {
  /** Names the key in the header of a token. Printable ASCII, unique in the ring. */
  kid: string;
  algorithm: KeyPairAlgorithm;
  /** PEM or a private `KeyObject`. */
  privateKey: string | KeyObject;
  /** PEM or a public `KeyObject`. Default: derived from the private key. */
  publicKey?: string | KeyObject;
}

/** A key that verifies with RSA (at least 2048 bits) or EC, and cannot sign. */
export interface PublicLinkKey {
  /** Names the key in the header of a token. Printable ASCII, unique in the ring. */
  kid: string;
  algorithm: KeyPairAlgorithm;
  /** PEM or a public `KeyObject`. */
  publicKey: string | KeyObject;
}

/** One key of the ring. */
export type LinkKey = SecretLinkKey | PrivateLinkKey | PublicLinkKey;

/** Options of `createLinkSigner`. */
export interface LinkSignerOptions {
  /**
   * The first key signs, all keys verify. To rotate, put the new key first. Remove the old key when the last link that
   * it signed has expired.
   */
  keys: readonly LinkKey[];
  /** Claim `iss`: the `publicUrl` of the service. The signer refuses tokens of other issuers. */
  issuer: string;
  /** Tolerated difference between clocks when the signer checks the expiry: 0 .. 300. Default 0. */
  clockToleranceSeconds?: number;
}

/** Claims of a token. They hold no personal data, because everyone who has the link can read them. */
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
  /** @throws `link_not_found` unless this ring signed the token, `link_expired` if the token has expired. */
  verify(token: string, now: Date): LinkTokenClaims;
}

interface RingKey {
  kid: string;
  algorithm: LinkAlgorithm;
  signWith: KeyObject | undefined;
  verifyWith: KeyObject;
}

/**
 * Creates a link signer (RFC 7515, RFC 7519; RFC 8725 for the pinned algorithm and the explicit type).
 * @throws `options_invalid` for an empty ring, a repeated kid, a secret shorter than its hash, a key that does not fit
 * its algorithm, or a first key that cannot sign.
 */
export function createLinkSigner(options: LinkSignerOptions): LinkSigner {
  assertMembers(options, ['keys', 'issuer', 'clockToleranceSeconds'], '');
  const { issuer, clockToleranceSeconds: clockTolerance = 0 } = options;
  if (typeof issuer !== 'string' || issuer === '') throw invalid('/issuer', 'required', 'is required');
  if (typeof clockTolerance !== 'number' || !(clockTolerance >= 0 && clockTolerance <= 300)) {
    throw invalid('/clockToleranceSeconds', 'value', 'must be 0 to 300');
  }
  const ring = toRing(options.keys);
  const { signingKey, signOptions } = toSigning(ring);

  return {
    sign: ({ accessCode, clientId, issuedAt, expiresAt }) =>
      jwt.sign(
        {
          iss: issuer,
          aud: AUDIENCE,
          jti: accessCode,
          client_id: clientId,
          iat: Math.floor(issuedAt.getTime() / 1000),
          exp: Math.floor(expiresAt.getTime() / 1000),
        },
        signingKey,
        signOptions,
      ),

    verify(token, now) {
      const key = ring.get(kidOf(token));
      if (key === undefined) throw new ClaimlinkError('link_not_found');
      try {
        const payload = jwt.verify(token, key.verifyWith, {
          algorithms: [key.algorithm],
          issuer,
          audience: AUDIENCE,
          clockTimestamp: Math.floor(now.getTime() / 1000),
          clockTolerance,
        });
        return toClaims(payload);
      } catch (error) {
        throw new ClaimlinkError(error instanceof jwt.TokenExpiredError ? 'link_expired' : 'link_not_found');
      }
    },
  };
}

/** Returns the kid of a token that may be one of ours, or ''. Not verified yet: it only picks the key. */
function kidOf(token: unknown): string {
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) return '';
  const header: unknown = jwt.decode(token, { complete: true })?.header;
  if (!isRecord(header) || header['typ'] !== TYPE || typeof header['kid'] !== 'string') return '';
  // A `crit` member lists extensions that the recipient must understand (RFC 7515, 4.1.11). This signer has none.
  return 'crit' in header ? '' : header['kid'];
}

function toClaims(payload: unknown): LinkTokenClaims {
  if (!isRecord(payload)) throw new TypeError('The payload must be an object.');
  const { jti, client_id: clientId, iat, exp } = payload;
  if (
    typeof jti !== 'string' ||
    typeof clientId !== 'string' ||
    typeof iat !== 'number' ||
    typeof exp !== 'number'
  ) {
    throw new TypeError('The payload must have all claims.');
  }
  return { accessCode: jti, clientId, issuedAt: new Date(iat * 1000), expiresAt: new Date(exp * 1000) };
}

function toRing(keys: unknown): Map<string, RingKey> {
  if (!Array.isArray(keys) || keys.length === 0)
    throw invalid('/keys', 'value', 'must hold at least one key');
  const ring = new Map<string, RingKey>();
  for (const [index, key] of keys.entries()) {
    const pointer = `/keys/${index}`;
    const ringKey = toRingKey(key, pointer);
    if (ring.has(ringKey.kid)) throw invalid(`${pointer}/kid`, 'unique', 'is used twice');
    ring.set(ringKey.kid, ringKey);
  }
  return ring;
}

function toSigning(ring: ReadonlyMap<string, RingKey>) {
  const [first] = ring.values();
  if (first?.signWith === undefined)
    throw invalid('/keys/0', 'value', 'must be able to sign: give a secret or a privateKey');
  const { kid, algorithm, signWith, verifyWith } = first;
  const signOptions = { algorithm, header: { alg: algorithm, typ: TYPE, kid } };
  // A key that jsonwebtoken refuses, or two keys that are not a pair, fail at start-up and not at the first link.
  attempt('/keys/0', () => {
    jwt.verify(jwt.sign({ iat: 0 }, signWith, signOptions), verifyWith, { algorithms: [algorithm] });
  });
  return { signingKey: signWith, signOptions };
}

function toRingKey(key: unknown, pointer: string): RingKey {
  assertMembers(key, ['kid', 'algorithm', 'secret', 'privateKey', 'publicKey'], pointer);
  const { kid, algorithm } = key;
  // jsonwebtoken writes headers in Latin-1, so another kid could not be found again.
  if (typeof kid !== 'string' || !/^[ -~]+$/.test(kid))
    throw invalid(`${pointer}/kid`, 'value', 'is required, a text of printable ASCII characters');
  if (!isAlgorithm(algorithm)) {
    const detail = 'must be HS, RS, PS or ES with 256, 384 or 512';
    throw invalid(`${pointer}/algorithm`, 'value', detail);
  }
  return isHmac(algorithm)
    ? toSecretRingKey(kid, algorithm, key, pointer)
    : toPairRingKey(kid, algorithm, key, pointer);
}

function toSecretRingKey(
  kid: string,
  algorithm: HmacAlgorithm,
  key: Record<string, unknown>,
  pointer: string,
): RingKey {
  assertAbsent(key, ['privateKey', 'publicKey'], algorithm, pointer);
  const { secret } = key;
  if (secret === undefined) throw invalid(`${pointer}/secret`, 'required', `is required for ${algorithm}`);
  const keyObject = attempt(`${pointer}/secret`, () => toSecretKey(secret));
  const minBytes = MIN_SECRET_BYTES[algorithm];
  if ((keyObject.symmetricKeySize ?? 0) < minBytes) {
    throw invalid(`${pointer}/secret`, 'value', `must have at least ${minBytes} bytes for ${algorithm}`);
  }
  return { kid, algorithm, signWith: keyObject, verifyWith: keyObject };
}

function toPairRingKey(
  kid: string,
  algorithm: KeyPairAlgorithm,
  key: Record<string, unknown>,
  pointer: string,
): RingKey {
  assertAbsent(key, ['secret'], algorithm, pointer);
  const { privateKey, publicKey } = key;
  if (privateKey === undefined && publicKey === undefined)
    throw invalid(pointer, 'required', 'needs a privateKey, or a publicKey to verify with');
  const signWith =
    privateKey === undefined ? undefined : attempt(`${pointer}/privateKey`, () => toPrivateKey(privateKey));
  const verifyWith = attempt(`${pointer}/publicKey`, () => toPublicKey(publicKey ?? signWith));
  assertFits(verifyWith, algorithm, pointer);
  return { kid, algorithm, signWith, verifyWith };
}

function assertFits(key: KeyObject, algorithm: KeyPairAlgorithm, pointer: string): void {
  const type = algorithm.startsWith('ES') ? 'ec' : 'rsa';
  if (!key.asymmetricKeyType?.startsWith(type))
    throw invalid(pointer, 'value', `must be an ${type.toUpperCase()} key for ${algorithm}`);
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const curve = CURVES[algorithm];
  if (curve !== undefined && namedCurve !== curve)
    throw invalid(pointer, 'value', `must be on the curve ${curve} for ${algorithm}`);
  if (type === 'rsa' && modulusLength < MIN_RSA_BITS)
    throw invalid(pointer, 'value', `must have at least ${MIN_RSA_BITS} bits`);
}

function assertMembers(
  value: unknown,
  names: readonly string[],
  pointer: string,
): asserts value is Record<string, unknown> {
  if (!isRecord(value)) throw invalid(pointer, 'type', 'must be an object');
  const unknown = Object.keys(value).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw invalidOptions(
    unknown.map((name) => ({
      pointer: `${pointer}/${name}`,
      rule: 'unknown_option',
      detail: 'is not an option',
    })),
  );
}

function assertAbsent(
  key: Record<string, unknown>,
  names: readonly string[],
  algorithm: LinkAlgorithm,
  pointer: string,
): void {
  const name = names.find((candidate) => key[candidate] !== undefined);
  if (name !== undefined)
    throw invalid(`${pointer}/${name}`, 'combination', `does not belong to a key for ${algorithm}`);
}

function toSecretKey(secret: unknown): KeyObject {
  if (typeof secret === 'string') return createSecretKey(secret, 'utf8');
  if (secret instanceof Uint8Array) return createSecretKey(secret);
  return assertKeyObject(secret, 'secret');
}

function toPrivateKey(key: unknown): KeyObject {
  return typeof key === 'string' ? createPrivateKey(key) : assertKeyObject(key, 'private');
}

function toPublicKey(key: unknown): KeyObject {
  if (typeof key === 'string') return createPublicKey(key);
  return key instanceof KeyObject && key.type === 'private'
    ? createPublicKey(key)
    : assertKeyObject(key, 'public');
}

function assertKeyObject(key: unknown, type: KeyObject['type']): KeyObject {
  if (key instanceof KeyObject && key.type === type) return key;
  throw new TypeError(`The key must be a ${type} KeyObject.`);
}

/** Runs a conversion of a key. Its error becomes `options_invalid`, which quotes nothing of the key. */
function attempt<T>(pointer: string, convert: () => T): T {
  try {
    return convert();
  } catch {
    throw invalid(pointer, 'value', 'is not a usable key for its algorithm');
  }
}

function invalid(pointer: string, rule: ErrorRule, detail: string): ClaimlinkError {
  return invalidOptions([{ pointer, rule, detail }]);
}

function isAlgorithm(value: unknown): value is LinkAlgorithm {
  return typeof value === 'string' && ALGORITHM.test(value);
}

function isHmac(algorithm: LinkAlgorithm): algorithm is HmacAlgorithm {
  return algorithm.startsWith('HS');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
