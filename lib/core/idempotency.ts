// Idempotency of link creation: a repeated request with the same Idempotency-Key gets the link of the first one.
//
// For the security review.
// What the row of a link keeps: a MAC of client and Idempotency-Key, which finds the row; a MAC of the request; and the
// sealed access code with its token. All three end with the row.
// Keys: `derive` of the signer, for this purpose alone. Each MAC and the seal begin with a label, so none stands for
// another one.
// The request: its texts are personal data, and guessable. The Idempotency-Key is part of the MAC, so that neither the
// tables nor the signing key nor both of them are enough to test a guess.
// The seal: AES-256-GCM with a random nonce of 96 bits. Its key is a MAC of client and Idempotency-Key under the derived
// key: neither the tables and the signing key, nor the tables and the Idempotency-Key, open a link. Each key seals once, or
// a few times if the storage reports a random access code as taken. The client and the MAC of the key are authenticated
// with it: a seal that was moved to another row does not open.
// What the Idempotency-Key adds depends on the caller: a UUID of version 4 has 122 random bits, an order number has few.
// Constant in time: the comparison of the requests. The storage finds the MAC of the key by an index. Without the derived
// key, the caller cannot choose its bytes.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { hashAccessCode } from './credentials.js';
import { ClaimlinkError, invalidOption } from './errors.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import { createMac, isEqualMac } from './mac.js';
import type { ResolvedOptions } from './options.js';
import { canonicalJson } from './plain-data.js';
import type { IdempotencyStorage, IdempotentLink, LinkIdempotency } from './storage.js';
import type { LinkRequest } from './types.js';

/** Purpose of the derived keys, and the first part of each MAC. */
export const IDEMPOTENCY_PURPOSE = 'idempotency';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A token of the built-in signer has at most 4,096 characters. */
const MAX_SEALED_LENGTH = 8192;

/** What identifies a request: `ttlSeconds` is present only if the caller named it. */
export interface RequestIdentity {
  clientId: string;
  idempotencyKey: string;
  request: LinkRequest;
  ttlSeconds?: number | undefined;
}

/** The secret parts of a link's URL. */
export interface LinkSecrets {
  accessCode: string;
  token: string;
}

/** The idempotency of one request. */
export interface IdempotentRequest {
  /** The storage, which implements `IdempotencyStorage`. */
  storage: IdempotencyStorage;
  /** MACs of client and key under each key of the ring. A new link has the first one. */
  keyMacs: readonly string[];
  /** Returns what the row of a new link keeps. */
  seal(secrets: LinkSecrets): LinkIdempotency;
  /**
   * Returns the secret parts of a link that a request with this Idempotency-Key created.
   * @throws `idempotency_key_reused` if it was another request; Error if the row was changed.
   */
  open(stored: IdempotentLink): LinkSecrets;
}

/** The idempotency of a service. */
export interface Idempotency {
  /** Whether signer and storage support it. */
  readonly isSupported: boolean;
  /** @throws `options_invalid` if signer or storage do not support it. */
  identify(identity: RequestIdentity): IdempotentRequest;
}

/** @throws `options_invalid` if the option `requireIdempotency` is on, and signer or storage do not support it. */
export function createIdempotency(
  { signer, requireIdempotency }: Pick<ResolvedOptions, 'signer' | 'requireIdempotency'>,
  storage: GuardedStorage,
): Idempotency {
  const keys = signer.derive?.(IDEMPOTENCY_PURPOSE) ?? [];

  function assertSupported(cause: string): GuardedStorage & IdempotencyStorage {
    if (keys.length === 0)
      throw invalidOption('/signer', 'combination', `must have derive, which ${cause} needs`);
    return implementing(storage, 'IdempotencyStorage', cause);
  }

  function isSupported(): boolean {
    try {
      assertSupported('it');
      return true;
    } catch {
      return false;
    }
  }

  if (requireIdempotency) assertSupported('requireIdempotency');
  return {
    isSupported: isSupported(),
    identify: (identity) => identifyRequest(assertSupported('idempotencyKey'), keys, identity),
  };
}

function identifyRequest(
  storage: IdempotencyStorage,
  keys: readonly Uint8Array[],
  { clientId, idempotencyKey, request, ttlSeconds }: RequestIdentity,
): IdempotentRequest {
  const macOf = (key: Uint8Array, label: string, ...others: readonly string[]) =>
    createMac(key, [IDEMPOTENCY_PURPOSE, label, clientId, idempotencyKey, ...others]);
  const keyMacOf = (key: Uint8Array) => macOf(key, 'key').toString('base64url');
  const requestMacOf = (key: Uint8Array) =>
    macOf(key, 'request', canonicalJson({ request: normalize(request), ttlSeconds }));
  const sealKeyOf = (key: Uint8Array) => macOf(key, 'seal');
  const boundTo = (keyMac: string) => Buffer.from(JSON.stringify([clientId, keyMac]));
  const keyMacs = keys.map(keyMacOf);

  return {
    storage,
    keyMacs,

    seal({ accessCode, token }) {
      const [key, keyMac] = [keys[0] as Uint8Array, keyMacs[0] as string];
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealKeyOf(key), nonce);
      cipher.setAAD(boundTo(keyMac));
      // An access code has no dot.
      const content = [cipher.update(Buffer.from(`${accessCode}.${token}`)), cipher.final()];
      const sealed = Buffer.concat([nonce, ...content, cipher.getAuthTag()]).toString('base64url');
      if (sealed.length > MAX_SEALED_LENGTH)
        throw new RangeError('The token of the signer is too long to be stored for an Idempotency-Key.');
      return { keyMac, requestMac: requestMacOf(key).toString('base64url'), sealed };
    },

    open({ keyMac, requestMac, sealed, accessCodeHash }) {
      const key = keys[keyMacs.indexOf(keyMac)];
      if (key === undefined)
        throw new TypeError('findIdempotentLink of the storage returned a link with another keyMac.');
      if (!isEqualMac(requestMacOf(key), Buffer.from(requestMac, 'base64url')))
        throw new ClaimlinkError('idempotency_key_reused');
      const secrets = unseal(sealKeyOf(key), boundTo(keyMac), sealed);
      if (secrets === undefined || hashAccessCode(secrets.accessCode) !== accessCodeHash)
        throw new Error('The sealed access code of a link does not belong to its row.');
      return secrets;
    },
  };
}

/** Returns the request as the link keeps it: requests that create the same link are equal. */
function normalize({ callbackUrl, callbackOnSubmit = false, config }: LinkRequest): LinkRequest {
  // 42 and "42" identify the same user.
  const currentUserId = String(config.currentUserId);
  return { callbackUrl, callbackOnSubmit, config: { ...config, currentUserId } };
}

/** Returns undefined for a text that was not sealed with this key for this row. */
function unseal(key: Uint8Array, boundTo: Uint8Array, sealed: string): LinkSecrets | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo);
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const content = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    const [accessCode = '', ...token] = Buffer.concat(content).toString().split('.');
    return { accessCode, token: token.join('.') };
  } catch {
    return undefined;
  }
}
