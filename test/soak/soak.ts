// Mixed load on real parts for a long time: a PostgreSQL that fails over, two services with different mounts, and a mock.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createClaimlink, createLinkSigner } from '../../lib/index.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { connectMock } from '../../mock-server/control/connect.js';
import { startClaimsSystem } from '../cluster/claims-system.js';
import { createCluster } from '../cluster/cluster.js';
import { compare, type Reader, readPage, type Stored, startLoad, storedSql } from '../cluster/drill.js';
import { attachStandby, startPrimary } from '../cluster/replicas.js';
import { createDice } from '../mock-server/dice.js';
import { REPOSITORY } from '../repository.js';
import { createTools, findBinaries, type Scope } from '../storage/postgres-server.js';
import { startProxy } from '../storage/proxy.js';
import { requestOf, startActors, untilAvailable } from './actors.js';
import type { Sample, TimedSample } from './growth.js';
import { createTraffic } from './traffic.js';

const fileOf = (path: string) => fileURLToPath(new URL(path, REPOSITORY));
const NODE_ARGUMENTS = ['--expose-gc', '--import', fileOf('test/soak/sampler.mjs')];
const FAILOVER_MS = 300_000;
/** A failover is over for callers when this time has passed after the promotion. */
const SETTLE_MS = 10_000;
/** Time for the deliveries in the end, on a busy machine. */
const DRAIN_MS = 300_000;
/** The clock of the services runs faster: a lease takes six seconds, and a repetition comes soon. */
const CLOCK_SPEED = 10;
const KEYS_IN_RING = 4;

export interface SoakOptions {
  minutes: number;
  seed: number;
  /** Gets a line each minute. */
  report(line: string): void;
}

export interface SoakResult {
  statuses: Record<string, number>;
  /** Numbers by name. Each is for information. */
  counts: Record<string, number>;
  /** Broken promises by name. Each list is empty if the promises hold. */
  broken: Record<string, readonly string[]>;
  /** Samples of each process. */
  samples: Record<string, TimedSample[]>;
}

