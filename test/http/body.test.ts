// Request bodies: content types, encodings, and JSON that is invalid or poisoned.
import t from 'tap';
import type { Problem } from '../../lib/core/errors.js';
import { ClaimlinkError } from '../../lib/core/errors.js';
import { readForm } from '../../lib/http/body.js';
import type { CoreRequest } from '../../lib/http/messages.js';
import { createWorld, linkRequest, outcomeOf, problemOf } from '../core/world.js';

const GOOD = JSON.stringify(linkRequest());

const CONTENT_TYPES: Record<string, [contentType: string | undefined, outcome: string]> = {
  'application/json': ['application/json', '200'],
  'application/json in upper case': ['APPLICATION/JSON', '200'],
  'application/json with charset=utf-8': ['application/json; charset=utf-8', '200'],
  'application/json with charset=UTF8': ['application/json;charset=UTF8', '200'],
  'application/json with a quoted charset': ['application/json; charset="utf-8"', '200'],
  'application/json with another parameter': ['application/json; profile="x"', '200'],
  'no content type': [undefined, '415 content_type_unsupported'],
  'an empty content type': ['', '415 content_type_unsupported'],
  'text/plain': ['text/plain', '415 content_type_unsupported'],
  'text/json': ['text/json', '415 content_type_unsupported'],
  'a vendor JSON type': ['application/vnd.api+json', '415 content_type_unsupported'],
  'JSON with something appended': ['application/jsonx', '415 content_type_unsupported'],
  'a form': ['application/x-www-form-urlencoded', '415 content_type_unsupported'],
  'charset latin1': ['application/json; charset=iso-8859-1', '415 content_type_unsupported'],
  'charset utf-16': ['application/json; charset="utf-16"', '415 content_type_unsupported'],
  'charset utf-7': ['application/json; CHARSET = utf-7', '415 content_type_unsupported'],
};

for (const [what, [contentType, outcome]] of Object.entries(CONTENT_TYPES)) {
  t.test(`a link request with ${what} is ${outcome}`, async (t) => {
    const { call } = await createWorld();
    const headers = { 'content-type': contentType };
    t.equal(outcomeOf(await call('POST', '/acme/link', { headers, body: GOOD })), outcome);
  });
}

t.test('a compressed body is 415, identity is fine', async (t) => {
  const { call } = await createWorld();
  const send = (encoding: string) =>
    call('POST', '/acme/link', { headers: { 'content-encoding': encoding }, body: GOOD });
  t.equal(outcomeOf(await send('gzip')), '415 content_type_unsupported');
  t.equal(outcomeOf(await send('br, identity')), '415 content_type_unsupported');
  t.equal((await send('Identity')).status, 200);
});

t.test('a body of an unsupported type is not read', async (t) => {
  const { call, errors } = await createWorld();
  const body = () => Promise.reject(new Error('read'));
  const response = await call('POST', '/acme/link', { headers: { 'content-type': 'text/plain' }, body });
  t.equal(response.status, 415);
  t.equal(errors.length, 0);
});

const bytes = (text: string) => new TextEncoder().encode(text);
const FORMS: Record<string, unknown> = {
  'a string': GOOD,
  bytes: bytes(GOOD),
  'a Buffer': Buffer.from(GOOD),
  'bytes with a byte order mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(GOOD)]),
  'an object that somebody parsed': linkRequest(),
  'a function that gives bytes': () => bytes(GOOD),
  'a function that gives a promise of a string': async () => GOOD,
  'a function that gives a parsed object': () => linkRequest(),
};

for (const [what, body] of Object.entries(FORMS)) {
  t.test(`a body may be ${what}`, async (t) => {
    const { call } = await createWorld();
    t.equal((await call('POST', '/acme/link', { body })).status, 200);
  });
}

