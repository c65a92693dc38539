// The package as its users get it: packed, installed elsewhere, every subpath imported, compiled against, the bin run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { linkTargets } from '../docs/markdown.js';
import { REPOSITORY } from '../repository.js';
import { CLEAN, installPackage, run, TSC } from './programs.js';

/** What each subpath must export at run time. */
const EXPORTS: Record<string, readonly string[]> = {
  claimlink: [
    'createClaimlink',
    'createLinkSigner',
    'createMemoryStorage',
    'issueApiKey',
    'ClaimlinkError',
    'TRACING_CHANNELS',
  ],
  'claimlink/fastify': ['default'],
  'claimlink/node': ['createNodeHandler'],
  'claimlink/fetch': ['createFetchHandler'],
  'claimlink/postgres': ['createPostgresStorage', 'migrate', 'migrationSql', 'assertSchema'],
  'claimlink/sqlite': ['createSqliteStorage', 'migrate', 'migrationSql', 'assertSchema'],
  'claimlink/storage': ['decodeCursor', 'encodeCursor', 'reduceConfig', 'toLinkEvent'],
  'claimlink/photos': ['createFolderStore', 'fromS3'],
  'claimlink/testing': ['photoStoreSuite', 'storageSuite'],
  'claimlink/widget': ['createStandaloneWidget', 'escapeHtml', 'extendPolicy', 'jsonForScript', 'STEP_KEYS'],
  'claimlink/embed': ['embedClaim'],
  'claimlink/webhooks': ['createWebhookSender', 'WebhookError'],
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
import { createSqliteStorage, type SqliteDatabase, type SqliteStorage } from 'claimlink/sqlite';
import { encodeCursor } from 'claimlink/storage';
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
const openStorage = (file: SqliteDatabase): SqliteStorage => createSqliteStorage(file, { synchronous: 'normal' });
const cursor: string = encodeCursor({ createdAt: new Date(0), reference: 'S-1' });
export { answer, cursor, mock, names, openStorage, sessions, storage };
`;

/** A program for browsers. */
const PAGE = `
import { type EmbeddedClaim, type EmbedOptions, embedClaim } from 'claimlink/embed';

const options: EmbedOptions = {
  title: 'Your claim',
  onSubmitted: ({ reference }) => console.log(reference.length),
  onUnavailable: ({ code }) => console.log(code.length),
};
// @ts-expect-error: there is no such option
embedClaim(document.body, 'https://x/', { onSent() {} });
const claim: EmbeddedClaim = embedClaim(document.body, new URL('https://x/'), options);
claim.frame.title = 'Claim';
export const unmount: () => void = claim.remove;
`;

/** Files of which the tarball has many. */
const EXPECTED_FILES = [
  /^dist\/(?:cli|lib|mock-server)\/.+\.(?:js|d\.ts)$/,
  /^dist\/chunks\/[\w-]+\.js$/,
  /^lib\/widget\/locales\/\w+\.ts$/,
  /^fixtures\/.+\.(?:html|json|yaml)$/,
  /^docs\/.+\.(?:md|png)$/,
  /^docs\/llms\.txt$/,
  /^skills\/.+\.md$/,
  // Without the packages and the lock files of the examples.
  /^examples\/(?!.*(?:node_modules|package-lock)).+\.(?:mjs|cjs|js|mts|ts|tsx|html|css|svg|json|md|yml|cfg|sh|sql|py|go)$/,
];

t.test('the packed tarball works where it is installed', async (t) => {
  const { folder, tarball } = await installPackage();
  const { paths } = tarball;

  await t.test('it holds what is documented and nothing else', async (t) => {
    const others = paths.filter((path) => !EXPECTED_FILES.some((pattern) => pattern.test(path)));
    t.same(others.sort(), [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'lib/core/storage.ts',
      'mock-server/control/methods.ts',
      'mock-server/control/types.ts',
      'package.json',
    ]);
  });

  const documents = paths.filter((path) => path.endsWith('.md'));
  t.ok(documents.length > 10, `${documents.length} documents`);
  for (const document of documents) {
    await t.test(`every link of ${document} leads to a file of the tarball or to the web`, async (t) => {
      const text = await readFile(join(folder, 'node_modules/claimlink', document), 'utf8');
      const base = new URL(document, 'tarball:///');
      const targets = linkTargets(text)
        .map((target) => new URL(target, base))
        .filter(({ protocol }) => protocol === base.protocol)
        .map(({ pathname }) => decodeURIComponent(pathname.slice(1)));
      const missing = targets.filter(
        (target) =>
          !paths.some((path) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`)),
      );
      t.same(missing, []);
    });
  }

  await t.test(
    'its code and its declarations import the packages that it depends on, and no other',
    async (t) => {
      const read = (path: string) => readFile(join(folder, 'node_modules/claimlink', path), 'utf8');
      const { dependencies, peerDependencies } = JSON.parse(await read('package.json'));
      const imported = new Set<string>();
      for (const path of paths.filter((path) => /^dist\/.+\.(?:js|d\.ts)$/.test(path)))
        for (const { fileName } of ts.preProcessFile(await read(path), true, true).importedFiles)
          if (!fileName.startsWith('.') && !isBuiltin(fileName))
            imported.add(/^(?:@[^/]+\/)?[^/]+/.exec(fileName)?.[0] ?? fileName);
      t.same(
        [...imported].filter((name) => !(name in { ...dependencies, ...peerDependencies })),
        [],
      );
      t.ok(imported.has('jsonwebtoken'), `${imported.size} packages`);
    },
  );

  await t.test('every subpath imports, with the names that are documented', async (t) => {
    const { exports } = JSON.parse(await readFile(new URL('package.json', REPOSITORY), 'utf8'));
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

  await t.test('a TypeScript program compiles against it, with its declarations checked', async (t) => {
    await writeFile(join(folder, 'consumer.ts'), CONSUMER);
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,esnext.disposable'];
    const compile = [...options, '--module', 'nodenext', '--types', 'node', 'consumer.ts'];
    await t.resolves(run(TSC, compile, folder));
  });

  await t.test('a TypeScript program for browsers compiles against claimlink/embed alone', async (t) => {
    await writeFile(join(folder, 'page.ts'), PAGE);
    const options = ['--noEmit', '--strict', '--target', 'es2021', '--lib', 'es2021,dom'];
    for (const module of ['nodenext', 'esnext'])
      await t.resolves(
        run(
          TSC,
          [
            ...options,
            '--module',
            module,
            '--moduleResolution',
            module === 'esnext' ? 'bundler' : module,
            '--types',
            '',
            'page.ts',
          ],
          folder,
        ),
        module,
      );
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
