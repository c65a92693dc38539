// The tables of the SQLite storage: migrations, their versions, and the plans of all methods.
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import {
  assertSchema,
  createSqliteStorage,
  migrate,
  migrationSql,
  SCHEMA_VERSION,
  type SqliteDatabase,
} from '../../lib/storage/sqlite/index.js';
import { MIGRATIONS, type Migration, runMigrations } from '../../lib/storage/sqlite/migrations.js';
import {
  CLIENT_ID,
  later,
  NOON,
  sampleLink,
  sampleRecord,
  sampleSession,
  sampleSubmission,
  USER_ID,
} from '../../lib/testing/storage-suite/samples.js';
import { REPOSITORY } from '../repository.js';
import { CALLS } from './calls.js';
import { DRIVERS, type OwnDatabase, openDatabase } from './sqlite-drivers.js';

const [open] = Object.values(DRIVERS);
if (open === undefined) throw new Error('no driver is installed');
const openEmpty = (t: Test): OwnDatabase => openDatabase(t, open, ':memory:');

/** The SQL of a database with tables of version 1: a client, a link that was submitted, and its event. */
const VERSION_1 = readFileSync(new URL('test/storage/sqlite-version-1.sql', REPOSITORY), 'utf8');

/** A change of a client as code of version 1 sends it. */
const UPDATE_OF_VERSION_1 = `
UPDATE claimlink_clients SET client_id = ?, name = ?, callback_origins = ?, locale = ?, branding = ?, frame_ancestors = ?
WHERE client_id = ?`;

const VERSIONS = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);
const tablesOf = (database: SqliteDatabase) =>
  database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();

/** A migration that a later version may have. */
const nextMigration = (oldestCode: number): Migration => ({
  version: SCHEMA_VERSION + 1,
  oldestCode,
  statements: ({ sessions }) => [`ALTER TABLE ${sessions} ADD COLUMN later TEXT`],
});

t.test('migrating an empty database applies all versions, and migrating again none', async (t) => {
  const database = openEmpty(t);
  await t.rejects(assertSchema(database), {
    code: 'schema_mismatch',
    message: `The database has version 0 of claimlink's tables and this code needs ${SCHEMA_VERSION}: run "claimlink migrate".`,
  });
  t.same(await migrate(database), VERSIONS);
  t.same(await migrate(database), []);
  t.equal(await assertSchema(database), undefined);
});

t.test('the SQL of migrationSql, run by a person, is the migration', async (t) => {
  const [byHand, migrated] = [openEmpty(t), openEmpty(t)];
  byHand.exec(migrationSql({ tablePrefix: 'cl_' }));
  await migrate(migrated, { tablePrefix: 'cl_' });
  t.same(tablesOf(byHand), tablesOf(migrated));
  t.notMatch(migrationSql({ tablePrefix: 'cl_' }), /claimlink_/);
  t.same(await migrate(byHand, { tablePrefix: 'cl_' }), []);
});

t.test('storages with other prefixes share a file without sharing data', async (t) => {
  const database = openEmpty(t);
  const options = { tablePrefix: 'other_' };
  for (const tables of [{}, options]) await migrate(database, tables);
  await createSqliteStorage(database, options).insertClient({ clientId: CLIENT_ID });
  t.equal(await createSqliteStorage(database).findClient(CLIENT_ID), undefined);
});

t.test('a database of version 1 migrates, and its data stays', async (t) => {
  const database = openEmpty(t);
  database.exec(VERSION_1);
  t.same(await migrate(database), VERSIONS.slice(1));
  const storage = createSqliteStorage(database);
  const stored = await storage.findLink(sampleLink());
  const { notice: _, ...session } = sampleSession();
  t.strictSame(stored?.session, session);
  t.strictSame(stored?.link, sampleLink({ submittedAt: NOON }));
  const [event] = await storage.listEvents({ state: 'pending', limit: 10 });
  t.same([event?.id, event?.attempts, event?.nextAttemptAt], ['event-1', 1, later(1000)]);
  const client = { clientId: CLIENT_ID, name: 'Acme', settings: { redirectAfterSeconds: 5 } };
  t.strictSame(stored?.client, { clientId: CLIENT_ID, name: 'Acme' });
  await storage.updateClient(client);
  t.strictSame(await storage.findClient(CLIENT_ID), client);
});

