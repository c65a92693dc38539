// npm start: passes arguments, ends with npm on a signal, and uses nothing that cmd.exe does not know.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { DEFAULT_PORT } from '../../mock-server/schemas/defaults.js';
import { REPOSITORY } from '../repository.js';

const ROOT = fileURLToPath(REPOSITORY);

/** Runs `npm start` with arguments for the mock. The build has run. Resolves when the mock has printed its JSON line. */
async function startNpm(t: Test, args: readonly string[]) {
  const words = [
    '-u',
    'NODE_V8_COVERAGE',
    '-u',
    'NODE_OPTIONS',
    'npm',
    'start',
    '--silent',
    '--ignore-scripts',
  ];
  const npm = spawn('env', [...words, '--', '--ready-json', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(npm, 'exit');
  t.teardown(() => npm.kill('SIGKILL'));
  let output = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // The pipe closes when the last process that has it ends: the server.
  const closed = once(npm.stdout, 'close');
  while (!output.includes('\n')) await once(npm.stdout, 'data');
  return { npm, exited, closed, ready: JSON.parse(output) };
}

t.test('npm start passes its arguments to the mock, and SIGTERM to npm ends the mock', async (t) => {
  const { npm, exited, closed, ready } = await startNpm(t, ['--port', '0', '--client', 'acme:clk_of_acme']);
  t.not(Number(new URL(ready.url).port), DEFAULT_PORT);
  const headers = { 'x-api-key': 'clk_of_acme' };
  t.equal((await fetch(`${ready.url}/acme/sessions/user-1`, { headers })).status, 200);
  npm.kill('SIGTERM');
  await exited;
  await closed;
  await t.rejects(fetch(`${ready.url}/__mock/health`), { cause: { code: 'ECONNREFUSED' } });
});

t.test('the script is one command, without quotes and variables that cmd.exe does not know', async (t) => {
  const { scripts } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  t.match(scripts.start, /^node [\w./-]+$/);
});

t.test('it says on stderr that it builds, before it builds', async (t) => {
  const { scripts } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  const [first = '', build, ...others] = scripts.prestart.split(' && ');
  t.same([build, others], ['npm run --silent build', []]);
  t.match(first, /^echo [\w ,.]+ 1>&2$/, 'a command that cmd.exe knows');
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', first]);
  t.match(stderr, /builds/);
  t.equal(stdout, '', 'stdout has the line of --ready-json only');
});
