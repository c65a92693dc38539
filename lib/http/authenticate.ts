// Authentication: finds the client of a request by its API key and its path.
import { hashApiKey } from '../core/credentials.js';
import { asClaimlinkError, ClaimlinkError, invalidParameter } from '../core/errors.js';
import type { KeyUse } from '../core/key-use.js';
import type { ListedPage, Listing, PresentedClient, Storage } from '../core/storage.js';
import { parseId } from '../core/validators.js';

/** What authentication needs. */
export interface Authentication {
  storage: Storage;
  now: () => Date;
  keyUse: KeyUse;
}

/** What an API key and a path prove. */
export interface Authenticated {
  client: PresentedClient;
  /** Id of the key, if the storage returns it. */
  keyId: string | undefined;
  /** The page of the listing, if the storage read it with the key. */
  page: ListedPage | undefined;
}

/**
 * Returns the client that the API key and the path agree on. Contract: "Authentication", "Errors".
 * A caller without a valid key learns neither whether a client exists nor whether the client id is well formed. Records the
 * use of a key that it accepts.
 *
 * @param clientIdSegment the path segment, still percent-encoded.
 * @param listing the listing that the request asks for. The storage may return its page.
 * @throws `api_key_missing`; `api_key_invalid` for an unknown, expired or revoked key or the key of another client;
 * with a valid key also `client_not_found`, and `request_invalid` or `uri_too_long` for a malformed client id.
 */
export async function verifyApiKey(
  { storage, now, keyUse }: Authentication,
  presentedKey: string | undefined,
  clientIdSegment: string,
  listing?: Omit<Listing, 'at'>,
): Promise<Authenticated> {
  if (!presentedKey) {
    throw new ClaimlinkError('api_key_missing', 'Send the API key in the x-api-key header.');
  }
  const { id: clientId = '', problem } = readId(clientIdSegment, 'clientId');
  const apiKeyHash = hashApiKey(presentedKey);
  // No client has the id ''.
  const { apiKey, client, page } = await storage.findCredentials(
    listing ? { apiKeyHash, clientId, listing: { at: now(), ...listing } } : { apiKeyHash, clientId },
  );
  const time = now().getTime();
  if (apiKey === undefined || isPast(apiKey.expiresAt, time) || isPast(apiKey.revokedAt, time)) {
    throw keyInvalid();
  }
  if (problem !== undefined) throw problem;
  if (client === undefined) throw new ClaimlinkError('client_not_found');
  if (apiKey.clientId !== client.clientId) throw keyInvalid();
  keyUse.record(apiKeyHash);
  return { client, keyId: apiKey.id, page };
}

/**
 * Parses a clientId or userId of a path: percent-decodes the segment once. Returns a problem instead of throwing it: only
 * callers with a valid key may see it.
 */
export function readId(
  segment: string | undefined,
  parameter: string,
): { id: string; problem?: undefined } | { id?: undefined; problem: ClaimlinkError } {
  try {
    return { id: parseId(decodeSegment(segment ?? '', parameter), parameter) };
  } catch (error) {
    return { problem: asClaimlinkError(error) };
  }
}

function decodeSegment(segment: string, parameter: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidParameter(parameter, 'percent_encoding', 'has a malformed percent escape');
  }
}

/** Returns whether a date has passed. An invalid date counts as passed, so that the key is rejected. */
function isPast(date: Date | undefined, time: number): boolean {
  return date !== undefined && !(date.getTime() > time);
}

function keyInvalid(): ClaimlinkError {
  return new ClaimlinkError(
    'api_key_invalid',
    'The API key is unknown, expired, revoked or not for this client.',
  );
}
