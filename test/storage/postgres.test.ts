// The storage suite on a real PostgreSQL, in more than one isolation level and time zone.
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres.js';
import { storageSuite } from '../../lib/testing/index.js';
import { findPostgres, openSchema } from './postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const SETTINGS = {
    'read committed, UTC': '-c timezone=UTC',
    'serializable, a time zone with half hours':
      '-c timezone=Asia/Kolkata -c default_transaction_isolation=serializable',
  };
  for (const [name, settings] of Object.entries(SETTINGS)) {
    t.test(name, async (t) => {
      const { pool } = await openSchema(t, server, settings);
      await migrate(pool);
      const tables = ['clients', 'api_keys', 'sessions', 'links']
        .map((table) => `claimlink_${table}`)
        .join(', ');
      const cases = storageSuite(async () => {
        await pool.query(`TRUNCATE ${tables}`);
        return createPostgresStorage(pool);
      });
      for (const { name, run } of cases) await t.test(name, run);
    });
  }
}
