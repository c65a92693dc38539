// The contract suite: rules that do not apply, messages without secrets, options.
import t from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { issueApiKey } from '../../lib/index.js';
import {
  type ContractTarget,
  contractSuite,
  isNotApplicable,
  isRuleFailure,
} from '../../lib/testing/index.js';
import { KEYS, PUBLIC_URL } from '../adapters/service.js';
import {
  createHandler,
  createTickingService,
  type Handler,
  PHOTO_SECTION,
  rulesWith,
  runSuite,
  targetOf,
} from './deployment.js';

const REQUIRED: ContractTarget = { baseUrl: PUBLIC_URL, clientId: 'acme', apiKey: KEYS.good };

t.test('names are unique, and every rule has a section', async (t) => {
  const rules = contractSuite(REQUIRED);
  t.equal(new Set(rules.map(({ name }) => name)).size, rules.length);
  t.ok(rules.length > 150);
  for (const { section } of rules) t.match(section, /^(Contract|Decision): \w/);
});

t.test('a Referrer-Policy is the last value that browsers know, and hides path and token', async (t) => {
  const service = await createHandler();
  for (const [policy, isSafe] of [
    ['no-referrer', true],
    ['no-referrer, strict-origin', true],
    ['unsafe-url, ORIGIN,later-policy', true],
    ['strict-origin, same-origin', false],
    ['no-referrer, unsafe-url, later-policy', false],
    ['later-policy', false],
    ['', false],
  ] as const) {
    const target = targetOf(async (request) => {
      const { status, body, headers } = await service(request);
      const changed = new Headers(headers);
      changed.set('referrer-policy', policy);
      return new Response(body, { status, headers: changed });
    });
    const rule = contractSuite(target).find(({ name }) => name.startsWith('the page has Referrer-Policy'));
    const error: unknown = await rule?.run().catch((reason) => reason);
    t.equal(isRuleFailure(error), !isSafe, policy);
  }
});

t.test('making the suite sends nothing; rules may run in any order, and all at once', async (t) => {
  const handler = await createHandler();
  let requests = 0;
  const rules = contractSuite(
    targetOf((request) => {
      requests++;
      return handler(request);
    }),
  );
  t.equal(requests, 0);
  const applicable = rules.filter(({ section }) => section !== PHOTO_SECTION);
  const results = await Promise.allSettled(applicable.reverse().map(({ run }) => run()));
  t.same(
    results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
    [],
  );
});

t.test('each rule passes on its own', async (t) => {
  const handler = await createHandler();
  const rules = contractSuite(targetOf(handler)).filter(({ section }) => section !== PHOTO_SECTION);
  const names = rules.map(({ name }) => name);
  // Every seventh: each makes a world of its own, and the rules of a section are alike.
  for (const name of names.filter((_, index) => index % 7 === 0)) {
    const rule = contractSuite(targetOf(handler)).find((candidate) => candidate.name === name);
    await t.resolves(rule?.run() ?? Promise.reject(new Error('no such rule')), name);
  }
});

t.test('without a user id, links and claims are for its own user and random numeric ones', async (t) => {
  const { claimlink, storage } = await createTickingService();
  const handler = createFetchHandler(claimlink);
  const users = new Set<string>();
  const numbers = new Set<string>();
  const { insertLink, submitLink } = storage;
  storage.insertLink = (link) => {
    users.add(link.userId.replace(/^(claimlink-check-)[0-9a-f]{8}$/, '$1<random>'));
    return insertLink(link);
  };
  storage.submitLink = (submission) => {
    numbers.add(submission.session.selectedPolicy.number.replace(/[0-9a-f]{8}$/, '<random>'));
    return submitLink(submission);
  };
  const { userId: _, ...target } = targetOf(handler);
  t.same(rulesWith(await runSuite(target), 'failed'), []);
  t.same([...numbers], ['claimlink-check-<random>']);
  const [named, ...rest] = [...users];
  t.equal(named, 'claimlink-check-<random>');
  t.ok(rest.length > 1 && rest.every((user) => /^1\d{14}$/.test(user)), 'the others are random numbers', {
    rest,
  });
});

t.test('if the host serves its own pages, the rules about pages do not apply', async (t) => {
  const handler = await createHandler({ widget: false });
  const hosts: Record<string, Handler> = {
    'none here': handler,
    'a page of its own': async (request) =>
      new URL(request.url).pathname.startsWith('/verify/')
        ? new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })
        : handler(request),
  };
  for (const [name, host] of Object.entries(hosts)) {
    const outcomes = await runSuite(targetOf(host));
    const failed = rulesWith(outcomes, 'failed').map((rule) => rule.replace(/ \(.*/, ''));
    // claimlink expects that a link opens its page or a page of the host.
    const isServed = name === 'a page of its own';
    t.same(failed, isServed ? [] : ['the deployment serves its links: they are not 404'], name);
    const skipped = outcomes.filter(({ outcome }) => outcome === 'not applicable');
    t.ok(skipped.length > 40, name);
    for (const { message } of skipped)
      t.match(message, isServed ? /serves \/verify itself/ : /nothing serves links here \(404\)/, message);
  }
});

