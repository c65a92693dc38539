// Mock Service Worker: a mock without a port responds to the requests of the application. Run it: node --test
// #region setup
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createMockFetch } from 'claimlink/mock-server';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { createClaimsClient } from '../claims-client.mjs';

const mock = createMockFetch({ publicUrl: 'https://claims.example.com/v1' });
const server = setupServer(
  // A connection that the mock resets is a network error in the application.
  http.all(`${mock.publicUrl}/*`, ({ request }) => mock(request).catch(() => HttpResponse.error())),
);
before(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => mock.reset());
after(() => server.close());
// #endregion

// #region test
const [client] = await mock.clients();
const claims = createClaimsClient({ ...client, baseUrl: mock.publicUrl, pause: async () => {} });

test('a request is retried after a connection reset', async () => {
  await mock.failNext({ route: 'listSessions', effect: 'reset-before' });
  assert.ok((await claims.listSessions('user-1')).length > 0);
  const requests = await mock.waitForRequests({ route: 'listSessions', count: 2 });
  assert.deepEqual(
    requests.map(({ status }) => status),
    [null, 200],
  );
});
// #endregion

test('a submitted claim is the first session of the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await mock.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);
});

test('a link works for one day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  await mock.advanceClock(24 * 60 * 60 * 1000);
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 410);
});
