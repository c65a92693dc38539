// x-api-key and clientId -> the client, or 401/404. Who has no key learns nothing about which clients exist.
import { hashApiKey } from './api-keys.js';
import { chain } from './awaitable.js';
import { ClaimlinkError } from './errors.js';
import { asClaimlinkError } from './http.js';
import type { Credentials, Storage } from './storage.js';
import type { Awaitable, Client } from './types.js';
import { parseIdSegment } from './validators.js';

// Made once: a stack costs more than everything else that is done for somebody without a key.
const KEY_MISSING = Object.freeze(
  new ClaimlinkError('api_key_missing', 'Send the API key in the x-api-key header.'),
);
const KEY_INVALID = Object.freeze(
  new ClaimlinkError('api_key_invalid', 'The API key is unknown, expired, revoked or not for this client.'),
);

/**
 * The client that the key and the path agree on, or why there is none. Contract: "Authentication", "Errors".
 * `clientIdSegment` is still percent-encoded.
 *
 * A refusal is returned and not thrown: `api_key_missing`, what `parseIdSegment` throws, `api_key_invalid` (unknown,
 * expired, revoked, another client's), `client_not_found`. Who has no key must not cost more than who has one. `now` is
 * asked only for a key that has an end.
 */
export function authenticate(
  storage: Storage,
  presentedKey: string | undefined,
  clientIdSegment: string,
  now: () => Date,
): Awaitable<Client | ClaimlinkError> {
  if (!presentedKey) return KEY_MISSING;
  const { clientId, problem } = readClientId(clientIdSegment);
  const found = storage.findCredentials({ apiKeyHash: hashApiKey(presentedKey), clientId });
  return chain(found, (credentials) => agreedClient(credentials, problem, now));
}

function agreedClient(
  { apiKey, client }: Credentials,
  problem: ClaimlinkError | undefined,
  now: () => Date,
): Client | ClaimlinkError {
  if (apiKey === undefined || isReached(apiKey.expiresAt, now) || isReached(apiKey.revokedAt, now))
    return KEY_INVALID;
  if (problem !== undefined) return problem;
  if (client === undefined) return new ClaimlinkError('client_not_found');
  return apiKey.clientId === client.clientId ? client : KEY_INVALID;
}

/** What is wrong with a client id is told only to who has a key; until then it is one that no client has. */
function readClientId(segment: string): { clientId: string; problem?: ClaimlinkError } {
  try {
    return { clientId: parseIdSegment(segment, 'clientId') };
  } catch (error) {
    return { clientId: '', problem: asClaimlinkError(error) };
  }
}

function isReached(moment: Date | undefined, now: () => Date): boolean {
  // Written so that a date that is none counts as reached: closed by default.
  return moment !== undefined && !(moment.getTime() > now().getTime());
}
