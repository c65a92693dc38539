// Part `scaling`: how the cost of the PostgreSQL storage grows with the number of sessions.
import { randomBytes, randomInt } from 'node:crypto';
import { createPostgresStorage } from '../dist/lib/storage/postgres/index.js';
import { createSessions, LINK_BODY } from './data.mjs';
import { openDatabase } from './postgres-server.mjs';
import { meanOf, medianOf, orderOf, progress, tableOf } from './rounds.mjs';
import * as data from './scaling-data.mjs';
import { explainRecords } from './scaling-plans.mjs';

const SETTINGS = [
  'shared_buffers=4GB',
  'max_wal_size=8GB',
  'checkpoint_timeout=1h',
  'autovacuum=off',
  'jit=off',
];
const USER_SESSIONS = 20;
const PAGE = 10;
const SAMPLES = 1000;
const CALLS_PER_ROUND = 100;
/** From this size on, a statement must use an index. */
const INDEXED_FROM = 100_000;
const LATER = new Date('2030-01-01T12:00:00Z');

/** The calls of the storage. `prepare` is not measured. */
const CASES = {
  authentication: {
    run: (storage, { key }) =>
      storage.findCredentials({ apiKeyHash: data.apiKeyHash(key), clientId: data.apiKeyClient(key) }),
  },
  'listing, all 20': { run: (storage, { owner }) => storage.listSessions({ ...owner, limit: 1000 }) },
  'listing, next 10': {
    run: (storage, { owner, cursor }) => storage.listSessions({ ...owner, limit: PAGE, cursor }),
  },
  'listing, 4 of 20 by status': {
    run: (storage, { owner }) => storage.listSessions({ ...owner, limit: 1000, status: 'closed' }),
  },
  'find a link': { run: (storage, { link }) => storage.findLink(link) },
  'insert a link': { prepare: createLink, run: (storage, _sample, link) => storage.insertLink(link) },
  'submit a link': {
    async prepare(storage) {
      const link = createLink();
      await storage.insertLink(link);
      return createSubmission(link);
    },
    run: (storage, _sample, submission) => storage.submitLink(submission),
  },
};
const EXPLAINED = ['listing, all 20', 'listing, next 10', 'authentication'];

export async function run(context) {
  const { signal, rounds } = context;
  const { pool, schema, isOwn } = await openDatabase(SETTINGS, context);
  const { rows } = await pool.query('SHOW server_version');
  console.log(`\nPostgreSQL ${rows[0].server_version}; ${isOwn ? SETTINGS.join('; ') : 'at DATABASE_URL'}`);
  const sizes = [];
  for (const sessions of context.sizes) {
    const users = Math.floor(sessions / USER_SESSIONS);
    const size = { sessions, users, options: { schema, tablePrefix: `s${sessions}_` }, results: new Map() };
    await data.fill(pool, size, { signal, progress });
    size.samples = await createSamples(pool, size);
    sizes.push(size);
  }
  const largest = sizes.at(-1);
  const storage = await data.measureStorage(pool, largest.options);
  // A checkpoint during the rounds would hit some calls and not others. On a server at DATABASE_URL it needs rights.
  await pool.query('CHECKPOINT').catch(() => {});
  for (let call = 0; call < rounds * CALLS_PER_ROUND; call++) {
    signal.throwIfAborted();
    progress(`call ${call} of ${rounds * CALLS_PER_ROUND} of every kind`);
    for (const size of orderOf(sizes, call)) await measureCases(pool, size);
  }
  progress('');
  printGrowth(sizes);
  const sizesOfRows = storage.map(({ name, rows: count, bytes }) => [
    name,
    count,
    (bytes / count).toFixed(0),
  ]);
  console.log(`\n${tableOf([`${largest.sessions} sessions`, 'rows', 'bytes per row'], sizesOfRows)}`);
  for (const name of EXPLAINED) {
    const call = (explained) => CASES[name].run(explained, largest.samples[0]);
    const lines = await explain(pool, largest.options, 'FORMAT TEXT', call);
    console.log(`\n${name}, ${largest.sessions} sessions:\n\n${lines.join('\n')}`);
  }
  const plans = await explainRecords(pool, largest);
  console.log(`\n${tableOf([`statement, ${largest.sessions} sessions`, 'ms', 'pages', 'scans'], plans)}`);
  assertIndexed(sizes);
  const scans = plans.filter(([, , , nodes]) => nodes.includes('Seq Scan'));
  if (largest.sessions >= INDEXED_FROM && scans.length > 0)
    throw new Error(`a statement reads a whole table:\n${scans.map((row) => row.join(', ')).join('\n')}`);
}

