// The link. This file has its own client.
// #region tests
import { connectMock } from 'claimlink/mock-client';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { createClaimsClient } from '../claims-client.mjs';

const baseUrl = inject('mockUrl');
const mock = connectMock(baseUrl);
await mock.removeClient('client-links'); // of a run in watch mode without afterAll
const client = await mock.addClient({ clientId: 'client-links' });
const claims = createClaimsClient({ ...client, baseUrl });
beforeEach(() => client.reset());
afterAll(() => client.remove());

test('a submitted claim is the first session of the listing', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await client.submitLink(link);
  expect((await claims.listSessions('user-1'))[0].reference).toBe(reference);
});

test('a link works for one day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  await client.advanceClock(24 * 60 * 60 * 1000);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(410);
});

// #endregion

import { workSideBySide } from '../side-by-side.mjs';

test('the clients of two workers are separate', async () => {
  const { actual, expected } = await workSideBySide({ mock, client, baseUrl, worker: 1 });
  expect(actual).toEqual(expected);
});
