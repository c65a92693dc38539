// The link. This file has its own tenant.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { connectMock } from 'claimlink/mock-client';
import { createClaimsClient } from '../claims-client.mjs';

const baseUrl = process.env.MOCK_URL;
const mock = connectMock(baseUrl);
const tenant = await mock.createTenant();
const claims = createClaimsClient({ ...tenant, baseUrl });
beforeEach(() => tenant.reset());
after(() => tenant.remove());

test('a submitted claim is the first session of the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await tenant.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);
});

test('a link works for one day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  await tenant.advanceClock(24 * 60 * 60 * 1000);
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 410);
});

import { workSideBySide } from '../side-by-side.mjs';

test('the tenants of two workers are separate', async () => {
  const { seen, expected } = await workSideBySide({ mock, tenant, baseUrl, worker: 1 });
  assert.deepEqual(seen, expected);
});
