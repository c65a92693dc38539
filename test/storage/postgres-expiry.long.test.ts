// 100,000 links that end: the events of `addDueMoments` and of `claimlink sweep`, on a real PostgreSQL.
import type pg from 'pg';
import t, { type Test } from 'tap';
import { addDueMoments } from '../../lib/core/life.js';
import type { LifeEventType } from '../../lib/core/types.js';
import { createPostgresStorage, type PostgresDatabase } from '../../lib/storage/postgres/index.js';
import { later, NOON } from '../../lib/testing/storage-suite/samples.js';
import { setUp } from '../mock-server/command.js';
import { findPostgres, openTables } from './postgres-server.js';

const LINKS = 100_000;
/** Links that are not due yet. */
const OTHERS = 20_000;
const CLIENT_OF = "CASE WHEN g % 10 = 9 THEN 'client-' || g % 200 ELSE 'acme' END";

/** Inserts links that end one after another in the 100 seconds after NOON, and links that end in the year 2999. */
const FILL = `
INSERT INTO claimlink_links
    (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at, notice_at)
  SELECT ${CLIENT_OF}, lpad(g::text, 64, '0'), 'user-' || g % 1000, 'https://app.example/', true, '{}',
    timestamptz '${NOON.toISOString()}' - interval '1 day', expires_at, expires_at
  FROM (
    SELECT g, CASE WHEN g <= ${LINKS} THEN timestamptz '${NOON.toISOString()}' + g * interval '1 ms'
      ELSE timestamptz '2999-01-01Z' END AS expires_at
    FROM generate_series(1, ${LINKS + OTHERS}) g
  ) numbers;
VACUUM ANALYZE claimlink_links, claimlink_outbox`;

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Returns how a plan reads the tables, the table of the chosen types excepted. */
function scansOf(plan: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = plan;
  const isScan = type.endsWith('Scan') && table !== '' && table !== 'claimlink_event_types';
  const scan = isScan ? [`${type}${index ? ` of ${index}` : ''} on ${table}`] : [];
  return [...scan, ...(plan.Plans ?? []).flatMap(scansOf)];
}

const server = await findPostgres(t);
if (server !== undefined) {
  const { url } = server;
  /** Opens tables with the links. */
  async function openLinks(t: Test, types: readonly LifeEventType[]) {
    const { pool, schema, storage } = await openTables(t, { url });
    await storage.chooseEvents({ types, expiryNoticeSeconds: 60 });
    for (const statement of FILL.split(';')) await pool.query(statement);
    return { pool, schema, storage };
  }

  t.test(`addDueMoments records the end of ${LINKS} links, each once, and reads indexes only`, async (t) => {
    const { pool } = await openLinks(t, ['link.expired']);
    const scans = new Map<string, number>();
    /** Explains each statement, and runs it. */
    const database: PostgresDatabase = {
      async query(text, params) {
        const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, [...(params ?? [])]);
        for (const scan of scansOf(rows[0]['QUERY PLAN'][0].Plan))
          scans.set(scan, (scans.get(scan) ?? 0) + 1);
        return pool.query(text, [...(params ?? [])]);
      },
    };
    const start = Date.now();
    await addDueMoments(createPostgresStorage(database), later(100_000));
    t.comment(`${LINKS} links in ${Date.now() - start} ms: ${JSON.stringify(Object.fromEntries(scans))}`);
    await assertEvents(t, pool);
    t.same(
      [...scans.keys()].filter((scan) => scan.startsWith('Seq Scan')),
      [],
      'no whole table is read',
    );
    const { rows } = await pool.query(
      'SELECT count(*)::integer AS count FROM claimlink_links WHERE jsonb_array_length(moments) = 1 AND notice_at IS NULL',
    );
    t.equal(rows[0]?.count, LINKS, 'each link has one moment, and is not due any more');
  });

  t.test(
    `claimlink sweep records the end of ${LINKS} links, each once, deletes them and names each`,
    async (t) => {
      const { pool, schema } = await openLinks(t, ['link.expired', 'data.deleted']);
      const start = Date.now();
      const { runWords, stdout, stderr } = setUp();
      const code = await runWords(['sweep', '--database', url, '--schema', schema]);
      t.comment(`${LINKS} links in ${Date.now() - start} ms`);
      t.same([code, stdout.text], [0, `Deleted ${LINKS} expired links.\n`], stderr.text);
      await assertEvents(t, pool);
      const { rows } = await pool.query(`
      SELECT count(*)::integer AS links, count(DISTINCT id)::integer AS different, max(size)::integer AS most
      FROM claimlink_outbox, jsonb_array_elements_text(data->'linkIds') id, jsonb_array_length(data->'linkIds') size
      WHERE type = 'data.deleted'`);
      t.same(rows, [{ links: LINKS, different: LINKS, most: 500 }], 'each link is named once');
    },
  );

  /** Asserts that each link has one event of its end, at its time. */
  async function assertEvents(t: Test, pool: pg.Pool): Promise<void> {
    const { rows } = await pool.query(`
      SELECT count(*)::integer AS events, count(DISTINCT data->>'linkId')::integer AS links,
        count(DISTINCT event_id)::integer AS ids, count(*) FILTER (WHERE data->>'sequence' = '1')::integer AS first,
        count(*) FILTER (WHERE occurred_at = timestamptz '${NOON.toISOString()}' + (data->>'linkId')::integer * interval '1 ms')::integer AS in_time
      FROM claimlink_outbox WHERE type = 'link.expired'`);
    t.same(
      rows,
      [{ events: LINKS, links: LINKS, ids: LINKS, first: LINKS, in_time: LINKS }],
      'one event for each link',
    );
  }
}
