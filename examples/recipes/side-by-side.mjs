// Shows, in two workers at the same time, that clients of one mock are separate. Both workers do the same with a user of
// the same name, each with other values, and compare the state after the other worker has done it as well.
import { createClaimsClient } from './claims-client.mjs';

const MOMENTS = [new Date('2031-01-01T00:00:00Z'), new Date('2032-02-02T00:00:00Z')];
const STATUSES = [429, 500];
const TIMEOUT_MS = 20_000;

/** Returns what worker 0 or 1 saw of its client, and what it must have seen. */
export async function workSideBySide({ mock, client, baseUrl, worker }) {
  const claims = createClaimsClient({ ...client, baseUrl });
  const user = 'user-1';
  await client.reset();
  const before = await claims.listSessions(user);
  const link = await claims.createLink(user, 'https://app.example.com/claims');
  const { reference } = await client.submitLink(link);
  await client.setClock({ now: MOMENTS[worker], isFrozen: true });
  await client.addFault({ route: 'createLink', status: STATUSES[worker] });

  await waitForBoth(mock, baseUrl, worker);

  const failure = await claims.createLink(user, 'https://app.example.com/claims').catch((error) => error);
  const after = await claims.listSessions(user);
  const actual = {
    status: failure.status,
    newSessions: after.slice(0, after.length - before.length).map((session) => session.reference),
    links: (await client.links()).map((each) => each.reference),
    now: (await client.clock()).now,
    requests: (await client.requests()).map(({ clientId, route }) => `${clientId} ${route}`),
  };
  const routes = ['listSessions', 'createLink', 'createLink', 'listSessions'];
  const expected = {
    status: STATUSES[worker],
    newSessions: [reference],
    links: [reference],
    now: MOMENTS[worker],
    requests: routes.map((route) => `${client.clientId} ${route}`),
  };
  return { actual, expected };
}

/** Resolves when both workers have sent a request as the client `demo`. */
async function waitForBoth(mock, baseUrl, worker) {
  await fetch(`${baseUrl}/demo/sessions/worker-${worker}`, { headers: { 'x-api-key': 'clk_test_demo' } });
  const requests = await mock.waitForRequests({ clientId: 'demo', count: 2, timeoutMs: TIMEOUT_MS });
  const workers = new Set(requests.map(({ userId }) => userId));
  if (workers.size < 2) throw new Error(`The same worker came twice: ${[...workers]}`);
}