/** Picks random users, links and keys of a size. */
async function createSamples(pool, { options, sessions, users }) {
  const storage = createPostgresStorage(pool, options);
  const samples = [];
  for (let i = 0; i < Math.min(SAMPLES, users); i++) {
    const user = randomInt(users);
    const owner = { clientId: data.userClient(user), userId: data.userId(user) };
    const { sessions: page, nextCursor } = await storage.listSessions({ ...owner, limit: PAGE });
    const number = randomInt(data.linkCount(sessions));
    const link = { clientId: data.userClient(number % users), accessCodeHash: data.linkHash(number) };
    if (page.length !== PAGE || (await storage.findLink(link)) === undefined)
      throw new Error(`the data of ${sessions} sessions is incomplete`);
    samples.push({ owner, cursor: nextCursor, link, key: randomInt(data.API_KEYS) });
  }
  return samples;
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
    const [{ Plan: plan, ...times }] = await explain(pool, options, 'TIMING OFF, FORMAT JSON', call);
    const result = results.get(name) ?? { endToEnd: [], server: [], pages: [], plans: new Set() };
    results.set(name, result);
    result.endToEnd.push(endToEnd);
    result.server.push((times['Planning Time'] + times['Execution Time']) * 1000);
    result.pages.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    result.plans.add(nodesOf(plan).join(', '));
  }
}

/**
 * Explains the statement that the storage itself sends for a call. EXPLAIN ANALYZE executes it.
 * Resolves to the plan: an array in JSON, or lines of text.
 */
async function explain(pool, options, format, call) {
  const plans = [];
  const query = async (text, params) => {
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, ${format}) ${text}`, params);
    const lines = rows.map((row) => row['QUERY PLAN']);
    plans.push(typeof lines[0] === 'string' ? lines : lines[0]);
    return { rows: [] };
  };
  await call(createPostgresStorage({ query }, options));
  if (plans.length !== 1) throw new Error(`a storage call sent ${plans.length} statements`);
  return plans[0];
}

/** Returns every node of a plan with its index or table. */
function nodesOf(plan) {
  const name = [plan['Node Type'], plan['Index Name'] ?? plan['Relation Name'] ?? ''].join(' ').trim();
  return [name, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function printGrowth(sizes) {
  const rows = Object.keys(CASES).flatMap((name) => {
    const figures = sizes.map(({ results }) => {
      const { pages, server, endToEnd } = results.get(name);
      return [meanOf(pages), medianOf(server), medianOf(endToEnd)];
    });
    return sizes.map(({ sessions }, index) => {
      const [pages, server, endToEnd] = figures[index];
      const growth = figures[index].map((figure, column) => (figure / figures[0][column]).toFixed(2));
      return [name, sessions, pages.toFixed(1), server.toFixed(0), endToEnd.toFixed(0), ...growth];
    });
  });
  const columns = ['sessions', 'pages', 'server µs', 'end to end µs', '× pages', '× server', '× end to end'];
  console.log(`\n${tableOf(['call', ...columns], rows)}`);
}

/** @throws if a statement reads a whole table */
function assertIndexed(sizes) {
  const scans = sizes
    .filter(({ sessions }) => sessions >= INDEXED_FROM)
    .flatMap(({ sessions, results }) =>
      [...results].flatMap(([name, { plans }]) =>
        [...plans].map((plan) => `${name}, ${sessions} sessions: ${plan}`),
      ),
    )
    .filter((line) => line.includes('Seq Scan'));
  if (scans.length > 0) throw new Error(`a statement reads a whole table:\n${scans.join('\n')}`);
}

/** A link of a new user, so that the number of sessions of the other users stays the same. */
function createLink() {
  return {
    ...JSON.parse(LINK_BODY),
    clientId: 'client-0',
    accessCodeHash: randomBytes(32).toString('hex'),
    userId: `writer-${randomBytes(6).toString('hex')}`,
    createdAt: LATER,
    expiresAt: new Date('2030-01-02T12:00:00Z'),
  };
}

function createSubmission({ clientId, accessCodeHash }) {
  const reference = `S-${randomBytes(8).toString('hex')}`;
  return { clientId, accessCodeHash, at: LATER, session: { ...createSessions()[0], reference } };
}
