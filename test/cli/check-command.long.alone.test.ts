// claimlink check, in this process: what it prints, its exit codes, and that it shows no key.

import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import t, { type Test } from 'tap';
import type { CheckResult } from '../../cli/check-run.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { KEYS } from '../adapters/service.js';
import { freePort, serve } from '../listen.js';
import { mistake, setUp } from '../mock-server/command.js';
import { createTickingService } from '../testing/deployment.js';

/** Starts a deployment on a free port. `change` may change each response before it is sent. */
async function deploy(
  t: Test,
  change: (response: ServerResponse) => void = () => {},
  publicUrl?: string,
): Promise<string> {
  let listener: RequestListener = (_, response) => response.end();
  const server = createServer((request, response) => {
    change(response);
    if (!response.writableEnded) listener(request, response);
  });
  const url = await serve(t, server);
  listener = createNodeHandler((await createTickingService({ publicUrl: publicUrl ?? url })).claimlink);
  return url;
}

const ENV = { CLAIMLINK_API_KEY: KEYS.good, CLAIMLINK_CLIENT_ID: 'acme' };

/** Drops a header from every answer. */
function dropping(name: string): (response: ServerResponse) => void {
  return (response) => {
    const { writeHead } = response;
    response.writeHead = ((status: number, headers: Record<string, string> = {}) => {
      const { [name]: _, ...rest } = headers;
      return writeHead.call(response, status, rest);
    }) as typeof writeHead;
  };
}

t.test('a deployment that keeps every rule: each is in its section, and the exit code is 0', async (t) => {
  const url = await deploy(t);
  const { runWords, stdout, stderr } = setUp();
  const args = ['check', `${url}/`, '--user-id', 'user-1'];
  t.equal(await runWords(args, ENV), 0, stdout.text + stderr.text);
  const lines = stdout.text.split('\n');
  t.equal(lines[0], `claimlink check ${url}`);
  t.equal(lines[1], 'client acme, user user-1');
  t.match(
    stdout.text,
    '\n\nContract: GET /:clientId/sessions/:userId\n  pass  a listing is answered with a success\n',
  );
  t.match(
    stdout.text,
    '\n\nDecision: callbackUrl\n  pass  a callbackUrl with the scheme javascript: is rejected\n',
  );
  t.match(
    stdout.text,
    /\n {2}n\/a {3}a listing with a key of another client is 401\n {8}no other client is known/,
  );
  const counts = (name: string) =>
    new RegExp(`\\n${name} +(\\d+) rules: (\\d+) passed(?:, (\\d+) not applicable)?\\n`)
      .exec(stdout.text)
      ?.slice(1)
      .map((count) => Number(count ?? 0)) ?? [];
  const [contract, decisions] = [counts('contract'), counts('decisions')];
  const [rules = 0, passed = 0, skipped] = contract.map((count, index) => count + (decisions[index] ?? 0));
  t.equal(rules, lines.filter((line) => /^ {2}(pass|n\/a) /.test(line)).length);
  t.same([passed + 8, skipped], [rules, 8]);
  t.match(
    stdout.text,
    /\nRules of the contract that did not apply:\n {2}a listing with a key of another client is 401: no other client is known.*\n/,
  );
  t.match(stdout.text, '\nBehaviour over time is not proven: ');
  t.match(stdout.text, /\nThe deployment keeps the contract\. \(\d+\.\d s\)\n$/);
  t.notMatch(stdout.text, '\u001b');
  t.equal(stderr.text, '', 'a stream that is no terminal gets no progress');
  t.notOk(stdout.text.includes(KEYS.good), 'no key is shown');
});

