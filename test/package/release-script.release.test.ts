// `npm run release` in a clone, without the checks that take minutes.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createFolder, ROOT, run } from './programs.js';

const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A change.\n\n## [0.1.0] - 2026-01-01\n\n- The first.\n';

/** Creates a repository with the files that a release reads and writes. */
async function createRepository(t: Test, changelog = CHANGELOG): Promise<string> {
  const folder = await createFolder(t);
  for (const name of ['package.json', 'package-lock.json']) {
    const manifest = JSON.parse(await readFile(join(ROOT, name), 'utf8'));
    manifest.version = '0.1.0';
    if (manifest.packages) manifest.packages[''].version = '0.1.0';
    await writeFile(join(folder, name), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  await writeFile(join(folder, 'CHANGELOG.md'), changelog);
  const start = 'git init --quiet --initial-branch=main && git add . && git commit --quiet --message Start';
  await run('sh', ['-c', start], folder, AUTHOR);
  return folder;
}

/** A machine may have no author configured. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

async function git(folder: string, ...args: string[]): Promise<string> {
  return (await run('git', args, folder)).stdout.trim();
}

const release = (folder: string, ...args: string[]) =>
  run(process.execPath, [join(ROOT, 'scripts/release.mjs'), ...args], folder, AUTHOR);

t.test('a release sets the version, dates the changelog, commits, tags, and publishes nothing', async (t) => {
  const folder = await createRepository(t);
  const before = new Date().toISOString().slice(0, 10);
  const { stdout } = await release(folder, '0.2.0', '--skip-checks');
  const after = new Date().toISOString().slice(0, 10);
  t.match(stdout, 'Nothing is published. Next: git push --follow-tags && npm publish');

  t.equal(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version, '0.2.0');
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  t.strictSame([lock.version, lock.packages[''].version], ['0.2.0', '0.2.0']);
  const expected = [before, after].map((date) =>
    CHANGELOG.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [0.2.0] - ${date}\n`),
  );
  t.ok(
    expected.includes(await readFile(join(folder, 'CHANGELOG.md'), 'utf8')),
    'the date is that of the release',
  );

  t.equal(await git(folder, 'status', '--porcelain'), '');
  t.equal(await git(folder, 'log', '-1', '--format=%s'), 'Release 0.2.0');
  t.equal(await git(folder, 'describe', '--exact-match'), 'v0.2.0');
});

const REJECTIONS: Readonly<
  Record<
    string,
    { version: string; reason: RegExp; changelog?: string; prepare?: (folder: string) => Promise<unknown> }
  >
> = {
  'a version that is not newer': { version: '0.1.0', reason: /0\.1\.0 is not newer than 0\.1\.0/ },
  'a text that is not a version': { version: '1.2', reason: /1\.2 is not a version such as 1\.2\.3/ },
  'another branch': {
    version: '0.10.0',
    reason: /the branch is topic, not main/,
    prepare: (folder) => git(folder, 'checkout', '--quiet', '-b', 'topic'),
  },
  'a working tree with changes': {
    version: '0.2.0',
    reason: /the working tree has changes/,
    prepare: (folder) => writeFile(join(folder, 'new.txt'), ''),
  },
  'a tag that exists': {
    version: '0.2.0',
    reason: /the tag v0\.2\.0 exists/,
    prepare: (folder) => git(folder, 'tag', 'v0.2.0'),
  },
  'a changelog without changes': {
    version: '0.2.0',
    reason: /CHANGELOG\.md has nothing below ## \[Unreleased\]/,
    changelog: '# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- The first.\n',
  },
};

for (const [name, { version, reason, changelog, prepare }] of Object.entries(REJECTIONS)) {
  t.test(`a release is rejected for ${name}`, async (t) => {
    const folder = await createRepository(t, changelog);
    await prepare?.(folder);
    const status = await git(folder, 'status', '--porcelain');
    await t.rejects(release(folder, version, '--skip-checks'), reason);
    t.equal(await git(folder, 'status', '--porcelain'), status, 'nothing has changed');
    t.equal(await git(folder, 'log', '-1', '--format=%s'), 'Start');
  });
}

t.test('a release is rejected if a check fails', async (t) => {
  // The repository of the test has no code, so the first check fails.
  const folder = await createRepository(t);
  await t.rejects(release(folder, '0.2.0'), /Command failed: npm run typecheck/);
  t.equal(await git(folder, 'log', '-1', '--format=%s'), 'Start');
});
