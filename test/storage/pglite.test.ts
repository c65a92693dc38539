// The storage suite on PGlite: PostgreSQL's own SQL, where there is no server.
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { IS_RELEASE } from '../size.js';
import { deleteRows } from './postgres-server.js';

if (!IS_RELEASE && process.env['DATABASE_URL'] !== undefined) {
  t.test(
    'PGlite is skipped: the suite runs on PostgreSQL, and npm run proof -- matrix has both',
    { skip: true },
    () => {},
  );
} else {
  const database = await PGlite.create();
  t.teardown(() => database.close());
  await migrate(database, { tablePrefix: 'suite_' });
  const cases = storageSuite(async () => {
    await deleteRows(database, 'suite_');
    return createPostgresStorage(database, { tablePrefix: 'suite_' });
  });
  for (const { name, run } of cases) t.test(name, run);
}
