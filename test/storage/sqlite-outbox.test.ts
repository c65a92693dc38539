// One table of events in a SQLite file: from the tables of 0.2, back by the SQL of docs/upgrading.md, and forward again.
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { StoredEvent } from '../../lib/core/storage.js';
import { assertNotTooNew } from '../../lib/storage/sql/versions.js';
import {
  assertSchema,
  createSqliteStorage,
  migrate,
  SCHEMA_VERSION,
  type SqliteDatabase,
  type SqliteStorage,
  type SqliteValue,
} from '../../lib/storage/sqlite/index.js';
import { MIGRATIONS, runMigrations } from '../../lib/storage/sqlite/migrations.js';
import { codeBlocks, readDocument } from '../docs/markdown.js';
import { REPOSITORY } from '../repository.js';
import { DRIVERS, type OwnDatabase, openDatabase } from './sqlite-drivers.js';

/** A call of 0.2.0 with the statements that it ran. */
interface RecordedCall {
  call: string;
  statements: { text: string; params: SqliteValue[]; rows?: unknown[]; changes?: number }[];
}

/**
 * What 0.2.0 (commit 4dc9901) ran on a file of its own. `before` records three claims and four events of links, of which one
 * attempt has failed for good. `after` goes on in the same file: it lists all events, delivers, postpones, retries and adds some.
 */
const RECORDED: Readonly<Record<'before' | 'after', readonly RecordedCall[]>> = JSON.parse(
  readFileSync(new URL('test/storage/recorded-sqlite-0.2.0.json', REPOSITORY), 'utf8'),
);
const VERSION_OF_0_2 = 6;

/** The SQL of docs/upgrading.md that goes back to the tables of 0.2. */
const [, section = ''] = readDocument('docs/upgrading.md').split('\n### One outbox\n');
const [BACK = ''] = codeBlocks(section.split('\n## ')[0] ?? '')
  .filter(({ language, code }) => language === 'sql' && code.includes('claimlink_versions'))
  .map(({ code }) => code);

/** Runs the statements of recorded calls, and compares what they return. */
function replay(t: Test, database: SqliteDatabase, calls: readonly RecordedCall[]): void {
  for (const { call, statements } of calls)
    for (const { text, params, rows, changes } of statements) {
      const statement = database.prepare(text);
      if (rows === undefined) t.equal(Number(statement.run(...params).changes), changes, call);
      else t.same(statement.all(...params), rows, call);
    }
}

const schemaOf = (database: SqliteDatabase) =>
  database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
const versionsOf = (database: SqliteDatabase) =>
  database.prepare('SELECT version, oldest_code FROM claimlink_versions ORDER BY version').all();

/** Opens a file with the tables of 0.2, and what it recorded. */
function openFileOf02(t: Test, open: (path: string) => OwnDatabase): OwnDatabase {
  const database = openDatabase(t, open, ':memory:');
  runMigrations(database, {}, MIGRATIONS.slice(0, VERSION_OF_0_2));
  replay(t, database, RECORDED.before);
  return database;
}

/** Returns each event without what belongs to its session. */
async function eventsOf(storage: SqliteStorage) {
  const events: StoredEvent[] = [];
  for (const state of ['pending', 'failed'] as const)
    events.push(...(await storage.listEvents({ state, limit: 1000 })));
  return events.map((event) => ('session' in event ? { ...event, session: event.session.reference } : event));
}

