// Starts the mock before the first worker: for Vitest, Jest and node-test.mjs.
import { startMockServer } from 'claimlink/mock-server';

export default async function setup() {
  // The origins of the pages of happy-dom in Jest and in Vitest. happy-dom applies CORS.
  const controlOrigins = ['http://localhost', 'http://localhost:3000'];
  const mock = await startMockServer({ port: 0, controlOrigins });
  process.env.MOCK_URL = mock.url; // workers inherit it
  globalThis.closeMock = () => mock.close(); // for the teardown of Jest
  return globalThis.closeMock;
}
