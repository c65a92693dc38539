// The persist file on the disk: written whole or not at all, shared writes, one process at a time.
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { isClaimlinkError } from '../../../lib/index.js';
import { createPersistFile, type PersistFile } from '../../../mock-server/world/persist-file.js';
import { type WorldFile, writeWorldFile } from '../../../mock-server/world/persist-format.js';
import { readWorldFile } from '../../../mock-server/world/persist-read.js';

/** A world that is told by its seed. */
function world(seed: string): WorldFile {
  return {
    seed,
    refDate: new Date('2026-01-01T00:00:00.000Z'),
    linkSecret: new Uint8Array(32),
    snapshot: { clock: { offsetMs: 0 }, clients: [] },
  };
}

function setUp(t: Test, options?: Parameters<typeof createPersistFile>[1]) {
  const folder = t.testdir({});
  const path = join(folder, 'world.json');
  return { folder, path, file: createPersistFile(path, options) };
}

/** What a file is refused with, without its folder. */
async function refusal(loading: Promise<unknown>, folder: string): Promise<string> {
  try {
    await loading;
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'options_invalid') throw error;
    const [{ pointer, detail = '' } = {}] = error.details ?? [];
    if (pointer !== '/persistFile') throw new Error(`a detail of ${pointer}`);
    return detail.replaceAll(`${folder}/`, '');
  }
  throw new Error('nothing is refused');
}

