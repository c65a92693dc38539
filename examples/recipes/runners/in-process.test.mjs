// The mock in the process of the test, with and without a DOM: behind a port, and as a fetch function. `test` is global.
import assert from 'node:assert/strict';
import { createMockFetch, startMockServer } from 'claimlink/mock-server';
import { createClaimsClient } from '../claims-client.mjs';

const server = await startMockServer({ port: 0 });
afterAll(() => server.close());
const fetchOfMock = createMockFetch();

for (const [name, mock, options] of [
  ['startMockServer', server, { baseUrl: server.url }],
  ['createMockFetch', fetchOfMock, { baseUrl: fetchOfMock.publicUrl, fetch: fetchOfMock }],
]) {
  test(`${name} lists a claim that was submitted by a link`, async () => {
    const [client] = await mock.clients();
    const claims = createClaimsClient({ ...client, ...options });
    const link = await claims.createLink('user-1', 'https://app.example.com/claims');
    const { reference } = await mock.submitLink(link);
    assert.equal((await claims.listSessions('user-1'))[0].reference, reference);
    const [request] = await mock.requests({ route: 'createLink' });
    assert.match(request.requestBody.text, /user-1/);
  });
}
