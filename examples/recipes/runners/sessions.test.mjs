// The listing, for each runner: `test` and the hooks are global. This file has its own client.
import assert from 'node:assert/strict';
import { connectMock } from 'claimlink/mock-client';
import { createClaimsClient } from '../claims-client.mjs';

const baseUrl = process.env.MOCK_URL;
const mock = connectMock(baseUrl);
await mock.removeClient('client-sessions'); // of a run that was killed, or ran no afterAll
const client = await mock.addClient({ clientId: 'client-sessions' });
afterAll(() => client.remove());

test('a 503 is retried after the seconds of its Retry-After header', async () => {
  const pauses = [];
  const claims = createClaimsClient({ ...client, baseUrl, pause: async (seconds) => pauses.push(seconds) });
  await client.failNext({ route: 'listSessions', status: 503 });
  assert.ok((await claims.listSessions('user-1')).length > 0);
  assert.equal(pauses.join(), '5');
  const requests = await client.waitForRequests({ route: 'listSessions', count: 2 });
  assert.equal(requests.map(({ status }) => status).join(), '503,200');
});

test('an error has the code of the API', async () => {
  const withWrongKey = createClaimsClient({ ...client, baseUrl, apiKey: 'clk_test_wrong' });
  await assert.rejects(withWrongKey.listSessions('user-1'), { status: 401, code: 'api_key_invalid' });
});

import { workSideBySide } from '../side-by-side.mjs';

test('the clients of two workers are separate', async () => {
  const { actual, expected } = await workSideBySide({ mock, client, baseUrl, worker: 0 });
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
});
