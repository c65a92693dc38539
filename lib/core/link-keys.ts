// The key ring of the link signer: checks the keys that a host gives and turns them into KeyObjects.
import { createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import { invalidOption, invalidOptions } from './errors.js';

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

/** A key that is ready for use. */
export interface RingKey {
  kid: string;
  algorithm: LinkAlgorithm;
  signWith: KeyObject | undefined;
  verifyWith: KeyObject;
}

/** Checks the keys of a ring. @throws `options_invalid`. */
export function toRing(keys: unknown): Map<string, RingKey> {
  if (!Array.isArray(keys) || keys.length === 0)
    throw invalidOption('/keys', 'value', 'must hold at least one key');
  const ring = new Map<string, RingKey>();
  for (const [index, key] of keys.entries()) {
    const pointer = `/keys/${index}`;
    const ringKey = toRingKey(key, pointer);
    if (ring.has(ringKey.kid)) throw invalidOption(`${pointer}/kid`, 'unique', 'is used twice');
    ring.set(ringKey.kid, ringKey);
  }
  return ring;
}

function toRingKey(key: unknown, pointer: string): RingKey {
  assertMembers(key, ['kid', 'algorithm', 'secret', 'privateKey', 'publicKey'], pointer);
  const { kid, algorithm } = key;
  // jsonwebtoken writes headers in Latin-1, so another kid could not be found again.
  if (typeof kid !== 'string' || !/^[ -~]+$/.test(kid))
    throw invalidOption(`${pointer}/kid`, 'value', 'is required, a text of printable ASCII characters');
  if (!isAlgorithm(algorithm)) {
    const detail = 'must be HS, RS, PS or ES with 256, 384 or 512';
    throw invalidOption(`${pointer}/algorithm`, 'value', detail);
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
  if (secret === undefined)
    throw invalidOption(`${pointer}/secret`, 'required', `is required for ${algorithm}`);
  const keyObject = attempt(`${pointer}/secret`, () => toSecretKey(secret));
  const minBytes = MIN_SECRET_BYTES[algorithm];
  if ((keyObject.symmetricKeySize ?? 0) < minBytes) {
    throw invalidOption(
      `${pointer}/secret`,
      'value',
      `must have at least ${minBytes} bytes for ${algorithm}`,
    );
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
    throw invalidOption(pointer, 'required', 'needs a privateKey, or a publicKey to verify with');
  const signWith =
    privateKey === undefined ? undefined : attempt(`${pointer}/privateKey`, () => toPrivateKey(privateKey));
  const verifyWith = attempt(`${pointer}/publicKey`, () => toPublicKey(publicKey ?? signWith));
  assertFits(verifyWith, algorithm, pointer);
  return { kid, algorithm, signWith, verifyWith };
}

function assertFits(key: KeyObject, algorithm: KeyPairAlgorithm, pointer: string): void {
  const type = algorithm.startsWith('ES') ? 'ec' : 'rsa';
  if (!key.asymmetricKeyType?.startsWith(type))
    throw invalidOption(pointer, 'value', `must be an ${type.toUpperCase()} key for ${algorithm}`);
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const curve = CURVES[algorithm];
  if (curve !== undefined && namedCurve !== curve)
    throw invalidOption(pointer, 'value', `must be on the curve ${curve} for ${algorithm}`);
  if (type === 'rsa' && modulusLength < MIN_RSA_BITS)
    throw invalidOption(pointer, 'value', `must have at least ${MIN_RSA_BITS} bits`);
}

/** Checks that a value is an object without other members. @throws `options_invalid`. */
export function assertMembers(
  value: unknown,
  names: readonly string[],
  pointer: string,
): asserts value is Record<string, unknown> {
  if (!isRecord(value)) throw invalidOption(pointer, 'type', 'must be an object');
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
    throw invalidOption(`${pointer}/${name}`, 'combination', `does not belong to a key for ${algorithm}`);
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
    throw invalidOption(pointer, 'value', 'is not a usable key for its algorithm');
  }
}

function isAlgorithm(value: unknown): value is LinkAlgorithm {
  return typeof value === 'string' && ALGORITHM.test(value);
}

function isHmac(algorithm: LinkAlgorithm): algorithm is HmacAlgorithm {
  return algorithm.startsWith('HS');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
