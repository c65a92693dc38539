// The persist file: its lock, its writes, and what is rejected.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rmdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type LockOptions, openPersistFile } from '../../../mock-server/state/persist-file.js';

/** The shortest times that proper-lockfile accepts. */
const FAST: LockOptions = { staleMs: 2000, heartbeatMs: 1000, waitMs: 5000 };

const MODULE = new URL('../../../mock-server/state/persist-file.js', import.meta.url).href;

async function open(t: Test, path: string) {
  const file = await openPersistFile(path, FAST);
  t.teardown(() => file.release());
  return file;
}

const pathIn = (t: Test, content: Parameters<Test['testdir']>[0] = {}) =>
  join(t.testdir(content), 'state.json');

t.test('a file that does not exist has no text, and is written with the first save', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  t.equal(file.text, undefined);
  file.changed();
  await file.save(() => 'one');
  t.equal(await readFile(path, 'utf8'), 'one');
});

t.test('only the owner may read the file and its lock', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  file.changed();
  await file.save(() => 'one');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.equal((await stat(`${path}.lock`)).mode & 0o777, 0o700);
});

t.test('without a change nothing is written', async (t) => {
  const file = await open(t, pathIn(t));
  await file.save(() => t.fail('must not be called') as never);
});

t.test('saves at the same time share writes, and each is on disk when its call resolves', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  let value = 0;
  let writes = 0;
  const produce = () => {
    writes++;
    return String(value);
  };
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      value++;
      const lastWrite = value;
      file.changed();
      await file.save(produce);
      if (Number(await readFile(path, 'utf8')) < lastWrite) t.fail(`${lastWrite} is not on disk`);
    }),
  );
  t.ok(writes <= 3, `${writes} writes`);
});

t.test('a change during a write is in the next one', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  file.changed();
  const first = file.save(() => 'first');
  file.changed();
  await file.save(() => 'second');
  await first;
  t.equal(await readFile(path, 'utf8'), 'second');
});

t.test('a failed write rejects, and the next save tries again', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  await mkdir(path);
  file.changed();
  await t.rejects(
    file.save(() => 'text'),
    { message: /is a folder, not a file, so changes are not saved/ },
  );
  await rmdir(path);
  await file.save(() => 'text');
  t.equal(await readFile(path, 'utf8'), 'text');
});

t.test('a file that is in use is rejected as soon as its lock shows a heartbeat', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  await t.rejects(openPersistFile(path, { ...FAST, waitMs: 600_000 }), {
    code: 'options_invalid',
    message: new RegExp(`persistFile .*state\\.json is in use by the mock of process ${process.pid};`),
  });
  await file.release();
  await (await openPersistFile(path, FAST)).release();
});

for (const [what, lock, name] of [
  [
    'of an unknown owner',
    {},
    /in use by another mock\. The mock waits up to 5 seconds, in case that was killed/,
  ],
  [
    'of a killed process of another machine',
    { '999999@other': '' },
    /in use by the mock of process 999999\./,
  ],
] as const) {
  t.test(`a lock ${what} is taken over when it is stale, and the wait has its reason`, async (t) => {
    const path = pathIn(t, { 'state.json.lock': lock });
    const waits: string[] = [];
    const file = await openPersistFile(path, { ...FAST, onWait: (text) => waits.push(text) });
    t.teardown(() => file.release());
    t.match(waits, [name]);
    file.changed();
    await file.save(() => 'text');
    t.equal(await readFile(path, 'utf8'), 'text');
  });
}

t.test(
  'the lock of a process of this machine that has ended is taken over at once, by one of many',
  async (t) => {
    const path = pathIn(t);
    const script = `
    import { openPersistFile } from ${JSON.stringify(MODULE)};
    await openPersistFile(process.argv[1]);
    process.kill(process.pid, 'SIGKILL');
  `;
    for (let round = 0; round < 5; round++) {
      await once(
        spawn(process.execPath, ['--input-type=module', '-e', script, path], { stdio: 'inherit' }),
        'exit',
      );
      t.match(await readdir(`${path}.lock`), [/^\d+@/]);
      const attempts = Array.from({ length: 10 }, () => openPersistFile(path, { ...FAST, waitMs: 0 }));
      const opened = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled');
      t.equal(opened.length, 1);
      for (const each of opened) if (each.status === 'fulfilled') await each.value.release();
      t.strictSame(await readdir(t.testdirName), []);
    }
  },
);

