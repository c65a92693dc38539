// A primary PostgreSQL and its standby, with their sockets in a temporary folder.
import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  initialize,
  type PostgresServer,
  type PostgresTools,
  type Scope,
  startServer,
  urlOf,
} from '../storage/postgres-server.js';
import { startProxy } from '../storage/proxy.js';

const run = promisify(execFile);

/** A server of a pair. */
export interface Replica extends PostgresServer {
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Makes a standby the primary. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Resolves when it accepts connections again. */
  restart(): Promise<void>;
  /** Ends all its processes with SIGKILL at the same moment, as a crash of the machine, and deletes its files. */
  kill(): Promise<void>;
}

/** How a standby follows its primary. */
export interface Replication {
  /** `synchronous_commit` of the primary. `local` is asynchronous: commits do not wait for the standby. Default: on. */
  commit?: 'on' | 'remote_apply' | 'local';
  /** The standby gets the WAL so much later. Default: 0. */
  lagMs?: number;
}

/** Starts a primary without a standby. It ends with the test. */
export async function startPrimary(t: Scope, tools: PostgresTools): Promise<Replica> {
  const folder = await createFolder(tools);
  await initialize(tools, join(folder, 'data'));
  return startReplica(t, tools, folder);
}

/** Starts a standby, which ends with the test. It follows the primary when this resolves. */
export async function attachStandby(
  t: Scope,
  tools: PostgresTools,
  primary: Replica,
  { commit = 'on', lagMs = 0 }: Replication = {},
): Promise<Replica> {
  const folder = await createFolder(tools);
  const data = join(folder, 'data');
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  await tools.call('pg_basebackup', '-d', primary.url, '-D', data, ...options);
  if (lagMs > 0) {
    const { port } = new URL((await startProxy(t, primary, lagMs)).url);
    const source = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`;
    await appendFile(join(data, 'postgresql.auto.conf'), source);
  }
  const standby = await startReplica(t, tools, folder);
  // The copy was made before, so a promoted standby does not wait for a standby of its own.
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.query(`ALTER SYSTEM SET synchronous_commit = '${commit}'`);
  await primary.query('SELECT pg_reload_conf()');
  for (;;) {
    const standbys = await primary.query('SELECT sync_state FROM pg_stat_replication');
    if (standbys.some((row) => row['sync_state'] === 'sync')) return standby;
    await wait(10);
  }
}

let folders = 0;
async function createFolder(tools: PostgresTools): Promise<string> {
  const folder = join(tools.folder, `replica-${++folders}`);
  await mkdir(folder);
  await chmod(folder, 0o777);
  return folder;
}

async function startReplica(t: Scope, tools: PostgresTools, folder: string): Promise<Replica> {
  const data = join(folder, 'data');
  const kill = async () => {
    await killServer(data);
    // A process that ends may still write.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  t.teardown(kill);
  const logFile = join(folder, 'log');
  await startServer(tools, { data, socket: folder, logFile });
  const url = urlOf(folder);
  return {
    url,
    promote: () => tools.call('pg_ctl', '-D', data, '-w', 'promote'),
    restart: () => tools.call('pg_ctl', '-D', data, '-w', '-l', logFile, 'restart'),
    kill,
    async query(sql) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client.query(sql).then(
        ({ rows }) => client.end().then(() => rows),
        (error) => client.end().then(() => Promise.reject(error)),
      );
    },
  };
}

/** Ends all processes of the server with these files by SIGKILL, as a crash does. */
export async function killServer(data: string): Promise<void> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const postmaster = Number(lines[0]);
  if (!postmaster) return;
  // A stopped process starts no further ones.
  signal(postmaster, 'SIGSTOP');
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => '');
  for (const pid of [postmaster, ...(children.match(/\d+/g) ?? [])]) signal(Number(pid), 'SIGKILL');
  // The only thing that the kernel does not take back: a segment of shared memory. Its id is in the file.
  const segment = lines[6]?.trim().split(/\s+/)[1];
  if (segment !== undefined) await run('ipcrm', ['-m', segment]).catch(() => {});
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}
