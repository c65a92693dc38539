// Signs and verifies the token of a link: a JWS with a key ring and pinned algorithms.
import { hkdfSync, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { anyValue, assertOptions, type OptionChecks } from './assert-options.js';
import { ClaimlinkError, invalidOption } from './errors.js';
import { isRecord } from './plain-data.js';
import { type RingKey, type SigningKey, toRing } from './signing-keys.js';
import { idProblem } from './validators.js';

const AUDIENCE = 'claimlink/standalone';
const TYPE = 'claim-link+jwt';
/** A token has about 400 characters with HMAC and 800 with RSA-4096. A longer one is rejected before it is parsed. */
const MAX_TOKEN_LENGTH = 4096;

/** Options of `createLinkSigner`. */
export interface LinkSignerOptions {
  /**
   * The first key signs, all keys verify. To rotate, append the new key in every process, then put it first. Remove the
   * old key when the last link that it signed has expired.
   */
  keys: readonly SigningKey[];
  /** Claim `iss`: the `publicUrl` of the service. The signer rejects tokens of other issuers. */
  issuer: string;
}

const CHECKS: OptionChecks<LinkSignerOptions> = {
  keys: anyValue, // `toRing` checks them
  issuer: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a text'),
};

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
  /** Returns a token that the first key of the ring signs. */
  sign(claims: LinkTokenClaims): string;
  /**
   * Verifies a token. The service calls it again with the start of Unix time, to read a token that has expired.
   * @throws `link_not_found` unless this ring signed the token, `link_expired` if the token has expired.
   */
  verify(token: string, now: Date): LinkTokenClaims;
  /**
   * Returns keys of 32 bytes for one purpose, such as `receipt`: HKDF-SHA-256 (RFC 5869) of each key of the ring that can
   * sign, the first key first. Optional: without it, the features that need such a key are off.
   */
  derive?(purpose: string): readonly Uint8Array[];
}

/**
 * Creates a link signer (RFC 7515, RFC 7519; RFC 8725 for the pinned algorithm and the explicit type).
 * @throws `options_invalid` for an empty ring, a repeated kid, a secret shorter than its hash or in PEM, a key that does
 * not fit its algorithm, or a first key that cannot sign.
 */
export function createLinkSigner(options: LinkSignerOptions): LinkSigner {
  assertOptions(options, CHECKS, { required: ['keys', 'issuer'] });
  const { issuer } = options;
  const ring = toRing(options.keys);
  for (const [index, key] of [...ring.values()].entries()) assertUsable(key, `/keys/${index}`);
  const [first] = ring.values();
  if (first?.signWith === undefined)
    throw invalidOption('/keys/0', 'value', 'must be able to sign: give a secret or a privateKey');
  const { signWith } = first;
  const signOptions = signOptionsOf(first);

  return {
    sign: ({ accessCode, clientId, issuedAt, expiresAt }) =>
      // jsonwebtoken would check and copy an object.
      jwt.sign(
        JSON.stringify({
          iss: issuer,
          aud: AUDIENCE,
          jti: accessCode,
          client_id: clientId,
          iat: Math.floor(issuedAt.getTime() / 1000),
          exp: Math.floor(expiresAt.getTime() / 1000),
        }),
        signWith,
        signOptions,
      ),

    verify(token, now) {
      try {
        const key = ring.get(kidOf(token));
        if (key === undefined) throw new TypeError('The ring must have the key of the token.');
        const payload = jwt.verify(token, key.verifyWith, {
          algorithms: [key.algorithm],
          issuer,
          audience: AUDIENCE,
          // jsonwebtoken takes 0 for the system clock.
          clockTimestamp: Math.floor(now.getTime() / 1000) || 1,
        });
        return toClaims(payload);
      } catch (error) {
        throw new ClaimlinkError(error instanceof jwt.TokenExpiredError ? 'link_expired' : 'link_not_found');
      }
    },

    derive: (purpose) =>
      [...ring.values()].flatMap(({ signWith }) =>
        signWith === undefined ? [] : [deriveKey(signWith, issuer, purpose)],
      ),
  };
}

/** Derives a key for one purpose of one service, so that no key has two uses. */
function deriveKey(key: KeyObject, issuer: string, purpose: string): Uint8Array {
  const secret = key.type === 'secret' ? key.export() : key.export({ format: 'der', type: 'pkcs8' });
  return new Uint8Array(hkdfSync('sha256', secret, issuer, `claimlink/${purpose}`, 32));
}

/** Returns the kid in the header of a token, or '' for a token of another type. Nothing is verified yet. */
function kidOf(token: unknown): string {
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) return '';
  const header: unknown = jwt.decode(token, { complete: true })?.header;
  if (!isRecord(header) || header['typ'] !== TYPE || typeof header['kid'] !== 'string') return '';
  // A `crit` member lists extensions that the recipient must understand (RFC 7515, 4.1.11). This signer has none.
  return 'crit' in header ? '' : header['kid'];
}

/**
 * Returns the client that a token of `createLinkSigner` names, or undefined for another text. Nothing is verified: use it
 * to find a link, never to trust a caller.
 */
export function clientOfToken(token: string): string | undefined {
  if (kidOf(token) === '') return undefined;
  const payload: unknown = jwt.decode(token);
  const clientId = isRecord(payload) ? payload['client_id'] : undefined;
  return typeof clientId === 'string' && idProblem(clientId) === undefined ? clientId : undefined;
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

function signOptionsOf({ kid, algorithm }: RingKey): jwt.SignOptions {
  return { algorithm, header: { alg: algorithm, typ: TYPE, kid } };
}

/** Rejects at start-up a key that jsonwebtoken does not accept, and two keys that are not a pair. */
function assertUsable(key: RingKey, pointer: string): void {
  const { algorithm, signWith, verifyWith } = key;
  if (signWith === undefined) return;
  try {
    const token = jwt.sign({ iat: 0 }, signWith, signOptionsOf(key));
    jwt.verify(token, verifyWith, { algorithms: [algorithm] });
  } catch {
    throw invalidOption(pointer, 'value', 'is not a usable key for its algorithm');
  }
}
