// npm start: ends with npm on a signal, and uses nothing that cmd.exe does not know.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { REPOSITORY } from '../../repository.js';

const ROOT = fileURLToPath(REPOSITORY);

t.test('SIGTERM to npm ends the server', async (t) => {
  // The build has run. CLAIMLINK_PORT, since npm appends arguments to the second half of the script only.
  const args = [
    '-u',
    'NODE_V8_COVERAGE',
    '-u',
    'NODE_OPTIONS',
    'npm',
    'start',
    '--silent',
    '--ignore-scripts',
  ];
  const npm = spawn('env', args, {
    cwd: ROOT,
    env: { ...process.env, CLAIMLINK_PORT: '0', CLAIMLINK_READY_JSON: '1' },
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
  const { url } = JSON.parse(output);
  t.equal((await fetch(`${url}/__mock/health`)).status, 200);
  npm.kill('SIGTERM');
  await exited;
  await closed;
  await t.rejects(fetch(`${url}/__mock/health`), { cause: { code: 'ECONNREFUSED' } });
});

t.test('the script has a half for cmd.exe, without quotes and variables', async (t) => {
  const { scripts } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  const [posix, windows] = scripts.start.split(' || ');
  t.equal(posix, `exec ${windows}`, 'cmd.exe has no exec, and runs the second half');
  t.match(windows, /^node [\w./-]+$/);
});
