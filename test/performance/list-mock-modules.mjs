// Starts a mock, lists a user's sessions, asks the control API, and prints as JSON what was loaded after each.
import { get } from 'node:http';
import { loadedModules, stopTracing, summarize } from './trace-modules.mjs';

const { startMockServer } = await import('claimlink/mock-server');
const mock = await startMockServer({ port: 0, log: 'silent' });
const started = summarize(loadedModules());
const [{ clientId, apiKey, userIds }] = mock.clients;
await ask(`${mock.url}/${clientId}/sessions/${userIds[0]}`, { 'x-api-key': apiKey });
const listed = summarize(loadedModules());
await ask(`${mock.controlUrl}/health`, {});
const controlled = summarize(loadedModules());
await mock.close();
process.stdout.write(`${JSON.stringify({ started, listed, controlled })}\n`);
stopTracing();

/** Resolves when the answer is in. @throws unless it is a 200 */
function ask(url, headers) {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}
