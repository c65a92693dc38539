// Requests of which an adapter or a framework translates a part. The contract suite has the other rules of HTTP.
import type { RawRequest } from './http-client.js';
import { KEYS, linkRequest } from './service.js';

/** One request, and the response of every mount. */
export interface HttpCase {
  request: RawRequest;
  status: number;
  /** `code` of the problem, if the response is one. */
  code?: string;
  /** Further headers that the response must have, with this value. */
  headers?: Record<string, string>;
}

const key = { 'x-api-key': KEYS.good };
const valid = JSON.stringify(linkRequest());
const invalid = { status: 400, code: 'request_invalid' };
const unsupported = { status: 415, code: 'content_type_unsupported' };
const notAllowed = { status: 405, code: 'method_not_allowed' };
const LISTING = '/acme/sessions/user-1';

function send(method: string, path: string, expected: Omit<HttpCase, 'request'>): HttpCase {
  return { request: { method, path, headers: key }, ...expected };
}

function post(body: NonNullable<RawRequest['body']>, expected: Omit<HttpCase, 'request'>, headers = {}) {
  const request = {
    method: 'POST',
    path: '/acme/link',
    headers: { 'content-type': 'application/json', ...key, ...headers },
    body,
  };
  return { request, ...expected };
}

/** `{LINK}` in a path is replaced by that of a new link. */
export const HTTP_CASES: Readonly<Record<string, HttpCase>> = {
  // Methods
  'OPTIONS of a listing': send('OPTIONS', LISTING, notAllowed),
  'a method of an HTTP extension': send('PROPFIND', LISTING, notAllowed),
  'QUERY without a content type': send('QUERY', LISTING, notAllowed),

  // URLs
  'a slash in the user id, percent-encoded': send('GET', '/acme/sessions/a%2Fb', { status: 200 }),
  'an emoji in the user id': send('GET', '/acme/sessions/%F0%9F%9A%97', { status: 200 }),
  'a percent sign in the user id': send('GET', '/acme/sessions/100%2525', { status: 200 }),
  'a malformed percent escape in the user id': send('GET', '/acme/sessions/%ZZ', invalid),
  'a malformed percent escape in the client id': send('GET', '/%E0%A4/sessions/user-1', invalid),
  'a lone surrogate in the user id': send('GET', '/acme/sessions/%ED%A0%80', invalid),
  'a client id of 101 characters': send('GET', `/${'c'.repeat(101)}/sessions/user-1`, {
    status: 414,
    code: 'uri_too_long',
  }),
  'a user id of 256 characters': send('GET', `/acme/sessions/${'u'.repeat(256)}`, { status: 200 }),
  'a user id of 256 code units, percent-encoded': send(
    'GET',
    `/acme/sessions/${'%F0%9F%9A%97'.repeat(128)}`,
    {
      status: 200,
    },
  ),
  'a user id of 257 characters': send('GET', `/acme/sessions/${'u'.repeat(257)}`, {
    status: 414,
    code: 'uri_too_long',
  }),
  'an encoded literal in the path': send('GET', '/acme/%73essions/user-1', { status: 200 }),
  'an unknown path': send('GET', '/acme/things', { status: 404, code: 'route_not_found' }),
  'a trailing slash': send('GET', '/acme/link/', { status: 404, code: 'route_not_found' }),
  'a link that lost its access code': send('GET', '/verify?token=x', { status: 404 }),
  'a link with a token given twice': send('GET', '{LINK}&token=x', { status: 400 }),

  // Content types and encodings
  'a content type that is no media type': post(valid, unsupported, { 'content-type': 'json' }),
  'a JSON body in latin1': post(valid, unsupported, { 'content-type': 'application/json; charset=latin1' }),
  'an unknown content encoding': post(valid, unsupported, { 'content-encoding': 'zap' }),

  // Bodies: bytes, pieces and limits
  'a link, in pieces': post([valid.slice(0, 100), valid.slice(100)], { status: 200 }),
  'malformed JSON': post('{"callbackUrl":', invalid),
  'malformed JSON without a key': post('{', { status: 401, code: 'api_key_missing' }, { 'x-api-key': '' }),
  'a JSON body of a bare number': post('7', invalid),
  'an empty JSON body': post('', invalid),
  'invalid UTF-8': post(Buffer.from(valid.replace('P-77', '\u00ff'), 'latin1'), invalid),
  'a constructor.prototype member': post(valid.replace('{', '{"constructor":{"prototype":{}},'), invalid),
  'a form of 64 KiB and more': {
    request: {
      method: 'POST',
      path: '{LINK}',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `x=${'x'.repeat(65_536)}`,
    },
    status: 413,
    headers: { connection: 'close' },
  },
};
