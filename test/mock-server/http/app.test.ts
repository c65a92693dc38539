// The app of a mock server: what it responds when its own code fails, and what a wait learns of a caller that is gone.
import { once } from 'node:events';
import { request } from 'node:http';
import t, { type Test } from 'tap';
import { createApp } from '../../../mock-server/http/app.js';
import { bindServer } from '../../../mock-server/http/bind.js';
import { createLog } from '../../../mock-server/http/log.js';
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
