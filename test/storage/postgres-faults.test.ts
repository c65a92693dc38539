// What a fault of the database does: retried, a 503 with Retry-After, or a 500 whose cause goes to onError.
import pg from 'pg';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { CLAIM, createTestService, KEYS, linkRequest } from '../adapters/service.js';
import { findPostgres, type openSchema, openTables } from './postgres-server.js';

const server = await findPostgres(t);

const LISTING = { method: 'GET', url: '/acme/sessions/user-1', headers: { 'x-api-key': KEYS.good } };
const LINK = {
  method: 'POST',
  url: '/acme/link',
  headers: { 'x-api-key': KEYS.good, 'content-type': 'application/json' },
  body: linkRequest(),
};

/** A database that fails so often with this error, and then answers with no rows. */
function failing(error: unknown, times = Number.POSITIVE_INFINITY) {
  const database = {
    calls: 0,
    async query() {
      database.calls++;
      if (database.calls <= times) throw error;
      return { rows: [] };
    },
  };
  return database;
}

function coded(code: string, message = 'secret detail'): Error {
  return Object.assign(new Error(message), { code });
}

for (const code of ['40001', '40P01']) {
  t.test(`${code} is retried, so that the caller does not notice`, async (t) => {
    const database = failing(coded(code), 3);
    t.equal(await createPostgresStorage(database).findClient('acme'), undefined);
    t.equal(database.calls, 4);
  });

  t.test(`${code} is retried nine times, then the storage is unavailable`, async (t) => {
    const cause = coded(code);
    const database = failing(cause);
    const call = async () => createPostgresStorage(database).findClient('acme');
    await t.rejects(call(), { code: 'storage_unavailable', cause });
    t.equal(database.calls, 10);
  });
}

t.test('what a wrapper of the host throws at once is as good as rejected', async (t) => {
  const throwing = {
    query() {
      throw coded('ECONNREFUSED');
    },
  };
  const lookup = createPostgresStorage(throwing).findCredentials({ apiKeyHash: 'h', clientId: 'acme' });
  await t.rejects(Promise.resolve(lookup), { code: 'storage_unavailable' });
});

for (const code of ['23505', '22021', '42P01', '42501', '28P01']) {
  t.test(`${code} is not retried, and reaches the caller unchanged`, async (t) => {
    const database = failing(coded(code));
    await t.rejects(async () => createPostgresStorage(database).findClient('acme'), { code });
    t.equal(database.calls, 1);
  });
}

t.test('a setting that a pooler rejects is no outage: it reaches the caller unchanged', async (t) => {
  const database = failing(coded('08P01', 'unsupported startup parameter: options'));
  await t.rejects(async () => createPostgresStorage(database).findClient('acme'), { code: '08P01' });
  t.equal(database.calls, 1);
});

const AWAY: Record<string, unknown> = {
  'a closed port': coded('ECONNREFUSED'),
  'a socket that is not there': coded('ENOENT'),
  'a reset connection': coded('ECONNRESET'),
  'a host that is not found': coded('ENOTFOUND'),
  'several addresses, none of which answers': new AggregateError([
    coded('ECONNREFUSED'),
    coded('ECONNREFUSED'),
  ]),
  'a server that shuts down': coded('57P01'),
  'a server that starts up': coded('57P03'),
  'too many connections': coded('53300'),
  'a connection failure that SQL reports': coded('08006'),
  'a connection that broke': new Error('Connection terminated unexpectedly'),
  'a pool that has ended': new Error('Cannot use a pool after calling end on the pool'),
  'a client whose connection broke': new Error(
    'Client has encountered a connection error and is not queryable',
  ),
  'a pool that is exhausted': new Error('timeout exceeded when trying to connect'),
  'a pool of Knex that is exhausted': new Error(
    'Knex: Timeout acquiring a connection. The pool is probably full.',
  ),
  'a client that has ended': new Error('Client was closed and is not queryable'),
  'a database that does not answer within query_timeout': new Error('Query read timeout'),
  'a standby, or a primary that was demoted': coded('25006'),
  'a statement that statement_timeout ended': coded('57014'),
  'a statement that lock_timeout ended': coded('55P03'),
  'a transaction that transaction_timeout ended': coded('25P04'),
  'an idle session that the server ended': coded('57P05'),
  'a commit whose result is unknown': coded('40003'),
  'a connection of postgres that was closed': coded('CONNECTION_CLOSED'),
  'a connection of postgres that was destroyed': coded('CONNECTION_DESTROYED'),
  'an instance of postgres that has ended': coded('CONNECTION_ENDED'),
  'a database to which postgres does not connect in time': coded('CONNECT_TIMEOUT'),
};

for (const [name, error] of Object.entries(AWAY)) {
  t.test(`${name} is a 503 with Retry-After, and its cause goes to onError`, async (t) => {
    const { claimlink, failures } = await createTestService({
      wrap: () => createPostgresStorage(failing(error)),
    });
    const { status, headers, body } = await claimlink.handle(LISTING);
    t.equal(status, 503);
    t.equal(headers['retry-after'], '5');
    t.equal(JSON.parse(body).code, 'storage_unavailable');
    t.notMatch(body, /secret/);
    t.match(failures, [{ error: { code: 'storage_unavailable', cause: error }, request: { method: 'GET' } }]);
  });
}

for (const code of ['23505', '42P07', '42710', 'XX000']) {
  t.test(`migrate repeats a statement that fails with ${code}: another process did the same`, async (t) => {
    const database = failing(coded(code));
    let fails = true;
    const query = (text: string) => {
      if (!text.startsWith('CREATE TABLE') || !fails) return Promise.resolve({ rows: [] });
      fails = false;
      return database.query();
    };
    t.same(await migrate({ query }), []);
    t.equal(database.calls, 1);
  });
}

