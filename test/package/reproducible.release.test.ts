// The tarball depends on the commit only: not on the clone, the umask or the version of Node.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, realpath, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { IS_RELEASE } from '../size.js';
import { createFolder, ROOT, run } from './programs.js';

interface Packed {
  sha256: string;
  /** The paths of the files, below `package/`. */
  paths: readonly string[];
}

/** Clones the repository and runs `npm pack` there, which builds the package. */
async function packClone(folder: string, name: string, { umask = '022', path = '' } = {}): Promise<Packed> {
  const clone = join(folder, name);
  const env = { PATH: [path, process.env['PATH']].filter(Boolean).join(delimiter) };
  const shell = (script: string, cwd: string) => run('sh', ['-c', `umask ${umask} && ${script}`], cwd, env);
  await shell(`git clone --quiet --no-hardlinks "${ROOT}" ${name}`, folder);
  await symlink(await realpath(join(ROOT, 'node_modules')), join(clone, 'node_modules'), 'junction');
  const { stdout } = await shell('npm pack --silent', clone);
  const file = stdout.trim().split('\n').at(-1) ?? '';
  const { stdout: list } = await run('tar', ['-tzf', file], clone);
  const sha256 = createHash('sha256')
    .update(await readFile(join(clone, file)))
    .digest('hex');
  return { sha256, paths: list.trim().split('\n') };
}

/** The folder of another version of Node, one of the runtimes. */
const OTHER_NODE = join(
  ROOT,
  'test/runtimes/packages/node_modules',
  process.version.startsWith('v22.') ? 'node24' : 'node22',
  'bin',
);
const skip =
  (!IS_RELEASE && 'it builds the package twice: npm run test:release runs it') ||
  (!existsSync(OTHER_NODE) && 'it needs npm ci --prefix test/runtimes/packages') ||
  (!existsSync(join(ROOT, '.git')) && 'this folder is not a clone of the repository');

t.test('two clones, built by two versions of Node, give the same tarball', { skip }, async (t) => {
  const folder = await createFolder(t);
  const first = await packClone(folder, 'first');
  t.ok(first.paths.includes('package/dist/lib/index.js'), 'npm pack in a fresh clone builds the code');
  const { stdout } = await run(join(OTHER_NODE, 'node'), ['--version'], folder);
  t.notMatch(stdout, process.version);
  const second = await packClone(folder, 'second', { umask: '002', path: OTHER_NODE });
  t.equal(second.sha256, first.sha256, `the same bytes with Node ${stdout.trim()}`);
});
