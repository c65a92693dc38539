// A host on a platform that forbids `eval` and `new Function`, as Cloudflare Workers and hardened Node servers do.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { CLAIM, linkRequest } from '../adapters/service.js';
import { REPOSITORY } from '../repository.js';

const FLAG = '--disallow-code-generation-from-strings';
/** Runs Node without the hooks that tap puts into the environment of child processes. */
const NODE = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', process.execPath];
const HOST = fileURLToPath(new URL('examples/node.mjs', REPOSITORY));
const PUBLIC_URL = 'https://claims.example.com/claims';

/** Starts the example for node:http, which runs dist/, and returns its origin. */
async function startHost(t: Test): Promise<string> {
  const host = spawn('env', [...NODE, FLAG, HOST], {
    env: { ...process.env, PORT: '0', PUBLIC_URL },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(host, 'exit');
  t.teardown(async () => {
    host.kill();
    await exited;
  });
  const [line] = await once(host.stdout, 'data');
  return String(line).trim();
}

t.test('Node refuses generated code under the flag of this test', async (t) => {
  const program = promisify(execFile)('env', [...NODE, FLAG, '-e', 'new Function("return 1")']);
  await t.rejects(program, /Code generation from strings disallowed/);
});

t.test('a host lists, creates a link, opens it and takes a claim without generated code', async (t) => {
  const base = `${await startHost(t)}/claims`;
  const headers = { 'x-api-key': 'clk_example', 'content-type': 'application/json' };
  const list = async () => (await fetch(`${base}/acme/sessions/user-1`, { headers })).json();
  const post = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, accept: 'application/json' },
      body: JSON.stringify(body),
    });

  t.strictSame(await list(), []);

  const invalid = await post(`${base}/acme/link`, {});
  t.equal(invalid.status, 400);
  t.match(await invalid.json(), { errors: [{ pointer: '/callbackUrl' }, { pointer: '/config' }] });

  const created = await post(`${base}/acme/link`, linkRequest());
  t.equal(created.status, 200);
  const { data } = (await created.json()) as { data: string };
  const link = data.replace(PUBLIC_URL, base);

  const page = await fetch(link);
  t.equal(page.status, 200);
  t.match(await page.text(), /<form [^>]*id="claim"/);

  const submitted = await post(link, CLAIM);
  t.equal(submitted.status, 200);
  const outcome = (await submitted.json()) as { data: { reference: string } };
  t.match(await list(), [{ reference: outcome.data.reference, status: 'submitted' }]);
});