t.test('if the origin of links does not respond, only the rule about the URL fails', async (t) => {
  const handler = await createHandler();
  const outcomes = await runSuite(
    targetOf(
      async (request) => {
        if (!request.url.startsWith('https://gateway.example.com/')) throw new TypeError('fetch failed');
        const { method, headers } = request;
        const body = request.body === null ? {} : { body: await request.arrayBuffer() };
        return handler(new Request(request.url.replace('gateway', 'claims'), { method, headers, ...body }));
      },
      { baseUrl: 'https://gateway.example.com', linkOrigin: 'https://claims.example.com' },
    ),
  );
  const failed = rulesWith(outcomes, 'failed').map((rule) => rule.replace(/ \(.*/, ''));
  t.ok(failed.includes('the URL has the shape {base_url}/verify/<access_code>?token=<encoded_token>'));
  t.notOk(failed.some((rule) => rule.startsWith('a link opens a page')));
  t.match(
    rulesWith(outcomes, 'not applicable').join(),
    /https:\/\/claims\.example\.com, the origin of links, does not respond/,
  );
});

t.test('if the client does not allow the callback, rules about links need another one', async (t) => {
  const { claimlink, storage } = await createTickingService();
  await storage.insertClient({
    clientId: 'strict',
    callbackOrigins: ['https://app.example.com', 'myapp:'],
  });
  const { key, hash } = issueApiKey();
  await storage.insertApiKey({ id: 'strict', clientId: 'strict', hash, createdAt: new Date(0) });
  const strict = { clientId: 'strict', apiKey: key };
  const handler = createFetchHandler(claimlink);
  const byDefault = await runSuite(targetOf(handler, strict));
  t.same(rulesWith(byDefault, 'failed'), []);
  t.match(rulesWith(byDefault, 'not applicable').join(), /pass one that it allows \(--callback-url\)/);
  for (const callbackUrl of [
    'https://app.example.com/done?a=1&r={SESSION_REFERENCE}#x',
    'myapp://done/{STATUS}',
  ]) {
    const withCallback = await runSuite(targetOf(handler, { ...strict, callbackUrl }));
    t.same(rulesWith(withCallback, 'failed'), [], callbackUrl);
    t.notMatch(rulesWith(withCallback, 'not applicable').join(), /callback/, callbackUrl);
  }
});

/** Servers that are no deployment and send the same response to every request. */
const CONSTANT_RESPONSES: Record<string, () => Response> = {
  'an empty 200': () => new Response(null),
  null: () => Response.json(null),
  'an array of null': () => Response.json([null]),
  'an array of arrays': () => Response.json([[]]),
  'an empty array': () => Response.json([]),
  'data that is a number': () => Response.json({ data: 7 }),
  'a link without anything': () => Response.json({ data: 'https://claims.example.com/' }),
  'a link with a secret': () =>
    Response.json({ data: `https://claims.example.com/verify/code?token=${KEYS.good}`, code: KEYS.good }),
  'a session of nothing': () => Response.json([{ selectedPolicy: { linkedContacts: [7] } }]),
  'incomplete HTML': () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  'a redirect': () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
  'a 500 with the key in it': () => Response.json({ code: KEYS.good, key: KEYS.good }, { status: 500 }),
  'no response': () => {
    throw new TypeError(`fetch failed for ${KEYS.good}`);
  },
};

for (const [what, answer] of Object.entries(CONSTANT_RESPONSES)) {
  t.test(`a server that always sends ${what}: rules fail without the key, or do not apply`, async (t) => {
    const target = targetOf(async () => answer());
    let failed = 0;
    for (const { name, run } of contractSuite(target)) {
      const error = await run().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) continue;
      if (!isNotApplicable(error)) failed++;
      const hasMessage = isNotApplicable(error) || isRuleFailure(error);
      if (!hasMessage) t.fail(name, { error });
      const text = error instanceof Error ? `${error.stack} ${JSON.stringify(error)}` : '';
      if (text.includes(KEYS.good)) t.fail(`${name} shows the key`, { text });
    }
    t.ok(failed > 25, `${failed} rules fail`);
  });
}

t.test('a failure names what was seen, what was expected and what to do', async (t) => {
  const rule = contractSuite(targetOf(async () => Response.json([], { status: 201 }))).find(
    ({ name }) => name === 'a listing is answered 200',
  );
  await t.rejects(rule?.run() ?? Promise.resolve(), {
    name: 'AssertionError',
    message:
      'GET /acme/sessions/user-1: saw 201 with an empty array; expected 200. Return 200 on success, with and without a content type, and support HEAD.',
    actual: '201 with an empty array',
    expected: '200',
  });
});

