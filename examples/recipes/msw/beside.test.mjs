// Mock Service Worker beside a mock with a port: MSW lets the requests to the mock pass. Run it: node --test
// #region test
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectMock } from 'claimlink/mock-client';
import { startMockServer } from 'claimlink/mock-server';
import { http, passthrough } from 'msw';
import { setupServer } from 'msw/node';
import { createClaimsClient } from '../claims-client.mjs';

const { url, close } = await startMockServer({ port: 0 }); // or that of your global setup
const server = setupServer(http.all(`${url}/*`, () => passthrough()));
before(() => server.listen({ onUnhandledRequest: 'error' }));
after(async () => {
  server.close();
  await close();
});

test('the application and connectMock reach the mock', async () => {
  const client = await connectMock(url).addClient();
  const claims = createClaimsClient({ ...client, baseUrl: url });
  await client.setSessions('user-1', [{ reference: 'S-1' }]);
  assert.equal((await claims.listSessions('user-1'))[0].reference, 'S-1');
});
// #endregion
