// Signs and verifies the token of a link: a JWS with a key ring and pinned algorithms, or a compact token under its HMAC keys.
import { hkdfSync, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { anyValue, assertOptions, type OptionChecks } from './assert-options.js';
import { COMPACT_PURPOSE, readCompact, signCompact, verifyCompact } from './compact-token.js';
import { ClaimlinkError, invalidOption } from './errors.js';
import { isRecord } from './plain-data.js';
import { type RingKey, type SigningKey, toRing } from './signing-keys.js';
import { LINK_FORMATS, type LinkFormat } from './types.js';
import { withoutAddedEnd } from './url.js';
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
  /**
   * Format of the tokens that it signs. `jws`: a signed JWT, about 320 characters with HMAC. `compact`: 35 characters with a
   * client id of 4 bytes, for text messages and QR codes; the first key must be an HMAC key. A signer accepts both formats
   * under each HMAC key of the ring, so you can switch without breaking links. Default `jws`.
   */
  format?: LinkFormat;
}

const CHECKS: OptionChecks<LinkSignerOptions> = {
  keys: anyValue, // `toRing` checks them
  issuer: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a text'),
  format: (value) => (LINK_FORMATS.some((format) => format === value) ? undefined : 'must be jws or compact'),
};

/** Claims of a token. They hold no personal data, because everyone who has the link can read them. */
export interface LinkTokenClaims {
  /** Claim `jti`. */
  accessCode: string;
  /** Claim `client_id`. */
  clientId: string;
  /** Claim `iat`; whole seconds. A compact token does not have it. */
  issuedAt?: Date;
  /** Claim `exp`; whole seconds. */
  expiresAt: Date;
}

/** Signs and verifies link tokens. */
export interface LinkSigner {
  /** Returns a token that the first key of the ring signs. */
  sign(claims: Required<LinkTokenClaims>): string;
  /**
   * Verifies a token. The service calls it again with the start of Unix time, to read a token that has expired, and compares
   * the access code of the claims with the one of the URL.
   * @param accessCode the access code of the URL. A compact token does not contain it, and is rejected without it. A signer
   * whose tokens contain it may ignore it.
   * @throws `link_not_found` unless this ring signed the token, `link_expired` if the token has expired.
   */
  verify(token: string, now: Date, accessCode?: string): LinkTokenClaims;
  /**
   * Returns keys of 32 bytes for one purpose, such as `receipt`: HKDF-SHA-256 (RFC 5869) of each key of the ring that can
   * sign, the first key first. Optional: without it, the features that need such a key are off.
   */
  derive?(purpose: string): readonly Uint8Array[];
}

/**
 * Creates a link signer (RFC 7515, RFC 7519; RFC 8725 for the pinned algorithm and the explicit type).
 * @throws `options_invalid` for an empty ring, a repeated kid, a secret shorter than its hash or in PEM, a key that does
 * not fit its algorithm, a first key that cannot sign, or a first key that is no HMAC key with `format: 'compact'`.
 */
export function createLinkSigner(options: LinkSignerOptions): LinkSigner {
  assertOptions(options, CHECKS, { required: ['keys', 'issuer'] });
  const { issuer, format = 'jws' } = options;
  const ring = toRing(options.keys);
  for (const [index, key] of [...ring.values()].entries()) assertUsable(key, `/keys/${index}`);
  const [first] = ring.values();
  if (first?.signWith === undefined)
    throw invalidOption('/keys/0', 'value', 'must be able to sign: give a secret or a privateKey');
  const { signWith } = first;
  const signOptions = signOptionsOf(first);
  const compactKeys = [...ring.values()].flatMap(({ signWith: key }) =>
    key?.type === 'secret' ? [deriveKey(key, issuer, COMPACT_PURPOSE)] : [],
  );
  const [compactKey] = compactKeys;
  if (format === 'compact' && (signWith.type !== 'secret' || compactKey === undefined)) {
    const detail =
      'compact needs an HMAC key as the first key of the ring: put a key with HS256, HS384 or HS512 first, or use jws';
    throw invalidOption('/format', 'combination', detail);
  }

  function sign(claims: Required<LinkTokenClaims>): string {
    if (format === 'compact' && compactKey !== undefined) return signCompact(compactKey, issuer, claims);
    const { accessCode, clientId, issuedAt, expiresAt } = claims;
    // jsonwebtoken would check and copy an object.
    return jwt.sign(
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
    );
  }

  function verifyJws(token: string, now: Date): LinkTokenClaims {
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
  }

  return {
    sign,

    verify: (token, now, accessCode) =>
      // The parts of a JWS have dots between them. base64url has none.
      typeof token === 'string' && !token.includes('.')
        ? verifyCompact(compactKeys, issuer, token, now, accessCode)
        : verifyJws(token, now),

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
  const shortened = withoutAddedEnd(token);
  const clientId = readCompact(shortened)?.clientId ?? clientOfJws(shortened);
  return typeof clientId === 'string' && idProblem(clientId) === undefined ? clientId : undefined;
}

function clientOfJws(token: string): unknown {
  const payload: unknown = kidOf(token) === '' ? undefined : jwt.decode(token);
  return isRecord(payload) ? payload['client_id'] : undefined;
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