t.test('no failure shows a token: each of them is <token>', async (t) => {
  const handler = await createHandler();
  const tokens = new Set<string>();
  const target = targetOf(async (request) => {
    const response = await handler(request);
    const [, token] = /token=([^"]+)"/.exec(await response.clone().text()) ?? [];
    if (token !== undefined) tokens.add(token);
    // Everything behind links fails, and so does the shape of links.
    if (request.url.includes('/verify/')) return new Response(null, { status: 500 });
    return token === undefined
      ? response
      : Response.json({ data: JSON.parse(await response.text()).data.replace('?', '/?') });
  });
  const outcomes = await runSuite(target);
  t.ok(tokens.size > 0);
  const messages = outcomes.map(({ message }) => message).join('\n');
  t.match(messages, 'https://claims.example.com/verify/<access_code>/?token=<token>');
  for (const token of tokens) t.notOk(messages.includes(token));
});

t.test('a deployment with small pages passes', async (t) => {
  const outcomes = await runSuite(targetOf(await createHandler({ maxPageSize: 2 })));
  t.same(rulesWith(outcomes, 'failed'), []);
});

t.test('the rule about large bodies does not apply to a deployment with a larger limit', async (t) => {
  const { claimlink } = await createTickingService();
  const handler = createFetchHandler(claimlink, { bodyLimitBytes: 100_000 });
  const rule = contractSuite(targetOf(handler)).find(({ name }) => name.includes('70 kB'));
  await t.rejects(rule?.run() ?? Promise.resolve(), { name: 'NotApplicableError' });
});

t.test('a response that does not arrive in time fails the rule', async (t) => {
  const [rule] = contractSuite(targetOf(() => new Promise(() => {}), { timeoutSeconds: 0.1 }));
  const alive = setTimeout(() => {}, 10_000); // The timer of the suite does not keep the process alive.
  await t.rejects(rule?.run() ?? Promise.resolve(), /saw no response in 0.1 seconds/);
  clearTimeout(alive);
});

t.test('the API key is sent to the base URL only', async (t) => {
  const handler = await createHandler();
  const otherPaths: string[] = [];
  await runSuite(
    targetOf(async (request) => {
      const isVerify = new URL(request.url).pathname.startsWith('/verify/');
      if (request.headers.get('x-api-key') === KEYS.good && (isVerify || !request.url.startsWith(PUBLIC_URL)))
        otherPaths.push(new URL(request.url).pathname);
      const response = await handler(request);
      const link = response.headers.get('link');
      if (link === null) return response;
      const headers = new Headers(response.headers);
      headers.set('link', link.replace('claims.example.com', 'claims.example.com.evil.example'));
      return new Response(response.body, { status: response.status, headers });
    }),
  );
  // One rule sends the key below /verify: it checks that `verify` is not a client.
  t.same(otherPaths, ['/verify/sessions/user-1']);
});

for (const [pointer, changes] of Object.entries({
  '/baseUrl': { baseUrl: 'claims.example.com' },
  '/clientId': { clientId: '' },
  '/apiKey': { apiKey: 'a b' },
  '/userId': { userId: 'x'.repeat(237) },
  '/callbackUrl': { callbackUrl: '/done' },
  '/otherClientId': { otherClientId: 'acme' },
  '/fetch': { fetch: 'fetch' },
  '/linkOrigin': { linkOrigin: 'https://claims.example.com/' },
  '/timeoutSeconds': { timeoutSeconds: 0 },
  '/token': { token: 'x' },
})) {
  t.test(`an invalid ${pointer}of a target is rejected without its value`, async (t) => {
    t.throws(() => contractSuite({ ...REQUIRED, ...(changes as Partial<ContractTarget>) }), {
      name: 'ClaimlinkError',
      code: 'options_invalid',
      problems: [{ pointer }],
    });
  });
}

t.test('the error of a target names all missing members', async (t) => {
  t.throws(() => contractSuite({} as ContractTarget), {
    name: 'ClaimlinkError',
    code: 'options_invalid',
    problems: [{ pointer: '/baseUrl' }, { pointer: '/clientId' }, { pointer: '/apiKey' }],
  });
});

t.test('a deployment with compact tokens passes; the rules of a JWS do not apply to it', async (t) => {
  const outcomes = await runSuite(targetOf(await createHandler({ format: 'compact' })));
  t.same(rulesWith(outcomes, 'failed'), []);
  t.same(
    rulesWith(outcomes, 'not applicable').map((rule) => rule.replace(/ \(.*/, '')),
    [
      'the token is a JWS with the type claim-link+jwt and a kid',
      'the token is signed with HS, RS, PS or ES, never none',
      'the claims of the token are iss, aud, jti, client_id, iat, exp, and no others',
      'iss is {base_url}, jti the access code, client_id the client',
      'the token expires 60 seconds to 30 days after it was issued',
      'the token contains no personal data',
      'createdAt and date are the times of opening and submission, in UTC',
      'a link with a token of alg none is 404, and accepts no claim',
      'a link with a token whose kid is unknown is 404, and accepts no claim',
    ],
  );
});
