// What a driver may return: a list of objects, and for a write that changes nothing an empty one.
import pg from 'pg';
import t from 'tap';
import { assertSchema, createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import {
  assertSchema as assertSqlite,
  createSqliteStorage,
  migrate as migrateSqlite,
  type SqliteDatabase,
  type SqliteStatement,
} from '../../lib/storage/sqlite/index.js';
import { later, NOON, sampleLink, sampleRecord } from '../../lib/testing/storage-suite/samples.js';
import { findPostgres, openTables } from './postgres-server.js';
import { DRIVERS, openDatabase, temporaryFile } from './sqlite-drivers.js';

const MISMATCH = {
  code: 'schema_mismatch',
  message: /^The driver .*fromTypeorm.*postProcessResponse of Knex/,
};
const { clientId, accessCodeHash } = sampleLink();

for (const [name, result] of Object.entries<unknown>({
  'no result': undefined,
  'no rows': {},
  'rows that are an object': { rows: { length: 0 } },
  'rows as lists': { rows: [['acme', null]] },
  'the rows and their number': { rows: [[], 0] },
  'a row that is null': { rows: [null] },
  'a row that is a number': { rows: [1] },
}))
  t.test(`a driver that returns ${name} is schema_mismatch, with what to do`, async (t) => {
    const database = { query: async () => result as { rows: object[] } };
    const storage = createPostgresStorage(database);
    await t.rejects(async () => storage.findClient('acme'), MISMATCH);
    await t.rejects(async () => storage.revokeApiKey('k', new Date()), MISMATCH);
    await t.rejects(assertSchema(database), MISMATCH);
    await t.rejects(migrate(database), MISMATCH);
  });

t.test('the SQLSTATE of an error is its code, or a text in errno', async (t) => {
  for (const members of [{ code: '23505' }, { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '23505' }]) {
    const query = async () => {
      throw Object.assign(new Error('duplicate key'), members);
    };
    t.equal(await createPostgresStorage({ query }).insertLink(sampleLink()), false);
  }
  const query = async () => {
    throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED', errno: -111 });
  };
  await t.rejects(async () => createPostgresStorage({ query }).findClient('acme'), {
    code: 'storage_unavailable',
  });
});

const server = await findPostgres(t);
if (server !== undefined) {
  /** A database that returns something else for UPDATE and DELETE. */
  const changing = (pool: pg.Pool, ofWrite: (result: pg.QueryResult) => unknown[]) => ({
    async query(text: string, params?: unknown[]) {
      const result = await pool.query(text, params);
      return { rows: /^(UPDATE|DELETE)$/.test(result.command) ? ofWrite(result) : result.rows };
    },
  });

  t.test(
    'a write whose result has the number of rows counts nothing, and assertSchema names it',
    async (t) => {
      const { pool } = await openTables(t, server);
      const database = changing(pool, ({ rows, rowCount }) => [rows, rowCount]);
      t.same(await migrate(database), []);
      await t.rejects(assertSchema(database), MISMATCH);
      const storage = createPostgresStorage(database);
      const calls: (() => Promise<unknown>)[] = [
        async () => storage.revokeApiKey('unknown', new Date()),
        async () => storage.updateClient({ clientId }),
        async () => storage.takeAttempt({ clientId, accessCodeHash, limit: 5 }),
      ];
      for (const call of calls) await t.rejects(call(), MISMATCH);
    },
  );

  t.test('assertSchema rejects a driver that returns a row for a write without rows', async (t) => {
    const { pool } = await openTables(t, server);
    const database = changing(pool, ({ rowCount }) => [{ affectedRows: rowCount }]);
    await t.rejects(assertSchema(database), MISMATCH);
  });

  t.test('frozen rows work', async (t) => {
    const { pool, storage } = await openTables(t, server);
    const database = {
      async query(text: string, params?: unknown[]) {
        const { rows } = await pool.query(text, params);
        return Object.freeze({ rows: Object.freeze(rows.map(Object.freeze)) as object[] });
      },
    };
    await storage.insertClient({ clientId });
    await storage.insertLink(sampleLink());
    await assertSchema(database);
    const frozen = createPostgresStorage(database);
    t.strictSame(await frozen.findLink({ clientId, accessCodeHash }), await storage.findLink(sampleLink()));
    t.equal(await frozen.takeAttempt({ clientId, accessCodeHash, limit: 5 }), 1);
  });

  t.test(
    'JSON does not depend on how the host parses it: each read returns the dates as they were',
    async (t) => {
      const { schema, pool, storage } = await openTables(t, server);
      const toDates = (_: string, value: unknown) =>
        typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value) : value;
      const revive = (text: string) => JSON.parse(text, toDates);
      const types = new pg.TypeOverrides();
      types.setTypeParser(pg.types.builtins.JSONB, revive);
      types.setTypeParser(pg.types.builtins.JSON, revive);
      const options = `-c search_path=${schema}`;
      const reviving = new pg.Pool({ connectionString: server.url, max: 2, types, options });
      t.teardown(() => reviving.end());
      t.type((await reviving.query(`SELECT '{"a":"2026-01-01"}'::jsonb AS a`)).rows[0].a.a, Date);
      await assertSchema(reviving);

      const dates = { validFrom: '2026-01-01', validTo: '2026-12-31' };
      const link = sampleLink();
      const session = sampleRecord({ selectedPolicy: { ...sampleRecord().selectedPolicy, ...dates } });
      await storage.insertClient({
        clientId,
        settings: { form: { texts: { en: { title: '2026-01-01' } } } },
      } as never);
      await storage.chooseEvents({ types: ['link.started'], expiryNoticeSeconds: 60 });
      await storage.insertLink({ ...link, config: { ...link.config, policy: dates } });
      await storage.addMoment({
        clientId,
        accessCodeHash,
        sequence: 1,
        moment: { type: 'link.started', at: NOON },
      });
      const { clientId: _, userId: __, ...submitted } = session;
      const event = { id: 'event-1', attempts: 0, nextAttemptAt: NOON } as const;
      const reads = (of: typeof storage) => [
        async () => of.findClient(clientId),
        async () => of.findLink(link),
        async () => of.listLinks({ clientId, limit: 9, at: NOON }),
        async () => of.listMoments(link),
        async () => of.listClientSessions({ clientId, limit: 9 }),
        async () => of.listSessions({ clientId, userId: link.userId, limit: 9 }),
        async () => of.findSession({ clientId, reference: session.reference }),
        async () => of.updateSession({ clientId, reference: session.reference, status: 'accepted' }),
        async () => of.listEvents({ state: 'pending', limit: 9 }),
      ];
      const revived = createPostgresStorage(reviving);
      const compare = async () => {
        const expected = reads(storage);
        for (const [index, read] of reads(revived).entries()) {
          const value = await read();
          t.strictSame(value, await expected[index]?.());
          t.notMatch(JSON.stringify(value) ?? '', /-\d\dT00:00:00.000Z/, `${read}`);
        }
      };
      await compare();
      await storage.submitLink({ ...link, at: NOON, session: submitted, event });
      await compare();
      const lease = { at: later(600_000), leaseUntil: later(600_000), limit: 9 };
      const leased = await revived.leaseEvents({ ...lease, kind: 'submission' });
      t.match(leased, [{ session: { selectedPolicy: dates } }]);
      t.equal((await revived.leaseEvents({ ...lease, kind: 'life' })).length, 1);
      t.same((await pool.query('SELECT FROM claimlink_sessions')).rowCount, 1);
    },
  );

  t.test('assertSchema rejects a driver that parses JSON texts', async (t) => {
    const { pool } = await openTables(t, server);
    const database = {
      async query(text: string, params?: unknown[]) {
        const { rows } = await pool.query(text, params);
        const parse = (value: unknown) => (/^\{/.test(String(value)) ? JSON.parse(String(value)) : value);
        const toParsed = (row: object) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, parse(value)]));
        return { rows: rows.map(toParsed) };
      },
    };
    await t.rejects(assertSchema(database), MISMATCH);
  });

  t.test('assertSchema accepts a role that only reads, and a server that is read-only', async (t) => {
    const { pool, schema } = await openTables(t, server);
    const reader = `${schema}_reader`;
    await pool.query(`CREATE ROLE ${reader}`);
    t.teardown(() => pool.query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`));
    await pool.query(
      `GRANT USAGE ON SCHEMA ${schema} TO ${reader}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${reader}`,
    );
    for (const option of [`-c role=${reader}`, '-c default_transaction_read_only=on']) {
      const readOnly = new pg.Pool({ connectionString: server.url, max: 1, options: option });
      t.teardown(() => readOnly.end());
      await t.rejects(readOnly.query(`DELETE FROM ${schema}.claimlink_outbox`), { code: /25006|42501/ });
      await t.resolves(assertSchema(readOnly, { schema }), option);
    }
  });
}

const [openFirst] = Object.values(DRIVERS);
if (openFirst !== undefined) {
  /** A SQLite database whose statements that write return something else. */
  const changingSqlite = (database: SqliteDatabase, change: Partial<SqliteStatement>): SqliteDatabase => ({
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      const isOfTables = sql.includes('claimlink_');
      return {
        run: (...params) => (isOfTables && change.run ? change.run() : statement.run(...params)),
        all: (...params) => (isOfTables && change.all ? change.all() : statement.all(...params)),
      };
    },
  });

  for (const [name, change] of Object.entries<object>({
    'no result': { run: () => undefined },
    'a result without changes': { run: () => ({}) },
    'changes of another statement': { run: () => ({ changes: 1 }) },
  }))
    t.test(`assertSchema rejects a SQLite driver whose write returns ${name}`, async (t) => {
      const database = openDatabase(t, openFirst, temporaryFile(t));
      await migrateSqlite(database);
      await t.rejects(assertSqlite(changingSqlite(database, change)), MISMATCH);
    });

  t.test(
    'a SQLite driver that returns rows as lists, or no number of changes, is schema_mismatch',
    async (t) => {
      const database = openDatabase(t, openFirst, temporaryFile(t));
      await migrateSqlite(database);
      const storage = createSqliteStorage(
        changingSqlite(database, { all: () => [['acme']], run: () => ({}) as { changes: number } }),
      );
      await t.rejects(async () => storage.findClient(clientId), MISMATCH);
      t.throws(() => storage.revokeApiKey('k', new Date()), MISMATCH);
    },
  );

  t.test('assertSchema accepts a SQLite database that is read-only', async (t) => {
    const database = openDatabase(t, openFirst, temporaryFile(t));
    await migrateSqlite(database);
    database.exec('PRAGMA query_only = 1');
    await t.resolves(assertSqlite(database));
  });
}
