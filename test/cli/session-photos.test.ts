// claimlink sessions photos, on a SQLite file and on a module of the host.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import t, { type Test } from 'tap';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { createFolderStore } from '../../lib/photos/index.js';
import { createSqliteStorage, migrate } from '../../lib/storage/sqlite/index.js';
import { sampleRecord } from '../../lib/testing/storage-suite/samples.js';
import { setUp } from '../mock-server/command.js';

const LINK_ID = 'e'.repeat(64);
const ids = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1).padStart(64, 'a'));

async function addPhotos(store: PhotoStore, clientId: string, photoIds: readonly string[]) {
  for (const photoId of photoIds) {
    const bytes = Buffer.from(photoId);
    async function* body() {
      yield bytes;
    }
    const photo = { clientId, linkId: LINK_ID, photoId, type: 'image/png' as const, size: bytes.length };
    await store.put(photo, body(), new AbortController());
  }
}

/** Creates a SQLite file whose clients have a session S-1 with so many photos, and their folder. */
async function open(t: Test, { count = 2, clients = ['acme'] } = {}) {
  const folder = t.testdir();
  const file = join(folder, 'claims.db');
  const database = new Libsql(file);
  await migrate(database);
  const storage = createSqliteStorage(database);
  const store = createFolderStore(join(folder, 'photos'));
  const photos = ids(count).map((id) => ({ id, type: 'image/png' as const, size: 64, name: '../../x.png' }));
  for (const clientId of clients) {
    await storage.insertClient({ clientId });
    const session = sampleRecord({ clientId, reference: 'S-1', link: { linkId: LINK_ID } });
    await storage.insertSession({ ...session, incident: count > 0 ? { photos } : {} });
    await addPhotos(store, clientId, ids(count));
  }
  database.close();
  const to = join(folder, 'claim');
  const run = async (...args: string[]) => {
    const { runWords, stdout, stderr } = setUp();
    const code = await runWords(['sessions', 'photos', 'S-1', '--to', to, ...args]);
    return { code, stdout: stdout.text, stderr: stderr.text };
  };
  const flags = ['--database', `sqlite:${file}`, '--photos', `folder:${join(folder, 'photos')}`];
  return { folder, file, store, to, run, flags };
}

t.test('the photos of a claim are new files with names of claimlink', async (t) => {
  const { run, flags, to } = await open(t);
  t.same(await run(...flags), { code: 0, stdout: `Wrote 2 photos to ${to}.\n`, stderr: '' });
  t.same(readdirSync(to).sort(), ['01-aaaaaaaaaaaa.png', '02-aaaaaaaaaaaa.png']);
  t.equal(readFileSync(join(to, '02-aaaaaaaaaaaa.png'), 'utf8'), ids(2)[1]);
  if (process.platform !== 'win32') t.equal(statSync(join(to, '01-aaaaaaaaaaaa.png')).mode & 0o777, 0o600);
});

t.test('no file is replaced, and none is written beside one that exists', async (t) => {
  const { run, flags, to } = await open(t);
  await run(...flags);
  writeFileSync(join(to, '02-aaaaaaaaaaaa.png'), 'mine');
  const { code, stderr } = await run(...flags);
  t.equal(code, 2);
  t.match(stderr, /--to: .*01-aaaaaaaaaaaa\.png exists already\./);
  t.equal(readFileSync(join(to, '02-aaaaaaaaaaaa.png'), 'utf8'), 'mine');
});

t.test('a reference of several clients needs --client', async (t) => {
  const { run, flags, to } = await open(t, { clients: ['acme', 'other'] });
  const { code, stderr } = await run(...flags);
  t.equal(code, 2);
  t.match(stderr, /name one of them by --client: acme, other\./);
  t.notOk(existsSync(to));
  t.match(await run(...flags, '--client', 'other'), { code: 0 });
});

t.test('a claim without photos, and an unknown one', async (t) => {
  const { run, flags, to } = await open(t, { count: 0 });
  t.match(await run(...flags), { code: 0, stdout: 'The session S-1 of acme has no photos.\n' });
  t.notOk(existsSync(to));
  t.match(await run(...flags, '--client', 'nobody'), { code: 2 });
});

t.test('photos that the store does not have are named, and the others are written', async (t) => {
  const { run, flags, to, store } = await open(t);
  await store.delete({ clientId: 'acme', linkId: LINK_ID, photoIds: ids(1) });
  const { code, stdout, stderr } = await run(...flags);
  t.equal(code, 2);
  t.equal(stdout, `Wrote 1 photo to ${to}.\n`);
  t.match(stderr, `does not have 1 of the 2 photos of the claim`);
  t.match(stderr, ids(1)[0]);
});

t.test('many photos have lines of progress', async (t) => {
  const { run, flags } = await open(t, { count: 21 });
  t.match(await run(...flags), { code: 0, stderr: '10 of 21 photos\n20 of 21 photos\n' });
});

t.test('the store is named by --photos, or is the export of the module', async (t) => {
  const { run, flags, folder, file, to } = await open(t);
  const database = flags.slice(0, 2);
  t.match(await run(...database), { code: 2, stderr: /Name the store of the photos: --photos folder:PATH/ });
  t.match(await run(...database, '--photos', 's3:x'), { code: 2, stderr: /must look like folder:PATH/ });
  t.match(await run(...database, '--photos', `folder:${folder}/none`), { code: 2, stderr: /does not exist/ });
  const module = (photos: string) => {
    const path = join(folder, `storage-${photos.length}.mjs`);
    const text = `
import Libsql from '${import.meta.resolve('libsql')}';
import { createFolderStore } from '${import.meta.resolve('../../lib/photos/index.js')}';
import { createSqliteStorage } from '${import.meta.resolve('../../lib/storage/sqlite/index.js')}';
const database = new Libsql(${JSON.stringify(file)});
export default { ...createSqliteStorage(database), close: () => {} };
${photos}`;
    writeFileSync(path, text);
    return ['--storage', path];
  };
  t.match(await run(...module('')), { code: 2, stderr: /needs an export photos/ });
  const photos = `export const photos = () => createFolderStore(${JSON.stringify(join(folder, 'photos'))});`;
  t.match(await run(...module(photos)), { code: 0, stdout: `Wrote 2 photos to ${to}.\n` });
});

t.test('a store that fails is an error of the host', async (t) => {
  const { run, folder, file, to } = await open(t);
  const path = join(folder, 'failing.mjs');
  writeFileSync(
    path,
    `
import Libsql from '${import.meta.resolve('libsql')}';
import { createSqliteStorage } from '${import.meta.resolve('../../lib/storage/sqlite/index.js')}';
export default { ...createSqliteStorage(new Libsql(${JSON.stringify(file)})), close: () => {} };
const fail = () => Promise.reject(Object.assign(new Error('hidden text'), { code: 'AccessDenied' }));
export const photos = { put: fail, list: fail, get: fail, delete: fail, links: fail };`,
  );
  const { code, stderr } = await run('--storage', path);
  t.equal(code, 1);
  t.match(stderr, /The store of photos failed \(.*AccessDenied\)/);
  t.notMatch(stderr, /hidden text/);
  t.same(readdirSync(to), []);
});
