// Starts the mock before the first worker.
import { startMockServer } from 'claimlink/mock-server';

export default async function setup() {
  // The origin of the pages of happy-dom, which applies CORS.
  const mock = await startMockServer({ port: 0, controlOrigins: ['http://localhost'] });
  process.env.MOCK_URL = mock.url; // workers inherit it
  globalThis.mock = mock; // for the teardown; workers cannot access it
}
