// A real PostgreSQL for tests: the one at DATABASE_URL, or one of the test's own in a temporary folder.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { access, chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import postgres from 'postgres';
import type { Test } from 'tap';
import type { AdminStorage, EventKey } from '../../lib/core/storage.js';
import {
  createPostgresStorage,
  fromPostgres,
  migrate,
  type PostgresDatabase,
} from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';

const run = promisify(execFile);

/** Folders of servers. A process that is interrupted runs no teardown: its exit ends the servers and deletes the folders. */
const folders = new Set<string>();
process.on('exit', () => {
  for (const folder of folders) {
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (basename(path) === 'postmaster.pid') killServer(join(folder, path));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});

function killServer(pidFile: string): void {
  try {
    process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGQUIT');
  } catch {
    // It has ended.
  }
}

/** What ends with a test, or with another scope. */
export type Scope = Pick<Test, 'teardown'>;

/** A running server. */
export interface PostgresServer {
  /** For `new pg.Pool({ connectionString })`. */
  url: string;
}

/** A server that the test may stop and start. */
export interface OwnPostgresServer extends PostgresServer {
  /** Its socket is in it; goes with the server. */
  folder: string;
  /** The file that the server logs to. */
  logFile: string;
  /** `immediate` is what a power cut looks like. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
}

/**
 * A server to use, shared with other tests: make a schema of your own in it.
 * `undefined`, and the test skipped in one line, where there is none; a failure under CI=true.
 */
export async function findPostgres(t: Test): Promise<PostgresServer | undefined> {
  const url = process.env['DATABASE_URL'];
  return url ? { url } : startPostgres(t);
}

/** The programs of PostgreSQL, and a temporary folder for their servers. It goes with the test. */
export interface PostgresTools {
  folder: string;
  /** The folder of the programs. */
  bin: string;
  /** The start of a command line of a program that does not run as root. */
  asUser: readonly string[];
  /** Runs a program. PostgreSQL does not run as root, so a test that runs as root uses another user. */
  call(program: string, ...args: string[]): Promise<void>;
}

/** Looks for the programs. `undefined` as `findPostgres` says. */
export async function openTools(t: Test): Promise<PostgresTools | undefined> {
  const bin = await findBinaries();
  if (bin === undefined) {
    const message = 'no PostgreSQL on this machine: set DATABASE_URL, or install initdb and pg_ctl';
    if (process.env['CI']) t.fail(message);
    else t.test(`tests on a real PostgreSQL are skipped: ${message}`, { skip: true }, () => {});
    return undefined;
  }
  return createTools(t, bin);
}

/** Returns the programs of a folder, such as `/usr/lib/postgresql/15/bin`. */
export async function createTools(t: Scope, bin: string): Promise<PostgresTools> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-pg-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder, 0o777);
  }
  const asUser = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
  folders.add(folder);
  t.teardown(async () => {
    await rm(folder, { recursive: true, force: true });
    folders.delete(folder);
  });
  return {
    folder,
    bin,
    asUser,
    async call(program, ...args) {
      const [command = '', ...rest] = [...asUser, join(bin, program), ...args];
      await run(command, rest, { cwd: folder });
    },
  };
}

/** Writes the files of a new server. */
export const initialize = ({ call }: PostgresTools, data: string): Promise<void> =>
  call('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');

/** Starts a server with its socket in a folder. Without fsync a commit survives the server, not the machine. */
export async function startServer(
  { call }: PostgresTools,
  { data, socket, logFile }: { data: string; socket: string; logFile: string },
): Promise<void> {
  const settings = ["listen_addresses=''", 'max_connections=200', 'fsync=off'];
  const options = [...settings.map((setting) => `-c ${setting}`), `-k ${socket}`].join(' ');
  await call('pg_ctl', '-D', data, '-w', '-l', logFile, '-o', options, 'start');
}

/** A server of the test's own; ends with it. `undefined` as `findPostgres` says. */
export async function startPostgres(t: Test): Promise<OwnPostgresServer | undefined> {
  const tools = await openTools(t);
  return tools && startOwnPostgres(t, tools);
}

/** Starts a server with the programs. It ends with the scope. */
export async function startOwnPostgres(t: Scope, tools: PostgresTools): Promise<OwnPostgresServer> {
  const { folder } = tools;
  const data = join(folder, 'data');
  const logFile = join(folder, 'log');
  const server: OwnPostgresServer = {
    folder,
    logFile,
    url: urlOf(folder),
    start: () => startServer(tools, { data, socket: folder, logFile }),
    stop: (mode) => tools.call('pg_ctl', '-D', data, '-w', '-m', mode, 'stop'),
  };
  t.teardown(() => server.stop('immediate').catch(() => {}));
  await initialize(tools, data);
  await server.start();
  return server;
}

/** Returns the URL of a server with its socket in a folder. */
export const urlOf = (socket: string): string => `postgres://postgres@localhost/postgres?host=${socket}`;

