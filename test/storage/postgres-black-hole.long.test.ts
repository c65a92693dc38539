// A database that stops answering, as behind a lost network: connections stay open, and nothing arrives.
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { createTestService, KEYS } from '../adapters/service.js';
import { findPostgres, openSchema } from './postgres-server.js';
import { startProxy } from './proxy.js';

const LISTING = { method: 'GET', url: '/acme/sessions/user-1', headers: { 'x-api-key': KEYS.good } };

const server = await findPostgres(t);
if (server !== undefined) {
  for (const prepareStatements of [false, true]) {
    t.test(
      `a pool recovers from a database that stops answering${prepareStatements ? ', also with prepared statements' : ''}`,
      async (t) => {
        const { pool: direct, schema } = await openSchema(t, server);
        await migrate(direct);
        const proxy = await startProxy(t, server);
        const pool = new pg.Pool({ connectionString: proxy.url, max: 2, connectionTimeoutMillis: 1000 });
        pool.on('error', () => {});
        t.teardown(() => pool.end());
        const { claimlink, failures } = await createTestService({
          createStorage: () => createPostgresStorage(direct),
          wrap: () => createPostgresStorage(pool, { schema, queryTimeoutSeconds: 1, prepareStatements }),
          storageTimeoutSeconds: 20,
        });
        const list = async (count: number) => {
          const responses = Array.from({ length: count }, () => claimlink.handle(LISTING));
          return (await Promise.all(responses)).map(({ status }) => status);
        };
        t.same(await list(2), [200, 200], 'both connections are open');
        // The last use of the key is stored beside the requests: it must not hold one of the two connections.
        await claimlink.idle();
        proxy.blackHole();
        t.same(await list(2), [503, 503]);
        const cause = { message: 'Query read timeout' };
        t.match(failures, [{ error: { cause } }, { error: { cause } }]);
        t.same(await list(1), [503], 'no new connection either');
        proxy.route(server);
        t.same(await list(3), [200, 200, 200], 'no connection from before is used again');
      },
    );
  }
}

t.test('Pool and Client of pg get a time limit with each statement, other drivers a text', async (t) => {
  const calls: unknown[][] = [];
  const query = async (...args: unknown[]) => {
    calls.push(args);
    return { rows: [] };
  };
  const pool = Object.assign(new pg.Pool(), { query });
  const client = Object.assign(new pg.Client(), { query });
  const plain = { query };
  const pglite = Object.assign(Object.create(PGlite.prototype), { query });
  const first = async (...args: Parameters<typeof createPostgresStorage>) => {
    calls.length = 0;
    await createPostgresStorage(...args).findClient('acme');
    const [statement] = calls[0] ?? [];
    return typeof statement === 'object' ? (statement as { query_timeout?: number }).query_timeout : 'text';
  };
  t.equal(await first(pool), 8000);
  t.equal(await first(client), 8000);
  t.equal(await first(plain), 'text');
  t.equal(await first(pglite), 'text');
  t.equal(await first(pool, { queryTimeoutSeconds: false, prepareStatements: false }), 'text');
  t.equal(await first(pool, { queryTimeoutSeconds: false }), undefined);
  t.equal(await first(plain, { queryTimeoutSeconds: 3 }), 3000, 'a wrapper that passes everything on to pg');
  calls.length = 0;
  await migrate(pool);
  t.ok(
    calls.every(([statement]) => typeof statement === 'string'),
    'an index may take longer',
  );
});
