// The contract suite bounds what one run reads and waits for. A response that exceeds a limit ends the run.
import t from 'tap';
import { createContractClient } from '../../lib/testing/contract-suite/client.js';
import { createRunLimits } from '../../lib/testing/contract-suite/run-limits.js';
import { resolveTarget } from '../../lib/testing/contract-suite/target.js';
import { contractSuite, isRuleFailure, type RuleFailure } from '../../lib/testing/index.js';
import { createHandler, type Handler, targetOf } from './deployment.js';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Creates a client that records its waits instead of waiting. */
function createClient(handler: Handler) {
  const waits: number[] = [];
  const limits = createRunLimits(async (seconds) => {
    waits.push(Math.round(seconds));
  });
  const client = createContractClient(resolveTarget(targetOf(handler)), limits);
  return { ...client, waits, get: () => client.send({ url: '/acme/sessions/user-1' }) };
}

/** Sends a request until one fails. Returns the failure. */
async function failureOf(client: ReturnType<typeof createClient>): Promise<unknown> {
  try {
    for (;;) await client.get();
  } catch (error) {
    return error;
  }
}

/** Answers 429 with these `Retry-After` headers, then 200. */
function limited(...retryAfter: (string | undefined)[]): Handler {
  const left = [...retryAfter];
  return async () => {
    if (left.length === 0) return new Response('[]', { headers: JSON_HEADERS });
    const value = left.shift();
    return new Response('', { status: 429, headers: value === undefined ? {} : { 'retry-after': value } });
  };
}

t.test('a request that is answered 429 is sent again after the seconds of Retry-After', async (t) => {
  const client = createClient(limited('7', '60', '0'));
  t.equal((await client.get()).status, 200);
  t.same(client.waits, [7, 60, 0]);
});

t.test('Retry-After may be a date', async (t) => {
  const date = new Date(Date.now() + 40_000).toUTCString();
  const client = createClient(limited(date, new Date(0).toUTCString()));
  t.equal((await client.get()).status, 200);
  const [first = 0, second] = client.waits;
  t.ok(first > 30 && first <= 40, `${first} seconds`);
  t.equal(second, 0);
});

t.test('without a valid Retry-After, each wait is twice as long as the one before', async (t) => {
  const client = createClient(limited(undefined, 'soon', undefined, undefined, undefined));
  t.equal((await client.get()).status, 200);
  t.same(client.waits, [1, 2, 4, 8, 16]);
});

t.test('concurrent requests that are answered 429 wait once', async (t) => {
  const client = createClient(limited('5', '5', '5'));
  const responses = await Promise.all([client.get(), client.get(), client.get()]);
  t.same(
    responses.map(({ status }) => status),
    [200, 200, 200],
  );
  t.same(client.waits, [5]);
});

for (const [what, retryAfter, actual] of [
  ['a sixth 429', Array(6).fill('1'), '429 after 5 retries, Retry-After 1 seconds'],
  ['a Retry-After of more than a minute', ['61'], '429 after 0 retries, Retry-After 61 seconds'],
  ['a sixth 429 without Retry-After', Array(6).fill(undefined), '429 after 5 retries, without Retry-After'],
] as const)
  t.test(`${what} ends the run: later requests are not sent`, async (t) => {
    let requests = 0;
    const handler = limited(...retryAfter);
    const client = createClient((request) => {
      requests++;
      return handler(request);
    });
    t.match(await failureOf(client), { actual, endsRun: true });
    t.match(await failureOf(client), { actual, endsRun: true });
    t.equal(requests, retryAfter.length);
    t.match(client.endedBy(), { actual });
  });

t.test('all waits of a run take at most 15 minutes', async (t) => {
  let count = 0;
  const client = createClient(async () => {
    const isLimited = count++ % 2 === 0;
    return new Response('[]', { status: isLimited ? 429 : 200, headers: { 'retry-after': '60' } });
  });
  const actual = 'more than 900 seconds of responses and waits in this run';
  t.match(await failureOf(client), { actual, endsRun: true });
  t.ok(client.waits.length >= 14 && client.waits.length <= 15, `${client.waits.length} waits`);
});

t.test('all bodies of a run have at most 512 MiB', async (t) => {
  const body = Buffer.alloc(16 * 1024 * 1024, 'x');
  let requests = 0;
  const client = createClient(async () => {
    requests++;
    return new Response(body);
  });
  const actual = 'decoded bodies in this run of more than 512 MiB';
  t.match(await failureOf(client), { actual, endsRun: true });
  t.equal(requests, 33);
});

/** JSON that is parsed, and JSON that ends the run. */
const BODIES: Readonly<Record<string, readonly [body: string, actual?: string]>> = {
  '100 levels': [`${'['.repeat(100)}${']'.repeat(100)}`],
  '101 levels': [`${'['.repeat(101)}${']'.repeat(101)}`, 'JSON of more than 100 levels'],
  '101 levels of objects after a space': [` ${'{"a":'.repeat(101)}`, 'JSON of more than 100 levels'],
  'a text of brackets': [JSON.stringify(['['.repeat(1000), `\\"${'{'.repeat(1000)}`, '\\'])],
  '1048576 values': [`[${'1,'.repeat(1048575)}1]`],
  '1048577 values': [`[${'1,'.repeat(1048576)}1]`, 'JSON of more than 1048576 values'],
  'no JSON': ['<p>'.concat('['.repeat(1000))],
};

for (const [what, [body, actual]] of Object.entries(BODIES))
  t.test(`a body of ${what} ${actual === undefined ? 'is read' : 'ends the run'}`, async (t) => {
    const client = createClient(async () => new Response(body, { headers: JSON_HEADERS }));
    if (actual === undefined) t.equal((await client.get()).body, body);
    else t.match(await failureOf(client), { actual, endsRun: true });
  });

t.test('a failure keeps the start of a body, not the body', async (t) => {
  const client = createClient(async () => new Response(`${'x'.repeat(10_000)}y`.repeat(2000)));
  t.match(await failureOf(client), { response: { status: 200, bodyStart: /^x{10000}$/ }, endsRun: true });
});

t.test('every rule after the end of the run fails with the failure that ended it', async (t) => {
  const handler = await createHandler();
  let requests = 0;
  const suite = contractSuite(
    targetOf(async (request) => {
      requests++;
      const isLimited = request.url.includes('/verify/');
      return isLimited
        ? new Response('', { status: 429, headers: { 'retry-after': '3600' } })
        : handler(request);
    }),
  );
  const failures: RuleFailure[] = [];
  let requestsAtEnd = 0;
  for (const { run } of suite)
    await run().catch((error) => {
      if (!isRuleFailure(error)) return;
      if (failures.length === 0) requestsAtEnd = requests;
      failures.push(error);
    });
  t.ok(failures.length > 100, `${failures.length} failures`);
  t.equal(requests, requestsAtEnd);
  for (const { message, endsRun } of failures) {
    t.equal(endsRun, true);
    t.match(
      message,
      /^GET \/verify\/<access_code>\?token=<token>: saw 429 after 0 retries, .*\. The run ends here: /,
    );
  }
});