/** Writes that wait until they are let go. */
function gatedWrites() {
  const writes: { seed: string; end(error?: Error): void }[] = [];
  const write = (_: string, text: string) =>
    new Promise<void>((resolve, reject) => {
      const { seed } = readWorldFile(text, 'written');
      writes.push({ seed, end: (error) => (error ? reject(error) : resolve()) });
    });
  const until = async (count: number) => {
    while (writes.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { writes, write, until };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  const first = await Promise.race([promise.catch(() => undefined), Promise.resolve(pending)]);
  return first !== pending;
}

t.test('a file that is not there yet is no world; what is saved is there for the next one', async (t) => {
  const { folder, path, file } = setUp(t);
  t.equal(await file.load(), undefined);
  t.strictSame(await readdir(folder), ['world.json.lock'], 'nothing is written before it is saved');
  await file.save(() => world('a'));
  await file.save(() => world('b'));
  await file.close();
  t.strictSame(await readdir(folder), ['world.json'], 'and nothing else is left');
  t.equal((await stat(path)).mode & 0o777, 0o600, 'readable for its owner only');
  const next = createPersistFile(path);
  t.strictSame(await next.load(), world('b'));
  await next.close();
});

t.test('a damaged or an empty file is refused, and never overwritten', async (t) => {
  for (const [text, told] of [
    ['', 'world.json:1:1 is empty'],
    ['{"claimlink": "world",', 'world.json:1:23 ends before it is complete'],
    [
      '{"a": 1}',
      'world.json is no world of claimlink, which begins with "claimlink": "world"; name another file',
    ],
  ] as const) {
    const { folder, path, file } = setUp(t);
    await writeFile(path, text);
    t.equal(await refusal(file.load(), folder), told);
    await t.rejects(
      file.save(() => world('a')),
      { message: /was not loaded/ },
    );
    await file.close();
    t.equal(await readFile(path, 'utf8'), text);
    t.strictSame(await readdir(folder), ['world.json']);
  }
});

t.test('a file that cannot be kept is refused with the reason', async (t) => {
  const { folder } = setUp(t);
  const inGone = createPersistFile(join(folder, 'gone', 'w.json'));
  t.equal(await refusal(inGone.load(), folder), 'gone/w.json cannot be kept: its folder is not there');
  await mkdir(join(folder, 'is-folder'));
  const aFolder = createPersistFile(join(folder, 'is-folder'));
  t.match(await refusal(aFolder.load(), folder), /is a folder, and must be a file$/);
  await writeFile(join(folder, 'a-file'), '');
  const below = createPersistFile(join(folder, 'a-file', 'w.json'));
  t.match(await refusal(below.load(), folder), /^a-file\/w\.json cannot be kept: its folder is not there: /);
});

t.test('all calls during a write share the next one, which has the last world', async (t) => {
  const { writes, write, until } = gatedWrites();
  const { file } = setUp(t, { write });
  await file.load();
  const first = file.save(() => world('1'));
  await until(1);
  const others = ['2', '3', '4'].map((seed) => file.save(() => world(seed)));
  t.notOk(await isSettled(first));
  writes[0]?.end();
  await first;
  await until(2);
  t.strictSame(
    writes.map(({ seed }) => seed),
    ['1', '4'],
  );
  t.notOk(await isSettled(Promise.race(others)), 'the write that began before a call is not for it');
  writes[1]?.end();
  await Promise.all(others);
  await file.close();
  t.equal(writes.length, 2);
});

t.test('a world is asked for when its write begins, not when it is to be saved', async (t) => {
  const { writes, write, until } = gatedWrites();
  const { file } = setUp(t, { write });
  await file.load();
  let seed = 'early';
  const first = file.save(() => world('0'));
  const second = file.save(() => world(seed));
  await until(1);
  seed = 'late';
  writes[0]?.end();
  await until(2);
  writes[1]?.end();
  await Promise.all([first, second]);
  t.equal(writes[1]?.seed, 'late');
  await file.close();
});

t.test('a write that fails is told to all who wait for it, and the next call tries again', async (t) => {
  const { writes, write, until } = gatedWrites();
  const { path, file } = setUp(t, { write });
  await file.load();
  const first = file.save(() => world('1'));
  await until(1);
  const shared = [file.save(() => world('2')), file.save(() => world('3'))];
  writes[0]?.end();
  await first;
  await until(2);
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  writes[1]?.end(full);
  for (const { status, reason } of (await Promise.allSettled(shared)) as PromiseRejectedResult[]) {
    t.equal(status, 'rejected');
    t.match(reason, {
      code: 'storage_unavailable',
      message: `The world could not be saved: ${path} does not fit on the disk, which is full.`,
      cause: full,
    });
  }
  const again = file.save(() => world('4'));
  await until(3);
  writes[2]?.end();
  await again;
  await file.close();
});

t.test(
  'a world that cannot be produced is a bug: the error comes as it is, and later calls work',
  async (t) => {
    const { file } = setUp(t);
    await file.load();
    const bug = new TypeError('a bug');
    await t.rejects(
      file.save(() => {
        throw bug;
      }),
      bug,
    );
    await file.save(() => world('a'));
    await file.close();
  },
);

t.test('a write that fails on the disk leaves the old file, and no temporary one', async (t) => {
  const { folder, path, file } = setUp(t);
  await file.load();
  await file.save(() => world('a'));
  await rm(path);
  await mkdir(join(path, 'in-the-way'), { recursive: true });
  await t.rejects(
    file.save(() => world('b')),
    { code: 'storage_unavailable' },
  );
  t.strictSame((await readdir(folder)).sort(), ['world.json', 'world.json.lock']);
  await rm(path, { recursive: true });
  await file.save(() => world('c'));
  t.equal(readWorldFile(await readFile(path, 'utf8'), path).seed, 'c');
  await file.close();
});

t.test('close waits for what is to be written, and ends saving', async (t) => {
  const { writes, write, until } = gatedWrites();
  const { folder, file } = setUp(t, { write });
  await file.load();
  const saves = [file.save(() => world('1')), file.save(() => world('2'))];
  const closed = file.close();
  await until(1);
  t.notOk(await isSettled(closed));
  writes[0]?.end();
  await until(2);
  t.notOk(await isSettled(closed));
  t.strictSame(await readdir(folder), ['world.json.lock'], 'the file is kept as long');
  writes[1]?.end();
  await Promise.all([...saves, closed]);
  t.strictSame(await readdir(folder), []);
  await t.rejects(
    file.save(() => world('3')),
    { message: /closed already/ },
  );
});

t.test('a symbolic link is followed, and stays one', async (t) => {
  const { folder, path } = setUp(t);
  await writeFile(path, writeWorldFile(world('a')));
  const link = join(folder, 'link.json');
  await symlink(path, link);
  const file = createPersistFile(link);
  t.equal((await file.load())?.seed, 'a');
  await t.rejects(createPersistFile(path).load(), { code: 'options_invalid' }, 'it is the same file');
  await file.save(() => world('b'));
  await file.close();
  t.equal(readWorldFile(await readFile(path, 'utf8'), path).seed, 'b');
  t.equal(await readFile(link, 'utf8'), await readFile(path, 'utf8'));
});

t.test('what killed processes left behind is removed, and nothing else', async (t) => {
  const { folder, file } = setUp(t);
  const gone = spawnSync('true').pid;
  const names = [`world.json.${gone}.3.tmp`, `world.json.${process.pid}.1.tmp`];
  const others = [
    `world.json.${process.ppid}.1.tmp`,
    'world.json.bak',
    `other.json.${gone}.1.tmp`,
    'world.json.x.1.tmp',
  ];
  for (const name of [...names, ...others]) await writeFile(join(folder, name), '');
  await file.load();
  await file.close();
  t.strictSame((await readdir(folder)).sort(), others.sort());
});

/** What the lock of a process says. */
function lockOf(holder: { pid?: number; host?: string; since?: Date }): string {
  const { pid = process.pid, host = hostname(), since = new Date() } = holder;
  return JSON.stringify({ pid, host, since: since.toISOString() });
}

t.test('a file has one mock at a time', async (t) => {
  const { folder, path, file } = setUp(t);
  await file.load();
  t.equal(
    await refusal(createPersistFile(path).load(), folder),
    'world.json is in use by another mock of this process; give each a file of its own',
  );
  await file.save(() => world('a'));
  await file.close();
  const next = createPersistFile(path);
  t.equal((await next.load())?.seed, 'a');
  await next.close();
});

t.test('a file that is loaded twice is still kept, and saved to', async (t) => {
  const { folder, path, file } = setUp(t);
  await file.load();
  t.match(await refusal(file.load(), folder), /in use by another mock of this process/);
  await file.save(() => world('a'));
  await file.close();
  t.equal(readWorldFile(await readFile(path, 'utf8'), path).seed, 'a');
});

t.test('the lock of a process that lives, or may live, is respected', async (t) => {
  const { folder, path, file } = setUp(t);
  const cases = [
    [
      { pid: process.ppid },
      `world.json is in use by the process ${process.ppid}; give each mock a file of its own, or, if that is no mock, delete world.json.lock`,
    ],
    [
      { pid: 1234, host: 'elsewhere' },
      'world.json is in use by the process 1234 on elsewhere; if that one has ended, delete world.json.lock',
    ],
  ] as const;
  for (const [holder, told] of cases) {
    const lock = lockOf(holder);
    await writeFile(`${path}.lock`, lock);
    t.equal(await refusal(file.load(), folder), told);
    t.equal(await readFile(`${path}.lock`, 'utf8'), lock, 'and stays');
  }
});

t.test('the lock of a process that is gone is taken over', async (t) => {
  const stale = {
    'its process has ended': lockOf({ pid: spawnSync('true').pid }),
    'its process had the id that this one has now': lockOf({ since: new Date(Date.now() - 86_400_000) }),
    'its process was killed before it had written it': '',
    'it is damaged': '{"pid":',
  };
  for (const [why, text] of Object.entries(stale)) {
    const { folder, path, file } = setUp(t);
    await writeFile(`${path}.lock`, text);
    t.equal(await file.load(), undefined, why);
    await file.save(() => world('a'));
    await file.close();
    t.strictSame(await readdir(folder), ['world.json']);
  }
});

t.test('of several that find a stale lock at the same moment, one gets the file', async (t) => {
  const { path } = setUp(t);
  const gone = lockOf({ pid: spawnSync('true').pid });
  for (let round = 0; round < 25; round++) {
    await writeFile(`${path}.lock`, gone);
    const files: PersistFile[] = Array.from({ length: 5 }, () => createPersistFile(path));
    const loads = await Promise.allSettled(files.map((file) => file.load()));
    if (!t.equal(loads.filter(({ status }) => status === 'fulfilled').length, 1)) break;
    await Promise.all(files.map((file) => file.close()));
  }
});

t.test(
  'when the lock was deleted and another mock has the file, nothing is saved over its world',
  async (t) => {
    const { path, file } = setUp(t);
    await file.load();
    await rm(`${path}.lock`);
    const other = createPersistFile(path);
    await other.load();
    await other.save(() => world('other'));
    await t.rejects(
      file.save(() => world('first')),
      { code: 'storage_unavailable', message: /in use by somebody else/ },
    );
    await file.close();
    await other.save(() => world('other still'));
    await other.close();
    t.equal(readWorldFile(await readFile(path, 'utf8'), path).seed, 'other still');
  },
);

t.test(
  'rights that are missing are told',
  { skip: process.getuid?.() === 0 && 'root may do everything' },
  async (t) => {
    const { folder, file } = setUp(t);
    await chmod(folder, 0o500);
    t.match(await refusal(file.load(), folder), /^world\.json cannot be kept: its folder is out of reach: /);
    await chmod(folder, 0o700);
  },
);
