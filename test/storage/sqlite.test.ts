// The storage suite on SQLite, over each driver that runs on this Node, and what the storage does beside the rules.
// test/runtimes runs the suite over node:sqlite and bun:sqlite.
import Libsql from 'libsql';
import t, { type Test } from 'tap';
import { isClaimlinkError } from '../../lib/core/errors.js';
import { UNAVAILABLE } from '../../lib/storage/sqlite/execute.js';
import {
  createSqliteStorage,
  migrate,
  type SqliteDatabase,
  type SqliteStorageOptions,
} from '../../lib/storage/sqlite/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import {
  CLIENT_ID,
  later,
  NOON,
  sampleLink,
  sampleRecord,
  withLink,
} from '../../lib/testing/storage-suite/samples.js';
import { DELETED_SESSIONS } from './deleted-sessions.js';
import { DRIVERS, type OpenDatabase, openDatabase, temporaryFile } from './sqlite-drivers.js';

const TABLES = ['clients', 'api_keys', 'sessions', 'links', 'outbox', 'event_types'];
const drivers = Object.entries(DRIVERS);
const [[, openFirst]] = drivers as [[string, OpenDatabase]];

function deleteRows(database: SqliteDatabase): void {
  for (const table of TABLES) database.exec(`DELETE FROM claimlink_${table}`);
}

/** Opens an empty database in memory with its storage. */
async function openStorage(t: Test, open = openFirst) {
  const database = openDatabase(t, open, ':memory:');
  await migrate(database);
  return { database, storage: createSqliteStorage(database) };
}

for (const [name, open] of drivers) {
  t.test(`${name}: the storage suite, with one connection in memory and two on one file`, async (t) => {
    const { database: inMemory } = await openStorage(t, open);
    const file = temporaryFile(t);
    const [database, other] = [openDatabase(t, open, file), openDatabase(t, open, file)];
    await migrate(database);
    const createPair = () => {
      deleteRows(database);
      return [createSqliteStorage(database), createSqliteStorage(other, { synchronous: 'normal' })] as const;
    };
    const createStorage = () => {
      deleteRows(inMemory);
      return createSqliteStorage(inMemory);
    };
    for (const { name, run } of storageSuite(createStorage, { createPair })) await t.test(name, run);
  });

  t.test(`${name}: a locked, read-only, full or closed database is storage_unavailable`, async (t) => {
    const file = temporaryFile(t);
    const [database, other] = [openDatabase(t, open, file), openDatabase(t, open, file)];
    await migrate(database);
    const storage = createSqliteStorage(database);
    await storage.insertClient({ clientId: CLIENT_ID });
    /** Asserts the error of a single statement, and of a transaction, which leaves no transaction open. */
    const assertUnavailable = async (message: RegExp) => {
      const insertLink = async (): Promise<unknown> => storage.insertLink(sampleLink());
      const insertSession = async (): Promise<unknown> => storage.insertSession(sampleRecord());
      for (const call of [insertLink, insertSession])
        await t.rejects(call(), { code: 'storage_unavailable', message });
    };

    database.exec('PRAGMA busy_timeout = 0');
    other.exec('BEGIN IMMEDIATE');
    await assertUnavailable(/locked/);
    t.ok(await storage.findClient(CLIENT_ID), 'reads do not wait for a writer');
    other.exec('ROLLBACK');
    database.exec('PRAGMA query_only = 1');
    await assertUnavailable(/read-only/);
    database.exec('PRAGMA query_only = 0; PRAGMA max_page_count = 1');
    const fill = async () => {
      for (let n = 0; n < 100; n++) await storage.insertSession(sampleRecord({ reference: `S-${n}` }));
    };
    await t.rejects(fill(), { code: 'storage_unavailable', message: /full/ });
    database.exec('PRAGMA max_page_count = 1000000');
    t.equal(await storage.insertLink(sampleLink()), true, 'it recovers');
    database.close();
    t.throws(() => createSqliteStorage(database), { code: 'storage_unavailable', message: /closed/ });
  });
}

