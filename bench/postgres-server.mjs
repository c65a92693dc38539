// Starts a PostgreSQL server in a temporary folder, on a Unix socket.
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pinned, startProcess, waitUntilReady } from './processes.mjs';

/** Debian does not put initdb and postgres into the PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const INITDB_FLAGS = '-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync'.split(' ');

/**
 * Opens a new schema: on the server at DATABASE_URL, or on a server that is started with these `name=value` settings.
 * At the end of the part the schema is dropped, or the server is stopped. Resolves to `{ url, schema, pool, isOwn, cpuMicroseconds }`;
 * the last one returns the CPU time of the server if it was started here.
 */
export async function openDatabase(settings, context) {
  const schema = `claimlink_bench_${process.pid}`;
  const isOwn = process.env.DATABASE_URL === undefined;
  const { url, cpuMicroseconds } = isOwn
    ? await startPostgres(settings, context)
    : { url: process.env.DATABASE_URL };
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  context.defer(() => pool.end());
  await pool.query(`CREATE SCHEMA ${schema}`);
  if (!isOwn) context.defer(() => pool.query(`DROP SCHEMA ${schema} CASCADE`));
  return { url, schema, pool, isOwn, cpuMicroseconds };
}

async function startPostgres(settings, { signal, defer }) {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-postgres-'));
  defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const versions = await readdir(DEBIAN_FOLDER).catch(() => []);
  const folders = versions.toSorted().map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const environment = { PATH: [process.env.PATH, ...folders].join(':') };
  // PostgreSQL does not run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chmod(folder, 0o777);
  const user = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
  const start = (program, ...args) => {
    const [command, ...commandArgs] = [...user, program, '-D', join(folder, 'data'), ...args];
    // SIGINT is PostgreSQL's fast shutdown.
    return startProcess(...pinned(1, command, commandArgs), { folder, environment, stopSignal: 'SIGINT' });
  };
  const initdb = start('initdb', ...INITDB_FLAGS);
  await initdb.exited;
  const options = ['listen_addresses=', ...settings].flatMap((setting) => ['-c', setting]);
  const server = start('postgres', '-k', folder, ...options);
  defer(() => server.stop());
  const url = `postgres://postgres@localhost/postgres?host=${folder}`;
  // If initdb failed, its output says why.
  await waitUntilReady(server, `PostgreSQL (${initdb.printed()})`, () => canConnect(url), signal);
  return { url, cpuMicroseconds: server.familyCpuMicroseconds };
}

async function canConnect(url) {
  const pool = new pg.Pool({ connectionString: url });
  const answer = await pool.query('SELECT 1').catch(() => undefined);
  await pool.end();
  return answer !== undefined;
}
