// The cases of the HTTP suite that are one request each: what goes in, and what must come out of every mount.

import type { RawRequest } from './http-client.js';
import { CLAIM, claimFields, KEYS, linkRequest } from './service.js';

/** One request and the answer that the contract, or the README's decisions, ask for. */
export interface HttpCase {
  name: string;
  request: RawRequest;
  status: number;
  /** `code` of the problem, where the answer is one. */
  code?: string;
  /** Further headers that must be there, with exactly this value. */
  headers?: Record<string, string>;
}

const json = { 'content-type': 'application/json' };
const key = { 'x-api-key': KEYS.good };

function get(
  name: string,
  path: string,
  expected: Omit<HttpCase, 'name' | 'request'>,
  headers = {},
): HttpCase {
  return { name, request: { method: 'GET', path, headers: { ...key, ...headers } }, ...expected };
}

function post(
  name: string,
  body: NonNullable<RawRequest['body']>,
  expected: Omit<HttpCase, 'name' | 'request'>,
  headers = {},
): HttpCase {
  return {
    name,
    request: { method: 'POST', path: '/acme/link', headers: { ...json, ...key, ...headers }, body },
    ...expected,
  };
}

const invalid = { status: 400, code: 'request_invalid' };
const valid = JSON.stringify(linkRequest());
const oversized = JSON.stringify({ ...linkRequest(), padding: 'x'.repeat(65_537 - valid.length - 13) });

