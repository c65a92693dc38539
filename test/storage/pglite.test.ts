// The storage suite on PGlite: PostgreSQL's own SQL, where there is no server.
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';

const database = await PGlite.create();
t.teardown(() => database.close());
await migrate(database, { tablePrefix: 'suite_' });
const tables = ['clients', 'api_keys', 'sessions', 'links', 'sequences', 'events']
  .map((table) => `suite_${table}`)
  .join(', ');
const cases = storageSuite(async () => {
  await database.query(`TRUNCATE ${tables}`);
  return createPostgresStorage(database, { tablePrefix: 'suite_' });
});
for (const { name, run } of cases) t.test(name, run);
