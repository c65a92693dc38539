// Runs each example as a reader does, and checks the documented responses.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import t, { type Test } from 'tap';
import { linkRequest } from '../adapters/service.js';
import { REPOSITORY } from '../repository.js';
import { findPostgres } from '../storage/postgres-server.js';

const headers = { 'x-api-key': 'clk_example', 'content-type': 'application/json' };
/** Removes the hooks that tap puts into the environment of child processes. */
const CLEAN = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS'];
const CLI = fileURLToPath(new URL('dist/mock-server/cli.js', REPOSITORY));
const fileOf = (name: string) => fileURLToPath(new URL(`examples/${name}.mjs`, REPOSITORY));

// Before the first test: tap ends the file when the tests so far have ended.
const server = await findPostgres(t);

interface Host {
  url: string;
  /** Sends SIGTERM and resolves to the exit code. */
  end(): Promise<number | null>;
}

async function startHost(t: Test, name: string, env: Record<string, string>): Promise<Host> {
  const child = spawn('env', [...CLEAN, process.execPath, fileOf(name)], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const end = async () => {
    child.kill();
    const [code] = await exited;
    return code;
  };
  t.teardown(end);
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('\n')) break;
  }
  return { url: output.trim(), end };
}

for (const name of ['fastify', 'express', 'node']) {
  t.test(`the ${name} example serves its own route, the listing and links`, async (t) => {
    const { url } = await startHost(t, name, { PUBLIC_URL: 'https://claims.example.com/claims' });
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

if (server !== undefined) {
  t.test(
    'the sandbox example serves clients and keys of the command line, and keeps links over restarts',
    async (t) => {
      const pool = new pg.Pool({ connectionString: server.url });
      // The example uses the default schema, so it gets a database.
      const database = `sandbox_${process.pid}`;
      await pool.query(`CREATE DATABASE ${database}`);
      t.teardown(async () => {
        await pool.query(`DROP DATABASE ${database} WITH (FORCE)`);
        await pool.end();
      });
      const url = new URL(server.url.replace(/^postgres:/, 'http:'));
      url.pathname = `/${database}`;
      const env = {
        DATABASE_URL: url.href.replace(/^http:/, 'postgres:'),
        SIGNING_SECRET: '0123456789abcdef'.repeat(4),
        PUBLIC_URL: 'https://sandbox.example.com',
      };
      const cli = async (...args: string[]) =>
        (
          await promisify(execFile)('env', [...CLEAN, process.execPath, CLI, ...args], {
            env: { ...process.env, ...env },
          })
        ).stdout;
      await cli('migrate');
      await cli('clients', 'add', 'acme', '--name', 'Acme Insurance');
      const [, key = ''] = /^Key +(\S+)/.exec(await cli('keys', 'issue', '--client', 'acme')) ?? [];
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };

      const first = await startHost(t, 'sandbox', env);
      t.equal((await fetch(`${first.url}/health`)).status, 200);
      t.equal((await fetch(`${first.url}/acme/sessions/user-1`)).status, 401);
      const link = await fetch(`${first.url}/acme/link`, {
        method: 'POST',
        headers,
        body: JSON.stringify(linkRequest()),
      });
      const { data } = (await link.json()) as { data: string };
      t.equal(await first.end(), 0, 'SIGTERM ends it');

      const second = await startHost(t, 'sandbox', env);
      const page = await fetch(data.replace('https://sandbox.example.com', second.url));
      t.equal(page.status, 200);
      t.match(await page.text(), /Acme Insurance/);
      t.equal(await second.end(), 0);
    },
  );
}