t.test('only decisions differ: exit code 3, with what was seen, was expected and is to do', async (t) => {
  const url = await deploy(t, dropping('x-content-type-options'));
  const { run, stdout, stderr } = setUp();
  const args = `check ${url} --client-id acme --api-key ${KEYS.good} --other-client-id other --json`;
  t.equal(await run(args), 3);
  t.equal(stderr.text, '');
  const result: CheckResult = JSON.parse(stdout.text);
  t.match(result, {
    baseUrl: url,
    clientId: 'acme',
    userId: /^claimlink-check-[0-9a-f]{8}$/,
    summary: {
      failed: 6,
      notApplicable: 5,
      durationMs: Number,
      contract: { failed: 0 },
      decisions: { failed: 6 },
    },
  });
  t.equal(result.summary.rules, result.rules.length);
  const failed = result.rules.filter(({ outcome }) => outcome === 'failed');
  t.equal(failed.length, 6);
  const { durationMs, response, ...first } = failed[0] ?? { durationMs: -1 };
  t.ok(durationMs > 0);
  t.match(response, { status: 200, bodyStart: /^\[/ });
  const name = 'a listing has X-Content-Type-Options: nosniff';
  t.same(first, {
    section: 'Decision: headers',
    name,
    kind: 'decision',
    cause: name,
    curl: `curl '${url}/acme/sessions/${result.userId}' \\\n  -H "x-api-key: $CLAIMLINK_API_KEY"`,
    outcome: 'failed',
    where: `GET /acme/sessions/${result.userId}`,
    actual: 'no X-Content-Type-Options',
    expected: 'X-Content-Type-Options: nosniff',
    advice: 'Send the header from the deployment, and do not remove it in a proxy.',
  });
  const link = failed.find(({ name }) => name === 'a link has X-Content-Type-Options: nosniff');
  t.match(link?.response, { status: 200, bodyStart: /verify\/<access_code>\?token=<token>/ });
  t.match(link?.curl, /--data-raw '\{"callbackUrl":/);
  t.notMatch(JSON.stringify(failed), /token=(?!<token>)|eyJ/, 'no token is shown');
  const notApplicable = result.rules.find(({ outcome }) => outcome === 'not_applicable');
  t.match(notApplicable, { reason: 'all sessions of the user were created in the same minute' });
  t.notOk(stdout.text.includes(KEYS.good), 'no key is shown');
});

t.test('on a terminal: in colour, with the rule that is under way on one line that goes again', async (t) => {
  // Only successful responses are changed.
  const url = await deploy(t, (response) => {
    const { writeHead } = response;
    response.writeHead = ((status: number, headers: Record<string, string>) =>
      writeHead.call(response, status === 200 ? 404 : status, headers)) as typeof writeHead;
  });
  const { run, stdout, stderr } = setUp(true);
  stderr.isTTY = true;
  t.equal(await run(`check ${url} --user-id user-1`, ENV), 1);
  t.match(stdout.text, '\u001b[31mFAIL\u001b[39m  a listing is answered with a success\n');
  const [, ...details] = stripVTControlCharacters(stdout.text).split('\nFAIL  ');
  t.match(
    details[0],
    /^a listing is answered with a success\n {6}Contract: .*\n {6}at {7}GET \/acme\/sessions\/user-1\n {6}saw {6}404 with .*\n {6}expected a success, such as 200\n/,
  );
  t.match(stdout.text, 'The deployment differs from the contract.\u001b[39m (');
  const drawn = stderr.text.split('\r\u001b[K');
  t.match(drawn[1], /^1\/\d+ a listing is answered with a success$/);
  t.match(drawn[2], /^2\/\d+ a listing is a top-level JSON array/);
  t.equal(drawn.at(-1), '', 'the line is gone');
});

t.test('links to another origin: exit code 1 and no request there without --link-origin', async (t) => {
  let requests = 0;
  const links = await deploy(t, () => void requests++);
  const api = await deploy(t, () => {}, links);
  const { run, stdout } = setUp();
  t.equal(await run(`check ${api} --user-id user-1`, ENV), 1);
  t.equal(requests, 0);
  t.match(
    stdout.text,
    `saw      a link to ${links}\n      expected a link to ${api}; to let the suite follow links to ${links}, pass --link-origin ${links} `,
  );
  t.equal(await run(`check ${api} --user-id user-1 --link-origin ${links}`, ENV), 1);
  t.ok(requests > 0, 'the suite opens the links');
});

t.test('failures with the same cause are shown together, under the first rule that saw it', async (t) => {
  const url = await deploy(t, (response) => {
    if (!response.req.url?.endsWith('/link')) return;
    const { writeHead, end } = response;
    response.writeHead = (() =>
      writeHead.call(response, 500, { 'content-type': 'text/plain' })) as typeof writeHead;
    response.end = (() => end.call(response, 'key clk_good, token=1&b', 'utf8')) as typeof end;
  });
  const { run, stdout } = setUp();
  t.equal(await run(`check ${url} --user-id user-1 --failures-only --details`, ENV), 1);
  t.notMatch(stdout.text, /^ {2}(pass|n\/a)/m);
  t.match(stdout.text, /\n {6}status {3}500\n {6}body {5}key /);
  t.match(stdout.text, /\n {6}also {5}\d\d+ other rules saw the same here:\n {8}/);
  t.match(stdout.text, /\n {6}curl 'http:.*\/acme\/link' \\\n {8}-H "x-api-key: \$CLAIMLINK_API_KEY" \\\n/);
  const [, failures, causes] = /\n(\d+) failures, (\d+) causes?\n/.exec(stdout.text) ?? [];
  t.ok(Number(failures) > 50 && Number(causes) < 10, `${failures} failures, ${causes} causes`);
  t.equal([...stdout.text.matchAll(/^FAIL {2}/gm)].length, Number(causes));
  t.notOk(stdout.text.includes(KEYS.good));
});

t.test('--only contract checks the rules of the contract, --only decisions the others', async (t) => {
  const url = await deploy(t, dropping('x-content-type-options'));
  const contract = setUp();
  t.equal(await contract.run(`check ${url} --only contract`, ENV), 0, contract.stdout.text);
  t.notMatch(contract.stdout.text, /^Decision|^decisions/m);
  const decisions = setUp();
  t.equal(await decisions.run(`check ${url} --only decisions`, ENV), 3);
  t.notMatch(decisions.stdout.text, /^Contract|^contract/m);
  t.match(decisions.stdout.text, 'The deployment differs from decisions of claimlink. (');
  t.match(
    await mistake(`check ${url} --only all`, ENV),
    "claimlink: option '--only <kind>' is invalid. Allowed choices are contract, decisions.\n",
  );
});

/** Answers some requests with 429. */
function limiting(isLimited: (count: number) => boolean, retryAfter: string) {
  let count = 0;
  return (response: ServerResponse) => {
    if (isLimited(++count)) response.writeHead(429, { 'retry-after': retryAfter }).end();
  };
}

t.test('a host that answers 429 gets each request again after Retry-After: no rule fails', async (t) => {
  const url = await deploy(
    t,
    limiting((count) => count % 10 === 0, '0'),
  );
  const { run, stdout } = setUp();
  t.equal(await run(`check ${url} --user-id user-1 --failures-only`, ENV), 0, stdout.text);
  t.match(stdout.text, /\n\d{2,3} responses with 429: the check waited, and sent the requests again\.\n/);
});

t.test('a host that asks for an hour: one sentence, and exit code 2', async (t) => {
  const url = await deploy(
    t,
    limiting(() => true, '3600'),
  );
  t.equal(
    await mistake(`check ${url} --user-id user-1`, ENV),
    'claimlink: The check ended: GET /acme/sessions/user-1: saw 429 after 0 retries, Retry-After 3600 seconds; ' +
      'expected another status after at most 5 waits of 60 seconds; allow this client more requests.\n',
  );
});

t.test('a host that stops the check later: the rules that ran, one line, and exit code 2', async (t) => {
  const url = await deploy(
    t,
    limiting((count) => count > 20, '3600'),
  );
  const report = setUp();
  t.equal(await report.run(`check ${url} --user-id user-1 --failures-only`, ENV), 2);
  t.match(
    report.stdout.text,
    /\ncontract {3}\d+ rules: .*\n1 response with 429: .*\nThe check ended: .* saw 429 after 0 retries, .*\nNot all rules ran\. \(.* s\)\n$/,
  );
  t.notMatch(report.stdout.text, /FAIL|failure|not proven/);
  const json = setUp();
  t.equal(
    await json.run(
      `check ${await deploy(
        t,
        limiting((count) => count > 20, '3600'),
      )} --json`,
      ENV,
    ),
    2,
  );
  const { ended, rules, summary }: CheckResult = JSON.parse(json.stdout.text);
  t.match(ended, /^The check ended: (GET|POST) .*: saw 429 /);
  t.match(summary, { rules: rules.length, failed: 0 });
});

for (const apiKey of ['k', 'sessions']) {
  t.test(`the API key ${apiKey} does not change words of the report`, async (t) => {
    const json = setUp();
    // Two statuses, so that check does not report a wrong key or client instead of running the rules.
    const target = await serve(t, (request, response) => {
      response.writeHead(request.method === 'POST' ? 404 : 403).end('ok, no sessions today');
    });
    t.equal(
      await json.run(`check ${target} --client-id acme --api-key ${apiKey} --user-id u --failures-only`),
      1,
    );
    t.match(json.stdout.text, 'at       GET /acme/sessions/u\n');
    t.match(json.stdout.text, 'body     ok, no sessions today\n');
    t.notMatch(json.stdout.text, '<api key>');
    t.notMatch(json.stdout.text, `x-api-key: ${apiKey}\n`);
  });
}

t.test('called wrongly: one sentence, and exit code 2', async (t) => {
  const url = 'http://127.0.0.1:2';
  for (const [args, message, env = ENV] of [
    ['', "claimlink: missing required argument 'base-url'\n"],
    [`${url} --client-id acme`, "claimlink: required option '--api-key <key>' not specified\n", {}],
    [url, "claimlink: required option '--client-id <id>' not specified\n", { CLAIMLINK_API_KEY: 'k' }],
    ['claims.example.com', 'claimlink: The argument base-url must be an absolute http'],
    ['https://a:b@claims.example.com', 'without user name, query and fragment.\n'],
    [
      `${url} --user-id u`,
      'claimlink: CLAIMLINK_API_KEY must be printable ASCII characters without spaces.\n',
      { ...ENV, CLAIMLINK_API_KEY: 'a b' },
    ],
    [`${url} --callback-url /done`, '--callback-url must be an absolute URL'],
    [`${url} --other-client-id acme`, 'must be another client.\n'],
    [
      `${url} --link-origin claims.example.com`,
      'claimlink: --link-origin must be an http or https origin, such as https://claims.example.com.\n',
    ],
  ] as [string, string, object?][])
    t.match(await mistake(`check ${args}`.trim(), env as Record<string, string>), message, args);
});

t.test('a deployment that cannot be reached: one sentence, and exit code 2', async (t) => {
  const port = await freePort();
  t.equal(
    await mistake(`check http://127.0.0.1:${port}/claims`, ENV),
    `claimlink: The deployment at http://127.0.0.1:${port} gives no response (ECONNREFUSED).\n`,
  );
});

t.test('a key, a client or a base URL that is not known there: one sentence, and exit code 2', async (t) => {
  const url = await deploy(t);
  const unknown = await mistake(`check ${url}`, { ...ENV, CLAIMLINK_API_KEY: 'clk_unknown' });
  t.equal(
    unknown,
    'claimlink: The deployment responds with 401: it does not accept this API key for the client acme.\n',
  );
  t.equal(
    await mistake(`check ${url} --client-id nobody`, ENV),
    `claimlink: The deployment responds with 404: it has no client nobody, or ${url} is not its base URL.\n`,
  );
  t.match(await mistake(`check ${url}/claims`, ENV), `or ${url}/claims is not its base URL.\n`);
  const gateway = await deploy(t, (response) => {
    response.writeHead(403).end();
  });
  t.match(await mistake(`check ${gateway}`, ENV), 'claimlink: The deployment responds with 403: ');
});
