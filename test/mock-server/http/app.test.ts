// The app of a mock server: what it responds when its own code fails, and what a wait learns of a caller that is gone.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { createApp } from '../../../mock-server/http/app.js';
import { bindServer } from '../../../mock-server/http/bind.js';
import { createLog } from '../../../mock-server/http/log.js';
import { startMockServer } from '../../../mock-server/index.js';
import type { Mock } from '../../../mock-server/state/mock.js';
import { send } from '../client.js';
import { openState } from '../state/set-up.js';

/** Starts an app over a mock with these changes. `errors` gets what its log gets. */
async function startApp(t: Test, change: (mock: Mock) => Partial<Mock>) {
  const { state } = await openState();
  const bound = await bindServer({ host: '127.0.0.1', port: 0 });
  const errors: unknown[] = [];
  const log = { ...createLog('silent', process.stderr), error: (error: unknown) => void errors.push(error) };
  const { app, listener } = await createApp({ ...state, ...change(state) }, log, bound);
  bound.serve(listener);
  t.teardown(async () => {
    await bound.close();
    await app.close();
  });
  return { url: bound.url, errors };
}

t.test('an unexpected error is a 500 that the log has, also for a path that cannot be decoded', async (t) => {
  const cause = new Error('broken');
  const clock = () => {
    throw cause;
  };
  const { url, errors } = await startApp(t, ({ methods }) => ({ methods: { ...methods, clock } }));
  for (const path of ['/nowhere', '/%zz'])
    t.match(await send(url + path), { status: 500, body: '"code":"internal"' }, path);
  t.same(errors, [cause, cause]);
});

t.test('a wait ends when its caller is gone, and does not say that the mock is closing', async (t) => {
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const { url } = await startApp(t, ({ methods }) => ({
    methods: {
      ...methods,
      waitForRequests(filter, signal) {
        signal?.addEventListener('abort', () => end(signal.reason));
        outgoing.destroy();
        return methods.waitForRequests(filter, signal);
      },
    },
  }));
  const outgoing = request(`${url}/__mock/waitForRequests`);
  const reset = once(outgoing, 'error');
  outgoing.end();
  t.match(await ended, { status: 499, code: 'caller_gone' });
  await reset;
});

t.test('a pipelined request ends its connection: it would wait in memory', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const socket = connect(mock.port, '127.0.0.1');
  const request = (prefer: string) =>
    `GET /demo/sessions/user-1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: clk_test_demo\r\n${prefer}\r\n`;
  socket.write(request('prefer: delay=60000\r\n') + request(''));
  await once(socket, 'close');
  // One request after another is fine.
  const next = connect(mock.port, '127.0.0.1');
  t.teardown(() => next.destroy());
  for (let count = 0; count < 2; count++) {
    next.write(request(''));
    const [head] = await once(next, 'data');
    t.match(String(head), /^HTTP\/1\.1 200/);
  }
});
