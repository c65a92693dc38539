// node:test with a mock for this file alone, in its process. Run it: node --test one-file.test.mjs
// #region test
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { startMockServer } from 'claimlink/mock-server';
import { createClaimsClient } from '../claims-client.mjs'; // yours

const mock = await startMockServer({ port: 0 });
const claims = createClaimsClient({ ...mock.clients[0], baseUrl: mock.url });
beforeEach(() => mock.reset());
after(() => mock.close());

test('a link works until the claim is in, or for a day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await mock.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);

  const unused = await claims.createLink('user-1', 'https://app.example.com/claims');
  mock.clock.advance(24 * 60 * 60 * 1000);
  assert.deepEqual(
    mock.links().map(({ state }) => state),
    ['submitted', 'expired'],
  );
  await assert.rejects(mock.submitLink(unused), { code: 'link_expired' });
});
// #endregion