/** A pool that ends with the test, in a schema of its own that goes with it. */
export async function openSchema(
  t: Scope,
  server: PostgresServer,
  settings = '',
): Promise<{ pool: pg.Pool; schema: string }> {
  const schema = `t${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  const pool = new pg.Pool({
    connectionString: server.url,
    max: 20,
    options: `-c search_path=${schema} ${settings}`,
  });
  // A connection that breaks while idle is reported here; the next query reports it to its caller.
  pool.on('error', () => {});
  await pool.query(`CREATE SCHEMA ${schema}`);
  t.teardown(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`).catch(() => {});
    await pool.end();
  });
  return { pool, schema };
}

/** The settings of a connection, as each library takes them. */
export function settingsOf({ url }: PostgresServer) {
  const { host, port, user, password, database = 'postgres' } = new pg.Client({ connectionString: url });
  return { host, port, user: user ?? 'postgres', database, ...(password && { password }) };
}

/** The package `postgres` as a database for the storage. Its connections end with the test. */
export function openPostgresJs(
  t: Test,
  server: PostgresServer,
  options: postgres.Options<Record<string, never>> = {},
): PostgresDatabase {
  const sql = postgres({ ...settingsOf(server), max: 20, onnotice: () => {}, ...options });
  t.teardown(() => sql.end());
  return fromPostgres(sql);
}

/** Runs the storage suite. Each case begins with empty tables. */
export async function runSuite(t: Test, tables: pg.Pool, createStorage: () => AdminStorage): Promise<void> {
  const cases = storageSuite(async () => {
    await deleteRows(tables);
    return createStorage();
  });
  for (const { name, run } of cases) await t.test(name, run);
}

/** Creates a schema with the tables of claimlink, and a storage on them. */
export async function openTables(t: Scope, server: PostgresServer, settings = '') {
  const opened = await openSchema(t, server, settings);
  await migrate(opened.pool);
  return { ...opened, storage: createPostgresStorage(opened.pool) };
}

/** Deletes all rows. TRUNCATE takes longer for tables with a few rows. */
export async function deleteRows(
  database: { query(statement: string): Promise<unknown> },
  tablePrefix = 'claimlink_',
): Promise<void> {
  for (const table of ['clients', 'api_keys', 'sessions', 'links', 'sequences', 'outbox', 'event_types'])
    await database.query(`DELETE FROM ${tablePrefix}${table}`);
}

/** Locks the row of an event, as `lockEvent` of the storage suite. */
export async function lockEvent(
  pool: Pick<pg.Pool, 'connect'>,
  { clientId, id }: EventKey,
): Promise<() => Promise<void>> {
  const connection = await pool.connect();
  await connection.query('BEGIN');
  const row = 'SELECT FROM claimlink_outbox WHERE client_id = $1 AND event_id = $2 FOR UPDATE';
  await connection.query(row, [clientId, id]);
  return async () => {
    await connection.query('ROLLBACK');
    connection.release();
  };
}

/** What PgBouncer connects to in place of the socket in the folder, and further lines of its configuration. */
interface PoolerOptions {
  source?: string;
  settings?: string;
}

/**
 * PgBouncer in transaction mode in front of a server of the test's own; gives the URL to connect to.
 * `undefined`, and the test skipped in one line, where it is not installed; a failure under CI=true.
 */
export async function startPooler(
  t: Test,
  { folder, ...options }: { folder: string } & PoolerOptions,
): Promise<string | undefined> {
  const isInstalled = await run('pgbouncer', ['--version']).then(
    () => true,
    () => false,
  );
  if (!isInstalled) {
    const message = 'no pgbouncer on this machine';
    if (process.env['CI']) t.fail(message);
    else t.test(`tests behind a pooler are skipped: ${message}`, { skip: true }, () => {});
    return undefined;
  }
  return runPooler(t, folder, options);
}

/** Starts PgBouncer in front of the server whose socket is in a folder, and returns the URL to connect to. */
export async function runPooler(
  t: Scope,
  folder: string,
  { source = `host=${folder}`, settings = '' }: PoolerOptions = {},
): Promise<string> {
  const poolerFolder = await mkdtemp(join(folder, 'pooler-'));
  await chmod(poolerFolder, 0o777);
  const configuration = join(poolerFolder, 'pgbouncer.ini');
  await writeFile(join(poolerFolder, 'users'), '"postgres" ""');
  await writeFile(
    configuration,
    `[databases]
postgres = ${source} dbname=postgres user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = ${poolerFolder}
auth_type = any
auth_file = ${join(poolerFolder, 'users')}
pool_mode = transaction
default_pool_size = 4
${settings}
`,
  );
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asUser, configuration], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGINT');
    await exited;
  });
  const url = `postgres://postgres@localhost:6432/postgres?host=${poolerFolder}`;
  for (let attempt = 0; attempt < 200; attempt++) {
    const client = new pg.Client({ connectionString: url });
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (isUp) return url;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('pgbouncer did not come up');
}

/** The folder of the programs: on the PATH, or where Debian puts them. */
export async function findBinaries(): Promise<string | undefined> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...versions.sort().map((version) => join('/usr/lib/postgresql', version, 'bin')),
  ];
  for (const folder of folders) {
    const isInstalled = await Promise.all(
      ['initdb', 'pg_ctl', 'pg_basebackup'].map((name) => access(join(folder, name))),
    ).then(
      () => true,
      () => false,
    );
    if (isInstalled) return folder;
  }
  return undefined;
}
