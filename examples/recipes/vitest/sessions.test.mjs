// The listing. This file has its own client.
import { connectMock } from 'claimlink/mock-client';
import { afterAll, expect, inject, test } from 'vitest';
import { createClaimsClient } from '../claims-client.mjs';

const baseUrl = inject('mockUrl');
const mock = connectMock(baseUrl);
await mock.removeClient('client-sessions'); // of a run in watch mode without afterAll
const client = await mock.addClient({ clientId: 'client-sessions' });
afterAll(() => client.remove());

test('a 503 is retried after the seconds of its Retry-After header', async () => {
  const pauses = [];
  const claims = createClaimsClient({ ...client, baseUrl, pause: async (seconds) => pauses.push(seconds) });
  await client.failNext({ route: 'listSessions', status: 503 });
  expect((await claims.listSessions('user-1')).length).toBeGreaterThan(0);
  expect(pauses).toEqual([5]);
  const requests = await client.waitForRequests({ route: 'listSessions', count: 2 });
  expect(requests.map(({ status }) => status)).toEqual([503, 200]);
});

test('an error has the code of the API', async () => {
  const withWrongKey = createClaimsClient({ ...client, baseUrl, apiKey: 'clk_test_wrong' });
  const rejection = { status: 401, code: 'api_key_invalid' };
  await expect(withWrongKey.listSessions('user-1')).rejects.toMatchObject(rejection);
});

import { workSideBySide } from '../side-by-side.mjs';

test('the clients of two workers are separate', async () => {
  const { actual, expected } = await workSideBySide({ mock, client, baseUrl, worker: 0 });
  expect(actual).toEqual(expected);
});
