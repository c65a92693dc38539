// Starts a mock, lists the sessions of a user, and prints the modules that were loaded, as JSON.
import { loadedModules, stopTracing, summarize } from './trace-modules.mjs';

const { startMockServer } = await import('claimlink/mock-server');
const mock = await startMockServer({ port: 0, log: 'silent' });
const [{ clientId, apiKey, userIds }] = await mock.clients();
const response = await fetch(`${mock.url}/${clientId}/sessions/${userIds[0]}`, {
  headers: { 'x-api-key': apiKey },
});
if (response.status !== 200) throw new Error(`The listing got ${response.status}`);
const modules = summarize(loadedModules());
await mock.close();
process.stdout.write(`${JSON.stringify(modules)}\n`);
stopTracing();