/** `{LINK}` in a path is replaced by that of a fresh link. */
export const HTTP_CASES: readonly HttpCase[] = [
  get('the sessions of a user', '/acme/sessions/user-1', { status: 200 }),
  get(
    'the sessions of a user, asked for with a JSON content type',
    '/acme/sessions/user-1',
    { status: 200 },
    json,
  ),
  get('a user without sessions', '/acme/sessions/nobody', { status: 200 }),
  get('a first page', '/acme/sessions/user-1?limit=2', { status: 200 }),
  get('a status that no session has', '/acme/sessions/user-1?status=open', { status: 200 }),
  {
    ...get('HEAD of a listing', '/acme/sessions/user-1', { status: 200 }),
    request: { method: 'HEAD', path: '/acme/sessions/user-1', headers: key },
  },
  {
    name: 'no key',
    request: { method: 'GET', path: '/acme/sessions/user-1' },
    status: 401,
    code: 'api_key_missing',
    headers: { 'www-authenticate': 'ApiKey' },
  },
  get('an empty key', '/acme/sessions/user-1', { status: 401, code: 'api_key_missing' }, { 'x-api-key': '' }),
  get(
    'an unknown key',
    '/acme/sessions/user-1',
    { status: 401, code: 'api_key_invalid', headers: { 'www-authenticate': 'ApiKey' } },
    { 'x-api-key': 'clk_unknown' },
  ),
  get(
    'an expired key',
    '/acme/sessions/user-1',
    { status: 401, code: 'api_key_invalid' },
    { 'x-api-key': KEYS.expired },
  ),
  get(
    'a revoked key',
    '/acme/sessions/user-1',
    { status: 401, code: 'api_key_invalid' },
    { 'x-api-key': KEYS.revoked },
  ),
  get(
    "another client's key",
    '/acme/sessions/user-1',
    { status: 401, code: 'api_key_invalid' },
    { 'x-api-key': KEYS.foreign },
  ),
  get('an unknown client with a known key', '/nobody/sessions/user-1', {
    status: 404,
    code: 'client_not_found',
  }),
  get(
    'an unknown client with an unknown key',
    '/nobody/sessions/user-1',
    { status: 401, code: 'api_key_invalid' },
    { 'x-api-key': 'clk_unknown' },
  ),
  get('a slash in the user id, percent-encoded', '/acme/sessions/a%2Fb', { status: 200 }),
  get('an emoji in the user id', '/acme/sessions/%F0%9F%9A%97', { status: 200 }),
  get('a percent sign in the user id, decoded once', '/acme/sessions/100%2525', { status: 200 }),
  get('a user id of 100 characters', `/acme/sessions/${'u'.repeat(100)}`, { status: 200 }),
  get('a user id of 101 characters', `/acme/sessions/${'u'.repeat(101)}`, {
    status: 414,
    code: 'uri_too_long',
  }),
  get('a client id of 101 characters', `/${'c'.repeat(101)}/sessions/user-1`, {
    status: 414,
    code: 'uri_too_long',
  }),
  get('a NUL in the user id', '/acme/sessions/a%00', invalid),
  get('a NUL in the client id', '/a%00/sessions/user-1', invalid),
  get('a malformed percent escape in the user id', '/acme/sessions/%ZZ', invalid),
  get('a malformed percent escape in the client id', '/%E0%A4/sessions/user-1', invalid),
  get('a lone surrogate in the user id', '/acme/sessions/%ED%A0%80', invalid),
  get('a limit of zero', '/acme/sessions/user-1?limit=0', invalid),
  get('a limit that is no number', '/acme/sessions/user-1?limit=1e3', invalid),
  get('a limit over the maximum', '/acme/sessions/user-1?limit=1001', invalid),
  get('a limit given twice', '/acme/sessions/user-1?limit=1&limit=2', invalid),
  get('a cursor that was never given', '/acme/sessions/user-1?cursor=abc', invalid),
  get('an empty status', '/acme/sessions/user-1?status=', invalid),
  get('an unknown query parameter', '/acme/sessions/user-1?page=2', { status: 200 }),
  get('an encoded literal in the path', '/acme/%73essions/user-1', { status: 200 }),
  get('an unknown path', '/acme/things', { status: 404, code: 'route_not_found' }),
  get('a trailing slash', '/acme/link/', { status: 404, code: 'route_not_found' }),
  get('a path below the reserved name verify', '/verify/sessions/user-1', { status: 404 }),
  {
    name: 'a path below the reserved name verify, asked for as JSON',
    request: { method: 'GET', path: '/verify/a/b?token=x', headers: { accept: 'application/json' } },
    status: 404,
    code: 'link_not_found',
  },
  {
    name: 'a link that lost its access code',
    request: { method: 'GET', path: '/verify?token=x' },
    status: 404,
  },
  {
    name: 'a method of an HTTP extension',
    request: { method: 'PROPFIND', path: '/acme/sessions/user-1' },
    status: 405,
    code: 'method_not_allowed',
  },
  {
    name: 'QUERY without a content type',
    request: { method: 'QUERY', path: '/acme/sessions/user-1', headers: key },
    status: 405,
    code: 'method_not_allowed',
  },
  {
    name: 'the wrong method for a listing',
    request: { method: 'DELETE', path: '/acme/sessions/user-1', headers: key },
    status: 405,
    code: 'method_not_allowed',
    headers: { allow: 'GET, HEAD' },
  },
  {
    name: 'the wrong method for a link',
    request: { method: 'GET', path: '/acme/link', headers: key },
    status: 405,
    code: 'method_not_allowed',
    headers: { allow: 'POST' },
  },
  {
    name: 'the wrong method for a page',
    request: { method: 'PUT', path: '/verify/abc?token=x', headers: { accept: 'application/json' } },
    status: 405,
    code: 'method_not_allowed',
    headers: { allow: 'GET, HEAD, POST' },
  },
  {
    name: 'OPTIONS of a listing',
    request: { method: 'OPTIONS', path: '/acme/sessions/user-1' },
    status: 405,
    code: 'method_not_allowed',
  },

  post('a link', valid, { status: 200 }),
  post(
    'a link, with a charset',
    valid,
    { status: 200 },
    { 'content-type': 'Application/JSON; charset=UTF-8' },
  ),
  post('a link, in pieces', [valid.slice(0, 100), valid.slice(100)], { status: 200 }),
  post('a link for a user with a number', JSON.stringify(linkRequest()).replace('"user-1"', '42'), {
    status: 200,
  }),
  post('a link without a key', valid, { status: 401, code: 'api_key_missing' }, { 'x-api-key': '' }),
  post('malformed JSON without a key', '{', { status: 401, code: 'api_key_missing' }, { 'x-api-key': '' }),
  post(
    'an oversized body without a key',
    oversized,
    { status: 401, code: 'api_key_missing' },
    { 'x-api-key': '' },
  ),
  post(
    'another content type',
    valid,
    { status: 415, code: 'content_type_unsupported' },
    { 'content-type': 'text/plain' },
  ),
  post(
    'a content type that is no media type',
    valid,
    { status: 415, code: 'content_type_unsupported' },
    { 'content-type': 'json' },
  ),
  {
    name: 'no content type',
    request: { method: 'POST', path: '/acme/link', headers: key, body: Buffer.from(valid) },
    status: 415,
    code: 'content_type_unsupported',
  },
  post(
    'a JSON body in latin1',
    valid,
    { status: 415, code: 'content_type_unsupported' },
    { 'content-type': 'application/json; charset=latin1' },
  ),
  post(
    'an unknown content encoding',
    valid,
    { status: 415, code: 'content_type_unsupported' },
    { 'content-encoding': 'zap' },
  ),
  post('a body of 64 KiB and a byte', oversized, { status: 413, code: 'body_too_large' }),
  post('malformed JSON', '{"callbackUrl":', invalid),
  post('a JSON body of a bare number', '7', invalid),
  post('an empty JSON body', '', invalid),
  post('invalid UTF-8', Buffer.from(valid.replace('P-77', '\u00ff'), 'latin1'), invalid),
  post('a __proto__ member', valid.replace('{', '{"__proto__":{"x":1},'), invalid),
  post('a constructor.prototype member', valid.replace('{', '{"constructor":{"prototype":{}},'), invalid),
  post('an array', '[]', invalid),
  post('every required member missing', '{}', invalid),
  post('a user id that is a fraction', valid.replace('"user-1"', '1.5'), invalid),
  post('a user id of 2^53', valid.replace('"user-1"', '9007199254740992'), invalid),
  post('a user id with a lone surrogate', valid.replace('"user-1"', '"\\ud800"'), invalid),
  post(
    'a callback URL with a script',
    JSON.stringify(linkRequest({ callbackUrl: 'javascript:alert(1)' })),
    invalid,
  ),

  { name: 'the page of a link', request: { method: 'GET', path: '{LINK}' }, status: 200 },
  { name: 'HEAD of a link', request: { method: 'HEAD', path: '{LINK}' }, status: 200 },
  { name: 'a link without a token', request: { method: 'GET', path: '/verify/abc' }, status: 404 },
  {
    name: 'a link with a forged token',
    request: { method: 'GET', path: '/verify/abc?token=a.b.c' },
    status: 404,
  },
  {
    name: 'a link with a forged token, asked for as JSON',
    request: { method: 'GET', path: '/verify/abc?token=a.b.c', headers: { accept: 'application/json' } },
    status: 404,
    code: 'link_not_found',
  },
  {
    name: 'a link with a token given twice',
    request: { method: 'GET', path: '{LINK}&token=x' },
    status: 400,
  },
  {
    name: 'an access code of 101 characters',
    request: { method: 'GET', path: `/verify/${'a'.repeat(101)}?token=x` },
    status: 404,
  },
  {
    name: 'a claim as JSON',
    request: { method: 'POST', path: '{LINK}', headers: json, body: JSON.stringify(CLAIM) },
    status: 200,
  },
  {
    name: 'a claim as a form',
    request: {
      method: 'POST',
      path: '{LINK}',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: claimFields().toString(),
    },
    status: 303,
  },
  {
    name: 'a claim as a form, answered as JSON',
    request: {
      method: 'POST',
      path: '{LINK}',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: claimFields().toString(),
    },
    status: 200,
  },
  {
    name: 'an empty claim as JSON',
    request: { method: 'POST', path: '{LINK}', headers: json, body: '{}' },
    ...invalid,
  },
  {
    name: 'an empty claim as a form',
    request: {
      method: 'POST',
      path: '{LINK}',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'x=1',
    },
    status: 400,
  },
  {
    name: 'a form of 64 KiB and more',
    request: {
      method: 'POST',
      path: '{LINK}',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `x=${'x'.repeat(65_536)}`,
    },
    status: 413,
    headers: { connection: 'close' },
  },
  {
    name: 'a claim as plain text',
    request: { method: 'POST', path: '{LINK}', headers: { 'content-type': 'text/plain' }, body: 'x' },
    status: 415,
  },
];

