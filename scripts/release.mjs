// npm run release -- 1.2.3: checks the repository, sets the version, dates the changelog, commits and tags.
//
// It publishes nothing and pushes nothing: it prints the commands that do.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const USAGE = `npm run release -- <version> [--skip-checks]
  version         the new version, for example 1.2.3
  --skip-checks   does not run the type check, the linters and the tests`;
const CHECKS = ['typecheck', 'lint', 'knip', 'docs:api', 'package:check', 'test', 'test:release'];
const BRANCH = 'main';
const UNRELEASED = '## [Unreleased]';

try {
  release(readCommandLine());
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}

function release({ version, skipChecks }) {
  const { version: current } = JSON.parse(readFileSync('package.json', 'utf8'));
  const tag = `v${version}`;
  if (compareVersions(version, current) <= 0) throw new Error(`${version} is not newer than ${current}`);
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== BRANCH) throw new Error(`the branch is ${branch}, not ${BRANCH}`);
  assertClean();
  if (git('tag', '--list', tag) !== '') throw new Error(`the tag ${tag} exists`);
  const changelog = dateChangelog(readFileSync('CHANGELOG.md', 'utf8'), version);

  for (const check of skipChecks ? [] : CHECKS) npm('run', check);
  // A check may have written a file, for example the lock file.
  assertClean();

  npm('version', version, '--no-git-tag-version', '--ignore-scripts');
  writeFileSync('CHANGELOG.md', changelog);
  git(
    'commit',
    '--quiet',
    '--message',
    `Release ${version}`,
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
  );
  git('tag', '--annotate', tag, '--message', `Version ${version}`);
  process.stdout.write(
    `Committed and tagged ${tag}. Nothing is published. Next: git push --follow-tags && npm publish\n`,
  );
}

function readCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'skip-checks': { type: 'boolean', default: false } },
  });
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0) throw new Error(`name one version\n${USAGE}`);
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`${version} is not a version such as 1.2.3\n${USAGE}`);
  return { version, skipChecks: values['skip-checks'] };
}

function compareVersions(a, b) {
  return a.localeCompare(b, 'en', { numeric: true });
}

function assertClean() {
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`the working tree has changes:\n${changes}`);
}

/** Returns the changelog with the unreleased changes below the heading of this version. */
function dateChangelog(text, version) {
  const [before, after] = text.split(`\n${UNRELEASED}\n`, 2);
  const changes = after?.split(/^## /m, 1)[0]?.trim();
  if (!changes) throw new Error(`CHANGELOG.md has nothing below ${UNRELEASED}`);
  const today = new Date().toISOString().slice(0, 10);
  return `${before}\n${UNRELEASED}\n\n## [${version}] - ${today}\n${after}`;
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function npm(...args) {
  // On Windows, npm is a script that only a shell runs.
  execFileSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
}
