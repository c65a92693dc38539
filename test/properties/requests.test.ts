// Any text and any JSON in every part of a request: the response is a documented one.
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import t from 'tap';
import { ERRORS, RESPONSE_CODES } from '../../lib/core/errors.js';
import { withoutAddedEnd } from '../../lib/core/url.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import type { OpenApiDocument } from '../../lib/http/openapi.js';
import { claim, createWorld, linkRequest, SECRET, storedSession, USER_ID } from '../core/world.js';
import { applyEdits, edits, json, nearJson, text } from './arbitraries.js';
import { check, inputs } from './check.js';

const REQUESTS = inputs(5_000, 500);
const TOKENS = inputs(3_000, 300);

const body = (valid: object) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(JSON.stringify(valid)) },
    { weight: 4, arbitrary: nearJson(valid).map((value) => JSON.stringify(value)) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constant(JSON.stringify(valid)), edits).map((pair) => applyEdits(...pair)),
    },
    { weight: 1, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: nearJson(valid).map((value) =>
        new URLSearchParams({ claim: JSON.stringify(value) }).toString(),
      ),
    },
  );

const likely = <T>(value: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });

const request = fc.record({
  place: fc.constantFrom('link', 'sessions', 'page', 'text') as fc.Arbitrary<
    'link' | 'sessions' | 'page' | 'text'
  >,
  text,
  query: fc.dictionary(fc.constantFrom('limit', 'status', 'cursor', 'token', 'lang'), text, { maxKeys: 2 }),
  userId: likely(USER_ID, text),
  targetEdits: likely([], edits),
  keyEdits: likely([], edits),
  isKeyTwice: fc.nat(20).map((n) => n === 0),
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant('fitting') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE', '') },
    { weight: 1, arbitrary: text },
  ),
  type: fc.oneof(
    fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/html'),
    likely('application/json; charset=utf-8', text),
  ),
  accept: fc.oneof(fc.constantFrom('application/json', 'text/html', '*/*'), text),
  language: text,
  extraHeader: fc.tuple(text, text),
  claimBody: fc.option(body(claim())),
  linkBody: fc.option(body(linkRequest())),
});

/** Returns the checks of bodies and statuses that the OpenAPI document has for a target. */
function createDocumentCheck(document: OpenApiDocument) {
  const ajv = new Ajv({ strict: false });
  ajv.addSchema(structuredClone(document) as object, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const isValid = (schema: object, value: unknown) => {
    const name = JSON.stringify(schema).replaceAll('#/', 'openapi#/');
    const validate = compiled.get(name) ?? ajv.compile(JSON.parse(name));
    compiled.set(name, validate);
    return validate(value);
  };
  const operations = Object.entries(document.paths).map(([path, byMethod]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
    byMethod: new Map(
      Object.entries(byMethod).map(([method, { responses }]) => [method.toUpperCase(), responses]),
    ),
  }));

  return (target: string, method: string, { status, headers, body: sent }: CoreResponse): boolean => {
    const [path = ''] = target.split('?', 1);
    const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
    const isProblem = type === 'application/problem+json';
    const value = isProblem || type === 'application/json' ? sent !== '' && JSON.parse(sent) : sent;
    if (isProblem && method !== 'HEAD') {
      const isKnown = RESPONSE_CODES.includes(value.code) && ERRORS[value.code as 'internal'][0] === status;
      if (!isKnown || value.status !== status) return false;
      if (!isValid({ $ref: '#/components/schemas/Problem' }, value)) return false;
    }
    const matching = operations.filter(({ pattern }) => pattern.test(path));
    // The document has no operation for a path that leads nowhere, and none for methods that no path has.
    if (status === 404 && (matching.length === 0 || value.code === 'route_not_found')) return true;
    return matching.some(({ byMethod }) => {
      const documented = byMethod.get(method === 'HEAD' ? 'GET' : method);
      // Every operation of a path documents the 405 of the methods that the path lacks.
      const response = documented === undefined ? [...byMethod.values()][0]?.[405] : documented[status];
      if (response === undefined || (documented === undefined && status !== 405)) return false;
      if (response.content === undefined) return sent === '';
      const media = response.content[type];
      return media !== undefined && (method === 'HEAD' || isValid(media.schema, value));
    });
  };
}

