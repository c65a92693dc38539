// Prepared statements on a real PostgreSQL: what a connection without the statement means for a call.
import pg from 'pg';
import t, { type Test } from 'tap';
import {
  createPostgresStorage,
  migrate,
  type PostgresDatabase,
  type PostgresStorageOptions,
} from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { deleteRows, findPostgres, openSchema } from './postgres-server.js';

/** What claimlink calls `query` with if it prepares: other statements are text. */
interface Statement {
  text: string;
  name: string;
}

interface ClientOfPg {
  connection: { parsedStatements: Record<string, string> };
}

const server = await findPostgres(t);
if (server !== undefined) {
  const { pool, schema } = await openSchema(t, server);
  await migrate(pool);

  /** Returns a database that does something before each prepared statement. */
  function databaseOf(
    client: pg.ClientBase,
    beforePrepared: (statement: Statement) => unknown,
  ): PostgresDatabase {
    return {
      async query(text: string | Statement, params) {
        if (typeof text === 'object') await beforePrepared(text);
        return client.query(text as string, params);
      },
    };
  }

  /** Makes a client of pg believe that its server has prepared a statement. */
  function pretend(client: pg.ClientBase, { name, text }: Statement): void {
    const { parsedStatements } = (client as unknown as ClientOfPg).connection;
    parsedStatements[name] = text;
  }

  async function connect(t: Test): Promise<pg.PoolClient> {
    const client = await pool.connect();
    t.teardown(() => client.release(true));
    return client;
  }

  /** Collects the warnings of claimlink until the test ends. */
  function collectWarnings(t: Test): string[] {
    const warnings: string[] = [];
    const onWarning = (warning: Error & { code?: string }) => {
      if (warning.name === 'ClaimlinkWarning') warnings.push(`${warning.code}: ${warning.message}`);
    };
    process.on('warning', onWarning);
    t.teardown(() => process.off('warning', onWarning));
    return warnings;
  }

  const preparedNames = async (client: pg.PoolClient) =>
    (await client.query('SELECT name FROM pg_prepared_statements')).rows.map(({ name }) => name);

  t.test('a client of pg prepares each statement by the hash of its text', async (t) => {
    const client = await connect(t);
    await createPostgresStorage(client).findClient('acme');
    await createPostgresStorage(client).findClient('acme');
    t.match(await preparedNames(client), [/^claimlink_[\w-]{43}$/]);
    t.equal((await preparedNames(client)).length, 1);
  });

  t.test('another database prepares nothing by itself', async (t) => {
    const client = await connect(t);
    const database: PostgresDatabase = { query: (text, params) => client.query(text, params) };
    await createPostgresStorage(database).findClient('acme');
    t.same(await preparedNames(client), []);
  });

  t.test(
    'a statement that the server does not have is repeated without preparation, with one warning',
    async (t) => {
      const warnings = collectWarnings(t);
      const client = await connect(t);
      let prepared = 0;
      const database = databaseOf(client, (statement) => {
        prepared++;
        pretend(client, statement);
      });
      const storage = createPostgresStorage(database, { schema, prepareStatements: 'auto' });
      for (let call = 0; call < 3; call++) t.equal(await storage.findClient('acme'), undefined);
      t.equal(prepared, 1);
      // Node emits a warning in the next tick.
      await new Promise(setImmediate);
      t.match(warnings, [/^CLAIMLINK_PREPARE_STATEMENTS: .*26000.*prepareStatements/]);
      t.equal(warnings.length, 1);
    },
  );

  t.test('a name that the server has already is repeated without preparation', async (t) => {
    const warnings = collectWarnings(t);
    const client = await connect(t);
    const database = databaseOf(client, ({ name }) => client.query(`PREPARE "${name}" AS SELECT 1`));
    const storage = createPostgresStorage(database, { schema, prepareStatements: 'auto' });
    t.equal(await storage.findClient('acme'), undefined);
    await new Promise(setImmediate);
    t.match(warnings, [/42P05/]);
  });

  t.test('with true, the error names the option', async (t) => {
    const client = await connect(t);
    const database = databaseOf(client, (statement) => pretend(client, statement));
    await t.rejects(
      async () => createPostgresStorage(database, { schema, prepareStatements: true }).findClient('a'),
      {
        message: /Set prepareStatements to false/,
        cause: { code: '26000' },
      },
    );
  });

  t.test('in a transaction of the host nothing is repeated: the caller gets the first error', async (t) => {
    const client = await connect(t);
    const database = databaseOf(client, (statement) => pretend(client, statement));
    await client.query('BEGIN');
    const storage = createPostgresStorage(database, { schema, prepareStatements: 'auto' });
    await t.rejects(async () => storage.findClient('acme'), { code: '26000' });
    await client.query('ROLLBACK');
  });

  t.test('a migration that changes a column while a process runs: the call succeeds', async (t) => {
    const { pool: changed } = await openSchema(t, server);
    await migrate(changed);
    const warnings = collectWarnings(t);
    const client = await changed.connect();
    t.teardown(() => client.release());
    const storage = createPostgresStorage(client);
    await storage.insertClient({ clientId: 'acme', name: 'Acme' });
    t.match(await storage.findClient('acme'), { name: 'Acme' });
    await changed.query('ALTER TABLE claimlink_clients ADD COLUMN later text');
    t.match(await storage.findClient('acme'), { name: 'Acme' });
    await new Promise(setImmediate);
    t.same(warnings, [], 'a new column changes no result');
    await changed.query('ALTER TABLE claimlink_clients ALTER COLUMN name TYPE varchar(200)');
    t.match(await storage.findClient('acme'), { name: 'Acme' });
    await new Promise(setImmediate);
    t.match(warnings, [/0A000/]);
  });

  t.test(
    'the suite, while the server has none of the prepared statements at the first statement of each call',
    async (t) => {
      const single = new pg.Pool({
        connectionString: server.url,
        max: 10,
        options: `-c search_path=${schema}`,
      });
      t.teardown(() => single.end());
      let failed = 0;
      const database: PostgresDatabase = {
        async query(text, params) {
          const client = await single.connect();
          const wrapped = databaseOf(client, (statement) => {
            failed++;
            pretend(client, statement);
          });
          return wrapped.query(text, params).finally(() => client.release());
        },
      };
      const options: PostgresStorageOptions = { schema, prepareStatements: 'auto' };
      const cases = storageSuite(async () => {
        await deleteRows(pool);
        return new Proxy(createPostgresStorage(database, options), {
          // A storage of its own prepares the first statement of this call.
          get: (_, name) => Reflect.get(createPostgresStorage(database, options), name),
        });
      });
      for (const { name, run } of cases) await t.test(name, run);
      t.ok(failed > cases.length);
    },
  );
}