const NOT_JSON: Problem = { rule: 'json', detail: 'must be JSON' };
const NOT_UTF8: Problem = { rule: 'utf8', detail: 'must be UTF-8' };
const NOT_OBJECT: Problem = { rule: 'type', detail: 'must be object' };
const POISONED: Problem = {
  rule: 'json_prototype',
  detail: 'must not have __proto__ or constructor.prototype members',
};
const BAD: Record<string, [body: unknown, problem: Problem]> = {
  'no body': [undefined, NOT_JSON],
  'null, as some parsers give it': [null, NOT_JSON],
  'an empty body': ['', NOT_JSON],
  'empty bytes': [new Uint8Array(), NOT_JSON],
  'spaces only': ['  \n', NOT_JSON],
  'a cut object': [GOOD.slice(0, -1), NOT_JSON],
  'a trailing comma': ['{"a":1,}', NOT_JSON],
  'single quotes': ["{'a':1}", NOT_JSON],
  'two values': ['{}{}', NOT_JSON],
  NaN: ['NaN', NOT_JSON],
  'invalid UTF-8': [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), NOT_UTF8],
  'a cut UTF-8 sequence': [new Uint8Array([0x22, 0xe2, 0x82, 0x22]), NOT_UTF8],
  'an encoded surrogate': [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), NOT_UTF8],
  'UTF-16': [Buffer.from(`\ufeff${GOOD}`, 'utf16le'), NOT_UTF8],
  __proto__: [`{"__proto__":{"isAdmin":true},${GOOD.slice(1)}`, POISONED],
  '__proto__, escaped': [`{"\\u005f_proto__":1,${GOOD.slice(1)}`, POISONED],
  '__proto__, deep inside': [GOOD.replace('"phone"', '"__proto__":{"link":"x"},"phone"'), POISONED],
  'constructor.prototype': [`{"constructor":{"prototype":{"a":1}},${GOOD.slice(1)}`, POISONED],
  'a parsed __proto__': [JSON.parse(`{"__proto__":{"a":1},${GOOD.slice(1)}`), POISONED],
  'a parsed constructor.prototype, deep inside': [
    JSON.parse(`{"x":[{"constructor":{"prototype":1}}]}`),
    POISONED,
  ],
  'a string': ['"text"', NOT_OBJECT],
  'a number': ['1', NOT_OBJECT],
  null: ['null', NOT_OBJECT],
  true: ['true', NOT_OBJECT],
  'an array': ['[]', NOT_OBJECT],
  'a parsed array': [[], NOT_OBJECT],
};

for (const [what, [body, problem]] of Object.entries(BAD)) {
  t.test(`a body that is ${what} is 400: it ${problem.detail}`, async (t) => {
    const { call } = await createWorld();
    const response = await call('POST', '/acme/link', { body });
    t.equal(outcomeOf(response), '400 request_invalid');
    t.strictSame(problemOf(response).errors, [{ pointer: '', ...problem }]);
  });
}

t.test('a poisoned body leaves the prototype of objects alone', async (t) => {
  const { call } = await createWorld();
  await call('POST', '/acme/link', {
    body: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  });
  t.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

t.test('a member called constructor is fine, and ignored', async (t) => {
  const { requestLink } = await createWorld();
  t.equal((await requestLink({ ...linkRequest(), constructor: null })).status, 200);
  t.equal((await requestLink({ ...linkRequest(), constructor: 'me' })).status, 200);
});

t.test('JSON of 30 000 levels is rejected and does no harm', async (t) => {
  const { call } = await createWorld();
  const body = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  t.equal(outcomeOf(await call('POST', '/acme/link', { body })), '400 request_invalid');
  const deep = `{"x":${body},${GOOD.slice(1)}`;
  t.equal((await call('POST', '/acme/link', { body: deep })).status, 200, 'ignored where members are');
});

const READER_ERRORS = { body_too_large: 413, request_aborted: 400, body_consumed: 500 } as const;

for (const [code, status] of Object.entries(READER_ERRORS) as [keyof typeof READER_ERRORS, number][]) {
  t.test(`the response has the error of the adapter's reader: ${code} is ${status}`, async (t) => {
    const { call, errors } = await createWorld();
    const response = await call('POST', '/acme/link', {
      body: () => Promise.reject(new ClaimlinkError(code)),
    });
    t.equal(outcomeOf(response), `${status} ${status === 500 ? 'internal' : code}`);
    t.equal(errors.length, status === 500 ? 1 : 0);
  });
}

t.test('a form is read from a string, from bytes, and from what a parser made of it', async (t) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = (body: unknown): CoreRequest => ({ method: 'POST', url: '/', headers, body });
  t.equal((await readForm(request('a=1&b=%C3%BC+x'))).get('b'), 'ü x');
  t.equal((await readForm(request(bytes('a=1&b=%C3%BC+x')))).get('b'), 'ü x');
  const parsed = await readForm(request({ a: '1', b: ['2', '3'], c: { d: 'e' }, n: 1 }));
  t.strictSame(
    [...parsed],
    [
      ['a', '1'],
      ['b', '2'],
    ],
  );
  t.strictSame([...(await readForm(request(undefined)))], []);
  await t.rejects(readForm({ ...request(''), headers: { 'content-type': 'application/json' } }), {
    code: 'content_type_unsupported',
  });
});
