// The whole HTTP suite, over every mount, on a real PostgreSQL: the same bytes as on memory.
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { runHttpSuite } from '../adapters/http-suite.js';
import { MOUNTS } from '../adapters/mounts.js';
import { findPostgres, openSchema } from './postgres-server.js';

const server = await findPostgres(t);
const [first] = MOUNTS;
if (server !== undefined && first !== undefined) {
  t.test(`${first.name}, on memory: what the others are compared with`, (t) => runHttpSuite(t, first));

  for (const kind of MOUNTS) {
    t.test(`${kind.name}, on PostgreSQL`, async (t) => {
      const { pool } = await openSchema(t, server);
      await migrate(pool);
      await runHttpSuite(t, kind, () => createPostgresStorage(pool));
    });
  }
}
