// Service processes over one PostgreSQL, as a company would run them: spawned, killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { hashApiKey } from '../../lib/index.js';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { linkRequest } from '../adapters/service.js';
import { REPOSITORY } from '../repository.js';
import type { PostgresServer, Scope } from '../storage/postgres-server.js';

const SCRIPT = fileURLToPath(new URL('test/cluster/service-process.mjs', REPOSITORY));
const KEY = 'clk_cluster';

/** One running service. */
export interface ServiceProcess {
  /** What `onError` got: the code of the cause, for each error. */
  errors: readonly string[];
  child: ChildProcess;
  port: number;
  /** Sends a request with the API key of the cluster, or another one; `undefined` when no answer came. */
  send(method: string, path: string, body?: unknown, apiKey?: string): Promise<Answer | undefined>;
  /** Sends a form of the page of a link, and asks for JSON. */
  sendForm(path: string, fields: Readonly<Record<string, string>>): Promise<Answer | undefined>;
  /** Revokes a link of the client, in the process. `undefined` when the process ended meanwhile. */
  revokeLink(linkId: string): Promise<boolean | undefined>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface Cluster {
  /** Starts one more process. */
  spawn(): Promise<ServiceProcess>;
  /** Mints links over one process; gives their paths. */
  mint(service: ServiceProcess, count: number): Promise<string[]>;
}

/** Migrates, provisions one client, and spawns processes that end with the test. They get the settings as variables. */
export async function createCluster(
  t: Scope,
  server: PostgresServer,
  { pool, schema }: { pool: pg.Pool; schema: string },
  settings: NodeJS.ProcessEnv = {},
): Promise<Cluster> {
  await migrate(pool, { schema });
  const storage = createPostgresStorage(pool, { schema });
  await storage.insertClient({ clientId: 'acme' });
  await storage.insertApiKey({ id: '1', clientId: 'acme', hash: hashApiKey(KEY), createdAt: new Date(0) });
  const env = {
    ...process.env,
    CLUSTER_DATABASE_URL: server.url,
    CLUSTER_SCHEMA: schema,
    CLUSTER_SECRET: randomBytes(32).toString('hex'),
    ...settings,
  };

  return {
    async spawn() {
      // Without the hooks that tap puts into the environment of child processes.
      const hooks = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE'];
      const child = spawn('env', [...hooks, process.execPath, SCRIPT], {
        env,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      const service = await connect(child);
      t.teardown(() => service.kill());
      return service;
    },

    async mint(service, count) {
      const paths: string[] = [];
      await inParallel(Array.from({ length: count }), 20, async () => {
        const answer = await service.send('POST', '/acme/link', linkRequest());
        const { data } = JSON.parse(answer?.body ?? '{}') as { data: string };
        paths.push(data.slice('https://claims.example.com'.length));
      });
      return paths;
    },
  };
}

async function connect(child: ChildProcess): Promise<ServiceProcess> {
  const exited = once(child, 'exit');
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(...chunk.toString().trim().split('\n')));
  const failed = exited.then(() => {
    throw new Error(`The service did not start: ${errors.join('\n')}`);
  });
  const [port] = child.stdout ? await Promise.race([once(child.stdout, 'data'), failed]) : [];
  failed.catch(() => {}); // it ends with the test
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const exchange = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<Answer | undefined>((resolve) => {
      const outgoing = request(
        { host: '127.0.0.1', port: Number(port), agent, method, path, headers },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', () => resolve(undefined));
          incoming.on('end', () => {
            const { statusCode: status = 0, headers } = incoming;
            resolve({ status, headers, body: Buffer.concat(chunks).toString() });
          });
        },
      );
      outgoing.on('error', () => resolve(undefined));
      outgoing.end(body);
    });
  return {
    child,
    port: Number(port),
    errors,
    send(method, path, body, apiKey = KEY) {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      return exchange(method, path, headers, body === undefined ? undefined : JSON.stringify(body));
    },
    sendForm(path, fields) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
      return exchange('POST', path, headers, String(new URLSearchParams(fields)));
    },
    revokeLink: (linkId) =>
      new Promise((resolve) => {
        const listen = (message: { linkId?: string; isRevoked?: boolean }) => {
          if (message.linkId === linkId) settle(message.isRevoked);
        };
        const settle = (result?: boolean) => {
          child.off('message', listen);
          resolve(result);
        };
        child.on('message', listen);
        exited.then(() => settle());
        child.send({ revoke: linkId }, (error) => error && settle());
      }),
    async kill() {
      agent.destroy();
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a task for each item, so many at a time. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  task: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (const [index, item] of queue) await task(item, index);
    }),
  );
}