t.test(`${REQUESTS} requests of any text: each gets a documented response, and no 5xx`, async (t) => {
  const world = await createWorld();
  await world.storage.insertSession({ clientId: 'acme', userId: USER_ID, ...storedSession() });
  const isDocumented = createDocumentCheck(world.claimlink.openapi);
  const statuses: Record<number, number> = {};
  let link = await world.mint();
  let count = 0;
  await check(
    REQUESTS,
    fc.asyncProperty(request, async (generated) => {
      if (count++ % 50 === 0) link = await world.mint();
      const { place, userId, query } = generated;
      const encodedId = userId.isWellFormed() ? encodeURIComponent(userId) : userId;
      const path = {
        link: '/acme/link',
        sessions: `/acme/sessions/${encodedId}?${new URLSearchParams(query)}`,
        page: link.target,
        text: generated.text,
      }[place];
      const target = applyEdits(path, generated.targetEdits);
      const fittingMethod = place === 'link' || (place === 'page' && count % 2 === 0) ? 'POST' : 'GET';
      const method = generated.method === 'fitting' ? fittingMethod : generated.method;
      const key = applyEdits(world.apiKey, generated.keyEdits);
      const [extraName, extraValue] = generated.extraHeader;
      const sentBody = place === 'page' ? generated.claimBody : generated.linkBody;
      const response = await world.send(method, target, {
        headers: {
          [extraName]: extraValue,
          'x-api-key': generated.isKeyTwice ? [key, key] : key,
          'content-type': generated.type,
          accept: generated.accept,
          'accept-language': generated.language,
        },
        ...(sentBody !== null && { body: sentBody }),
      });
      const { status, headers } = response;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const hasAccess = status >= 400 || target.startsWith('/verify/') || key === world.apiKey;
      const isSafe =
        headers['cache-control'] === 'no-store' &&
        headers['x-content-type-options'] === 'nosniff' &&
        !Object.values(headers).some((value) => /[^\t -~]/.test(value));
      const isQuiet = ![SECRET, world.apiKey, 'node_modules', '.ts:'].some((secret) =>
        response.body.includes(secret),
      );
      if (status >= 500 || !isSafe || !hasAccess || !isQuiet || !isDocumented(target, method, response))
        throw new Error(`${method} ${JSON.stringify(target)}: ${JSON.stringify(response)}`);
    }),
  );
  t.comment(`responses by status: ${JSON.stringify(statuses)}`);
  t.same(world.errors, [], 'onError got nothing');
  for (const status of [200, 400, 401, 404, 405, 415])
    t.ok(statuses[status], `some got ${status}: ${JSON.stringify(statuses)}`);
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

const forgery = fc.record({
  kind: fc.constantFrom('edit', 'cut', 'header', 'claim', 'parts', 'longer'),
  edit: fc.record({ at: fc.nat(), removed: fc.nat(2), inserted: fc.base64String({ maxLength: 4 }) }),
  algorithm: fc.constantFrom('none', 'None', 'HS384', 'HS512', 'RS256', 'ES256', 'EdDSA', '', null, [
    'HS256',
  ]),
  headerName: fc.constantFrom('alg', 'kid', 'typ', 'crit', 'jwk', 'jku', 'x5c', 'b64', 'zip'),
  claimName: fc.constantFrom('jti', 'client_id', 'iss', 'aud', 'iat', 'exp', 'nbf', 'sub'),
  value: json,
  isUnsigned: fc.boolean(),
  others: fc.constantFrom([0, 0, 1], [0, 1, 0], [1, 1, 1]),
  suffix: fc.constantFrom('.', '=', '%00', '%20', 'A'),
});
type Forgery = typeof forgery extends fc.Arbitrary<infer T> ? T : never;

/** Returns a token that may differ from a genuine one. */
function forge(token: string, other: string, forged: Forgery): string {
  const [header = '', claims = '', signature = ''] = token.split('.');
  switch (forged.kind) {
    case 'edit':
      return applyEdits(token, [forged.edit]);
    case 'cut':
      return token.slice(0, forged.edit.at % token.length);
    case 'header': {
      const value = forged.headerName === 'alg' ? forged.algorithm : forged.value;
      const changed = encode({ ...decode(header), [forged.headerName]: value });
      return `${changed}.${claims}.${forged.isUnsigned ? '' : signature}`;
    }
    case 'claim':
      return `${header}.${encode({ ...decode(claims), [forged.claimName]: forged.value })}.${signature}`;
    case 'parts':
      return forged.others.map((which, part) => (which === 0 ? token : other).split('.')[part]).join('.');
    default:
      return token + forged.suffix;
  }
}

t.test(`${TOKENS} forged tokens: each gets a 404, and the storage is not called`, async (t) => {
  let calls = 0;
  const world = await createWorld({
    wrapStorage: (storage) =>
      new Proxy(storage, {
        get(target, name) {
          const method = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...values: unknown[]) => {
            calls++;
            return Reflect.apply(method, target, values);
          };
        },
      }),
  });
  const link = await world.mint();
  const other = await world.mint();
  t.ok(calls > 0, 'the calls of the storage are counted');
  calls = 0;
  await check(
    TOKENS,
    fc.asyncProperty(forgery, fc.constantFrom('GET', 'POST'), async (forged, method) => {
      const token = forge(link.token, other.token, forged);
      // What mail programs add to the end of a link is cut off.
      fc.pre(withoutAddedEnd(new URLSearchParams(`token=${token}`).get('token') ?? '') !== link.token);
      const response = await world.send(method, `/verify/${link.accessCode}?token=${token}`, {
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(claim()),
      });
      if (response.status !== 404) throw new Error(`${response.status}: ${token}`);
    }),
  );
  t.equal(calls, 0);
  t.equal((await world.open(link)).status, 200, 'the genuine token opens the link');
});
