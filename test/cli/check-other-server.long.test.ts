// claimlink check against a server that has the two documented endpoints only: what its author reads in the report.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { CheckResult } from '../../cli/check-run.js';
import { codeBlocks, readDocument } from '../docs/markdown.js';
import { serve } from '../listen.js';
import { setUp } from '../mock-server/command.js';
import { REPOSITORY } from '../repository.js';

const ENV = { CLAIMLINK_API_KEY: 'key-of-acme-1', CLAIMLINK_CLIENT_ID: 'acme' };
const CLIENTS_BY_KEY: Readonly<Record<string, string>> = {
  'key-of-acme-1': 'acme',
  'key-of-other-1': 'other',
};
const SESSIONS: unknown = JSON.parse(
  await readFile(new URL('fixtures/responses/listing.json', REPOSITORY), 'utf8'),
);

type Answer = readonly [status: number, body: unknown];

/** Answers as a server that was written from the contract: its own error bodies, 201, no page, no HEAD. */
async function answer(request: IncomingMessage, origin: string): Promise<Answer> {
  const [, clientId = '', resource, user] = new URL(request.url ?? '/', origin).pathname
    .split('/')
    .map(decodeURIComponent);
  const body = await text(request);
  const isListing = request.method === 'GET' && resource === 'sessions' && user !== undefined;
  const isLink = request.method === 'POST' && resource === 'link' && user === undefined;
  if (!isListing && !isLink) return [404, { error: 'not found' }];
  const owner = CLIENTS_BY_KEY[String(request.headers['x-api-key'])];
  if (owner === undefined) return [401, { error: 'unknown key' }];
  if (!Object.values(CLIENTS_BY_KEY).includes(clientId)) return [404, { error: 'unknown client' }];
  if (owner !== clientId) return [401, { error: 'key of another client' }];
  if (isListing) return [200, user === 'user-1' ? SESSIONS : []];
  const { callbackUrl, config } = parseJson(body) ?? {};
  if (!callbackUrl || !config?.contact?.email || !config.contact.phone || !config.currentUserId)
    return [422, { error: 'a member is missing' }];
  const code = randomBytes(16).toString('base64url');
  return [201, { data: `${origin}/verify/${code}?token=${randomBytes(16).toString('base64url')}` }];
}

