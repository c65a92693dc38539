// The example of a claims system: a delivery is repeated again and again, and its host is killed again and again. There is one
// claim for each submission.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Libsql from 'libsql';
import t, { type Test } from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { type Claimlink, createMemoryStorage, type Submission } from '../../lib/index.js';
import { createFolderStore } from '../../lib/photos/index.js';
import { createSqliteStorage } from '../../lib/storage/sqlite/index.js';
import { CLAIM, createTestService, linkRequest, mintLink, PUBLIC_URL } from '../adapters/service.js';
import { openDatabase, temporaryFile } from '../storage/sqlite-drivers.js';
import { type ProxiedRequest, startClaimsProxy } from './claims-proxy.js';
import { PUBLIC_URL as HOST_URL, type Host, pathOf, startHost } from './host.js';

const REDELIVERIES = 100;
const KILLS = 20;
/** Submissions before each kill. */
const SUBMISSIONS = 3;
const SIX_HOURS_MS = 6 * 3_600_000;
const TOKEN = 'token-of-the-claims-system';
const FNOL = { ...CLAIM, incident: { ...CLAIM.incident, type: 'glassbreakage' } };
/** Must not be in a log: data of the claim and of its user, and what gives access. */
const SECRETS = /Zoë|Muster|zoe@|30 1234|B-AB|P-77|windscreen|user-7|token-of|token=/;

const openLibsql = (path: string) => new Libsql(path);

const example = (name: string) => import(pathToFileURL(pathOf(`claims-system/${name}`)).href);
const { createClaimsSystem } = await example('claims-system.mjs');
const { createOnEvent, EVENTS } = await example('on-event.mjs');
const { createTasks } = await example('tasks.mjs');

interface ClaimsApi {
  url: string;
  /** References of the claims that are open, in their order. Each claim has its reporter. */
  references(): Promise<string[]>;
  restart(): Promise<void>;
}

