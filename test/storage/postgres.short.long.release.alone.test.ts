// The storage suite on a real PostgreSQL, in more than one isolation level and time zone.
import pg from 'pg';
import t from 'tap';
import type { EventKey } from '../../lib/core/storage.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { later, NOON, sampleRecord } from '../../lib/testing/storage-suite/samples.js';
import { IS_LONG, IS_RELEASE } from '../size.js';
import { DELETED_SESSIONS } from './deleted-sessions.js';
import { deleteRows, findPostgres, lockEvent, openTables, runSuite } from './postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined) {
  /** A host may have changed how pg reads every type: here all of them as the text that the server sends. */
  const TEXT_ONLY = { getTypeParser: () => (value: unknown) => value };
  /** A driver that cannot parse JSON: each statement returns it as text. */
  const WITHOUT_JSON = {
    getTypeParser(oid: number) {
      if (oid === pg.types.builtins.JSON || oid === pg.types.builtins.JSONB)
        throw new Error('A statement returns JSON as JSON.');
      return pg.types.getTypeParser(oid);
    },
  };
  const skip = !IS_LONG && 'the suite runs once more: CLAIMLINK_TESTS=long runs it';

  // Races take much longer where the database is serializable: it repeats what conflicts.
  const isolation = IS_RELEASE ? 'serializable' : 'read committed';
  const settings = `-c timezone=UTC -c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`;
  t.test(`the suite: ${isolation}, with two storages on one database`, async (t) => {
    const { pool } = await openTables(t, server, settings);
    const other = new pg.Pool(pool.options);
    t.teardown(() => other.end());
    const createStorage = async () => {
      await deleteRows(pool);
      return createPostgresStorage(pool);
    };
    const createPair = async () => [await createStorage(), createPostgresStorage(other)] as const;
    const options = { createPair, lockEvent: (_: unknown, event: EventKey) => lockEvent(other, event) };
    for (const { name, run } of storageSuite(createStorage, options)) await t.test(name, run);
  });

  t.test('without SKIP LOCKED, the suite finds that leaseEvents waits for a lock', async (t) => {
    const { pool } = await openTables(t, server);
    const createStorage = async () => {
      await deleteRows(pool);
      return createPostgresStorage({
        query: (text, params) => pool.query(text.replace('SKIP LOCKED', ''), params),
      });
    };
    const cases = storageSuite(createStorage, { lockEvent: (_, event) => lockEvent(pool, event) });
    const locked = cases.filter(({ name }) => name.includes('locked one'));
    t.equal(locked.length, 2, 'one for each kind of events');
    for (const { run } of locked) await t.rejects(run(), { message: 'leaseEvents waits for the lock' });
  });

  t.test(
    'the suite: repeatable read, half hours, German dates, and a host whose driver reads every type as text',
    { skip: !IS_RELEASE && 'npm run test:release runs it' },
    async (t) => {
      const options =
        '-c timezone=Asia/Kolkata -c datestyle=German -c default_transaction_isolation=repeatable\\ read';
      const { pool, schema } = await openTables(t, server);
      const raw = new pg.Pool({ connectionString: server.url, max: 5, types: TEXT_ONLY, options });
      t.teardown(() => raw.end());
      await runSuite(t, pool, () => createPostgresStorage(raw, { schema }));
    },
  );

  t.test(
    'the suite: read committed, UTC, JSON as text, and statements that are prepared, each once for a connection',
    { skip },
    async (t) => {
      const { pool, schema } = await openTables(t, server);
      const options = '-c timezone=UTC';
      const single = new pg.Pool({ connectionString: server.url, max: 1, types: WITHOUT_JSON, options });
      t.teardown(() => single.end());
      await runSuite(t, pool, () => createPostgresStorage(single, { schema, prepareStatements: true }));
      const { rows } = await single.query<{ name: string; statement: string }>(
        'SELECT name, statement FROM pg_prepared_statements',
      );
      const statements = new Set(rows.map(({ statement }) => statement));
      t.ok(rows.length > 10 && rows.every(({ name }) => name.startsWith('claimlink_')));
      t.equal(statements.size, rows.length, 'no text has two names');
    },
  );

  t.test('the order of rows does not come from the indexes', async (t) => {
    const settings = '-c enable_indexscan=off -c enable_indexonlyscan=off -c enable_bitmapscan=off';
    const { pool } = await openTables(t, server, settings);
    const cases = storageSuite(async () => {
      await deleteRows(pool);
      return createPostgresStorage(pool);
    });
    const ordered = cases.filter(({ name }) => /\b(?:order|first|newest|oldest)\b/.test(name));
    t.ok(ordered.length > 5);
    for (const { name, run } of ordered) await t.test(name, run);
  });

  for (const [sweep, insert] of [
    [
      'deleteExpiredLinks',
      `INSERT INTO claimlink_links (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at)
       SELECT 'acme', n::text, 'u', 'https://x', false, '{}', now(), to_timestamp(n) FROM generate_series(1, 17500) n`,
    ],
    [
      'deleteSessions',
      `INSERT INTO claimlink_sessions (client_id, reference, user_id, date, cams_reference, status, created_at, selected_policy)
       SELECT 'acme', n::text, 'u', to_timestamp(n), 'C', 'submitted', now(), '{}' FROM generate_series(1, 17500) n`,
    ],
  ] as const)
    t.test(`three calls of ${sweep} at once leave nothing, and count each record once`, async (t) => {
      const { pool, storage } = await openTables(t, server);
      await pool.query(insert);
      const before = new Date('2026-01-01');
      const [one = 0, two = 0, three = 0] = await Promise.all([1, 2, 3].map(() => storage[sweep](before)));
      t.equal(one + two + three, 17_500);
      t.equal(await storage[sweep](before), 0);
    });

  for (const { name, run } of DELETED_SESSIONS)
    t.test(name, async (t) => {
      const { pool, storage } = await openTables(t, server);
      await run(t, storage, (sql) => pool.query(sql));
    });

  t.test('failed events are listed in the order of their failure', async (t) => {
    const { pool, storage } = await openTables(t, server);
    for (const [id, nextAttemptAt, failedAt] of [
      ['first', '2026-01-02', '2026-01-03'],
      ['second', '2026-01-01', '2026-01-04'],
    ]) {
      await pool.query(
        `WITH session AS (
          INSERT INTO claimlink_sessions (client_id, reference, user_id, date, cams_reference, status, created_at, selected_policy)
          VALUES ('acme', $1, 'u', now(), 'C', 'submitted', now(), '{}')
        )
        INSERT INTO claimlink_outbox (client_id, reference, event_id, type, attempts, next_attempt_at, failed_at)
        VALUES ('acme', $1, $1, 'claim.submitted', 1, $2::timestamptz, $3::timestamptz)`,
        [id, nextAttemptAt, failedAt],
      );
    }
    const events = await storage.listEvents({ state: 'failed', limit: 10 });
    t.same(
      events.map(({ id }) => id),
      ['first', 'second'],
    );
  });

  t.test('retryEvents changes many events in statements of at most 5,000 rows', async (t) => {
    const { pool } = await openTables(t, server);
    await pool.query(`
      INSERT INTO claimlink_outbox (client_id, reference, event_id, type, attempts, next_attempt_at, failed_at)
      SELECT 'acme', 'S-' || n, n, 'claim.submitted', 20, now(), now() FROM generate_series(1, 10001) n`);
    const sizes: number[] = [];
    const storage = createPostgresStorage({
      async query(text, params) {
        const result = await pool.query(text, params);
        sizes.push(result.rows.length);
        return result;
      },
    });
    t.equal(await storage.retryEvents({ at: NOON }), 10_001);
    t.same(sizes, [5000, 5000, 1]);
    t.same(await storage.countEvents({ limit: 20_000 }), { pending: 10_001, failed: 0 });
  });

  t.test('listClientSessions returns sessions of insertSession by date', async (t) => {
    const { storage } = await openTables(t, server);
    await storage.insertClient({ clientId: 'acme' });
    const references = ['S-3', 'S-1', 'S-2'];
    for (const [index, reference] of references.entries())
      await storage.insertSession(sampleRecord({ reference, date: later(index) }));
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await storage.listClientSessions({
        clientId: 'acme',
        limit: 1,
        ...(cursor && { cursor }),
      });
      listed.push(...page.sessions.map(({ reference }) => reference));
      cursor = page.hasMore ? page.nextCursor : undefined;
    } while (cursor !== undefined);
    t.same(listed, references);
  });
}
