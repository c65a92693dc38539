// The hand-written service: the same checks as claimlink's for one application, and nothing more.
import { createSecretKey, hash, randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { API_KEY, CLIENT, createSessions, LINK_TTL_SECONDS, PUBLIC_URL, SECRET, USER_ID } from '../data.mjs';

const AUDIENCE = 'claimlink/standalone';
const SIGNING_KEY = createSecretKey(SECRET, 'utf8');

export const DATA_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const text = (maxLength) => ({ type: 'string', maxLength });
const requiredText = (maxLength) => ({ ...text(maxLength), minLength: 1 });
const closed = (properties, required = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
/** Clients and users. Control characters are not allowed. */
const ID = { ...requiredText(100), pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' };
const EMAIL = { ...requiredText(254), pattern: '^[^\\s@]+@[^\\s@]+$' };
const person = { firstName: text(100), lastName: text(100), email: text(254), phone: text(40) };

/** Schema of the link request. ajv's `removeAdditional` drops unknown members where `additionalProperties` is false. */
export const linkSchema = closed(
  {
    callbackUrl: requiredText(2048),
    callbackOnSubmit: { type: 'boolean', default: false },
    config: closed(
      {
        contact: closed({ email: EMAIL, phone: requiredText(40), link: requiredText(2048) }, [
          'email',
          'phone',
        ]),
        currentUserId: ID,
        policy: closed({
          provider: text(200),
          number: text(100),
          validTo: text(40),
          validFrom: text(40),
          holder: closed(person),
          vehicle: closed({ licensePlate: text(32) }),
          linkedContacts: { type: 'array', maxItems: 20, items: closed(person) },
        }),
        initialStepKey: requiredText(100),
        privacyPolicyUrl: requiredText(2048),
      },
      ['contact', 'currentUserId'],
    ),
  },
  ['callbackUrl', 'config'],
);

const string = { type: 'string' };
const strings = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, string])),
});

/** Schema of the listing, for ajv and fast-json-stringify. */
const sessions = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      ...strings('reference', 'date', 'camsReference', 'status', 'createdAt').properties,
      selectedPolicy: {
        type: 'object',
        properties: {
          number: string,
          provider: string,
          holder: strings('firstName', 'lastName', 'id', 'phone', 'email'),
          validFrom: string,
          validTo: string,
          linkedContacts: { type: 'array', items: strings('firstName', 'lastName', 'email') },
          vehicle: strings('licensePlate'),
        },
      },
    },
  },
};

export const listingSchema = {
  params: { type: 'object', properties: { clientId: ID, userId: ID } },
  response: { 200: sessions },
};

/** The errors of the service, as status and title. */
const ERRORS = {
  request_invalid: [400, 'The request is not valid'],
  api_key_missing: [401, 'The API key is missing'],
  api_key_invalid: [401, 'The API key is not valid'],
  client_not_found: [404, 'The client was not found'],
  route_not_found: [404, 'There is nothing at this path'],
  body_too_large: [413, 'The body is too large'],
  internal: [500, 'Something went wrong on our side'],
};

/** An error response (RFC 9457). */
export class Problem extends Error {
  constructor(code, detail = ERRORS[code][1]) {
    super(detail);
    const [status, title] = ERRORS[code];
    this.status = status;
    this.body = JSON.stringify({ type: `urn:claimlink:problem:${code}`, title, status, detail, code });
    this.headers = {
      ...DATA_HEADERS,
      'content-type': 'application/problem+json; charset=utf-8',
      ...(status === 401 && { 'www-authenticate': 'ApiKey' }),
    };
  }
}

/** Creates the service on Maps. */
export function createClaims() {
  const clients = new Map([
    [CLIENT.clientId, { ...CLIENT, callbackOrigins: new Set(CLIENT.callbackOrigins) }],
  ]);
  const apiKeys = new Map([[hash('sha256', API_KEY), { clientId: CLIENT.clientId }]]);
  const sessions = new Map([[`${CLIENT.clientId}/${USER_ID}`, createSessions()]]);
  const links = new Map();

  /** All links live equally long, so the Map holds them in the order in which they expire. */
  function evictExpired(now) {
    for (const [accessCodeHash, { expiresAt }] of links) {
      if (expiresAt > now) return;
      links.delete(accessCodeHash);
    }
  }

  return {
    authenticate(presentedKey, clientId) {
      if (!presentedKey) throw new Problem('api_key_missing');
      const apiKey = apiKeys.get(hash('sha256', presentedKey));
      const now = Date.now();
      if (apiKey?.clientId !== clientId || apiKey.expiresAt <= now || apiKey.revokedAt <= now)
        throw new Problem('api_key_invalid');
      const client = clients.get(clientId);
      if (client === undefined) throw new Problem('client_not_found');
      return client;
    },

    listSessions: (clientId, userId) => (sessions.get(`${clientId}/${userId}`) ?? []).map(toWire),

    /** Expects a request that matches `linkSchema`. */
    createLink(client, request) {
      const now = Date.now();
      const { accessCodeHash, expiresAt, url } = mintLink(client, request, now);
      evictExpired(now);
      links.set(accessCodeHash, { ...request, clientId: client.clientId, createdAt: now, expiresAt });
      return { data: url };
    },
  };
}

/** A page shows these texts as links, so `javascript:` is not allowed. */
const isWebUrl = (text) => text === undefined || (/^https?:\/\//i.test(text) && URL.canParse(text));

/**
 * Creates `{ accessCodeHash, expiresAt, url }`, with `expiresAt` in milliseconds.
 * @throws a 400 Problem if the client does not list the origin of the callback, or if a link is not a web URL
 */
export function mintLink({ clientId, callbackOrigins }, { callbackUrl, config }, now) {
  const callback = URL.canParse(callbackUrl) ? new URL(callbackUrl) : undefined;
  if (callback?.protocol !== 'https:' || !callbackOrigins.has(callback.origin))
    throw new Problem('request_invalid', 'callbackUrl is not allowed.');
  if (!isWebUrl(config.contact.link) || !isWebUrl(config.privacyPolicyUrl))
    throw new Problem('request_invalid', 'A link must be an http or https URL.');
  const iat = Math.floor(now / 1000);
  const exp = iat + LINK_TTL_SECONDS;
  const accessCode = randomBytes(16).toString('base64url');
  const token = jwt.sign(
    { iss: PUBLIC_URL, aud: AUDIENCE, jti: accessCode, client_id: clientId, iat, exp },
    SIGNING_KEY,
    { algorithm: 'HS256', header: { alg: 'HS256', typ: 'claim-link+jwt', kid: '2026-01' } },
  );
  return {
    accessCodeHash: hash('sha256', accessCode),
    expiresAt: exp * 1000,
    url: `${PUBLIC_URL}/verify/${accessCode}?token=${token}`,
  };
}

/** Converts a stored session into the JSON of the contract. `listingSchema` names the members and their order. */
export function toWire(session) {
  const toMinute = (date) => date.toISOString().slice(0, 16);
  return { ...session, date: toMinute(session.date), createdAt: toMinute(session.createdAt) };
}
