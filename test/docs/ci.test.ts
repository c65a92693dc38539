// docs/ci-and-sandbox.md shows a script that runs a command beside a mock. It is run.
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { pathOf } from '../examples/host.js';
import { codeAt, codeBlocks, readDocument } from './markdown.js';
import { createWorkspace } from './workspace.js';

/** Runs the script in a folder with claimlink, with a program for Node as its command. */
async function runBesideMock(t: Test, program: string, env: Record<string, string> = {}) {
  const folder = await createWorkspace(t);
  await mkdir(join(folder, 'node_modules/.bin'));
  await symlink('../claimlink/dist/cli/bin.js', join(folder, 'node_modules/.bin/claimlink'));
  const args = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE', pathOf('recipes/ci/with-mock.sh')];
  const command = [process.execPath, '--input-type=module', '-e', program];
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return promisify(execFile)('env', [...args, ...command], options);
}

t.test('the page shows the script', async (t) => {
  const blocks = codeBlocks(readDocument('docs/ci-and-sandbox.md')).filter(
    ({ language }) => language === 'bash',
  );
  t.same(
    blocks.map(({ source }) => source),
    ['examples/recipes/ci/with-mock.sh'],
  );
  for (const { source = '', code } of blocks) t.equal(code, codeAt(source));
});

t.test('the command reaches the mock, whose process has ended when the script ends', async (t) => {
  const program = `
    const response = await fetch(process.env.MOCK_URL + '/__mock/health');
    console.log(process.env.MOCK_URL, response.status);`;
  const { stdout } = await runBesideMock(t, program);
  const [url = '', status] = stdout.trim().split(' ');
  t.equal(status, '200');
  await t.rejects(fetch(`${url}/__mock/health`), { cause: { code: 'ECONNREFUSED' } });
});

t.test('the script has the exit code of the command', async (t) => {
  await t.rejects(runBesideMock(t, 'process.exitCode = 7'), { code: 7 });
});

t.test('a mock that cannot start ends the script with its message', async (t) => {
  await t.rejects(runBesideMock(t, 'console.log("is not run")', { CLAIMLINK_SESSIONS: 'many' }), {
    code: 1,
    stdout: '',
    stderr: /CLAIMLINK_SESSIONS/,
  });
});
