// The listing, on a tenant of this file's own.
import { afterAll, expect, test } from '@jest/globals';
import { createClaimsClient } from '../claims-client.mjs';
import { createTenant } from '../tenant.mjs';

const tenant = await createTenant(process.env.MOCK_URL);
afterAll(() => tenant.remove());

test('a 503 is tried again after the seconds that it asks for', async () => {
  const pauses = [];
  const claims = createClaimsClient({ ...tenant, pause: async (seconds) => pauses.push(seconds) });
  await tenant.failNext({ route: 'listSessions', status: 503 });
  expect((await claims.listSessions('user-1')).length).toBeGreaterThan(0);
  expect(pauses).toEqual([5]);
  const requests = await tenant.waitForRequests({ route: 'listSessions', count: 2 });
  expect(requests.map(({ status }) => status)).toEqual([503, 200]);
});

test('a refusal has the code of the API', async () => {
  const stranger = createClaimsClient({ ...tenant, apiKey: 'clk_test_wrong' });
  const refusal = { status: 401, code: 'api_key_invalid' };
  await expect(stranger.listSessions('user-1')).rejects.toMatchObject(refusal);
});

import { workSideBySide } from '../side-by-side.mjs';

test('the other worker does not see what this one does', async () => {
  const { seen, expected } = await workSideBySide(tenant, 0);
  expect(seen).toEqual(expected);
});