t.test('code of version 1 that changes a client keeps its settings', async (t) => {
  const database = openEmpty(t);
  await migrate(database);
  const storage = createSqliteStorage(database);
  const client = { clientId: CLIENT_ID, settings: { redirectAfterSeconds: 'never' } } as const;
  await storage.insertClient({ ...client, name: 'Acme', locale: 'de' });
  database.prepare(UPDATE_OF_VERSION_1).run(CLIENT_ID, 'New', null, null, null, null, CLIENT_ID);
  t.strictSame(await storage.findClient(CLIENT_ID), { ...client, name: 'New' });
});

t.test('the tables name each migration with the oldest code that works with it', async (t) => {
  const database = openEmpty(t);
  await migrate(database);
  t.same(database.prepare('SELECT version, oldest_code FROM claimlink_versions ORDER BY version').all(), [
    { version: 1, oldest_code: 1 },
    { version: 2, oldest_code: 1 },
    { version: 3, oldest_code: 1 },
    { version: 4, oldest_code: 1 },
    { version: 5, oldest_code: 1 },
    { version: 6, oldest_code: 1 },
    { version: 7, oldest_code: 7 },
  ]);
});

t.test('a later migration keeps the data; code that works with it serves', async (t) => {
  const database = openEmpty(t);
  await migrate(database);
  const storage = createSqliteStorage(database);
  await storage.insertClient({ clientId: CLIENT_ID });
  await storage.insertSession(sampleRecord());
  const later = [...MIGRATIONS, nextMigration(SCHEMA_VERSION)];
  t.same(runMigrations(database, {}, later), [SCHEMA_VERSION + 1]);
  t.same(runMigrations(database, {}, later), []);
  t.equal(await assertSchema(database), undefined, 'this code works with the newer tables');
  t.same(await migrate(database), [], 'and does not change them');
  const { sessions } = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 10 });
  t.strictSame(sessions, [sampleSession()]);
});

t.test('tables that are too new for this code are rejected', async (t) => {
  const database = openEmpty(t);
  runMigrations(database, {}, [...MIGRATIONS, nextMigration(SCHEMA_VERSION + 1)]);
  const expected = { code: 'schema_mismatch', message: /this code knows only \d+: update claimlink\.$/ };
  await t.rejects(migrate(database), expected);
  await t.rejects(assertSchema(database), expected);
});

t.test('a migration that fails changes nothing', async (t) => {
  const database = openEmpty(t);
  await migrate(database);
  const before = tablesOf(database);
  const failing = {
    ...nextMigration(SCHEMA_VERSION),
    statements: () => ['CREATE TABLE half (id TEXT)', 'CREATE TABLE half (id TEXT)'],
  };
  t.throws(() => runMigrations(database, {}, [...MIGRATIONS, failing]), /already exists/);
  t.same(tablesOf(database), before);
});

/** The steps of a plan that read a whole table, or sort. `counted` is a subquery of `countEvents`; the table of chosen types has few rows. */
const COSTLY = /^SCAN (?!\(|counted$|claimlink_event_types$|CONSTANT ROW|.* USING .*INDEX)|TEMP B-TREE/;

for (const [method, calls] of Object.entries(CALLS))
  t.test(`${method} reads no whole table, and sorts none`, async (t) => {
    for (const call of calls) {
      const database = openEmpty(t);
      await migrate(database);
      const filled = createSqliteStorage(database);
      await filled.insertClient({ clientId: CLIENT_ID });
      for (const accessCodeHash of ['hash-1', 'hash-2'])
        await filled.insertLink(sampleLink({ accessCodeHash }));
      const event = { id: 'event-1', attempts: 0, nextAttemptAt: NOON } as const;
      await filled.submitLink(sampleSubmission('hash-2', { event }));
      const texts = new Set<string>();
      const storage = createSqliteStorage({
        exec: (sql) => database.exec(sql),
        prepare(text) {
          texts.add(text);
          return database.prepare(text);
        },
      });
      texts.clear();
      await call(storage);
      t.not(texts.size, 0, 'it has sent a statement');
      // The events of one client are sorted: there are few.
      for (const text of [...texts].filter((text) => !/e\.client_id = \?/.test(text))) {
        const parameters = [...text.matchAll(/\?/g)].map(() => 0);
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters) as {
          detail: string;
        }[];
        const costly = plan.filter(({ detail }) => COSTLY.test(detail));
        t.same(costly, [], text);
      }
    }
  });
