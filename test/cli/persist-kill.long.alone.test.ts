// The built mock with --persist is killed under load again and again: everything that it acknowledged is there.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { sampleClaim } from '../../lib/testing/contract-suite/samples.js';
import { linkRequest } from '../adapters/service.js';
import { startCli } from '../mock-server/child.js';
import { createDice } from '../mock-server/dice.js';
import { sized } from '../size.js';

const KILLS = sized(2, 1, 20);
const LANES = sized(2, 1, 4);
const USERS = ['user-1', 'user-2', 'user-3'];

const HEADERS = { 'x-api-key': 'clk_test_demo', 'content-type': 'application/json' };

/** What the mock has responded to with success. */
interface Acknowledged {
  /** Links whose claim was not submitted, or whose submission got no response. */
  links: Set<string>;
  /** Links with an acknowledged submission. */
  submitted: Set<string>;
  /** References of submitted claims, with their users. */
  claims: Map<string, string>;
}

/** Creates links and submits every second one, until the mock is gone. */
async function workUntilKilled(url: string, userId: string, acknowledged: Acknowledged): Promise<void> {
  for (let round = 0; ; round++) {
    try {
      const link = await createLink(url, userId);
      acknowledged.links.add(link);
      if (round % 2 === 1) continue;
      const reference = await submitClaim(link);
      acknowledged.links.delete(link);
      acknowledged.submitted.add(link);
      acknowledged.claims.set(reference, userId);
    } catch (error) {
      // A response with another status than expected is not a TypeError of fetch.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function createLink(url: string, userId: string): Promise<string> {
  const request = linkRequest();
  const body = JSON.stringify({ ...request, config: { ...request.config, currentUserId: userId } });
  const response = await fetch(`${url}/demo/link`, { method: 'POST', headers: HEADERS, body });
  if (response.status !== 200) throw new Error(`a link request is ${response.status}`);
  return ((await response.json()) as { data: string }).data;
}

async function submitClaim(link: string): Promise<string> {
  const response = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(sampleClaim()),
  });
  if (response.status !== 200)
    throw new Error(`a submission is ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: { reference: string } }).data.reference;
}

/** Returns what the mock no longer has, in words. */
async function findMissing(url: string, { links, submitted, claims }: Acknowledged): Promise<string[]> {
  const missing: string[] = [];
  const references = new Set<string>();
  for (const userId of USERS) {
    const response = await fetch(`${url}/demo/sessions/${userId}?limit=1000`, { headers: HEADERS });
    for (const { reference } of (await response.json()) as { reference: string }[]) references.add(reference);
  }
  for (const reference of claims.keys()) if (!references.has(reference)) missing.push(`claim ${reference}`);
  for (const link of [...links, ...submitted]) {
    const response = await fetch(link, { headers: { accept: 'application/json' } });
    const text = await response.text();
    const state = response.status === 200 ? 'open' : JSON.parse(text).code;
    // The submission of an unsubmitted link may have taken effect without a response.
    const expected = submitted.has(link) ? ['link_submitted'] : ['open', 'link_submitted'];
    if (!expected.includes(state)) missing.push(`link ${new URL(link).pathname}: ${state}`);
  }
  return missing;
}

/** Each lane kills a mock of its own again and again. */
async function runLane(t: Test, root: string, lane: number): Promise<void> {
  const folder = join(root, `mock-${lane}`);
  await mkdir(folder);
  const file = join(folder, 'mock.json');
  const acknowledged: Acknowledged = { links: new Set(), submitted: new Set(), claims: new Map() };
  const dice = createDice(20 + lane);
  // Links contain the port.
  let port = '0';

  async function start() {
    const child = startCli(t, ['--port', port, '--ready-json', '--log', 'json', '--persist', file]);
    const { url } = JSON.parse(await child.until(/\n/));
    t.notMatch(child.stderr(), 'The mock waits', 'it does not wait for the lock of a killed process');
    port = new URL(url).port;
    return { child, url };
  }

  for (let kill = 0; kill < KILLS / LANES; kill++) {
    const { child, url } = await start();
    const gone = Promise.all(USERS.map((userId) => workUntilKilled(url, userId, acknowledged)));
    const target = acknowledged.claims.size + 1 + dice.upTo(20);
    const isGone = gone.then(() => true);
    while (acknowledged.claims.size < target) {
      if (await Promise.race([wait(1), isGone])) break;
    }
    t.equal(await child.end('SIGKILL'), null);
    await gone;
  }
  const { child, url } = await start();
  t.strictSame(await findMissing(url, acknowledged), []);
  t.equal(await child.end('SIGTERM'), 0);
  const { links, submitted } = acknowledged;
  t.comment(`${links.size + submitted.size} links, ${submitted.size} claims`);
  t.strictSame(await readdir(folder), ['mock.json'], 'no temporary file and no lock is left');
}

t.test(`after a SIGKILL under load everything that was acknowledged is there (${KILLS} times)`, async (t) => {
  const root = t.testdir({});
  await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(t, root, lane)));
});

t.test('a second process is rejected with exit code 2 while the first one runs', async (t) => {
  const file = join(t.testdir({}), 'mock.json');
  const args = ['--port', '0', '--log', 'silent', '--persist', file];
  const first = startCli(t, args);
  await first.until(/curl/);
  await t.rejects(startCli(t, args).until(/curl/), {
    message: /ended with 2: claimlink: [^\n]*mock\.json is in use by the mock of process \d+;/,
  });
  t.equal(await first.end('SIGTERM'), 0);
});
