// A request through the mock: matched once, authenticated once, and answered at the time of its client.
import diagnostics from 'node:diagnostics_channel';
import t from 'tap';
import { TRACING_CHANNELS } from '../../../lib/core/tracing.js';
import { handleRequest } from '../../../mock-server/http/handler.js';
import { createSeeder } from '../../../mock-server/seed/seed.js';
import { openMock } from '../../../mock-server/state/mock.js';
import { resolveMockOptions } from '../../../mock-server/state/options.js';
import { linkRequest } from '../caller.js';

const KEY = { 'x-api-key': 'clk_test_demo' };
const JSON_TYPE = { 'content-type': 'application/json' };

async function open() {
  const mock = await openMock(resolveMockOptions(), 'http://claimlink.test');
  return {
    mock,
    send: (method: string, url: string, headers = {}, body?: object) => {
      const bytes = body && Buffer.from(JSON.stringify(body));
      return handleRequest(
        mock,
        { method, url, headers, body: async () => bytes },
        new AbortController().signal,
      );
    },
  };
}

/** Runs a function and returns the storage calls that it made. */
async function storageCalls(run: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const note = (context: unknown) => void calls.push((context as { method: string }).method);
  const channel = diagnostics.tracingChannel(TRACING_CHANNELS.storage).start;
  channel.subscribe(note);
  await run();
  channel.unsubscribe(note);
  return calls;
}

/** Runs a function and returns how often a path was split into segments to match it with a route. */
async function matches(path: string, run: () => Promise<unknown>): Promise<number> {
  const { split } = String.prototype;
  let count = 0;
  // The matcher splits what follows the first slash of a path, for each request once.
  String.prototype.split = function (this: string, ...parameters: Parameters<typeof split>) {
    if (String(this) === path.slice(1) && String(parameters[0]) === '/') count++;
    return split.apply(this, parameters);
  } as typeof split;
  try {
    await run();
  } finally {
    String.prototype.split = split;
  }
  return count;
}

t.test('a request through the mock is authenticated once', async (t) => {
  const { mock, send } = await open();
  const { url } = await mock.methods.createLink({ clientId: 'demo', request: linkRequest('ada') });
  const target = url.slice('http://claimlink.test'.length);
  const claim = createSeeder(mock.options).claimOf('demo', 'ada', 1);
  for (const [method, path, headers, body, calls] of [
    ['GET', '/demo/sessions/ada', KEY, undefined, ['findCredentials', 'listSessions']],
    ['POST', '/demo/link', { ...KEY, ...JSON_TYPE }, linkRequest('ada'), ['findCredentials', 'insertLink']],
    ['GET', target, {}, undefined, ['findLink', 'markLinkOpened']],
    ['POST', target, JSON_TYPE, claim, ['findLink', 'submitLink']],
    ['GET', '/demo/sessions/ada', {}, undefined, []],
    ['GET', '/unknown/sessions/ada', KEY, undefined, ['findCredentials']],
  ] as const)
    t.same(
      await storageCalls(() => send(method, path, headers, body)),
      calls,
      `${method} ${path.slice(0, 30)}`,
    );
});

t.test('a request through the mock is matched once', async (t) => {
  const { mock, send } = await open();
  await mock.methods.addFault({ delayMs: 0 });
  for (const path of ['/demo/sessions/ada', '/verify/code', '/unknown/sessions/ada', '/nowhere'])
    t.equal(await matches(path, () => send('GET', path, KEY)), 1, path);
});

t.test('a token or a path only selects the client; its service checks the key or the token', async (t) => {
  const { mock, send } = await open();
  mock.methods.addClient({ clientId: 'other', apiKey: 'key-of-other' });
  t.match(await send('GET', '/other/sessions/ada', KEY), { logged: { status: 401, clientId: null } });
  t.match(await send('GET', '/unknown/sessions/ada', KEY), { logged: { status: 404, clientId: null } });
  t.match(await send('GET', '/unknown/sessions/ada'), { logged: { status: 401, clientId: null } });
  const claims = Buffer.from(JSON.stringify({ client_id: 'other' })).toString('base64url');
  for (const token of [`x.${claims}.y`, 'x', `x.${claims.slice(1)}.y`, ''])
    t.match(await send('GET', `/verify/code?token=${token}`), { logged: { status: 404, clientId: null } });
});

t.test('the log has the code and the detail of an error that is shown as a page', async (t) => {
  const { mock, send } = await open();
  const { response } = await send('GET', '/verify/unknown', { accept: 'text/html' });
  t.match(response?.headers['content-type'], 'text/html');
  t.match(mock.methods.requests(), [{ code: 'link_not_found', detail: /link/ }]);
});
