// The link, for each runner: `test` and the hooks are global. This file has its own client.
// #region tests
import assert from 'node:assert/strict';
import { connectMock } from 'claimlink/mock-client';
import { createClaimsClient } from '../claims-client.mjs';

const baseUrl = process.env.MOCK_URL;
const mock = connectMock(baseUrl);
await mock.removeClient('client-links'); // of a run that was killed, or ran no afterAll
const client = await mock.addClient({ clientId: 'client-links' });
const claims = createClaimsClient({ ...client, baseUrl });
beforeEach(() => client.reset());
afterAll(() => client.remove());

test('a submitted claim is the first session of the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await client.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);
});

test('a link works for one day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  await client.advanceClock(24 * 60 * 60 * 1000);
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 410);
});

// #endregion

import { workSideBySide } from '../side-by-side.mjs';

test('the clients of two workers are separate', async () => {
  const { actual, expected } = await workSideBySide({ mock, client, baseUrl, worker: 1 });
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
});
