// Without the driver of a database, commands that need it say so, and the others work.
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startCli } from '../mock-server/child.js';
import { createFolder, ROOT, run } from '../package/programs.js';

/** Packages whose names start with these are not installed with claimlink. */
const DRIVERS = ['pg', 'libsql', 'better-sqlite3'];

/** Installs the built package with every dependency but the drivers. Not below this repository: its node_modules would be found. */
async function installWithoutDrivers(t: Test): Promise<{ folder: string; cli: string }> {
  const folder = await createFolder(t);
  await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name.startsWith('.') || DRIVERS.some((driver) => name.startsWith(driver))) continue;
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return { folder, cli: join(folder, 'dist/cli/bin.js') };
}

t.test('one sentence says what to install; commands without a database work', async (t) => {
  const { cli } = await installWithoutDrivers(t);
  const env = { CLAIMLINK_DATABASE_URL: 'postgres://bob:s3cret@localhost/claims' };
  for (const args of [['migrate'], ['keys', 'list', '--client', 'a'], ['clients', 'list']]) {
    await t.rejects(startCli(t, args, env, cli).until(/never/), {
      message:
        'The process ended with 2: claimlink: PostgreSQL needs the package pg; install it with `npm install pg`.\n',
    });
  }
  t.match(await startCli(t, ['migrate', '--dry-run'], env, cli).until(/links_by_expiry/), 'CREATE TABLE');
  const mock = startCli(t, ['--port', '0', '--ready-json'], {}, cli);
  t.match(await mock.until(/\n/), '"url"');
  t.equal(await mock.end('SIGTERM'), 0);
});

t.test('SQLite needs a driver where the command runs, unless Node has one', async (t) => {
  const { folder, cli } = await installWithoutDrivers(t);
  const migrate = (cwd: string) =>
    run(process.execPath, [cli, 'migrate', '--database', 'sqlite:claims.db'], cwd, { DATABASE_URL: '' });
  if (!hasSqlite())
    await t.rejects(migrate(folder), {
      message:
        /claimlink: SQLite needs Node 22\.13 or newer, or a driver in the current folder; install one with `npm install better-sqlite3`\.\n/,
    });
  const host = await createFolder(t);
  await mkdir(join(host, 'node_modules'));
  await symlink(join(ROOT, 'node_modules/libsql'), join(host, 'node_modules/libsql'));
  t.match((await migrate(host)).stdout, /^(?:Applied version \d+\.\n)+$/);
});

function hasSqlite(): boolean {
  try {
    createRequire(import.meta.url)('node:sqlite');
    return true;
  } catch {
    return false;
  }
}
