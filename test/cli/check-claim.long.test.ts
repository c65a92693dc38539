// claimlink check as a process, against a host whose validateClaim looks policies up.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { ClaimSubmission } from '../../lib/index.js';
import { KEYS } from '../adapters/service.js';
import { serve } from '../listen.js';
import { REPOSITORY } from '../repository.js';
import { createTickingService } from '../testing/deployment.js';

const CLI = fileURLToPath(new URL('dist/cli/bin.js', REPOSITORY));
const FILE = fileURLToPath(new URL('fixtures/submissions/full.json', REPOSITORY));
const KNOWN: ClaimSubmission = JSON.parse(readFileSync(FILE, 'utf8'));

/** Starts a host that knows one policy. */
async function deploy(t: Test): Promise<string> {
  const server = createServer();
  const url = await serve(t, server);
  const { claimlink } = await createTickingService({
    publicUrl: url,
    validateClaim: ({ policy }) =>
      policy.number === KNOWN.policy.number
        ? []
        : [{ pointer: '/policy/number', rule: 'policy_unknown', detail: 'There is no such policy.' }],
  });
  server.on('request', createNodeHandler(claimlink));
  return url;
}

/** Runs the command and returns its exit code and what it printed. */
function check(url: string, ...flags: readonly string[]) {
  const args = [CLI, 'check', url, '--client-id', 'acme', '--other-client-id', 'other', ...flags];
  const env = { PATH: process.env['PATH'], CLAIMLINK_API_KEY: KEYS.good };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    ),
  );
}

t.test('without a claim that the host takes, the contract is not proven: exit code 4', async (t) => {
  const { code, stdout, stderr } = await check(await deploy(t));
  t.equal(code, 4, stderr);
  t.match(stdout, '\nThe contract is not proven: no claim was accepted. --claim gives one');
  t.match(stdout, /\ncontract {3}\d+ rules: \d+ passed, \d+ not applicable\n/);
  t.notMatch(stdout, 'keeps the contract');
});

t.test('with --claim, each rule of the contract applies: exit code 0', async (t) => {
  const { code, stdout, stderr } = await check(await deploy(t), '--claim', FILE);
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, /\ncontract {3}(\d+) rules: \1 passed\n/);
  t.match(stdout, /\nThe deployment keeps the contract\. \(\d+\.\d s\)\n$/);
});

t.test('a claim without a policy number ends the command with exit code 2, before a request', async (t) => {
  const file = join(t.testdir({ 'claim.json': '{"policy":{}}' }), 'claim.json');
  const { code, stdout, stderr } = await check('http://127.0.0.1:2', '--claim', file);
  t.same([code, stdout], [2, '']);
  t.match(stderr, /^claimlink: /);
});
