// The listing, on a tenant of this file's own.
// #region tests
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createClaimsClient } from '../claims-client.mjs';
import { createTenant } from '../tenant.mjs';

const tenant = await createTenant(process.env.MOCK_URL);
after(() => tenant.remove());

test('a 503 is tried again after the seconds that it asks for', async () => {
  const pauses = [];
  const claims = createClaimsClient({ ...tenant, pause: async (seconds) => pauses.push(seconds) });
  await tenant.failNext({ route: 'listSessions', status: 503 });
  assert.ok((await claims.listSessions('user-1')).length > 0);
  assert.deepEqual(pauses, [5]);
  const requests = await tenant.waitForRequests({ route: 'listSessions', count: 2 });
  assert.deepEqual(
    requests.map(({ status }) => status),
    [503, 200],
  );
});
// #endregion

test('a refusal has the code of the API', async () => {
  const stranger = createClaimsClient({ ...tenant, apiKey: 'clk_test_wrong' });
  await assert.rejects(stranger.listSessions('user-1'), { status: 401, code: 'api_key_invalid' });
});

import { workSideBySide } from '../side-by-side.mjs';

test('the other worker does not see what this one does', async () => {
  const { seen, expected } = await workSideBySide(tenant, 0);
  assert.deepEqual(seen, expected);
});
