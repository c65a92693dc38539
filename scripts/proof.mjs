// npm run proof -- <name>: runs a proof of scripts/proofs.mjs, or all of them one after another, and prints their figures.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROMISES, PROOFS } from './proofs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A test at its largest size may take this long. */
const TEST_SECONDS = 3600;

const [name, ...words] = process.argv.slice(2);
const isHelp = (word) => word === '--help' || word === '-h';
if (name === undefined || isHelp(name)) console.log(usage());
else if (name === 'all' && words.length === 0) await prove(Object.keys(PROOFS), '');
else if (!Object.hasOwn(PROOFS, name)) fail(`there is no proof ${[name, ...words].join(' ')}`);
else if (words.some(isHelp)) console.log(describe(name));
else await prove([name], words.join(' '));

function fail(message) {
  console.error(`proof: ${message}\n\n${usage()}`);
  process.exit(2);
}

function usage() {
  return `npm run proof -- <name> [arguments]
npm run proof -- <name> --help
npm run proof -- all

Builds, runs a proof and prints its figures. Without arguments, a proof runs in each form of its page.
all runs every proof and goes on after a failure. It takes some hours.

${Object.entries(PROOFS)
  .map(([proof, { summary }]) => `  ${proof.padEnd(15)}${summary}`)
  .join('\n')}`;
}

/** Returns the help of a proof. */
function describe(proof) {
  const { summary, forms, flags, needs, page } = PROOFS[proof];
  const promises = PROMISES.filter(({ testedBy }) => testedBy.some((test) => test.split(' ')[0] === proof));
  const parts = [
    ['forms', forms.map((form) => `npm run proof -- ${proof} ${form}`)],
    ['other arguments', [flags]],
    ['needs', [needs]],
    ['figures', [page]],
    ['tests these promises', promises.map(({ promise }) => promise)],
  ];
  const texts = parts
    .map(([title, lines]) => [title, lines.filter(Boolean)])
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}:\n${lines.map((line) => `  ${line.trim()}`).join('\n')}`);
  return [`${proof} ${summary}`, ...texts].join('\n\n').replaceAll('`', '');
}

/** Returns the arguments of node for a form of a proof, and variables of its environment. */
function commandOf(proof, form) {
  const { program, tests, parts = {} } = PROOFS[proof];
  if (program !== undefined) return { args: [...program, ...form.split(' ').filter(Boolean)], env: {} };
  const paths = form === '' ? tests : Object.hasOwn(parts, form) && [parts[form]];
  if (!paths) fail(`${proof} does not run with ${form}`);
  return {
    args: ['--enable-source-maps', 'scripts/test-process.mjs', ...paths.flatMap(testFiles)],
    env: { CI: 'true', CLAIMLINK_TESTS: 'release', TAP_TIMEOUT: String(TEST_SECONDS) },
  };
}

function testFiles(path) {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(ROOT, path))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${path}/${name}`);
}

/** Runs proofs, and prints a summary if there is more than one run. */
async function prove(names, givenForm) {
  const runs = names.flatMap((proof) =>
    (givenForm === '' ? PROOFS[proof].forms : [givenForm]).map((form) => ({
      proof,
      title: `${proof} ${form}`.trim(),
      command: commandOf(proof, form),
    })),
  );
  // On Windows, npm is a script that only a shell runs.
  for (const script of ['build', 'build:test'])
    execFileSync('npm', ['run', '--silent', script], {
      cwd: ROOT,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
  const summary = [];
  for (const { proof, title, command } of runs) {
    if (runs.length > 1) console.log(`\n== ${title}`);
    const start = Date.now();
    const { code, isInterrupted, output } = await run(command);
    if (code !== 0) process.exitCode = 1;
    const minutes = ((Date.now() - start) / 60_000).toFixed(1);
    summary.push(`${code === 0 ? 'passed' : 'FAILED'} ${title}, exit ${code}, ${minutes} min`);
    const figures = output.split('\n').filter((line) => PROOFS[proof].figures.test(line));
    summary.push(...figures.map((line) => `    ${line.trim()}`));
    if (isInterrupted) break;
  }
  if (runs.length > 1) console.log(`\n== Summary\n${summary.join('\n')}`);
}

/** Runs node to its end, with its output on this terminal. */
async function run({ args, env }) {
  // A process group of its own: a signal ends the program with all that it has started.
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    process.kill(-child.pid, 'SIGINT');
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    output += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  return { code, isInterrupted, output };
}
