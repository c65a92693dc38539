// The contract suite reads bodies up to a limit, in linear time, and describes what it saw.

import { AssertionError } from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { contractSuite, type FailedExchange } from '../../lib/testing/index.js';
import { serve } from '../listen.js';
import { createHandler, type Handler, targetOf } from './deployment.js';

const LISTING_RULE = 'a listing is a top-level JSON array of objects';

/** Runs one rule. Returns its failure. */
async function failureOf(handler: Handler, name: string, changes = {}): Promise<AssertionError> {
  const rule = contractSuite(targetOf(handler, changes)).find((candidate) => candidate.name === name);
  const error: unknown = await (rule?.run() ?? Promise.reject(new Error('no such rule'))).then(
    () => new Error('the rule passed'),
    (reason) => reason,
  );
  if (!(error instanceof AssertionError)) throw error;
  return error;
}

function exchangeOf(error: AssertionError): FailedExchange | undefined {
  return (error as { exchange?: FailedExchange }).exchange;
}

const TEN_MEGABYTES = 10_000_000;

// In quadratic time, 24 kB took a second: 10 MB would take two days.
for (const part of ['ey-', 'eyabcdefgh-', 'eyabcdefgh.', 'a.', '/verify/', '?token=', '<', '\u0000a']) {
  t.test(`10 MB of ${JSON.stringify(part)} in a response are shown as their start`, async (t) => {
    const body = part.repeat(TEN_MEGABYTES / part.length);
    const json = { headers: { 'content-type': 'application/json' } };
    const error = await failureOf(async () => new Response(body, json), LISTING_RULE);
    t.match(error.message, 'saw 200 with no JSON (application/json); expected a top-level array');
    t.ok(Number(exchangeOf(error)?.response?.bodyStart.length) <= 300);
  });
}

t.test('a listing with 500,000 references is checked for unique ones', async (t) => {
  const sessions = Array.from({ length: 500_000 }, (_, index) => ({ reference: `${index % 499_999}` }));
  const body = JSON.stringify(sessions);
  const error = await failureOf(
    async () => new Response(body, { headers: { 'content-type': 'application/json' } }),
    'the reference of a session is unique',
  );
  t.match(error.message, 'saw 1 repeated references');
});

t.test('300 MB of zeros, compressed, fail the rule at 16 MiB', async (t) => {
  // Members of gzip may follow each other (RFC 1952, 2.2).
  const zeros = Buffer.concat(Array(300).fill(gzipSync(Buffer.alloc(1_000_000))));
  const baseUrl = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(zeros);
  });
  const error = await failureOf((request) => fetch(request), LISTING_RULE, { baseUrl });
  t.match(
    error.message,
    'GET /acme/sessions/user-1: saw a decoded body of more than 16 MiB; expected at most 16 MiB; ',
  );
  t.match(exchangeOf(error)?.response, { status: 200, bodyStart: /^\?{300}$/ });
});

t.test('a body of 16 MiB is read', async (t) => {
  const body = `[${' '.repeat(16 * 1024 * 1024 - 2)}]`;
  const rule = contractSuite(
    targetOf(async () => new Response(body, { headers: { 'content-type': 'application/json' } })),
  ).find(({ name }) => name === LISTING_RULE);
  await t.resolves(rule?.run() ?? Promise.reject(new Error('no such rule')));
});

/** Responses to a listing, and what the rule reports. */
const DESCRIPTIONS: Readonly<Record<string, readonly [body: string, type: string, actual: string]>> = {
  'an object': [
    '{"data":[],"total":1}',
    'application/json',
    '200 with an object with data (an array), total (a number)',
  ],
  'an object without members': ['{}', 'application/json', '200 with an object with no members'],
  'many members': [
    JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`m${n}`, n]))),
    'application/json',
    '200 with an object with m0 (a number), m1 (a number), m2 (a number), m3 (a number), m4 (a number), m5 (a number), ' +
      'm6 (a number), m7 (a number), m8 (a number), m9 (a number), m10 (a number), m11 (a number) and 988 others',
  ],
  'a text': ['"secret text"', 'application/json', '200 with a string'],
  null: ['null', 'application/json', '200 with null'],
  'no body': ['', 'application/json', '200 with no body'],
  'a JSON text that ends early': [
    '[{"reference":',
    'application/json',
    '200 with no JSON (application/json)',
  ],
};

for (const [what, [body, type, actual]] of Object.entries(DESCRIPTIONS)) {
  t.test(`a listing that is ${what} is reported by its kind, without a value`, async (t) => {
    const error = await failureOf(
      async () => new Response(body, { headers: { 'content-type': type } }),
      LISTING_RULE,
    );
    t.equal(error.actual, actual);
    t.equal(error.expected, 'a top-level array');
  });
}

t.test('a token is removed wherever it stands in a response', async (t) => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${'p'.repeat(40)}.${'s'.repeat(40)}`;
  for (const body of [token, `x-${token}`, `a.b.${token}`, `${token}.${token}`, `"${token}`, `ey-${token}`]) {
    const error = await failureOf(
      async () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      LISTING_RULE,
    );
    const shown = exchangeOf(error)?.response?.bodyStart ?? '';
    t.match(shown, '<token>', body);
    t.notMatch(shown, /ppp|sss/, body);
  }
});

t.test('a compact token is removed wherever it stands in a response', async (t) => {
  const token = 'AQBppV_cYWNtZetaj0zSQlapGYPm4U4sflc';
  for (const body of [
    token,
    `x-${token}`,
    `a.b.${token}`,
    `"${token}"`,
    `?token=${token}`,
    token.slice(0, 19),
  ]) {
    const error = await failureOf(
      async () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      LISTING_RULE,
    );
    const shown = exchangeOf(error)?.response?.bodyStart ?? '';
    t.match(shown, '<token>', body);
    t.notMatch(shown, /AQB|flc/, body);
  }
});

t.test('the sample of a rule about problems is like the response of claimlink', async (t) => {
  const handler = await createHandler();
  let responses: string[] = [];
  const target = targetOf(async (request) => {
    const response = await handler(request);
    responses.push(essence(response.status, await response.clone().text()));
    return response;
  });
  let count = 0;
  for (const { name, sample = '', run } of contractSuite(target)) {
    if (!sample.includes('urn:claimlink:problem:')) continue;
    responses = [];
    await run();
    const [head = '', body = ''] = sample.split('\n\n');
    t.ok(responses.includes(essence(Number.parseInt(head.slice('HTTP/1.1 '.length), 10), body)), name, {
      sample,
      responses,
    });
    count++;
  }
  t.ok(count > 40, `${count} samples`);
});

/** Returns the status, the code, and the places and rules of the errors of a problem. */
function essence(status: number, body: string): string {
  const { code, errors = [] } = body.startsWith('{') ? JSON.parse(body) : {};
  const places = errors.map(({ pointer, parameter, rule }: Record<string, unknown>) => [
    pointer ?? parameter,
    rule,
  ]);
  return JSON.stringify([status, code, places]);
}
