// The link. This file has its own tenant.
// #region tests
import { connectMock } from 'claimlink/mock-client';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { createClaimsClient } from '../claims-client.mjs';

const baseUrl = inject('mockUrl');
const mock = connectMock(baseUrl);
const tenant = await mock.createTenant();
const claims = createClaimsClient({ ...tenant, baseUrl });
beforeEach(() => tenant.reset());
afterAll(() => tenant.remove());

test('a submitted claim is the first session of the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await tenant.submitLink(link);
  expect((await claims.listSessions('user-1'))[0].reference).toBe(reference);
});

test('a link works for one day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  await tenant.advanceClock(24 * 60 * 60 * 1000);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(410);
});

// #endregion

import { workSideBySide } from '../side-by-side.mjs';

test('the tenants of two workers are separate', async () => {
  const { seen, expected } = await workSideBySide({ mock, tenant, baseUrl, worker: 1 });
  expect(seen).toEqual(expected);
});
