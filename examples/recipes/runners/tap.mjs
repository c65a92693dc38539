// tap: a mock for this file, in its process, and a new client for each test. Run it: tap run tap.mjs
// #region setup
import { startMockServer } from 'claimlink/mock-server';
import t from 'tap';
import { createClaimsClient } from '../claims-client.mjs';

const mock = await startMockServer({ port: 0 });
t.teardown(() => mock.close());
t.jobs = 4; // clients are separate, so tests may run at the same time

async function setUp(clientId, options = {}) {
  const client = await mock.addClient({ clientId });
  return { client, claims: createClaimsClient({ ...client, baseUrl: mock.url, ...options }) };
}
// #endregion

// #region test
t.test('a 503 is retried after the seconds of its Retry-After header', async (t) => {
  const pauses = [];
  const { claims, client } = await setUp('client-retry', { pause: async (seconds) => pauses.push(seconds) });
  await client.failNext({ route: 'listSessions', status: 503 });
  t.ok((await claims.listSessions('user-1')).length > 0);
  t.same(pauses, [5]);
  const requests = await client.waitForRequests({ route: 'listSessions', count: 2 });
  t.same(
    requests.map(({ status }) => status),
    [503, 200],
  );
});
// #endregion

t.test('a submitted claim is the first session of the listing', async (t) => {
  const { claims, client } = await setUp('client-submit');
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference, redirectUrl } = await client.submitLink(link);
  t.equal((await claims.listSessions('user-1'))[0].reference, reference);
  t.equal(redirectUrl, 'https://app.example.com/claims');
});

t.test('a link works for one day', async (t) => {
  const { claims, client } = await setUp('client-expiry');
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  t.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  await client.advanceClock(24 * 60 * 60 * 1000);
  t.equal((await fetch(link, { method: 'HEAD' })).status, 410);
});