t.test('each result code of an unavailable database is storage_unavailable', async (t) => {
  const { database } = await openStorage(t);
  /** A database whose statements fail with an error. */
  const failingWith = (members: object) => {
    const fail = () => {
      throw Object.assign(new Error('it failed'), members);
    };
    let isFailing = false;
    const storage = createSqliteStorage({
      exec: (sql) => database.exec(sql),
      prepare: (sql) => (isFailing ? fail() : database.prepare(sql)),
    });
    isFailing = true;
    return async () => storage.findClient(CLIENT_ID);
  };
  for (const [code, name, reason] of UNAVAILABLE) {
    const expected = { code: 'storage_unavailable', message: `${reason}.`, cause: { message: 'it failed' } };
    await t.rejects(failingWith({ code: name })(), expected, name);
    await t.rejects(failingWith({ code: `${name}_EXTENDED` })(), expected, `${name}, extended`);
    const extended = code + 3 * 256;
    await t.rejects(failingWith({ code: 'ERR_SQLITE_ERROR', errcode: extended })(), expected, `${extended}`);
  }
  for (const members of [{}, { code: 'SQLITE_CORRUPT' }, { code: 'ERR_SQLITE_ERROR', errcode: 11 }]) {
    const error: unknown = await failingWith(members)().catch((error: unknown) => error);
    t.notOk(isClaimlinkError(error), 'another error stays as it is');
    t.match(error, { message: 'it failed' });
  }
});

t.test('a value that is not a synchronous database, and unknown options, are rejected', async (t) => {
  const { database } = await openStorage(t);
  const promising = { exec: async () => {}, prepare: () => ({ run: async () => {}, all: async () => [] }) };
  const values: unknown[] = [undefined, {}, 'claims.db', { exec() {} }, promising];
  for (const value of values) {
    const expected = { code: 'options_invalid', problems: [{ pointer: '/database' }] };
    t.throws(() => createSqliteStorage(value as SqliteDatabase), expected);
    await t.rejects(migrate(value as SqliteDatabase), expected);
  }
  const options = [{ synchronous: 'off' }, { tablePrefix: 'a; --' }, { schema: 'main' }];
  for (const option of options as unknown as SqliteStorageOptions[])
    t.throws(() => createSqliteStorage(database, option), { code: 'options_invalid' });
});

t.test('the connection is in WAL and FULL, waits for locks, and is in NORMAL as an option', async (t) => {
  const database = openDatabase(t, openFirst, temporaryFile(t));
  await migrate(database);
  const read = (pragma: string) => Object.values(Object(database.prepare(`PRAGMA ${pragma}`).all()[0]))[0];
  createSqliteStorage(database);
  t.same(['journal_mode', 'busy_timeout', 'synchronous'].map(read), ['wal', 5000, 2]);
  createSqliteStorage(database, { synchronous: 'normal' });
  t.equal(read('synchronous'), 1);
});

t.test('dates beyond the year 9999 are compared as times', async (t) => {
  const { storage } = await openStorage(t);
  await withLink(storage);
  t.equal(await storage.deleteExpiredLinks(new Date(8.64e15)), 1);
});

t.test('drivers that return integers as BigInt work', async (t) => {
  const safe = new Libsql(':memory:').defaultSafeIntegers();
  t.teardown(() => safe.close());
  await migrate(safe);
  const storage = createSqliteStorage(safe);
  await withLink(storage);
  t.strictSame((await storage.findLink(sampleLink()))?.link, sampleLink());
  t.equal(await storage.deleteExpiredLinks(later(1e9)), 1);
});

t.test('sweeps of more rows than one statement changes let others run in between', async (t) => {
  const { database, storage } = await openStorage(t);
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
    INSERT INTO claimlink_sessions (client_id, reference, user_id, date, cams_reference, status, created_at, selected_policy)
    SELECT 'acme', n, 'u', 1, 'C', 'submitted', 1, '{}' FROM numbers;
    INSERT INTO claimlink_outbox (client_id, reference, event_id, type, attempts, next_attempt_at)
    SELECT client_id, reference, reference, 'claim.submitted', 0, 1 FROM claimlink_sessions`);
  const sweep = storage.deleteSessions(NOON);
  const during = await storage.countEvents({ limit: 5000 });
  t.equal(during.pending, 1500, 'after the first statement');
  t.equal(await sweep, 2500);
  t.same(await storage.countEvents({ limit: 10 }), { pending: 0, failed: 0 });
});

for (const { name, run } of DELETED_SESSIONS)
  t.test(name, async (t) => {
    const { database, storage } = await openStorage(t);
    await run(t, storage, (sql) =>
      // SQLite has times as milliseconds.
      database.exec(sql.replace(/'(20\d\d-[^']*)'/, (_, date) => String(Date.parse(date)))),
    );
  });

t.test('a transaction of the host on the connection is an error, and stays open', async (t) => {
  const { database, storage } = await openStorage(t);
  await storage.insertClient({ clientId: CLIENT_ID });
  database.exec('BEGIN');
  t.throws(() => storage.insertSession(sampleRecord()), { message: /within a transaction/ });
  database.exec('COMMIT');
  t.equal(await storage.insertSession(sampleRecord()), undefined);
});
