// Proof, in two workers at once, that tenants of one mock don't see each other's state. Both do the same to a user of
// the same name, each in a way of its own, and look at it once the other one has done it, too.
import { createClaimsClient } from './claims-client.mjs';

const MOMENTS = ['2031-01-01T00:00:00.000Z', '2032-02-02T00:00:00.000Z'];
const STATUSES = [429, 500];
const MEETING_MS = '20000';

/** What worker 0 or 1 saw of its tenant, and what it must have seen. */
export async function workSideBySide(tenant, worker) {
  const claims = createClaimsClient(tenant);
  const user = 'user-1';
  await tenant.reset();
  const before = await claims.listSessions(user);
  const link = await claims.createLink(user, 'https://app.example.com/claims');
  const { reference } = await tenant.submitLink(link);
  await tenant.setClock(MOMENTS[worker]);
  await tenant.addFault({ route: 'createLink', status: STATUSES[worker] });

  await meet(tenant.baseUrl, worker);

  const refusal = await claims.createLink(user, 'https://app.example.com/claims').catch((error) => error);
  const after = await claims.listSessions(user);
  const seen = {
    status: refusal.status,
    newSessions: after.slice(0, after.length - before.length).map((session) => session.reference),
    links: (await tenant.links()).map((each) => each.reference),
    now: (await tenant.clock()).now,
    requests: (await tenant.requests()).map(({ clientId, route }) => `${clientId} ${route}`),
  };
  const expected = {
    status: STATUSES[worker],
    newSessions: [reference],
    links: [reference],
    now: MOMENTS[worker],
    requests: ['listSessions', 'createLink', 'createLink', 'listSessions'].map(
      (route) => `${tenant.clientId} ${route}`,
    ),
  };
  return { seen, expected };
}

/** Resolves when both workers are here: each leaves a request in the journal of a client that both know. */
async function meet(mockUrl, worker) {
  await fetch(`${mockUrl}/demo/sessions/worker-${worker}`, { headers: { 'x-api-key': 'clk_test_demo' } });
  const query = new URLSearchParams({ client: 'demo', count: '2', timeout: MEETING_MS });
  const response = await fetch(`${mockUrl}/__mock/requests/wait?${query}`);
  if (!response.ok) throw new Error(`The other worker did not come: ${await response.text()}`);
  const workers = new Set((await response.json()).map(({ path }) => path));
  if (workers.size < 2) throw new Error(`One worker came twice: ${[...workers]}`);
}
