// Part `postgres`: claimlink on PostgreSQL beside a hand-written app on `pg` with the same indexed queries.
import { createPostgresStorage, migrate } from '../dist/lib/storage/postgres/index.js';
import { openDatabase } from './postgres-server.mjs';
import { compareServers, createServerEntry } from './requests-per-second.mjs';
import { seed } from './service.mjs';

/** Vacuum, JIT and waiting for the disk would hit one measurement and not another. */
const SETTINGS = ['shared_buffers=512MB', 'autovacuum=off', 'synchronous_commit=off', 'jit=off'];

const RATIOS = [
  ['listing', 'claimlink', 'by-hand', 0.95],
  ['link', 'claimlink', 'by-hand', 0.85],
  ['listing', 'cached', 'by-hand', 1.4],
  ['link', 'cached', 'by-hand'],
  ['listing', 'cached-prepared', 'by-hand'],
  ['link', 'cached-prepared', 'by-hand'],
  ['listing', 'prepared', 'claimlink'],
  ['link', 'prepared', 'claimlink'],
];

export async function run(context) {
  const { url, schema, pool } = await openDatabase(SETTINGS, context);
  await migrate(pool, { schema });
  await seed(createPostgresStorage(pool, { schema }));
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query('SHOW server_version');
  console.log(`\nPostgreSQL ${rows[0].server_version}; ${SETTINGS.join('; ')}`);
  const environment = { DATABASE_URL: url, SCHEMA: schema };
  const prepared = { PREPARE_STATEMENTS: 'true' };
  const cached = { CACHE_CREDENTIALS: 'true' };
  const servers = [
    createServerEntry('claimlink', 'claimlink', { id: 'claimlink', environment }),
    createServerEntry('claimlink', 'claimlink, prepared statements', {
      id: 'prepared',
      environment: { ...environment, ...prepared },
    }),
    createServerEntry('claimlink', 'claimlink with credentialCache', {
      id: 'cached',
      environment: { ...environment, ...cached },
    }),
    createServerEntry('claimlink', 'claimlink with credentialCache, prepared statements', {
      id: 'cached-prepared',
      environment: { ...environment, ...cached, ...prepared },
    }),
    createServerEntry('by-hand', 'hand-written on pg', { id: 'by-hand', environment }),
  ];
  await compareServers(
    {
      servers,
      ratios: RATIOS,
      // The links of an earlier measurement would make the index of a later one larger.
      beforeMeasurement: () => pool.query(`TRUNCATE ${schema}.claimlink_links`),
    },
    context,
  );
}
