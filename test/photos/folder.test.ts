// The folder store of photos: the conformance suite, and what is its own.
import { existsSync } from 'node:fs';
import files, { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createFolderStore } from '../../lib/photos/index.js';
import { photoStoreSuite } from '../../lib/testing/index.js';
import {
  assertListed,
  brokenBody,
  LINK,
  noAbort,
  photoOf,
  withPhoto,
} from '../../lib/testing/photo-store-suite/photos.js';

const base = await mkdtemp(join(tmpdir(), 'claimlink-photos-'));
t.teardown(() => rm(base, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => join(base, `store-${folders++}`);

/** Returns the paths of all files below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const cases = photoStoreSuite(() => createFolderStore(newFolder()), {
  createPair() {
    const folder = newFolder();
    return [createFolderStore(folder), createFolderStore(folder)];
  },
});
for (const { name, run } of cases) t.test(`conformance: ${name}`, run);

t.test('no store creates its folder before the first photo', async (t) => {
  const folder = newFolder();
  const store = createFolderStore(folder);
  await store.list(LINK);
  await store.delete(LINK);
  await store.links({ limit: 10 });
  t.notOk(existsSync(folder));
});

t.test('a path that is empty is rejected', async (t) => {
  for (const path of ['', ' ', undefined as unknown as string])
    t.throws(() => createFolderStore(path), { code: 'options_invalid' });
});

t.test('folders and files are for their own user alone', async (t) => {
  const folder = newFolder();
  const umask = process.umask(0);
  try {
    await withPhoto(createFolderStore(folder), 1000);
  } finally {
    process.umask(umask);
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    t.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
  }
});

t.test('no path has the id of a client', async (t) => {
  const folder = newFolder();
  await withPhoto(createFolderStore(folder), 1000, { clientId: 'client-of-acme' });
  for (const path of await filesIn(folder)) t.notMatch(path, /client-of-acme/);
});

t.test('a photo that is cut leaves no temporary file', async (t) => {
  const folder = newFolder();
  const store = createFolderStore(folder);
  const photo = photoOf(200_000);
  await t.rejects(async () => store.put(photo, brokenBody(100_000, new Error('cut')), { signal: noAbort() }));
  t.same(await readdir(join(folder, 'tmp')), []);
});

t.test('links removes temporary files that are older than an hour, and no other ones', async (t) => {
  const folder = newFolder();
  const store = createFolderStore(folder);
  await withPhoto(store, 1000);
  const path = (name: string) => join(folder, 'tmp', name);
  const now = Date.now() / 1000;
  for (const [name, age] of [
    ['old', 3700],
    ['new', 3500],
  ] as const) {
    await writeFile(path(name), 'part of a photo');
    await utimes(path(name), now - age, now - age);
  }
  await store.links({ limit: 10 });
  t.same(await readdir(join(folder, 'tmp')), ['new']);
});

t.test('files and folders that others put beside the photos are ignored', async (t) => {
  const folder = newFolder();
  const store = createFolderStore(folder);
  const photo = await withPhoto(store, 1000);
  const [path = ''] = (await filesIn(folder)).filter((name) => name.endsWith('.jpg'));
  for (const name of ['.DS_Store', 'Thumbs.db', `${photo.photoId}.jpg.bak`, `${photo.photoId}.exe`])
    await writeFile(join(path, '..', name), '');
  await writeFile(join(folder, 'photos', '.DS_Store'), '');
  await mkdir(join(folder, 'photos', 'lost+found'));
  await assertListed(store, [photo]);
  t.same(await store.links({ limit: 10 }), [LINK]);
  await store.delete(LINK);
  t.same(await store.links({ limit: 10 }), []);
});

t.test('a photo is stored if its folder goes while it is made', async (t) => {
  const folder = newFolder();
  const store = createFolderStore(folder);
  const { mkdir: makeFolder } = files;
  let failures = 0;
  // As Node does if the folder exists and another call removes it then.
  const failing = async (...[path, options]: Parameters<typeof mkdir>) => {
    if (String(path).includes('photos/') && failures++ < 3)
      throw Object.assign(new Error('ENOENT: no such file or directory, mkdir'), { code: 'ENOENT' });
    return makeFolder(path, options);
  };
  t.teardown(() => replaceMkdir(makeFolder));
  replaceMkdir(failing as typeof mkdir);
  const photo = await withPhoto(store, 1000);
  t.equal(failures, 4);
  await assertListed(store, [photo]);
});

function replaceMkdir(value: typeof mkdir): void {
  files.mkdir = value;
  syncBuiltinESMExports();
}

t.test('a store that cannot write rejects the photo, and lists nothing', async (t) => {
  const folder = newFolder();
  await mkdir(folder);
  await writeFile(join(folder, 'tmp'), 'a file in the place of the folder');
  const store = createFolderStore(folder);
  await t.rejects(withPhoto(store, 1000));
  await assertListed(store, []);
});