/** Starts claims-api.mjs. Its URL stays over restarts. */
async function startClaimsApi(t: Test): Promise<ClaimsApi> {
  const args = [pathOf('claims-system/claims-api.mjs')];
  const env = { CLAIMS_FILE: temporaryFile(t), CLAIMS_TOKEN: TOKEN };
  let api = await startHost(t, args, { env });
  const url = `${api.origin}/rest/`;
  return {
    url,
    async references() {
      const response = await fetch(new URL('claim/v1/claims', url), {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const { data } = (await response.json()) as { data: { attributes: Record<string, unknown> }[] };
      return data
        .filter(({ attributes }) => attributes['state'] === 'open' && attributes['reporter'] !== null)
        .map(({ attributes }) => String(attributes['portalReference_Ext']));
    },
    async restart() {
      await api.kill();
      api = await startHost(t, args, { env: { ...env, PORT: new URL(url).port } });
    },
  };
}

/** Submits a claim with a new link of `acme`. */
async function submitDirectly(claimlink: Claimlink, claim: unknown): Promise<Submission> {
  const { url } = await claimlink.createLink('acme', linkRequest());
  const { pathname, searchParams } = new URL(url);
  return claimlink.submitClaim(String(pathname.split('/').at(-1)), String(searchParams.get('token')), claim);
}

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(100);
}

t.test(`an event that is delivered ${REDELIVERIES} times more opens one claim`, async (t) => {
  const api = await startClaimsApi(t);
  let lost = 0;
  const proxy = await startClaimsProxy(t, api.url, async (request) => {
    await request.forward();
    if (lost === REDELIVERIES) return request.respond();
    lost++;
    request.lose();
  });
  const log: string[] = [];
  const storage = createMemoryStorage();
  const { claimlink, clock } = await createTestService({
    createStorage: () => storage,
    onEvent: createOnEvent({
      claims: createClaimsSystem({ url: proxy.url, token: TOKEN }),
      tasks: createTasks(openDatabase(t, openLibsql, ':memory:')),
      log: (line: string) => log.push(line),
    }),
    onError: (error) => log.push(`${error}`),
  });
  await claimlink.updateClient({
    clientId: 'acme',
    settings: { form: { incidentTypes: [{ key: 'glassbreakage', texts: { en: 'Glass' } }] } },
  });
  const { reference } = await submitDirectly(claimlink, FNOL);
  await claimlink.idle();
  for (let { pending, failed } = await claimlink.deliverPending(); pending + failed > 0; ) {
    clock.now = new Date(clock.now.getTime() + SIX_HOURS_MS);
    await storage.retryEvents({ at: clock.now }); // as `claimlink deliveries retry` does after 20 attempts
    ({ pending, failed } = await claimlink.deliverPending());
  }

  t.same(await api.references(), [reference]);
  t.equal(lost, REDELIVERIES);
  t.same(proxy.statuses, [200, ...Array(REDELIVERIES).fill(400)], 'only the first request opens a claim');
  t.equal(log.filter((line) => line === `claim ${reference} was opened before`).length, 1);
  t.notMatch(log.join('\n'), SECRETS);
});

t.test('an error of the claims system is not a delivery, whatever text it repeats', async (t) => {
  const api = await startClaimsApi(t);
  const text = 'gw.api.webservice.exception.AlreadyExecutedException';
  const { claimlink } = await createTestService();
  const incident = { date: '2026-05-01', description: text };
  const { session } = await submitDirectly(claimlink, { ...CLAIM, incident });
  const event = { id: '1', session: { ...session, incident: { ...incident, date: text } } };
  for (const [token, code] of [
    [TOKEN, 'HTTP_400'],
    ['another', 'HTTP_401'],
  ]) {
    const claims = createClaimsSystem({ url: api.url, token });
    await t.rejects(claims.openClaim(event), { code, message: /^The claims system responded with 40\d\.$/ });
  }
  t.same(await api.references(), []);
  // The transaction of the error was undone, so its id is free.
  const claims = createClaimsSystem({ url: api.url, token: TOKEN });
  t.same(await claims.openClaim({ id: '1', session }), { isRepeated: false });
  t.same(await claims.openClaim({ id: '1', session }), { isRepeated: true });
  await api.restart();
  t.same(await claims.openClaim({ id: '1', session }), { isRepeated: true }, 'also after a restart');
  t.same(await api.references(), [session.reference]);
});

t.test('each event of a link changes the task of an employee, in any order', async (t) => {
  const tasks = createTasks(openDatabase(t, openLibsql, ':memory:'));
  const store = createFolderStore(t.testdir());
  const log: string[] = [];
  const { claimlink, clock } = await createTestService({
    events: EVENTS,
    photos: { store },
    onEvent: createOnEvent({ claims: undefined, tasks, log: (line: string) => log.push(line) }),
  });
  await claimlink.updateClient({ clientId: 'acme', settings: { allowDecline: true } });
  const service = { claimlink } as Parameters<typeof mintLink>[0];
  const handler = createFetchHandler(claimlink);
  const post = async (path: string, fields: Record<string, string>) => {
    const request = new Request(PUBLIC_URL + path, { method: 'POST', body: new URLSearchParams(fields) });
    t.equal((await handler(request)).status, 200);
    await claimlink.idle();
  };
  const config = (currentUserId: string) => ({ ...linkRequest().config, currentUserId });
  const [wrong, closed, , renewed, early] = await Promise.all(
    ['user-70', 'user-71', 'user-72', 'user-73', 'user-74'].map((user) =>
      mintLink(service, { config: config(user) }),
    ),
  );
  const all = await claimlink.listLinks('acme', { limit: 10 });
  const idOf = (user: string) => String(all.links.find(({ userId }) => userId === user)?.linkId);
  const has = (expected: Record<string, string>) => {
    const entries = tasks.list().map(({ linkId, task }: { linkId: string; task: string }) => [linkId, task]);
    const named = Object.entries(expected).map(([user, task]) => [idOf(user), task]);
    t.same(Object.fromEntries(entries), Object.fromEntries(named));
  };

  await post(String(wrong), { action: 'decline', why: 'wrong_person' });
  await post(String(closed), { action: 'decline', why: 'reported_already' });
  has({ 'user-70': 'check the address' });

  clock.now = new Date(clock.now.getTime() + 30 * 24 * 3_600_000);
  // The request comes before `deliverPending` has recorded the end of the link.
  await post(String(early), { action: 'renew' });
  await claimlink.deliverPending();
  has({
    'user-70': 'check the address',
    'user-72': 'remind',
    'user-73': 'remind',
    'user-74': 'send a new link',
  });
  await post(String(renewed), { action: 'renew' });

  const photo = { photoId: 'a'.repeat(64), type: 'image/jpeg', size: 1 } as const;
  async function* body() {
    yield Buffer.from('1');
  }
  for (const user of ['user-70', 'user-73']) {
    const link = { clientId: 'acme', linkId: idOf(user) };
    await store.put({ ...link, ...photo }, body(), new AbortController());
  }
  const [declined, expired] = ['user-70', 'user-73'].map(idOf);
  await claimlink.deleteUser('acme', 'user-70');
  await claimlink.idle();
  has({ 'user-72': 'remind', 'user-73': 'send a new link', 'user-74': 'send a new link' });
  const left = await store.links({ limit: 10 });
  t.notOk(
    left.some(({ linkId }) => linkId === declined),
    'the photos of a deleted link are gone',
  );
  t.ok(
    left.some(({ linkId }) => linkId === expired),
    'and no others',
  );
  t.match(log.join('\n'), /^data\.deleted [\w-]{36} is handled, attempt 1$/m);
  t.notMatch(log.join('\n'), SECRETS);
});

/**
 * When the host is killed: after the response to a submission, before the claims system has the claim, before the host has its
 * response, and after that.
 */
const STAGES = ['submission', 'request', 'stored', 'settling'] as const;

t.test(`${KILLS} kills of the host: each submission opens one claim, and none is lost`, async (t) => {
  const api = await startClaimsApi(t);
  const database = temporaryFile(t);
  let plan: { stage: (typeof STAGES)[number]; host: Host; killed: () => void } | undefined;
  const logs: string[] = [];

  async function handle(request: ProxiedRequest): Promise<void> {
    const { stage, host, killed } = plan ?? {};
    if (host !== undefined && stage !== 'submission') plan = undefined;
    if (stage !== 'request') await request.forward();
    if (stage === 'settling' || stage === 'submission' || stage === undefined) await request.respond();
    if (host === undefined || stage === 'submission') return;
    await host.kill();
    request.lose();
    killed?.();
  }

  const proxy = await startClaimsProxy(t, api.url, handle);
  const env = {
    DATABASE: database,
    PHOTOS: join(database, '..', 'photos'),
    CLAIMS_URL: proxy.url,
    CLAIMS_TOKEN: TOKEN,
    SIGNING_SECRET: '0123456789abcdef'.repeat(4),
  };
  const start = () => startHost(t, [pathOf('claims-system/host.mjs')], { env });

  /** The reference of each submission by the path of its link. Without a response, there is none yet. */
  const references = new Map<string, string | undefined>();

  async function createLink({ origin, key }: Host): Promise<string> {
    const body = linkRequest();
    body.config.currentUserId = 'user-7';
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/claims/acme/link`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data: string };
    return data.replace(HOST_URL, '/claims');
  }

  async function submit({ origin }: Host, path: string): Promise<void> {
    references.set(path, references.get(path));
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(FNOL) });
      const { data } = (await response.json()) as { data: { reference: string } };
      references.set(path, data.reference);
    } catch {
      // The host was killed. Whether the claim is stored is unknown, so it is sent again.
    }
  }

  for (let kill = 0; kill < KILLS; kill++) {
    const host = await start();
    const paths: string[] = [];
    for (let n = 0; n < SUBMISSIONS; n++) paths.push(await createLink(host));
    const stage = STAGES[kill % STAGES.length] as (typeof STAGES)[number];
    const isKilled = new Promise<void>((resolve) => {
      plan = { stage, host, killed: resolve };
    });
    const submissions = paths.map((path) => submit(host, path));
    if (stage === 'submission') {
      await Promise.race(submissions);
      plan = undefined;
      await host.kill();
    } else await isKilled;
    await Promise.all(submissions);
    logs.push(host.log());
    if (kill === KILLS / 2) await api.restart();
  }

  const unanswered = [...references].filter(([, reference]) => reference === undefined);
  const host = await start();
  await Promise.all(unanswered.map(([path]) => submit(host, path)));
  const storage = createSqliteStorage(openDatabase(t, openLibsql, database));
  const submitted = KILLS * SUBMISSIONS;
  const sorted = (list: Iterable<string | undefined>) => [...list].map(String).sort();
  await until(async () => {
    const { pending, failed } = await storage.countEvents({ limit: 1000 });
    return pending + failed === 0;
  });
  t.equal(new Set(references.values()).size, submitted, 'each submission has a reference');
  t.same(sorted(await api.references()), sorted(references.values()), 'one claim for each');
  const repeated = proxy.statuses.filter((status) => status === 400).length;
  t.comment(
    `${unanswered.length} submissions without a response, ${repeated} requests for an open claim, of ${proxy.statuses.length}`,
  );
  t.ok(repeated >= KILLS / STAGES.length, 'deliveries were repeated after the claim was open');
  t.equal(await host.end(), 0);
  t.notMatch([...logs, host.log()].join('\n').replaceAll(/^curl.*$/gm, ''), SECRETS);
});
