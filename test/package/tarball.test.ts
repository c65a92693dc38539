// The package as its users get it: packed, installed elsewhere, every subpath imported, compiled against, the bin run.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { REPOSITORY } from '../repository.js';

/** Runs a program without the hooks that tap puts into the environment of child processes. */
const CLEAN = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS'];
const run = (program: string, args: readonly string[], cwd: string) =>
  promisify(execFile)('env', [...CLEAN, program, ...args], { cwd });

const root = fileURLToPath(REPOSITORY);
const TYPES = join(root, 'node_modules/@types');

/** What each subpath must export at run time. */
const EXPORTS: Record<string, readonly string[]> = {
  claimlink: ['createClaimlink', 'createLinkSigner', 'createMemoryStorage', 'issueApiKey', 'ClaimlinkError'],
  'claimlink/fastify': ['default'],
  'claimlink/node': ['createNodeHandler'],
  'claimlink/fetch': ['createFetchHandler'],
  'claimlink/postgres': ['createPostgresStorage', 'migrate', 'migrationSql', 'assertSchema'],
  'claimlink/testing': ['storageSuite'],
  'claimlink/widget': ['createStandaloneWidget', 'escapeHtml', 'extendPolicy', 'jsonForScript', 'STEP_KEYS'],
  'claimlink/mock-client': ['connectMock', 'MockControlError'],
  'claimlink/mock-server': ['startMockServer', 'createMockFetch'],
};

const CONSUMER = `
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner, createMemoryStorage, type Session } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import { createFetchHandler } from 'claimlink/fetch';
import { startMockServer } from 'claimlink/mock-server';
import { createNodeHandler } from 'claimlink/node';
import { createPostgresStorage, migrate } from 'claimlink/postgres';
import { storageSuite } from 'claimlink/testing';
import fastify from 'fastify';

const claimlink = createClaimlink({
  storage: createMemoryStorage(),
  signer: createLinkSigner({ keys: [{ kid: '1', algorithm: 'HS256', secret: new Uint8Array(32) }], issuer: 'https://x' }),
  publicUrl: 'https://x',
});
createServer(createNodeHandler(claimlink));
fastify().register(claimlinkPlugin, { claimlink, prefix: '/claims' });
const answer: Promise<Response> = createFetchHandler(claimlink)(new Request('https://x/'));
const sessions: readonly Session[] = (await claimlink.listSessions('a', 'b')).sessions;
const names: string[] = storageSuite(() => createMemoryStorage()).map(({ name }) => name);
await using mock = await startMockServer({ port: 0 });
const database = { query: async () => ({ rows: [] }) };
await migrate(database);
const storage = createPostgresStorage(database, { tablePrefix: 'x_' });
export { answer, mock, names, sessions, storage };
`;

t.test('the packed tarball works where it is installed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-tarball-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  const [{ filename, files }] = JSON.parse(packed.stdout);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--omit=dev', `./${filename}`];
  await run('npm', install, folder);

  await t.test('it holds what is documented and nothing else', async (t) => {
    t.same(
      paths
        .filter(
          (path) =>
            !/^(?:dist\/(?:lib|mock-server)\/.+\.(?:js|d\.ts)|fixtures\/.+\.(?:html|json))$/.test(path),
        )
        .sort(),
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
    );
  });

  await t.test('every subpath imports, with the names that are documented', async (t) => {
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const subpaths = Object.keys(exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => subpath.replace('.', 'claimlink'));
    t.same(subpaths.sort(), Object.keys(EXPORTS).sort(), 'the list in this test is complete');
    const script = `const names = {};
      for (const subpath of ${JSON.stringify(subpaths)}) names[subpath] = Object.keys(await import(subpath));
      console.log(JSON.stringify(names));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], folder);
    const names: Record<string, string[]> = JSON.parse(stdout);
    for (const [subpath, expected] of Object.entries(EXPORTS)) {
      t.same(
        expected.filter((name) => !names[subpath]?.includes(name)),
        [],
        subpath,
      );
    }
  });

  await t.test('a TypeScript program compiles against it, declarations checked, too', async (t) => {
    await writeFile(join(folder, 'consumer.ts'), CONSUMER);
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,esnext.disposable'];
    const compile = [
      ...options,
      '--module',
      'nodenext',
      '--types',
      'node',
      '--typeRoots',
      TYPES,
      'consumer.ts',
    ];
    const tsc = await run(join(root, 'node_modules/.bin/tsc'), compile, folder).then(
      () => 'compiled',
      (error: Error & { stdout: string }) => error.stdout || error.message,
    );
    t.equal(tsc, 'compiled');
  });

  await t.test('its bin runs a mock that answers and ends with 0 on SIGTERM', async (t) => {
    const bin = join(folder, 'node_modules/.bin/claimlink');
    const child = spawn('env', [...CLEAN, bin, 'mock', '--port', '0', '--ready-json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    t.teardown(() => child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    const { url, clients } = JSON.parse(String(line));
    const [{ clientId, apiKey, userIds }] = clients;
    const answer = await fetch(`${url}/${clientId}/sessions/${userIds[0]}`, {
      headers: { 'x-api-key': apiKey },
    });
    t.equal(answer.status, 200);
    t.ok(((await answer.json()) as unknown[]).length > 0);
    child.kill('SIGTERM');
    t.same(await exited, [0, null]);
  });
});