/** Runs the load. Everything that it starts ends with the scope. */
export async function soak(t: Scope, { minutes, seed, report }: SoakOptions): Promise<SoakResult> {
  const bin = await findBinaries();
  if (bin === undefined) throw new Error('The soak needs PostgreSQL: install initdb and pg_ctl.');
  const tools = await createTools(t, bin);
  const dice = createDice(seed);
  const traffic = createTraffic();
  t.teardown(traffic.stop);

  let primary = await startPrimary(t, tools);
  const proxy = await startProxy(t, primary);
  const pool = new pg.Pool({ connectionString: proxy.url, max: 5, idleTimeoutMillis: 0 });
  pool.on('error', () => {});
  t.teardown(() => void pool.end());

  const start = Date.now();
  const now = () => new Date(start + (Date.now() - start) * CLOCK_SPEED);
  const issuer = 'https://claims.example.com';
  const createKey = (kid: string) => ({
    kid,
    algorithm: 'HS256' as const,
    secret: randomBytes(32).toString('hex'),
  });
  type Key = ReturnType<typeof createKey>;
  let keys = [createKey('1')];
  const signerOf = () => createLinkSigner({ keys, issuer });
  let signer = signerOf();
  const storage = createPostgresStorage(pool);
  const host = createClaimlink({
    storage,
    publicUrl: issuer,
    signer: { sign: (...args) => signer.sign(...args), verify: (...args) => signer.verify(...args) },
    now,
    recordSubmissions: true,
    linkTtlSeconds: 2_592_000,
  });
  const claimsSystem = await startClaimsSystem(t, dice, async (reference) => {
    const session = await untilAvailable(() => host.findSession('acme', reference));
    return session !== undefined;
  });

  // The pool keeps its connections, so that the number of handles does not depend on pauses.
  const options = {
    pool: { max: 5, idleTimeoutMillis: 0 },
    service: { credentialCache: { maxAgeSeconds: 1 } },
    deliveryIntervalMs: 500,
  };
  const cluster = await createCluster(
    t,
    proxy,
    { pool, schema: 'public' },
    {
      CLUSTER_SECRET: keys[0]?.secret,
      CLUSTER_OPTIONS: JSON.stringify(options),
      CLUSTER_RECEIVER: claimsSystem.url,
      CLUSTER_START: String(start),
      CLUSTER_SPEED: String(CLOCK_SPEED),
    },
  );
  const nodeService = await cluster.spawn(NODE_ARGUMENTS);
  const fastifyService = await cluster.spawn(NODE_ARGUMENTS, { CLUSTER_MOUNT: 'fastify' });
  const services = [nodeService, fastifyService];
  const mock = await startMock(t);
  const control = connectMock(mock.url);
  let standby = await attachStandby(t, tools, primary);

  let apiKeys = [await host.addApiKey('acme')];
  const apiKey = () => apiKeys.at(-1)?.key ?? '';
  const readers: Reader[] = Array.from({ length: 2 }, () => ({ read: new Set(), position: {} }));
  const actors = startActors({ dice, traffic, services, host, storage, mockUrl: mock.url, readers, apiKey });
  const senders = services.map((service) => ({
    send: async (method: string, path: string, body?: unknown) => {
      const answer = await traffic.pass(() => service.send(method, path, body, apiKey()));
      traffic.record(`${method} ${path}`, answer, [200]);
      return answer;
    },
  }));
  const load = startLoad(t, senders, { workers: 2, pauseMs: 250, createRequest: () => requestOf(dice) });

  const samples: Record<string, TimedSample[]> = {};
  async function takeSamples() {
    await control.reset();
    await control.deleteSnapshot('soak');
    const processes = { 'node:http': nodeService.child, fastify: fastifyService.child, mock: mock.child };
    for (const [name, child] of Object.entries(processes)) {
      const sample = (await ask(child, 'sample')) as Sample;
      const hours = (Date.now() - start) / 3_600_000;
      samples[name] = [...(samples[name] ?? []), { hours, ...sample }];
    }
  }

  /** Each process verifies with the new key before one signs with it. The load may use old keys for some rotations. */
  async function rotateSigningKeys(number: number) {
    const [current, ...older] = keys.slice(0, KEYS_IN_RING) as [Key, ...Key[]];
    const next = createKey(String(number));
    for (const ring of [
      [current, next, ...older],
      [next, current, ...older],
    ]) {
      keys = ring;
      signer = signerOf();
      for (const { child } of services) await ask(child, { keys });
    }
  }

  /** Callers change to a new key. The one before the last is revoked, and must end when the caches have expired. */
  async function rotateApiKeys() {
    apiKeys.push(await untilAvailable(() => host.addApiKey('acme')));
    if (apiKeys.length <= 2) return;
    const [old, ...others] = apiKeys;
    apiKeys = others;
    await untilAvailable(() => host.revokeApiKey(old?.apiKey.id ?? ''));
    await wait(2000);
    const path = '/acme/sessions/user-1';
    for (const service of services)
      traffic.record('revoked key', await service.send('GET', path, undefined, old?.key), [401]);
  }

  const windows: { from: number; to: number }[] = [];
  async function failOver() {
    const from = performance.now();
    await primary.kill();
    await standby.promote();
    proxy.route(standby);
    primary = standby;
    windows.push({ from, to: performance.now() + SETTLE_MS });
    standby = await attachStandby(t, tools, primary);
  }

  const durationMs = minutes * 60_000;
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const failoverMs = Math.min(FAILOVER_MS, durationMs / 2);
  const tickMs = Math.min(30_000, durationMs / 40);
  let rotations = 0;
  let reported = 0;
  for (let tick = 1; elapsed() < durationMs; tick++) {
    await wait(Math.max(0, tick * tickMs - elapsed()));
    await traffic.rest(takeSamples);
    await rotateSigningKeys(tick + 1);
    await rotateApiKeys();
    rotations++;
    const next = (windows.length + 1) * failoverMs;
    if (elapsed() >= next && next < durationMs) await failOver();
    if (elapsed() < (reported + 1) * 60_000) continue;
    reported = Math.floor(elapsed() / 60_000);
    const sizes = Object.entries(samples).map(([name, list]) => `${name} ${megabytes(list.at(-1)?.heap)} MB`);
    report(
      `${reported} min: ${countAll(traffic.statuses)} requests, ${windows.length} failovers, heap of ${sizes.join(', ')}`,
    );
  }

  traffic.stop();
  await Promise.all([actors.ended, load.stop()]);
  for (const reader of readers) while (await readPage(storage, reader));
  const isDue = async () => (await storage.countEvents({ limit: 1 })).pending > 0;
  for (const end = performance.now() + DRAIN_MS; performance.now() < end && (await isDue()); )
    await wait(500);

  const [stored] = (await primary.query(storedSql('public'))) as unknown as [Stored];
  const { lost, doubled } = compare([...load.links, ...actors.links], stored);
  const references = stored.sessions.map(({ reference }) => reference);
  const twice = [...claimsSystem.accepted].filter(([, ids]) => new Set(ids).size > 1);
  const isInWindow = (at: number) => windows.some(({ from, to }) => at >= from && at <= to);
  const unexpected = traffic.failures.filter(({ at, isUnavailable }) => !(isUnavailable && isInWindow(at)));
  return {
    statuses: traffic.statuses,
    counts: {
      links: stored.links.length,
      submissions: references.length,
      failovers: windows.length,
      'rotations of keys': rotations,
      'attempts rejected by onSubmit': claimsSystem.rejected,
    },
    broken: {
      'unexpected 5xx, or no response': unexpected.map(({ text }) => text),
      'other unexpected responses': traffic.problems,
      'acknowledged and lost': lost,
      'two sessions of a link': doubled,
      'sessions without a delivered event': references.filter((each) => !claimsSystem.accepted.has(each)),
      'sessions with two events': twice.map(([reference]) => reference),
      'delivered before the commit': claimsSystem.early,
      'missed by a reader': readers.flatMap(({ read }) => references.filter((each) => !read.has(each))),
    },
    samples,
  };
}

export const megabytes = (bytes = 0): string => (bytes / 1_000_000).toFixed(1);
export const countAll = (counts: Record<string, number>): string =>
  Object.values(counts)
    .reduce((sum, count) => sum + count, 0)
    .toLocaleString('en');

/** Sends a message to a process and resolves to its answer. One question at a time. */
async function ask(child: ChildProcess, message: string | object): Promise<unknown> {
  const end = new AbortController();
  const ended = once(child, 'exit', { signal: end.signal }).then(([code, signal]) => {
    throw new Error(`A process of the soak has ended with ${code ?? signal}.`);
  });
  const answered = once(child, 'message', { signal: end.signal });
  child.send(message);
  try {
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  } finally {
    end.abort();
    await Promise.allSettled([answered, ended]);
  }
}

/** Starts the command of the mock. */
async function startMock(t: Scope): Promise<{ url: string; child: ChildProcess }> {
  const args = [...NODE_ARGUMENTS, fileOf('dist/cli/bin.js'), '--port', '0', '--log', 'silent'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  t.teardown(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout?.on('data', (text: Buffer) => {
    printed += text;
  });
  for (;;) {
    const url = /API +(http:\S+)/.exec(printed)?.[1];
    if (url !== undefined) return { url, child };
    if (child.exitCode !== null) throw new Error('The mock did not start.');
    await wait(20);
  }
}
