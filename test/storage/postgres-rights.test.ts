// Schema and rights of the tables: migrate creates a schema, warns of other roles, and messages name rights, not versions.
import t, { type Test } from 'tap';
import { assertSchema, migrate, migrationSql, SCHEMA_VERSION } from '../../lib/storage/postgres/index.js';
import { findPostgres, openSchema } from './postgres-server.js';

const server = await findPostgres(t);

if (server !== undefined) {
  /** A schema, a role that goes with it, and a connection that runs as this role. */
  async function open(t: Test) {
    const { pool, schema } = await openSchema(t, server ?? { url: '' });
    const role = `role_${schema}`;
    await pool.query(`CREATE ROLE ${role}`);
    t.teardown(() => pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`).catch(() => {}));
    const asRole = {
      async query(text: string, params?: unknown[]) {
        const client = await pool.connect();
        try {
          await client.query(`SET ROLE ${role}`);
          return await client.query(text, params);
        } finally {
          await client.query('RESET ROLE');
          client.release();
        }
      },
    };
    return { pool, schema, role, asRole };
  }

  /** Returns the warnings about privileges that a call emits. */
  async function warningsOf(call: () => Promise<unknown>): Promise<string[]> {
    const texts: string[] = [];
    const add = (warning: Error & { code?: string }) => {
      if (warning.code === 'CLAIMLINK_TABLE_PRIVILEGES') texts.push(warning.message);
    };
    process.on('warning', add);
    await call();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', add);
    return texts;
  }

  t.test('migrate creates the schema that it is given, once', async (t) => {
    const { pool, schema } = await open(t);
    const name = `${schema}_own`;
    t.teardown(() => pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`));
    t.equal(
      (await Promise.all([1, 2, 3].map(() => migrate(pool, { schema: name })))).flat().length,
      SCHEMA_VERSION,
    );
    await assertSchema(pool, { schema: name });
    t.equal((await pool.query('SELECT FROM pg_tables WHERE schemaname = $1', [schema])).rowCount, 0);
  });

  t.test('the SQL of all migrations creates the schema, and can be run again', async (t) => {
    const { pool, schema } = await open(t);
    const name = `${schema}_sql`;
    t.teardown(() => pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`));
    await pool.query(migrationSql({ schema: name }));
    await pool.query(migrationSql({ schema: name }));
    await assertSchema(pool, { schema: name });
  });

  t.test('what exists needs no right to create it', async (t) => {
    const { pool, schema, role, asRole } = await open(t);
    await migrate(pool, { schema });
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await pool.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    t.same(await migrate(asRole, { schema }), [], 'neither tables');
    await pool.query(
      `DROP TABLE ${schema}.claimlink_migrations, ${schema}.claimlink_versions; GRANT CREATE ON SCHEMA ${schema} TO ${role}`,
    );
    await t.rejects(migrate(asRole, { schema }), { code: '42501', message: /must be owner/ }, 'nor schema');
  });

  t.test('a role that may write the tables, and PUBLIC with any privilege, are a warning', async (t) => {
    const { pool, schema, role } = await open(t);
    t.same(await warningsOf(() => migrate(pool, { schema })), [], 'no other role');
    await pool.query(`GRANT SELECT ON ${schema}.claimlink_clients TO ${role}`);
    t.same(await warningsOf(() => assertSchema(pool, { schema })), [], 'a role that reads');
    await pool.query(`GRANT INSERT ON ${schema}.claimlink_api_keys TO ${role}`);
    const [warning] = await warningsOf(() => assertSchema(pool, { schema }));
    t.match(warning, `claimlink: ${role}, on claimlink_api_keys.`);
    t.same(await warningsOf(() => assertSchema(pool, { schema })), [], 'once in a process');
    await pool.query(`GRANT SELECT ON ${schema}.claimlink_clients TO PUBLIC`);
    const [forPublic] = await warningsOf(() => migrate(pool, { schema }));
    t.match(forPublic, `claimlink: PUBLIC, ${role}, on claimlink_api_keys, claimlink_clients.`);
  });

  t.test('default privileges of a hosted database are a warning of the first migrate', async (t) => {
    const { pool, schema, role } = await open(t);
    await pool.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ALL ON TABLES TO ${role}`);
    // Hosted databases make their owner a member of these roles.
    await pool.query(`GRANT ${role} TO CURRENT_USER`);
    const [warning] = await warningsOf(() => migrate(pool, { schema }));
    t.match(warning, `${role}, on claimlink_api_keys, claimlink_clients, `);
  });

  t.test('the current role, and a role that it belongs to, are no warning', async (t) => {
    const { pool, schema, role, asRole } = await open(t);
    const group = `${role}_group`;
    await pool.query(`CREATE ROLE ${group}; GRANT ${group} TO ${role}`);
    t.teardown(() => pool.query(`DROP OWNED BY ${group}; DROP ROLE ${group}`).catch(() => {}));
    await migrate(pool, { schema });
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${group}`);
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}, ${group}`);
    t.same(await warningsOf(() => assertSchema(asRole, { schema })), []);
  });

  t.test('row level security is named, and no version', async (t) => {
    const { pool, schema, role, asRole } = await open(t);
    await migrate(pool, { schema });
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    await pool.query(`ALTER TABLE ${schema}.claimlink_migrations ENABLE ROW LEVEL SECURITY`);
    const named = (table: string) => ({
      code: 'schema_mismatch',
      message: new RegExp(
        `^Row level security hides rows of ${table} from this role\\. Give the role the right`,
      ),
    });
    await t.rejects(assertSchema(asRole, { schema }), named('claimlink_migrations'));
    await pool.query(`ALTER TABLE ${schema}.claimlink_migrations DISABLE ROW LEVEL SECURITY`);
    await pool.query(`ALTER TABLE ${schema}.claimlink_links ENABLE ROW LEVEL SECURITY`);
    await t.rejects(assertSchema(asRole, { schema }), named('claimlink_links'), 'of any table');
    await pool.query(`CREATE POLICY all_rows ON ${schema}.claimlink_links TO ${role} USING (true)`);
    await assertSchema(asRole, { schema });
  });

  t.test('tables in a schema that the connection does not use are named, and no version', async (t) => {
    const { pool, schema, role, asRole } = await open(t);
    const named = { code: 'schema_mismatch', message: new RegExp(`are in the schema ${schema}`) };
    const tables = { tablePrefix: `${schema}_` };
    await migrate(pool, tables);
    await t.rejects(assertSchema(pool, { ...tables, schema: 'public' }), named, 'another schema');
    await t.rejects(assertSchema(asRole, tables), named, 'a schema without the right USAGE');
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await t.rejects(assertSchema(asRole, tables), { code: '42501' }, 'a table without SELECT');
  });
}
