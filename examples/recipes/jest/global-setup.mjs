// Starts the mock before the first worker.
import { startMockServer } from 'claimlink/mock-server';

export default async function setup() {
  const mock = await startMockServer({ port: 0 });
  process.env.MOCK_URL = mock.url; // workers inherit it
  globalThis.mock = mock; // for the teardown; workers cannot access it
}
