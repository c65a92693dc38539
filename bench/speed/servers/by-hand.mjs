// What the hand-written peers share: the service as a good engineer would write it for one app, and nothing more.
import { createSecretKey, hash, randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import {
  API_KEY,
  CLIENT,
  LINK_TTL_SECONDS,
  LISTING_SIZES,
  PUBLIC_URL,
  SECRET,
  sessionsOf,
} from '../data.mjs';
import { createPageTemplate } from '../page-template.mjs';

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
const person = { firstName: text(100), lastName: text(100), email: text(254), phone: text(40) };

/** Of the link request. `additionalProperties: false` lets ajv's `removeAdditional` drop what is unknown. */
export const linkSchema = closed(
  {
    callbackUrl: requiredText(2048),
    callbackOnSubmit: { type: 'boolean', default: false },
    config: closed(
      {
        contact: closed(
          {
            email: { ...requiredText(254), pattern: '^[^\\s@]+@[^\\s@]+$' },
            phone: requiredText(40),
            link: requiredText(2048),
          },
          ['email', 'phone'],
        ),
        currentUserId: { type: 'string', minLength: 1, maxLength: 100 },
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

/** Of the listing, for fast-json-stringify. */
export const listingSchema = {
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

/** A problem to answer with (RFC 9457). */
export class Problem extends Error {
  constructor(status, code, title, detail) {
    super(detail);
    this.status = status;
    this.body = { type: `urn:claimlink:problem:${code}`, title, status, detail, code };
  }

  get headers() {
    return {
      ...DATA_HEADERS,
      'content-type': 'application/problem+json; charset=utf-8',
      ...(this.status === 401 && { 'www-authenticate': 'ApiKey' }),
    };
  }
}

export const invalidKey = () =>
  new Problem(
    401,
    'api_key_invalid',
    'The API key is not valid',
    'The API key is unknown, expired, revoked or not for this client.',
  );

const linkNotFound = () =>
  new Problem(404, 'link_not_found', 'The link is not valid', 'The link is not valid.');

/** Makes the service, its data in Maps. */
export async function createClaims() {
  const page = await createPageTemplate();
  const clients = new Map([
    [CLIENT.clientId, { ...CLIENT, callbackOrigins: new Set(CLIENT.callbackOrigins) }],
  ]);
  const apiKeys = new Map([[hash('sha256', API_KEY), { clientId: CLIENT.clientId }]]);
  const sessions = new Map(
    LISTING_SIZES.map((size) => [`${CLIENT.clientId}/user-${size}`, sessionsOf(size)]),
  );
  const links = new Map();

  /** All links live equally long, so the oldest expires first: a Map keeps them in that order. */
  function evictExpired(now) {
    for (const [code, { expiresAt }] of links) {
      if (expiresAt > now) return;
      links.delete(code);
    }
  }

  return {
    authenticate(presentedKey, clientId) {
      if (!presentedKey)
        throw new Problem(
          401,
          'api_key_missing',
          'The API key is missing',
          'Send the API key in the x-api-key header.',
        );
      const apiKey = apiKeys.get(hash('sha256', presentedKey));
      if (apiKey === undefined || apiKey.clientId !== clientId) throw invalidKey();
      const client = clients.get(clientId);
      if (client === undefined)
        throw new Problem(404, 'client_not_found', 'The client was not found', 'The client was not found.');
      return client;
    },

    listSessions: (clientId, userId) => (sessions.get(`${clientId}/${userId}`) ?? []).map(toWire),

    /** `request` has been held against the schema. */
    createLink(client, request) {
      const now = Date.now();
      const { accessCodeHash, expiresAt, url } = mintLink(client, request, now);
      evictExpired(now);
      links.set(accessCodeHash, {
        ...request,
        clientId: client.clientId,
        createdAt: now,
        expiresAt,
        openedAt: undefined,
      });
      return { data: url };
    },

    /** `{ headers, html }` of the standalone page. */
    openPage(accessCode, token = '') {
      let payload;
      try {
        payload = jwt.verify(token, SIGNING_KEY, {
          algorithms: ['HS256'],
          issuer: PUBLIC_URL,
          audience: AUDIENCE,
        });
      } catch {
        throw linkNotFound();
      }
      const link = payload.jti === accessCode ? links.get(hash('sha256', accessCode)) : undefined;
      if (link === undefined || link.expiresAt <= Date.now()) throw linkNotFound();
      link.openedAt ??= Date.now();
      const nonce = randomBytes(16).toString('base64');
      return {
        headers: {
          ...DATA_HEADERS,
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policyOf(nonce, new URL(link.callbackUrl).origin),
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex',
        },
        html: fill(page, valuesOf(link, nonce)),
      };
    },
  };
}

/**
 * A new link: `{ accessCodeHash, expiresAt, url }`, `expiresAt` in milliseconds.
 * @throws a 400 Problem when the callback is not one of the client's.
 */
export function mintLink({ clientId, callbackOrigins }, { callbackUrl }, now) {
  const callback = URL.canParse(callbackUrl) ? new URL(callbackUrl) : undefined;
  if (callback?.protocol !== 'https:' || !callbackOrigins.has(callback.origin))
    throw new Problem(400, 'request_invalid', 'The request is not valid', 'callbackUrl is not allowed.');
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

/** A session as the contract shows it. */
export function toWire({ reference, date, camsReference, status, createdAt, selectedPolicy: policy }) {
  const { holder } = policy;
  return {
    reference,
    date: date.toISOString().slice(0, 16),
    camsReference,
    status,
    createdAt: createdAt.toISOString().slice(0, 16),
    selectedPolicy: {
      number: policy.number,
      provider: policy.provider,
      holder: {
        firstName: holder.firstName,
        lastName: holder.lastName,
        id: holder.id,
        phone: holder.phone,
        email: holder.email,
      },
      validFrom: policy.validFrom,
      validTo: policy.validTo,
      linkedContacts: policy.linkedContacts.map(({ firstName, lastName, email }) => ({
        firstName,
        lastName,
        email,
      })),
      vehicle: { licensePlate: policy.vehicle.licensePlate },
    },
  };
}

function policyOf(nonce, callback) {
  return `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:; connect-src 'self'; form-action 'self' ${callback}; base-uri 'none'; frame-ancestors 'none'`;
}

function valuesOf({ config: { policy = {}, privacyPolicyUrl } }, nonce) {
  const [other] = policy.linkedContacts ?? [];
  return {
    nonce,
    privacyPolicyUrl,
    provider: policy.provider,
    number: policy.number,
    validFrom: policy.validFrom,
    validTo: policy.validTo,
    holderFirstName: policy.holder?.firstName,
    holderLastName: policy.holder?.lastName,
    holderEmail: policy.holder?.email,
    holderPhone: policy.holder?.phone,
    licensePlate: policy.vehicle?.licensePlate,
    contactFirstName: other?.firstName,
    contactLastName: other?.lastName,
    contactEmail: other?.email,
    contactPhone: other?.phone,
  };
}

function fill({ parts, names }, values) {
  let html = parts[0];
  for (let i = 0; i < names.length; i++) html += escapeHtml(values[names[i]] ?? '') + parts[i + 1];
  return html;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(value) {
  return /[&<>"']/.test(value) ? value.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]) : value;
}
