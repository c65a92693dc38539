// The compact token of a link: base64url of version (1 byte), end in seconds (5 bytes), client id, and a MAC of 16 bytes.
//
// For the security review.
// Why 128 bits: without the key, each guess of the MAC is a request. The MAC is the first
// half of HMAC-SHA-256 (RFC 2104, 5: at least half of the hash, and at least 80 bits). The access code has 128 random bits
// as well, so a longer MAC would not make a link harder to guess.
// What is bound: purpose, issuer, version, end, client id and access code, each with its length before it. The access code
// is not in the token, so a token fits one link of one client of one service until one moment. The format has no header:
// a token cannot name its key or algorithm.
// The key: HKDF of the signing key with the purpose of this file. It signs nothing else.
// One spelling: a token is accepted only if encoding its bytes again gives the same text. base64url decoders ignore the
// last bits, padding and characters outside the alphabet.
// Constant in time: the comparison of the MAC, for each key. What comes before it depends only on what the caller sent.
// Which key of the ring fits is visible in time: it is no secret, and the header of a JWS says it.
import { ClaimlinkError } from './errors.js';
import { createMac, isEqualMac } from './mac.js';

/** Purpose of the keys and of the MAC. */
export const COMPACT_PURPOSE = 'compact-token';
const VERSION = 1;
/** Bytes of version and end. */
const HEAD_BYTES = 6;
const MAC_BYTES = 16;
/** An id has at most 100 UTF-16 code units, each at most 3 bytes in UTF-8. */
const MAX_TOKEN_LENGTH = Math.ceil(((HEAD_BYTES + 300 + MAC_BYTES) * 4) / 3);
/** 128 bits in base64url, as `createAccessCode` returns them. */
const ACCESS_CODE = /^[\w-]{22}$/;
/** The largest number of 5 bytes. */
const MAX_END = 2 ** 40 - 1;

/**
 * Finds compact tokens in a text, also incomplete ones: the version and an end before the year 2242. It also finds other
 * texts that begin like this.
 */
export const COMPACT_TOKEN = /AQ[A-H][\w-]{16,}/g;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a compact token binds together. */
interface CompactClaims {
  accessCode: string;
  clientId: string;
  /** Whole seconds. */
  expiresAt: Date;
}

/** What a compact token says. Not verified. */
interface CompactToken {
  /** Seconds since the start of Unix time. */
  end: number;
  clientId: string;
  mac: Uint8Array;
}

/**
 * Returns a compact token.
 * @throws RangeError for an access code of another form, or an end that does not fit: 1970 to 36812.
 */
export function signCompact(
  key: Uint8Array,
  issuer: string,
  { accessCode, clientId, expiresAt }: CompactClaims,
): string {
  const end = Math.floor(expiresAt.getTime() / 1000);
  if (!ACCESS_CODE.test(accessCode))
    throw new RangeError('The access code of a compact token must have 22 characters of base64url.');
  if (!(end >= 0 && end <= MAX_END))
    throw new RangeError('The end of a compact token must be in the years 1970 to 36812.');
  return encode({ end, clientId, mac: macOf(key, issuer, end, clientId, accessCode) });
}

/**
 * Verifies a compact token for an access code, under one of the keys.
 * @throws `link_not_found` unless one of the keys signed it for this code, `link_expired` if it has ended.
 */
export function verifyCompact(
  keys: readonly Uint8Array[],
  issuer: string,
  token: string,
  now: Date,
  accessCode: unknown,
): CompactClaims {
  const read = readCompact(token);
  if (read === undefined || typeof accessCode !== 'string' || !ACCESS_CODE.test(accessCode))
    throw new ClaimlinkError('link_not_found');
  const { end, clientId, mac } = read;
  if (!keys.some((key) => isEqualMac(macOf(key, issuer, end, clientId, accessCode), mac)))
    throw new ClaimlinkError('link_not_found');
  if (Math.floor(now.getTime() / 1000) >= end) throw new ClaimlinkError('link_expired');
  return { accessCode, clientId, expiresAt: new Date(end * 1000) };
}

/** Reads a compact token, or returns undefined for another text. Nothing is verified. */
export function readCompact(token: unknown): CompactToken | undefined {
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= HEAD_BYTES + MAC_BYTES || bytes[0] !== VERSION) return undefined;
  try {
    const read = {
      end: bytes.readUIntBE(1, HEAD_BYTES - 1),
      clientId: decoder.decode(bytes.subarray(HEAD_BYTES, -MAC_BYTES)),
      mac: bytes.subarray(-MAC_BYTES),
    };
    return encode(read) === token ? read : undefined;
  } catch {
    // The client id is not UTF-8.
    return undefined;
  }
}

function encode({ end, clientId, mac }: CompactToken): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(end, 1, HEAD_BYTES - 1);
  return Buffer.concat([head, Buffer.from(clientId), mac]).toString('base64url');
}

function macOf(key: Uint8Array, issuer: string, end: number, clientId: string, accessCode: string): Buffer {
  const parts = [COMPACT_PURPOSE, issuer, String(VERSION), String(end), clientId, accessCode];
  return createMac(key, parts).subarray(0, MAC_BYTES);
}
