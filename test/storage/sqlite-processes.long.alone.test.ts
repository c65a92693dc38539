// Several processes on one SQLite file: they migrate at once, contest links, and are killed while they submit.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { createSqliteStorage, migrate, SCHEMA_VERSION } from '../../lib/storage/sqlite/index.js';
import { CLIENT_ID, sampleLink, USER_ID } from '../../lib/testing/storage-suite/samples.js';
import { REPOSITORY } from '../repository.js';
import { sized } from '../size.js';
import { DRIVERS, openDatabase, temporaryFile } from './sqlite-drivers.js';

const PROCESS = fileURLToPath(new URL('test/storage/sqlite-process.mjs', REPOSITORY));
const LINKS = 200;
const SUBMISSIONS = 5;
const KILLS = sized(5, 2, 100);
const [open] = Object.values(DRIVERS);
if (open === undefined) throw new Error('no driver is installed');

interface Worker {
  child: ChildProcessByStdio<Writable, Readable, null>;
  lines: AsyncIterator<string>;
}

/** Starts a process that waits for a line. */
async function startWorker(file: string, task: string, name = '', count = 0): Promise<Worker> {
  const args = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE', process.execPath, PROCESS];
  const child = spawn('env', [...args, file, task, name, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return { child, lines };
}

/** Starts the task and returns the lines that it prints. */
async function runTask({ child, lines }: Worker): Promise<string[]> {
  child.stdin.write('go\n');
  const printed: string[] = [];
  for (let line = await lines.next(); !line.done; line = await lines.next()) printed.push(line.value);
  return printed;
}

/** Opens a migrated file with its storage. */
async function openFile(t: Test) {
  const file = temporaryFile(t);
  const database = openDatabase(t, open as NonNullable<typeof open>, file);
  await migrate(database);
  const storage = createSqliteStorage(database, { synchronous: 'normal' });
  await storage.insertClient({ clientId: CLIENT_ID });
  return { file, database, storage };
}

t.test('five processes that migrate an empty file at once all succeed', async (t) => {
  const file = temporaryFile(t);
  const workers = await Promise.all(Array.from({ length: 5 }, () => startWorker(file, 'migrate')));
  const applied = await Promise.all(workers.map(runTask));
  const versions = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);
  t.same(
    applied.flat().flatMap((line) => JSON.parse(line)),
    versions,
  );
});

t.test(`${LINKS}links, each submitted ${SUBMISSIONS} times by two processes: one session each`, async (t) => {
  const { file, storage } = await openFile(t);
  for (let index = 0; index < LINKS; index++) {
    const expiresAt = new Date(Date.now() + 3_600_000);
    await storage.insertLink(sampleLink({ accessCodeHash: `hash-${index}`, expiresAt }));
  }
  const workers = await Promise.all(['a', 'b'].map((name) => startWorker(file, 'contest', name, LINKS)));
  const results = (await Promise.all(workers.map(runTask))).flat().map((line) => line.split(' '));
  t.equal(results.length, 2 * LINKS * SUBMISSIONS);
  const submitted = results.filter(([outcome]) => outcome === 'submitted');
  t.equal(submitted.length, LINKS, 'one submission of each link succeeds');
  const referenceOf = new Map(submitted.map(([, hash, reference]) => [hash, reference]));
  t.same(
    results.filter(([, hash, reference]) => referenceOf.get(hash ?? '') !== reference),
    [],
    'all submissions of a link get the same session',
  );
  const { sessions } = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 1000 });
  t.same(
    new Set(sessions.map(({ reference }) => reference)),
    new Set(referenceOf.values()),
    'the sessions are those of the successful submissions',
  );
});

t.test(`${KILLS}processes killed while they submit lose no acknowledged submission`, async (t) => {
  const { file, database, storage } = await openFile(t);
  let acknowledged = 0;
  for (let round = 0; round < KILLS; round++) {
    const { child, lines } = await startWorker(file, 'submit', `kill-${round}`);
    const closed = once(child, 'close');
    child.stdin.write('go\n');
    const references: string[] = [];
    const read = ({ value = '' }: { value?: string }) => {
      const [outcome, reference = ''] = value.split(' ');
      if (outcome === 'submitted') references.push(reference);
    };
    // Another moment in each round. What was printed before the kill was acknowledged as well.
    for (let count = 0; count <= round % 7; count++) read(await lines.next());
    child.kill('SIGKILL');
    for (let line = await lines.next(); !line.done; line = await lines.next()) read(line);
    await closed;
    for (const reference of references) {
      const stored = await storage.findLink({ clientId: CLIENT_ID, accessCodeHash: reference });
      if (stored?.session?.reference !== reference) t.fail(`${reference} is lost`);
    }
    acknowledged += references.length;
  }
  t.ok(acknowledged > KILLS, `${acknowledged} submissions`);
  const counts = database.prepare(
    'SELECT (SELECT count(*) FROM claimlink_sessions) AS sessions, (SELECT count(*) FROM claimlink_outbox) AS events',
  );
  const [row] = counts.all() as { sessions: number; events: number }[];
  t.equal(row?.events, row?.sessions, 'each submission is stored with its event');
  t.ok((row?.sessions ?? 0) >= acknowledged);
  t.same(database.prepare('PRAGMA integrity_check').all(), [{ integrity_check: 'ok' }]);
});
