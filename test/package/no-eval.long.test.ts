// A host on a platform that forbids `eval` and `new Function`, as Cloudflare Workers and hardened Node servers do.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { driveClaimlink, pathOf, startHost } from '../examples/host.js';

const FLAG = '--disallow-code-generation-from-strings';
/** Runs Node without the hooks that tap puts into the environment of child processes. */
const NODE = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', process.execPath];
t.test('Node rejects generated code under the flag of this test', async (t) => {
  const program = promisify(execFile)('env', [...NODE, FLAG, '-e', 'new Function("return 1")']);
  await t.rejects(program, /Code generation from strings disallowed/);
});

t.test('a host lists, creates a link, opens it and takes a claim without generated code', async (t) => {
  // The example for node:http runs dist/.
  const host = await startHost(t, [FLAG, pathOf('node.mjs')]);
  const invalid = await fetch(`${host.origin}/claims/acme/link`, {
    method: 'POST',
    headers: { 'x-api-key': host.key, 'content-type': 'application/json' },
    body: '{}',
  });
  t.equal(invalid.status, 400);
  t.match(await invalid.json(), { errors: [{ pointer: '/callbackUrl' }, { pointer: '/config' }] });
  await driveClaimlink(t, host);
});
