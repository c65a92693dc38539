// The contract suite on a real PostgreSQL.
import t from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { createTickingService, rulesWith, runSuite, targetOf } from '../testing/deployment.js';
import { findPostgres, openTables } from './postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined)
  t.test('a service over PostgreSQL passes the contract suite', async (t) => {
    const { pool } = await openTables(t, server);
    const createStorage = () => createPostgresStorage(pool);
    const { claimlink, failures } = await createTickingService({ createStorage });
    const outcomes = await runSuite(targetOf(createFetchHandler(claimlink)));
    t.same(rulesWith(outcomes, 'failed'), []);
    t.same(rulesWith(outcomes, 'not applicable'), []);
    t.same(failures, [], 'the service reported no error');
  });
