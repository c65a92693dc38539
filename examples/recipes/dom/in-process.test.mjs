// The mock in the process of a test that has a DOM: behind a port, and as a fetch function. For Vitest and Jest: `test` is global.
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
    expect((await claims.listSessions('user-1'))[0].reference).toBe(reference);
    const [request] = await mock.requests({ route: 'createLink' });
    expect(request.requestBody.text).toContain('user-1');
  });
}
