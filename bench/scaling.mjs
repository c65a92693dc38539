// Part `scaling`: how the cost of the PostgreSQL storage grows with the number of sessions.
import { randomBytes, randomInt } from 'node:crypto';
import { createPostgresStorage } from '../dist/lib/storage/postgres/index.js';
import { createSessions, createStoredLink } from './data.mjs';
import { openDatabase } from './postgres-server.mjs';
import { medianOf, orderOf, progress, tableOf } from './rounds.mjs';
import { fill, measureStorage } from './scaling-data.mjs';

const SETTINGS = ['shared_buffers=4GB', 'max_wal_size=8GB', 'checkpoint_timeout=1h', 'autovacuum=off'];
const USER_SESSIONS = 20;
const PAGE = 10;
const SAMPLES = 1000;
const CALLS_PER_ROUND = 100;
const LAST_DAY = new Date('2025-12-30T00:00:00Z');
const LATER = new Date('2030-01-01T12:00:00Z');

/** Calls whose cost grows with the sessions of a client, and with the failed events. Each runs once. */
const LONG_CALLS = {
  'sessions of the last day, without a cursor': (storage) =>
    storage.listClientSessions({ clientId: 'client-0', limit: PAGE, since: LAST_DAY }),
  'retry of all failed events': (storage) => storage.retryEvents({ at: LATER }),
};

/** The calls of the storage. `prepare` is not measured. */
const CASES = {
  authentication: { run: (storage, { key }) => storage.findCredentials(key) },
  'listing, all 20': { run: (storage, { owner }) => storage.listSessions({ ...owner, limit: 1000 }) },
  'listing, next 10': {
    run: (storage, { owner, cursor }) => storage.listSessions({ ...owner, limit: PAGE, cursor }),
  },
  'listing, 4 of 20 by status': {
    run: (storage, { owner }) => storage.listSessions({ ...owner, limit: 1000, status: 'closed' }),
  },
  'find a link': { run: (storage, { link }) => storage.findLink(link) },
  'insert a link': { prepare: createWriterLink, run: (storage, _sample, link) => storage.insertLink(link) },
  'submit a link': {
    async prepare(storage) {
      const link = createWriterLink();
      await storage.insertLink(link);
      return createSubmission(link);
    },
    run: (storage, _sample, submission) => storage.submitLink(submission),
  },
};

export async function run(context) {
  const { signal, rounds } = context;
  const { pool, schema, isOwn } = await openDatabase(SETTINGS, context);
  const { rows } = await pool.query('SHOW server_version');
  console.log(`\nPostgreSQL ${rows[0].server_version}; ${isOwn ? SETTINGS.join('; ') : 'at DATABASE_URL'}`);
  const sizes = [];
  for (const sessions of context.sizes) {
    const users = Math.floor(sessions / USER_SESSIONS);
    const results = new Map(Object.keys(CASES).map((name) => [name, []]));
    const size = { sessions, users, options: { schema, tablePrefix: `s${sessions}_` }, results };
    await fill(pool, size, { signal, progress });
    size.samples = await createSamples(pool, size);
    sizes.push(size);
  }
  const storage = await measureStorage(pool, sizes.at(-1).options);
  // A checkpoint during the rounds would hit some calls and not others. On a server at DATABASE_URL it needs rights.
  await pool.query('CHECKPOINT').catch(() => {});
  for (let call = 0; call < rounds * CALLS_PER_ROUND; call++) {
    signal.throwIfAborted();
    progress(`call ${call} of ${rounds * CALLS_PER_ROUND} of every kind`);
    for (const size of orderOf(sizes, call)) await measureCases(pool, size);
  }
  progress('');
  printGrowth(sizes);
  const durations = [];
  for (const [name, call] of Object.entries(LONG_CALLS))
    for (const { sessions, options } of sizes) {
      const start = performance.now();
      await call(createPostgresStorage(pool, options));
      durations.push([name, sessions, (performance.now() - start).toFixed(0)]);
    }
  console.log(`\n${tableOf(['call', 'sessions', 'ms'], durations)}`);
  console.log(`\n${tableOf(['table or index', 'rows', 'bytes per row'], storage)}`);
}

/** Picks random users, links and keys of a size. */
async function createSamples(pool, { options }) {
  const storage = createPostgresStorage(pool, options);
  const select = async (columns, table) => {
    const from = `${options.schema}.${options.tablePrefix}${table} ORDER BY random() LIMIT ${SAMPLES}`;
    return (await pool.query(`SELECT client_id AS "clientId", ${columns} FROM ${from}`)).rows;
  };
  const owners = await select('user_id AS "userId"', 'sessions');
  const links = await select('access_code_hash AS "accessCodeHash"', 'links');
  const keys = await select('hash AS "apiKeyHash"', 'api_keys');
  return Promise.all(
    owners.map(async (owner, index) => {
      const { nextCursor: cursor } = await storage.listSessions({ ...owner, limit: PAGE });
      return { owner, cursor, link: links[index % links.length], key: keys[index % keys.length] };
    }),
  );
}

/** Times one call of every case with one random sample, and explains a call with another. */
async function measureCases(pool, { options, samples, results }) {
  const storage = createPostgresStorage(pool, options);
  const pick = () => samples[randomInt(samples.length)];
  for (const [name, { prepare, run: runCase }] of Object.entries(CASES)) {
    const prepared = await prepare?.(storage);
    const start = performance.now();
    await runCase(storage, pick(), prepared);
    const endToEnd = (performance.now() - start) * 1000;
    const preparedAgain = await prepare?.(storage);
    const call = (explained) => runCase(explained, pick(), preparedAgain);
    const { Plan: plan, ...times } = await explain(pool, options, call);
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const server = (times['Planning Time'] + times['Execution Time']) * 1000;
    results.get(name).push([pages, server, endToEnd]);
  }
}

/** Explains the statement that the storage itself sends for a call, and resolves to its plan. EXPLAIN ANALYZE executes it. */
async function explain(pool, options, call) {
  const plans = [];
  const query = async (text, params) => {
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, params);
    plans.push(rows[0]['QUERY PLAN'][0]);
    return { rows: [] };
  };
  await call(createPostgresStorage({ query }, options));
  if (plans.length !== 1) throw new Error(`a storage call sent ${plans.length} statements`);
  if (JSON.stringify(plans).includes('"Seq Scan"')) throw new Error(`no index: ${JSON.stringify(plans)}`);
  return plans[0];
}

function printGrowth(sizes) {
  const rows = Object.keys(CASES).flatMap((name) => {
    const figures = sizes.map(({ results }) =>
      [0, 1, 2].map((column) => medianOf(results.get(name).map((row) => row[column]))),
    );
    return sizes.map(({ sessions }, index) => {
      const growth = figures[index].map((figure, column) => (figure / figures[0][column]).toFixed(2));
      return [name, sessions, ...figures[index].map((figure) => figure.toFixed(0)), ...growth];
    });
  });
  const columns = ['sessions', 'pages', 'server µs', 'end to end µs', '× pages', '× server', '× end to end'];
  console.log(`\n${tableOf(['call', ...columns], rows)}`);
}

/** A link of a new user, so that the number of sessions of the other users stays the same. */
function createWriterLink() {
  const userId = `writer-${randomBytes(6).toString('hex')}`;
  return createStoredLink({ clientId: 'client-0', userId }, LATER);
}

function createSubmission({ clientId, accessCodeHash }) {
  const reference = `S-${randomBytes(8).toString('hex')}`;
  return { clientId, accessCodeHash, at: LATER, session: { ...createSessions()[0], reference } };
}