function parseJson(body: string) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function startServer(t: Test, change: (answer: Answer, request: IncomingMessage) => Answer) {
  const server = createServer(async (request, response) => {
    const [status, body] = change(await answer(request, url), request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const url = await serve(t, server);
  return url;
}

t.test('a server of the two endpoints only keeps the contract, and differs from decisions', async (t) => {
  const url = await startServer(t, (answer) => answer);
  const json = setUp();
  const args = `check ${url} --user-id user-1 --other-client-id other`;
  t.equal(await json.run(`${args} --json`, ENV), 3);
  const { rules, summary }: CheckResult = JSON.parse(json.stdout.text);
  t.same(
    rules
      .filter(({ kind, outcome }) => kind === 'contract' && outcome !== 'passed')
      .map(({ name, reason }) => [name, reason]),
    [
      [
        'a link opens a page in a browser: 200, text/html',
        'nothing serves links here (404): see "the deployment serves its links: they are not 404"',
      ],
    ],
  );
  t.ok(summary.decisions.failed > 50 && summary.decisions.notApplicable > 40);
  for (const { name, outcome, where, actual, expected, advice, reason } of rules) {
    if (outcome === 'failed') t.ok([where, actual, expected, advice].every(Boolean), name);
    if (outcome === 'not_applicable') t.match(reason, /\w{3}/, name);
  }
  const problem = rules.find(({ name }) => name === 'without /config, a 400 that names it');
  t.match(problem, {
    outcome: 'failed',
    actual: '422 with an object with error (a string)',
    expected: 'a 400 whose errors name /config',
    sample:
      /^HTTP\/1\.1 400\ncontent-type: application\/problem\+json.*\n[^{]*\n\n\{"type":"urn:claimlink:problem:request_invalid",.*"code":"request_invalid","errors":\[\{"pointer":"\/config","rule":"required",/,
  });

  const report = setUp();
  t.equal(await report.run(`${args} --failures-only --details`, ENV), 3);
  t.notMatch(report.stdout.text, 'Failures of the contract');
  t.match(report.stdout.text, '\nDifferences from decisions of claimlink: the contract leaves them open,');
  t.match(
    report.stdout.text,
    '\n      sample   HTTP/1.1 401\n               content-type: application/problem+json',
  );
  t.match(
    report.stdout.text,
    '\nThe deployment keeps the contract, and differs from decisions of claimlink. (',
  );
  t.equal(await setUp().run(`${args} --only contract`, ENV), 0);
});

t.test('differences from decisions fit a screen: their number in each section, and what to do', async (t) => {
  const url = await startServer(t, (answer) => answer);
  const { run, stdout } = setUp();
  t.equal(await run(`check ${url} --user-id user-1 --other-client-id other --failures-only`, ENV), 3);
  t.ok(Number(/\n(\d+) failures,/.exec(stdout.text)?.[1]) >= 86, stdout.text);
  const lines = stdout.text.trimEnd().split('\n');
  const rows = lines.map((line) => Math.max(1, Math.ceil(line.length / 80)));
  const height = rows.reduce((sum, count) => sum + count);
  t.ok(height <= 40, `${height} lines of 80 columns`);
  t.match(
    stdout.text,
    '\n  17 of 17  auth: Check x-api-key before the request is validated, and return\n            the status and code of the sample.\n',
  );
});

/** One defect of the server, a rule that fails, and what its author reads. */
const DEFECTS: Readonly<
  Record<
    string,
    readonly [
      change: (answer: Answer, request: IncomingMessage) => Answer,
      rule: string,
      expected: { actual: string; expected: string; sample?: RegExp; where?: string },
    ]
  >
> = {
  'wraps the listing in an object': [
    ([status, body]) => [status, Array.isArray(body) ? { data: body } : body],
    'a listing is a top-level JSON array of objects',
    {
      actual: '200 with an object with data (an array)',
      expected: 'a top-level array',
      sample: /^HTTP\/1\.1 200\ncontent-type: application\/json\n\n\[\{"reference":/,
    },
  ],
  'leaves out a member': [
    ([status, body]) => [
      status,
      Array.isArray(body) ? body.map(({ camsReference: _, ...session }) => session) : body,
    ],
    'every session has exactly the documented members: reference, date, camsReference, status, createdAt, selectedPolicy',
    {
      where: 'session 0 of GET /acme/sessions/user-1',
      actual: 'no camsReference',
      expected: 'the members reference, date, camsReference, status, createdAt, selectedPolicy',
      sample: /^\{"reference":"[^{]*"camsReference":/,
    },
  ],
  'names the URL differently': [
    ([status, body]) => (status === 201 ? [status, { url: 'https://example.com' }] : [status, body]),
    'a link request is answered with an object whose one member is data, a URL',
    {
      actual: 'an object with url (a string)',
      expected: 'an object with data, a string',
      sample: /\n\n\{"data":"\{base_url\}\/verify\/<access_code>\?token=<encoded_token>"\}$/,
    },
  ],
  'accepts a request without a required member': [
    ([status, body]) => (status === 422 ? [201, {}] : [status, body]),
    '/callbackUrl is required: a link request without it is rejected',
    { actual: '201 with an object with no members', expected: 'a status from 400 to 499, such as 400' },
  ],
  'does not check the key': [
    ([status, body], request) => (status === 401 && request.method === 'GET' ? [200, []] : [status, body]),
    'a listing without x-api-key is 401',
    { actual: '200 with an empty array', expected: '401' },
  ],
};

t.test('docs/check.md shows parts of real reports', async (t) => {
  const [change = (answer: Answer) => answer] = DEFECTS['leaves out a member'] ?? [];
  const url = await startServer(t, change);
  const { run, stdout } = setUp();
  const args = `check ${url} --user-id user-1 --other-client-id other --failures-only`;
  await run(`${args} --only contract`, ENV);
  await run(`${args} --details`, ENV);
  await run(args, ENV);
  const report = stdout.text.replaceAll(url, 'http://127.0.0.1:8080').replaceAll(/\([\d.]+ s\)/g, '(0.4 s)');
  const parts = codeBlocks(readDocument('docs/check.md')).filter(({ language }) => language === '');
  t.equal(parts.length, 3);
  for (const { code } of parts) t.ok(report.includes(code), code, { report });
});

for (const [defect, [change, name, expected]] of Object.entries(DEFECTS)) {
  t.test(`the report says what to change if the server ${defect}`, async (t) => {
    const url = await startServer(t, change);
    const { run, stdout } = setUp();
    t.equal(await run(`check ${url} --user-id user-1 --only contract --json`, ENV), 1);
    const { rules }: CheckResult = JSON.parse(stdout.text);
    t.match(
      rules.find((rule) => rule.name === name),
      { outcome: 'failed', ...expected },
    );
  });
}
