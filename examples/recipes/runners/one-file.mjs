// node:test with a mock for this file alone, in its process. Run it: node --test one-file.mjs
// #region test
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { startMockServer } from 'claimlink/mock-server';
import { createClaimsClient } from '../claims-client.mjs'; // yours

const mock = await startMockServer({ port: 0 });
const [client] = await mock.clients();
const claims = createClaimsClient({ ...client, baseUrl: mock.url });
beforeEach(() => mock.reset());
after(() => mock.close());

test('a link works until its claim is submitted, or for one day', async () => {
  const link = await claims.createLink('user-1', 'https://app.example.com/claims');
  const { reference } = await mock.submitLink(link);
  assert.equal((await claims.listSessions('user-1'))[0].reference, reference);

  const unused = await claims.createLink('user-1', 'https://app.example.com/claims');
  await mock.advanceClock(24 * 60 * 60 * 1000);
  const links = await mock.links(); // newest first
  assert.deepEqual(
    links.map(({ state }) => state),
    ['expired', 'submitted'],
  );
  await assert.rejects(mock.submitLink(unused), { code: 'link_expired' });
});
// #endregion
