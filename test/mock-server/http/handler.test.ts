// A request through the mock: matched once, authenticated once, and answered at the time of its client.
import diagnostics from 'node:diagnostics_channel';
import t from 'tap';
import { TRACING_CHANNELS } from '../../../lib/core/tracing.js';
import type { CoreRequest } from '../../../lib/index.js';
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
  const { serviceWithoutClient } = mock;
  const { route } = serviceWithoutClient;
  await mock.methods.addFault({ delayMs: 0 });
  for (const [named, logged] of [
    ['/demo/sessions/ada', { clientId: 'demo', userId: 'ada', status: 200 }],
    ['/unknown/sessions/ada', { clientId: null, userId: null, status: 404 }],
  ] as const) {
    const matched = t.capture(serviceWithoutClient, 'route', () =>
      route({ method: 'GET', url: named } as CoreRequest),
    );
    // A second match would find the route of the path.
    for (const path of ['/demo/link', '/verify/code', '/demo/sessions/eve', '/nowhere'])
      t.match(
        await send('GET', path, KEY),
        { logged: { route: 'listSessions', ...logged } },
        `${path} as ${named}`,
      );
    t.equal(matched().length, 4);
    matched.restore();
  }
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
