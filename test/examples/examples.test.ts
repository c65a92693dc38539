// Runs each example as its reader would, and asks it for the documented answers.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { linkRequest } from '../adapters/service.js';
import { REPOSITORY } from '../repository.js';

const headers = { 'x-api-key': 'clk_example', 'content-type': 'application/json' };
/** Without the hooks that tap puts into the environment of child processes. */
const CLEAN = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS'];
const fileOf = (name: string) => fileURLToPath(new URL(`examples/${name}.mjs`, REPOSITORY));

async function start(t: Test, name: string): Promise<string> {
  const env = { ...process.env, PORT: '0', PUBLIC_URL: 'https://claims.example.com/claims' };
  const child = spawn('env', [...CLEAN, process.execPath, fileOf(name)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('\n')) break;
  }
  return output.trim();
}

for (const name of ['fastify', 'express', 'node']) {
  t.test(`the ${name} example serves its own route, the listing and links`, async (t) => {
    const url = await start(t, name);
    t.same(await (await fetch(url)).json(), { hello: 'from the host' });
    const listing = await fetch(`${url}/claims/acme/sessions/user-1`, { headers });
    t.same(await listing.json(), []);
    const link = await fetch(`${url}/claims/acme/link`, {
      method: 'POST',
      headers,
      body: JSON.stringify(linkRequest()),
    });
    const { data } = (await link.json()) as { data: string };
    t.match(data, /^https:\/\/claims\.example\.com\/claims\/verify\/[\w-]{22}\?token=[\w.-]+$/);
    const page = await fetch(data.replace('https://claims.example.com', url));
    t.equal(page.status, 200);
    t.match(await page.text(), /Acme Insurance/);
  });
}

t.test('the fetch example prints the listing', async (t) => {
  const { stdout } = await promisify(execFile)('env', [...CLEAN, process.execPath, fileOf('fetch')]);
  t.equal(stdout, '200 []\n');
});