if (server !== undefined) {
  const open = async (t: Parameters<typeof openSchema>[0]) => {
    const { pool, schema } = await openTables(t, server);
    return { pool, schema, createStorage: () => createPostgresStorage(pool) };
  };

  t.test('a pool that is exhausted is a 503, and works again when a connection is free', async (t) => {
    const { schema, createStorage } = await open(t);
    const small = new pg.Pool({ connectionString: server.url, max: 1, connectionTimeoutMillis: 1000 });
    t.teardown(() => small.end());
    const { claimlink } = await createTestService({
      createStorage,
      wrap: () => createPostgresStorage(small, { schema }),
    });
    const held = await small.connect();
    t.equal((await claimlink.handle(LISTING)).status, 503);
    held.release();
    t.equal((await claimlink.handle(LISTING)).status, 200);
  });

  t.test('a connection that is lost within a statement is a 503; nothing half-written stays', async (t) => {
    const { pool, schema, createStorage } = await open(t);
    const { claimlink, storage } = await createTestService({ createStorage });
    const { url } = await claimlink.createLink('acme', linkRequest());
    const { pathname, search } = new URL(url);
    // Locks the table of sessions, so that the submission waits in the middle of its one statement.
    const blocker = await pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE claimlink_sessions IN SHARE MODE');

    const submission = {
      method: 'POST',
      url: pathname + search,
      headers: { 'content-type': 'application/json' },
    };
    const answer = claimlink.handle({ ...submission, body: CLAIM });
    const terminated = await until(async () => {
      const { rows } = await blocker.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks
           WHERE relation = '${schema}.claimlink_sessions'::regclass AND NOT granted`,
      );
      return rows.length > 0;
    });
    t.ok(terminated);
    t.equal((await answer).status, 503);
    await blocker.query('ROLLBACK');
    blocker.release();
    const before = await storage.listSessions({ clientId: 'acme', userId: 'user-1', limit: 10 });
    t.equal((await claimlink.handle({ ...submission, body: CLAIM })).status, 200, 'the link is still usable');
    const after = await storage.listSessions({ clientId: 'acme', userId: 'user-1', limit: 10 });
    t.equal(after.sessions.length, before.sessions.length + 1);
  });

  t.test('a statement that the database cuts off is a 503, and its cause goes to onError', async (t) => {
    const { pool, schema, createStorage } = await open(t);
    const hurried = new pg.Pool({ connectionString: server.url, options: '-c statement_timeout=50' });
    t.teardown(() => hurried.end());
    const { claimlink, failures } = await createTestService({
      createStorage,
      wrap: () => createPostgresStorage(hurried, { schema }),
    });
    const blocker = await pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE claimlink_sessions IN ACCESS EXCLUSIVE MODE');
    t.equal((await claimlink.handle(LISTING)).status, 503);
    t.match(failures, [{ error: { code: 'storage_unavailable', cause: { code: '57014' } } }]);
    await blocker.query('ROLLBACK');
    blocker.release();
    t.equal((await claimlink.handle(LISTING)).status, 200);
  });

  t.test('a read-only database serves a listing without an error, and has no use of the key', async (t) => {
    const { pool, schema, createStorage } = await open(t);
    const settings = `-c search_path=${schema} -c default_transaction_read_only=on`;
    const standby = new pg.Pool({ connectionString: server.url, options: settings });
    t.teardown(() => standby.end());
    let database: pg.Pool = standby;
    const codes: unknown[] = [];
    const { claimlink, clock, failures } = await createTestService({
      createStorage,
      wrap: () =>
        createPostgresStorage({
          query: (text, params) =>
            database.query(text, params).catch((error) => {
              codes.push(error.code);
              throw error;
            }),
        }),
    });
    const uses = async () => {
      const { rows } = await pool.query('SELECT 1 FROM claimlink_api_keys WHERE last_used_at IS NOT NULL');
      return rows.length;
    };
    for (let request = 0; request < 3; request++) {
      t.equal((await claimlink.handle(LISTING)).status, 200);
      await claimlink.idle();
    }
    t.same(codes, ['25006'], 'one attempt in the hour');
    t.same(failures, []);
    t.equal(await uses(), 0);
    database = pool;
    clock.now = new Date(clock.now.getTime() + 3_600_000);
    t.equal((await claimlink.handle(LISTING)).status, 200);
    await claimlink.idle();
    t.equal(await uses(), 1, 'in the next hour, as a primary');
  });

  t.test('a database that has become read-only is a 503, and works again as a primary', async (t) => {
    const { pool, schema, createStorage } = await open(t);
    const settings = `-c search_path=${schema} -c default_transaction_read_only=on`;
    const standby = new pg.Pool({ connectionString: server.url, options: settings });
    t.teardown(() => standby.end());
    let database: pg.Pool = standby;
    const { claimlink } = await createTestService({
      createStorage,
      wrap: () => createPostgresStorage({ query: (text, params) => database.query(text, params) }),
    });
    t.equal((await claimlink.handle(LINK)).status, 503);
    database = pool;
    t.equal((await claimlink.handle(LINK)).status, 200);
  });

  t.test('a database that is away at the start is a 503, not a crash', async (t) => {
    const { createStorage } = await open(t);
    const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    t.teardown(() => nowhere.end());
    const { claimlink } = await createTestService({
      createStorage,
      wrap: () => createPostgresStorage(nowhere),
    });
    t.equal((await claimlink.handle(LINK)).status, 503);
  });
}

/** Polls until a condition holds; false when it does not within ten seconds. */
async function until(condition: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
