// Starts the front end and the mock. Pages of loopback origins may call the mock. Closes both after the last worker.
import { startMockServer } from 'claimlink/mock-server';
import { startFrontend } from './frontend.mjs';

export default async function setup() {
  const frontend = await startFrontend();
  const mock = await startMockServer({ port: 0 });
  Object.assign(process.env, { MOCK_URL: mock.url, FRONTEND_URL: frontend.url }); // workers inherit them
  return async () => {
    await mock.close();
    await frontend.close();
  };
}