/**
 * The cases that run over every mount, since the adapter or the framework translates that part of the request.
 * The other cases run over node:http only: core decides them, whatever the mount is.
 */
export const EVERY_MOUNT: ReadonlySet<string> = new Set([
  // Methods
  'the sessions of a user',
  'HEAD of a listing',
  'HEAD of a link',
  'the wrong method for a listing',
  'the wrong method for a link',
  'OPTIONS of a listing',
  'a method of an HTTP extension',
  'QUERY without a content type',
  // URLs
  'a first page',
  'a limit given twice',
  'a slash in the user id, percent-encoded',
  'an emoji in the user id',
  'a percent sign in the user id, decoded once',
  'a user id of 101 characters',
  'a malformed percent escape in the user id',
  'an encoded literal in the path',
  'an unknown path',
  'a trailing slash',
  'a path below the reserved name verify',
  'a link that lost its access code',
  'a link with a token given twice',
  // Headers
  'no key',
  'an empty key',
  'an unknown key',
  'the sessions of a user, asked for with a JSON content type',
  'another content type',
  'a content type that is no media type',
  'no content type',
  'an unknown content encoding',
  // Bodies: bytes, pieces and limits
  'a link',
  'a link, with a charset',
  'a link, in pieces',
  'malformed JSON',
  'malformed JSON without a key',
  'an empty JSON body',
  'invalid UTF-8',
  'a __proto__ member',
  'a constructor.prototype member',
  'a body of 64 KiB and a byte',
  'an oversized body without a key',
  'a form of 64 KiB and more',
  // Pages and claims
  'the page of a link',
  'a link with a forged token',
  'a link with a forged token, asked for as JSON',
  'a claim as JSON',
  'a claim as a form',
  'a claim as a form, answered as JSON',
  'an empty claim as a form',
]);
