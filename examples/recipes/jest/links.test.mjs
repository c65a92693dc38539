// The link, on a tenant of this file's own.
// #region tests
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { createClaimsClient } from '../claims-client.mjs';
import { createTenant } from '../tenant.mjs';

const tenant = await createTenant(process.env.MOCK_URL);
const claims = createClaimsClient(tenant);
beforeEach(() => tenant.reset());
afterAll(() => tenant.remove());

test('a submitted claim stands first in the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await tenant.submitLink(link);
  expect((await claims.listSessions('user-1'))[0].reference).toBe(reference);
});

test('a link works for a day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  await tenant.advanceClock(24 * 60 * 60 * 1000);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(410);
});

// #endregion

import { workSideBySide } from '../side-by-side.mjs';

test('the other worker does not see what this one does', async () => {
  const { seen, expected } = await workSideBySide(tenant, 1);
  expect(seen).toEqual(expected);
});
