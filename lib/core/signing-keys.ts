// The key ring of the link signer: checks the keys that a host gives and turns them into KeyObjects.
import { createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import { assertOptions } from './assert-options.js';
import { invalidOption } from './errors.js';
import { isBytes } from './plain-data.js';

/** HMAC with SHA-2: keys have a `secret`. */
export type HmacAlgorithm = `HS${256 | 384 | 512}`;
/** RSA or EC: keys have a `privateKey` or a `publicKey`. */
export type KeyPairAlgorithm = `${'RS' | 'PS' | 'ES'}${256 | 384 | 512}`;

/** Algorithms of tokens. HMAC algorithms take a `secret`, the others PEM keys or `KeyObject`s. */
export type LinkAlgorithm = HmacAlgorithm | KeyPairAlgorithm;

/** A key that signs and verifies with HMAC. */
export interface SecretSigningKey {
  /** Names the key in the header of a token. Printable ASCII, unique in the ring. */
  kid: string;
  algorithm: HmacAlgorithm;
  /** At least 32, 48 or 64 bytes, as long as the hash, and no PEM. A string stands for its UTF-8 bytes. */
  secret: string | Uint8Array | KeyObject;
}

/** A key that signs and verifies with RSA (at least 2048 bits) or EC. */
export interface PrivateSigningKey {
  /** Names the key in the header of a token. Printable ASCII, unique in the ring. */
  kid: string;
  algorithm: KeyPairAlgorithm;
  /** PEM or a private `KeyObject`. */
  privateKey: string | KeyObject;
  /** PEM or a public `KeyObject`. Default: derived from the private key. */
  publicKey?: string | KeyObject;
}

/** A key that verifies with RSA (at least 2048 bits) or EC, and cannot sign. */
export interface PublicSigningKey {
  /** Names the key in the header of a token. Printable ASCII, unique in the ring. */
  kid: string;
  algorithm: KeyPairAlgorithm;
  /** PEM or a public `KeyObject`. */
  publicKey: string | KeyObject;
}

/** One key of the ring. */
export type SigningKey = SecretSigningKey | PrivateSigningKey | PublicSigningKey;

/** A key that is ready for use. */
export interface RingKey {
  kid: string;
  algorithm: LinkAlgorithm;
  signWith: KeyObject | undefined;
  verifyWith: KeyObject;
}

/** The key that an algorithm needs: a secret of a minimum length, or a key of one of these types, on a curve. */
type Requirement = { minSecretBytes: number } | { keyTypes: readonly string[]; curve?: string };

const RSA: Requirement = { keyTypes: ['rsa'] };
const RSA_PSS: Requirement = { keyTypes: ['rsa', 'rsa-pss'] };
const MIN_RSA_BITS = 2048;

/** RFC 7518, 3.2 to 3.5. */
const REQUIREMENTS: Readonly<Record<LinkAlgorithm, Requirement>> = {
  HS256: { minSecretBytes: 32 },
  HS384: { minSecretBytes: 48 },
  HS512: { minSecretBytes: 64 },
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  PS256: RSA_PSS,
  PS384: RSA_PSS,
  PS512: RSA_PSS,
  ES256: { keyTypes: ['ec'], curve: 'prime256v1' },
  ES384: { keyTypes: ['ec'], curve: 'secp384r1' },
  ES512: { keyTypes: ['ec'], curve: 'secp521r1' },
};

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

/** `toRingKey` checks the values: they depend on the algorithm. */
const MEMBERS = ['kid', 'algorithm', 'secret', 'privateKey', 'publicKey'] as const;

function toRingKey(value: unknown, pointer: string): RingKey {
  const key = value as Record<(typeof MEMBERS)[number], unknown>;
  assertOptions(key, MEMBERS, { pointer });
  const { kid, algorithm, secret, privateKey, publicKey } = key;
  // jsonwebtoken writes headers in Latin-1, so another kid could not be found again.
  if (typeof kid !== 'string' || !/^[ -~]+$/.test(kid))
    throw invalidOption(`${pointer}/kid`, 'value', 'is required, a text of printable ASCII characters');
  if (!isAlgorithm(algorithm)) {
    const detail = 'must be HS, RS, PS or ES with 256, 384 or 512';
    throw invalidOption(`${pointer}/algorithm`, 'value', detail);
  }
  const requirement = REQUIREMENTS[algorithm];
  const excluded = 'minSecretBytes' in requirement ? { privateKey, publicKey } : { secret };
  for (const [name, value] of Object.entries(excluded)) {
    const detail = `does not belong to a key for ${algorithm}`;
    if (value !== undefined) throw invalidOption(`${pointer}/${name}`, 'combination', detail);
  }
  if ('minSecretBytes' in requirement) {
    if (secret === undefined)
      throw invalidOption(`${pointer}/secret`, 'required', `is required for ${algorithm}`);
    const secretKey = convert(`${pointer}/secret`, () => toSecretKey(secret));
    // A public key in PEM is known to others, who could sign with it.
    if (secretKey.export().includes('-----BEGIN ')) {
      const detail =
        'is a key in PEM: give it as privateKey or publicKey with an RS, PS or ES algorithm, or generate a secret of random bytes';
      throw invalidOption(`${pointer}/secret`, 'value', detail);
    }
    if ((secretKey.symmetricKeySize ?? 0) < requirement.minSecretBytes) {
      const detail = `must have at least ${requirement.minSecretBytes} bytes for ${algorithm}`;
      throw invalidOption(`${pointer}/secret`, 'value', detail);
    }
    return { kid, algorithm, signWith: secretKey, verifyWith: secretKey };
  }
  if (privateKey === undefined && publicKey === undefined)
    throw invalidOption(pointer, 'required', 'needs a privateKey, or a publicKey to verify with');
  const signWith =
    privateKey === undefined ? undefined : convert(`${pointer}/privateKey`, () => toPrivateKey(privateKey));
  const verifyWith = convert(`${pointer}/publicKey`, () => toPublicKey(publicKey ?? signWith));
  const problem = keyProblem(verifyWith, algorithm, requirement);
  if (problem !== undefined) throw invalidOption(pointer, 'value', `${problem} for ${algorithm}`);
  return { kid, algorithm, signWith, verifyWith };
}

function keyProblem(
  { asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject,
  algorithm: LinkAlgorithm,
  { keyTypes, curve }: Extract<Requirement, { keyTypes: unknown }>,
): string | undefined {
  if (type === undefined || !keyTypes.includes(type)) return `must be a key of type ${keyTypes.join(' or ')}`;
  if (details.namedCurve !== curve) return `must be on the curve ${curve}`;
  if (type === 'ec') return undefined;
  // jsonwebtoken accepts only RSA-PSS keys that are bound to the hash of the algorithm.
  const hash = `sha${algorithm.slice(2)}`;
  if (type === 'rsa-pss' && details.hashAlgorithm !== hash) return `must have the hash algorithm ${hash}`;
  return (details.modulusLength ?? 0) < MIN_RSA_BITS ? `must have at least ${MIN_RSA_BITS} bits` : undefined;
}

function toSecretKey(secret: unknown): KeyObject {
  if (typeof secret === 'string') return createSecretKey(secret, 'utf8');
  if (isBytes(secret)) return createSecretKey(secret);
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
function convert(pointer: string, conversion: () => KeyObject): KeyObject {
  try {
    return conversion();
  } catch {
    throw invalidOption(pointer, 'value', 'is not a usable key for its algorithm');
  }
}

function isAlgorithm(value: unknown): value is LinkAlgorithm {
  return typeof value === 'string' && Object.hasOwn(REQUIREMENTS, value);
}
