// Without pg: commands that need it say so, and the others work.
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startCli } from '../mock-server/child.js';
import { REPOSITORY } from '../repository.js';

const ROOT = fileURLToPath(REPOSITORY);

/** The built package in a folder that has every dependency but pg. */
async function installWithoutPg(folder: string): Promise<string> {
  await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name.startsWith('.') || name.startsWith('pg')) continue;
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return join(folder, 'dist/cli/bin.js');
}

t.test('one sentence says what to install; commands without a database work', async (t) => {
  // Not below this repository, whose node_modules would be found.
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-no-pg-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const cli = await installWithoutPg(folder);
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
