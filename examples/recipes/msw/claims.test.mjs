// Mock Service Worker: the mock without a port answers what the application sends to its API. Run it: node --test
// #region setup
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createMockFetch } from 'claimlink/mock-server';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { createClaimsClient } from '../claims-client.mjs';

const mock = createMockFetch({ publicUrl: 'https://claims.example.com/v1' });
const server = setupServer(
  // A connection that the mock cuts is a network error to the application.
  http.all(`${mock.publicUrl}/*`, ({ request }) => mock(request).catch(() => HttpResponse.error())),
);
before(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => mock.reset());
after(() => server.close());
// #endregion

// #region test
const [client] = mock.clients;
const claims = createClaimsClient({ ...client, baseUrl: mock.publicUrl, pause: async () => {} });

test('a connection that is cut is tried again', async () => {
  mock.failNext({ route: 'listSessions', effect: 'cut' });
  assert.ok((await claims.listSessions('user-1')).length > 0);
  const requests = await mock.waitForRequests({ route: 'listSessions', count: 2 });
  assert.deepEqual(
    requests.map(({ status }) => status),
    [null, 200],
  );
});
// #endregion

test('a submitted claim stands first in the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await mock.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);
});

test('a link works for a day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  mock.clock.advance(24 * 60 * 60 * 1000);
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 410);
});
