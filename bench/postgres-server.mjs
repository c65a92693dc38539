// A PostgreSQL of a benchmark's own, in a temporary folder that goes with it.
import { execFile } from 'node:child_process';
import { access, chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Starts a server on a Unix socket; resolves to `{ url, stop }`.
 * `settings` are `name=value` pairs for its command line. `stop` ends it and removes its folder.
 */
export async function startPostgres(settings = []) {
  const bin = await findBinaries();
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-bench-'));
  const data = join(folder, 'data');
  // PostgreSQL refuses to run as root: nobody runs it then, in a folder that is nobody's.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chmod(folder, 0o777);
  const asUser = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
  const call = (program, ...args) => {
    const [command, ...rest] = [...asUser, join(bin, program), ...args];
    return run(command, rest, { cwd: folder });
  };
  const stop = async () => {
    await call('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop').catch(() => {});
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await call('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
    const options = ["listen_addresses=''", ...settings].map((setting) => `-c ${setting}`).join(' ');
    const log = join(folder, 'log');
    await call('pg_ctl', '-D', data, '-w', '-l', log, '-o', `${options} -k ${folder}`, 'start');
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres@localhost/postgres?host=${folder}`, stop };
}

/** The folder of initdb and pg_ctl: on the PATH, or where Debian puts them. */
async function findBinaries() {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    ...versions.sort().map((version) => join('/usr/lib/postgresql', version, 'bin')),
  ];
  for (const folder of folders) {
    const both = ['initdb', 'pg_ctl'].map((name) => access(join(folder, name)));
    const found = await Promise.all(both).then(
      () => true,
      () => false,
    );
    if (found) return folder;
  }
  throw new Error('no PostgreSQL on this machine: give --database-url, or install initdb and pg_ctl');
}
