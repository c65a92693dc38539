// A host with its own Fastify: npm installs no second one, the host type-checks and passes the contract suite.
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { IS_LONG } from '../size.js';
import { createFolder, install, installPackage, ROOT, run, TSC, TYPES } from './programs.js';

const HOST = `
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage, issueApiKey } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import { createMockFetch } from 'claimlink/mock-server';
import { contractSuite, isNotApplicable } from 'claimlink/testing';
import fastify from 'fastify';

const storage = createMemoryStorage();
const keys: string[] = [];
for (const clientId of ['acme', 'other']) {
  await storage.insertClient({ clientId, name: clientId });
  const { key, hash } = issueApiKey();
  await storage.insertApiKey({ id: clientId, clientId, hash, createdAt: new Date() });
  keys.push(key);
}
const hourAgo = new Date(Date.now() - 3_600_000);
await storage.insertSession({
  clientId: 'acme',
  userId: 'user-1',
  reference: 'S-1',
  date: hourAgo,
  camsReference: 'C-1',
  status: 'submitted',
  createdAt: hourAgo,
  selectedPolicy: {
    number: 'P-1',
    provider: 'Acme',
    holder: { firstName: 'Ada', lastName: 'Example', id: 'user-1', phone: '+49 30 1', email: 'ada@example.com' },
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    linkedContacts: [],
    vehicle: { licensePlate: 'B-AB 123' },
  },
});
const publicUrl = 'https://host.example.com/claims';
let calls = 0;
const claimlink = createClaimlink({
  storage,
  publicUrl,
  // No two sessions have the same time.
  now: () => new Date(Date.now() + calls++),
  signer: createLinkSigner({ keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }], issuer: publicUrl }),
});
const app = fastify();
app.get('/own', () => ({ host: 'route' }));
app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
const origin = await app.listen({ port: 0, host: '127.0.0.1' });
const outcomes = { passed: 0, failed: [] as string[], notApplicable: [] as string[] };
for (const rule of contractSuite({
  baseUrl: publicUrl,
  clientId: 'acme',
  otherClientId: 'other',
  apiKey: keys[0] ?? '',
  userId: 'user-1',
  fetch: (request) => fetch(new Request(request.url.replace(publicUrl, origin + '/claims'), request)),
})) {
  // Its service takes no photos.
  if (rule.section === 'Decision: photos') continue;
  try {
    await rule.run();
    outcomes.passed += 1;
  } catch (error) {
    if (isNotApplicable(error)) outcomes.notApplicable.push(rule.name);
    else outcomes.failed.push(rule.name + ': ' + String(error));
  }
}
await app.close();
const listing = await createMockFetch()('http://claimlink.test/demo/sessions/user-1', {
  headers: { 'x-api-key': 'clk_test_demo' },
});
console.log(JSON.stringify({ version: app.version, mock: listing.status, ...outcomes }));
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    types: ['node'],
    typeRoots: [TYPES],
    outDir: 'out',
    rootDir: '.',
  },
  files: ['host.ts'],
};

const manifestOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

const { dependencies } = await manifestOf(ROOT);
const oldest: string = dependencies.fastify.replace('^', '');
const skip = !IS_LONG && 'it installs packages: CLAIMLINK_TESTS=long runs it';

t.test('the range of Fastify starts at 5.2.0 or before', async (t) => {
  t.match(dependencies.fastify, /^\^5\.[0-2]\.0$/);
});

t.test(`a host with Fastify ${oldest} works, and is the only copy of Fastify`, { skip }, async (t) => {
  const { tarball } = await installPackage();
  const folder = await createFolder(t);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await install(folder, '--save-exact', `fastify@${oldest}`, tarball.file);
  t.equal((await manifestOf(join(folder, 'node_modules/fastify'))).version, oldest);
  await checkHost(t, folder);
});

t.test('a host with the newest Fastify 5 works, and is the only copy of Fastify', { skip }, async (t) => {
  const { folder: installed } = await installPackage();
  const folder = await createFolder(t);
  await copyFile(join(installed, 'package-lock.json'), join(folder, 'package-lock.json'));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await checkHost(t, folder);
});

async function checkHost(t: Test, folder: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  const copies = Object.keys(packages).filter((path) => path.endsWith('node_modules/fastify'));
  t.strictSame(copies, ['node_modules/fastify']);

  await writeFile(join(folder, 'host.ts'), HOST);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await run(TSC, ['-p', '.', '--singleThreaded'], folder);
  const { stdout } = await run(process.execPath, ['out/host.js'], folder);
  const { passed, ...outcome } = JSON.parse(stdout);
  const { version } = await manifestOf(join(folder, 'node_modules/fastify'));
  t.strictSame(outcome, { version, mock: 200, failed: [], notApplicable: [] });
  t.ok(passed > 150, `${passed} rules passed`);
}