for (const [name, open] of Object.entries(DRIVERS)) {
  t.test(`${name}: the migration keeps every event of 0.2, with its attempts`, async (t) => {
    const database = openFileOf02(t, open);
    const count =
      'SELECT (SELECT count(*) FROM claimlink_events) + (SELECT count(*) FROM claimlink_life_events) AS events';
    const [row] = database.prepare(count).all() as { events: number }[];
    t.same(await migrate(database), [SCHEMA_VERSION]);
    const storage = createSqliteStorage(database);
    const events = await eventsOf(storage);
    t.equal(events.length, row?.events);
    const pending = { failedAt: undefined, reason: undefined };
    t.match(events, [
      { id: 'event-3', type: 'claim.submitted', session: 'S-3', attempts: 0, ...pending },
      { type: 'link.revoked', at: '2026-03-02T12:00:07.000Z', sequence: 1, attempts: 0, ...pending },
      { type: 'link.started', userId: 'user-1', attempts: 1, nextAttemptAt: '2026-03-02T12:00:09.000Z' },
      { type: 'data.deleted', why: 'user', userId: undefined, attempts: 0, ...pending },
      { id: 'event-2', type: 'claim.submitted', session: 'S-2', attempts: 1, reason: 'Error' },
      { id: 'event-1', session: 'S-1', attempts: 1, failedAt: '2026-03-02T12:00:05.000Z', reason: 'Error' },
    ]);
  });

  t.test(
    `${name}: the SQL of docs/upgrading.md restores the tables of 0.2, which serves as before`,
    async (t) => {
      const database = openFileOf02(t, open);
      const [schema, versions] = [schemaOf(database), versionsOf(database)];
      await migrate(database);
      database.exec(BACK);
      t.same(schemaOf(database), schema);
      t.same(versionsOf(database), versions);
      replay(t, database, RECORDED.after);
    },
  );

  t.test(`${name}: no event is lost on the way forward, back and forward again`, async (t) => {
    const database = openFileOf02(t, open);
    await migrate(database);
    const storage = createSqliteStorage(database);
    // Due after everything that 0.2 leases.
    const at = new Date('2026-03-02T12:00:59.000Z');
    const link = { clientId: 'acme', accessCodeHash: '4'.padStart(64, '0') };
    t.equal(
      await storage.addMoment({ ...link, moment: { type: 'link.locked', at }, sequence: 2 }),
      true,
      'a moment that is no event',
    );
    t.equal(await storage.addMoment({ ...link, moment: { type: 'link.started', at }, sequence: 3 }), true);
    const ids = async () => (await eventsOf(storage)).map(({ id }) => id).sort();
    const events = await eventsOf(storage);
    t.equal(events.length, 7);
    database.exec(BACK);
    t.same(await migrate(database), [SCHEMA_VERSION]);
    t.same(await eventsOf(storage), events, 'back and forward changes nothing');

    const before = await ids();
    database.exec(BACK);
    const [delivering, counting] = [RECORDED.after.slice(3, -2), RECORDED.after.slice(-2)];
    t.match(counting, [{ call: 'countEvents' }, { call: 'countLifeEvents' }]);
    replay(t, database, delivering);
    await migrate(database);
    const settled = delivering.find(({ call }) => call === 'settleLifeEvent')?.statements[0]?.params[0];
    const after = await ids();
    t.same(
      before.filter((id) => !after.includes(id)),
      [settled, 'event-2'].sort(),
      'what 0.2 has delivered',
    );
    const recorded = after.filter((id) => !before.includes(id));
    t.equal(recorded.length, 2, 'what 0.2 has recorded: a claim, and an event of a link');
    t.ok(recorded.includes('event-4'));
    t.match(await storage.listEvents({ state: 'failed', limit: 10 }), [{ attempts: 2, reason: 'Error' }]);
    t.match(await storage.leaseEvents({ at, leaseUntil: at, limit: 10, kind: 'submission' }), [
      { id: 'event-4', attempts: 1 },
      { id: 'event-1', attempts: 1, reason: 'Error' },
      { id: 'event-3', attempts: 2, reason: 'TypeError' },
    ]);
  });
}

t.test('code of 0.2 does not start on one table of events', async (t) => {
  const [open] = Object.values(DRIVERS);
  if (open === undefined) throw new Error('no driver is installed');
  const database = openDatabase(t, open, ':memory:');
  await migrate(database);
  t.equal(await assertSchema(database), undefined);
  // 0.2 compares the highest oldest_code with its own version.
  const [row] = database
    .prepare('SELECT max(version) AS version, max(oldest_code) AS code FROM claimlink_versions')
    .all() as {
    version: number;
    code: number;
  }[];
  const versions = { version: row?.version ?? 0, oldestCode: row?.code ?? 0 };
  t.throws(() => assertNotTooNew(versions, VERSION_OF_0_2), {
    code: 'schema_mismatch',
    message: "The database has version 7 of claimlink's tables and this code knows only 6: update claimlink.",
  });
});