t.test(
  'a process that has ended does not run, also before its parent notices it',
  { skip: process.platform !== 'linux' && 'only Linux says in /proc that a process has ended' },
  async (t) => {
    const path = pathIn(t);
    const first = await open(t, path);
    const [name = ''] = await readdir(`${path}.lock`);
    await first.release();
    // sleep does not wait for the child that the shell has left to it.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.teardown(() => parent.kill());
    const pid = String((await once(parent.stdout, 'data'))[0]).trim();
    while (!(await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z ')) await new Promise(setImmediate);
    await mkdir(`${path}.lock`);
    await writeFile(join(`${path}.lock`, name.replace(/^\d+/, pid)), '');
    const waits: string[] = [];
    const file = await openPersistFile(path, {
      ...FAST,
      staleMs: 60_000,
      onWait: (text) => waits.push(text),
    });
    await file.release();
    t.same(waits, []);
  },
);

t.test('a lock that was stale before is taken over at once', async (t) => {
  const path = pathIn(t);
  await mkdir(`${path}.lock`);
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${path}.lock`, longAgo, longAgo);
  const file = await openPersistFile(path, { ...FAST, waitMs: 0 });
  await file.release();
  t.pass('opened without waiting');
});

t.test('a released file is not written any more', async (t) => {
  const path = pathIn(t);
  const file = await open(t, path);
  await file.release();
  file.changed();
  await t.rejects(
    file.save(() => 'text'),
    /no longer locked/,
  );
});

t.test('temporary files of killed processes are removed; backups of the user stay', async (t) => {
  const leftovers = ['state.json.claimlink-new', 'state.json.claimlink-new.1234567890'];
  const others = [
    'other.claimlink-new',
    'state.json.1',
    'state.json.1795377600',
    'state.json.20261122',
    'state.json.bak',
    'state.json.claimlink-new.bak',
  ];
  // A backup begins like the file itself.
  const names = [...leftovers, ...others];
  const path = pathIn(t, Object.fromEntries(names.map((name) => [name, '{"format":"claimlink-mock-state"'])));
  await (await open(t, path)).release();
  t.strictSame((await readdir(join(path, '..'))).sort(), others);
});

t.test('a process that is killed during a write leaves a file that the next one removes', async (t) => {
  const path = pathIn(t);
  const script = `
    import { openPersistFile } from ${JSON.stringify(MODULE)};
    import fs from 'node:fs';
    fs.fsync = () => process.kill(process.pid, 'SIGKILL');
    const file = await openPersistFile(process.argv[1]);
    file.changed();
    await file.save(() => 'text');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  t.equal(signal, 'SIGKILL');
  t.match(await readdir(t.testdirName), [/^state\.json\.claimlink-new\.\d+$/, 'state.json.lock']);
  const file = await open(t, path);
  t.strictSame(await readdir(t.testdirName), ['state.json.lock']);
  file.changed();
  await file.save(() => 'text');
  t.strictSame(await readdir(t.testdirName), ['state.json', 'state.json.lock']);
});

t.test('a symbolic link stays one: the file behind it is locked and written', async (t) => {
  const path = pathIn(t);
  const target = join(t.testdirName, 'target.json');
  await writeFile(target, 'before');
  await symlink(target, path);
  const file = await open(t, path);
  t.equal(file.text, 'before');
  file.changed();
  await file.save(() => 'after');
  t.equal(await readFile(target, 'utf8'), 'after');
  await t.rejects(openPersistFile(target, FAST), /is in use/);
});

t.test('a path that cannot be a file is rejected with the reason', async (t) => {
  const folder = t.testdir({ folder: {}, file: '' });
  await t.rejects(openPersistFile(join(folder, 'missing/state.json'), FAST), {
    code: 'options_invalid',
    message: /the folder of .*missing\/state\.json does not exist/,
  });
  await t.rejects(openPersistFile(join(folder, 'folder'), FAST), { message: /is a folder, not a file/ });
  t.same((await readdir(folder)).sort(), ['file', 'folder'], 'the lock is released');
  await t.rejects(openPersistFile(join(folder, 'file/state.json'), FAST), { message: /does not exist/ });
});
