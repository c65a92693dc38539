// The link, on a tenant of this file's own.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createClaimsClient } from '../claims-client.mjs';
import { createTenant } from '../tenant.mjs';

const tenant = await createTenant(process.env.MOCK_URL);
const claims = createClaimsClient(tenant);
beforeEach(() => tenant.reset());
after(() => tenant.remove());

test('a submitted claim stands first in the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await tenant.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);
});

test('a link works for a day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  await tenant.advanceClock(24 * 60 * 60 * 1000);
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 410);
});

import { workSideBySide } from '../side-by-side.mjs';

test('the other worker does not see what this one does', async () => {
  const { seen, expected } = await workSideBySide(tenant, 1);
  assert.deepEqual(seen, expected);
});
