// A unit test without MSW: the mock is the fetch function of the client under test. Run it: node --test
// #region test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMockFetch } from 'claimlink/mock-server';
import { createClaimsClient } from '../claims-client.mjs';

test('all pages of a long listing are read', async () => {
  const fetch = createMockFetch({ sessionCount: 1001 });
  const [client] = await fetch.clients();
  const claims = createClaimsClient({ ...client, baseUrl: fetch.publicUrl, fetch });
  assert.equal((await claims.listSessions('user-1')).length, 1001);
  assert.equal(await fetch.countRequests(), 2);
});
// #endregion
