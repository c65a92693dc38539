// Starts a mock, lists sessions, calls the control API, and prints the modules loaded after each step, as JSON.
import { get } from 'node:http';
import { loadedModules, stopTracing, summarize } from './trace-modules.mjs';

const { startMockServer } = await import('claimlink/mock-server');
const mock = await startMockServer({ port: 0, log: 'silent' });
const started = summarize(loadedModules());
const [{ clientId, apiKey, userIds }] = mock.clients;
await send(`${mock.url}/${clientId}/sessions/${userIds[0]}`, { 'x-api-key': apiKey });
const listed = summarize(loadedModules());
await send(`${mock.controlUrl}/health`, {});
const controlled = summarize(loadedModules());
await mock.close();
process.stdout.write(`${JSON.stringify({ started, listed, controlled })}\n`);
stopTracing();

/** Sends a GET request. @throws unless the status is 200 */
function send(url, headers) {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} got ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}
