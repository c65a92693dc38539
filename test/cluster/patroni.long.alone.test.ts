// Two services under load over Patroni with etcd and HAProxy, as in examples/patroni: crashes of the leader, and switchovers.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { freePort } from '../listen.js';
import { REPOSITORY } from '../repository.js';
import { IS_RELEASE } from '../size.js';
import { openSchema, openTools, type PostgresTools } from '../storage/postgres-server.js';
import { createCluster } from './cluster.js';
import { compare, type Stored, startLoad, storedSql } from './drill.js';
import { killServer } from './replicas.js';

const FAILOVERS = 6;
const SWITCHOVERS = 3;

interface Node {
  name: string;
  data: string;
  restPort: number;
  postgresPort: number;
  start(): void;
  /** Ends Patroni and PostgreSQL at once. */
  crash(): Promise<void>;
}

interface Member {
  name: string;
  role: string;
}

/** Starts a program. It ends with the test. */
function start(tools: PostgresTools, log: string, command: string, ...args: string[]): ChildProcess {
  const file = openSync(join(tools.folder, `${log}.log`), 'a');
  const [program = '', ...rest] = [...tools.asUser, command, ...args];
  const child = spawn(program, rest, { cwd: tools.folder, stdio: ['ignore', file, file] });
  t.teardown(() => kill(child));
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Reads a file of the example, and fills in its variables. */
function fillIn(name: string, values: Record<string, string | number>): string {
  const text = readFileSync(new URL(`examples/patroni/${name}`, REPOSITORY), 'utf8');
  return text.replace(/\$\{([A-Z_]+)\}/g, (_, key: string) => String(values[key]));
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 180_000;
  while (!(await condition().catch(() => false))) {
    if (performance.now() > limit) throw new Error(`Within 180 s there was no ${what}.`);
    await wait(100);
  }
}

const tools = IS_RELEASE ? await openTools(t) : undefined;
if (!IS_RELEASE) t.test('Patroni is skipped: it needs npm run proof -- ha patroni', { skip: true }, () => {});

if (tools !== undefined) {
  const { folder } = tools;
  const etcdPort = await freePort();
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${await freePort()}`;
  const etcdFlags = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': etcdUrl,
    'advertise-client-urls': etcdUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
  };
  start(tools, 'etcd', 'etcd', ...Object.entries(etcdFlags).map(([name, value]) => `--${name}=${value}`));
  await until('etcd', async () => (await fetch(`${etcdUrl}/health`)).ok);

  async function createNode(name: string): Promise<Node> {
    const nodeFolder = join(folder, name);
    await mkdir(nodeFolder);
    await chmod(nodeFolder, 0o777);
    const data = join(nodeFolder, 'data');
    const [restPort, postgresPort] = [await freePort(), await freePort()];
    const ports = { REST_PORT: restPort, POSTGRES_PORT: postgresPort, ETCD_PORT: etcdPort };
    const file = join(nodeFolder, 'patroni.yml');
    const { bin = '' } = tools ?? {};
    await writeFile(file, fillIn('patroni.yml', { NAME: name, FOLDER: nodeFolder, BIN: bin, ...ports }));
    t.teardown(() => killServer(data));
    let patroni: ChildProcess | undefined;
    return {
      name,
      data,
      restPort,
      postgresPort,
      start() {
        patroni = start(tools as PostgresTools, name, 'patroni', file);
      },
      async crash() {
        await kill(patroni);
        await killServer(data);
      },
    };
  }
  const [a, b] = [await createNode('a'), await createNode('b')];
  const nodes = [a, b];

  /** Returns the member with a role, as a node that is up reports it. */
  async function nodeWith(role: string): Promise<Node | undefined> {
    for (const { restPort } of nodes) {
      const response = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined);
      const { members = [] } = ((await response?.json()) ?? {}) as { members?: Member[] };
      const member = members.find((each) => each.role === role);
      if (member) return nodes.find(({ name }) => name === member.name);
    }
    return undefined;
  }
  const isSynchronous = async () => (await nodeWith('sync_standby')) !== undefined;

  a.start();
  await until('leader', async () => (await nodeWith('leader')) !== undefined);
  b.start();
  await until('synchronous standby', isSynchronous);

  const port = await freePort();
  const ports = {
    PORT: port,
    A_POSTGRES_PORT: a.postgresPort,
    A_REST_PORT: a.restPort,
    B_POSTGRES_PORT: b.postgresPort,
    B_REST_PORT: b.restPort,
  };
  const configuration = join(folder, 'haproxy.cfg');
  await writeFile(configuration, fillIn('haproxy.cfg', ports));
  start(tools, 'haproxy', 'haproxy', '-f', configuration);
  const server = { url: `postgres://postgres@127.0.0.1:${port}/postgres` };
  // Before its first check, HAProxy connects to any node.
  await until('primary', async () => {
    for (let connection = 0; connection < 10; connection++) {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
      await client.end();
      if (rows[0].standby) return false;
    }
    return true;
  });

  const schema = await openSchema(t, server);
  const options = {
    pool: { connectionTimeoutMillis: 2000 },
    storage: { queryTimeoutSeconds: 2 },
    service: { recordSubmissions: true, storageTimeoutSeconds: 4 },
  };
  const cluster = await createCluster(t, server, schema, { CLUSTER_OPTIONS: JSON.stringify(options) });
  const services = await Promise.all([cluster.spawn(), cluster.spawn()]);

  async function check(t: Test, rounds: number, change: () => Promise<void>) {
    const load = startLoad(t, services);
    for (let round = 1; round <= rounds; round++) {
      await until('synchronous standby', isSynchronous);
      await load.progress(50);
      const from = performance.now();
      const before = await nodeWith('leader');
      await change();
      await until('new leader', async () => {
        const leader = await nodeWith('leader');
        return leader !== undefined && leader !== before;
      });
      await load.progress(50);
      t.comment(`round ${round}: no 200 for ${Math.round(load.gap(from, performance.now()))} ms`);
      if (before && change === crash) before.start();
    }
    await load.stop();
    await until('synchronous standby', isSynchronous);
    const { rows } = await schema.pool.query(storedSql(schema.schema));
    const differences = compare(load.links, rows[0] as Stored);
    const counts = Object.entries(differences).map(([name, list]) => `${list.length} ${name}`);
    const statuses = load.statuses();
    t.comment(
      `${load.links.length} links submitted twice: ${counts.join(', ')}; statuses ${JSON.stringify(statuses)}`,
    );
    return { differences, errors: Object.keys(statuses).filter((each) => !['200', '503'].includes(each)) };
  }
  const RIGHT = { differences: { lost: [], doubled: [], withoutEvent: [] }, errors: [] };

  async function crash(): Promise<void> {
    await (await nodeWith('leader'))?.crash();
  }

  async function switchOver(): Promise<void> {
    const leader = await nodeWith('leader');
    const candidate = await nodeWith('sync_standby');
    const response = await fetch(`http://127.0.0.1:${leader?.restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader?.name, candidate: candidate?.name }),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  t.test(`${FAILOVERS} crashes of the leader`, async (t) => {
    t.same(await check(t, FAILOVERS, crash), RIGHT);
  });

  t.test(`${SWITCHOVERS} switchovers`, async (t) => {
    t.same(await check(t, SWITCHOVERS, switchOver), RIGHT);
  });
}
