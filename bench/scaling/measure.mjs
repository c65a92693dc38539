// Asks the storage, and has the database explain the very statements that the storage sent.
import { createHash, randomBytes } from 'node:crypto';
import { createPostgresStorage } from '../../dist/lib/storage/postgres/index.js';
import {
  API_KEYS,
  apiKeyClient,
  apiKeyHash,
  linkCount,
  linkHash,
  userClient,
  userId,
  userOf,
} from './dataset.mjs';

const PAGE = 10;
const LATER = new Date('2030-01-01T12:00:00Z');

/**
 * A storage over the pool whose statements can be explained instead of answered: what is explained is the text and
 * the parameters that the storage itself sent. EXPLAIN ANALYZE runs them, so what they write is written.
 */
function createProbe(pool, schema) {
  let options;
  let plans = [];
  const query = async (text, params) => {
    if (options === undefined) return pool.query(text, params);
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, ${options}) ${text}`, params);
    plans.push(rows.map((row) => row['QUERY PLAN']));
    return { rows: [] };
  };
  const storage = createPostgresStorage({ query }, { schema });
  const explain = async (how, work) => {
    options = how;
    plans = [];
    try {
      await work();
      return plans;
    } finally {
      options = undefined;
    }
  };
  return { storage, explain };
}

/**
 * What the server spends on a statement: planning, execution and writing the rows out, which EXPLAIN leaves out.
 * Needs pg_stat_statements. The identifier has 64 bits and comes as a JavaScript number, hence float8.
 */
function createServerClock(pool) {
  const read = async (queryId) => {
    const { rows } = await pool.query(
      'SELECT sum(total_plan_time + total_exec_time) AS millis FROM pg_stat_statements(false) WHERE queryid::float8 = $1::float8',
      [queryId],
    );
    return rows[0].millis ?? 0;
  };
  return async (queryId, work) => {
    const before = await read(queryId);
    const result = await work();
    return { result, serverMicros: ((await read(queryId)) - before) * 1000 };
  };
}

/** `prepare` is not measured. Each gets the storage and a sample, and picks what it asks for. */
const CASES = [
  {
    name: 'authentication',
    run: (storage, { key }) =>
      storage.findCredentials({ apiKeyHash: apiKeyHash(key), clientId: apiKeyClient(key) }),
  },
  {
    name: 'listing, all 20',
    run: (storage, { owner }) => storage.listSessions({ ...owner, limit: 1000 }),
  },
  {
    name: 'listing, first 10',
    run: (storage, { owner }) => storage.listSessions({ ...owner, limit: PAGE }),
  },
  {
    name: 'listing, next 10',
    run: (storage, { owner, cursor }) => storage.listSessions({ ...owner, limit: PAGE, cursor }),
  },
  {
    name: 'listing, by status',
    run: (storage, { owner }) => storage.listSessions({ ...owner, limit: 1000, status: 'closed' }),
  },
  {
    name: 'find a link',
    run: (storage, { link }) => storage.findLink(link),
  },
  {
    name: 'insert a link',
    prepare: newLink,
    run: (storage, _, link) => storage.insertLink(link),
  },
  {
    name: 'submit a link',
    prepare: async (storage) => {
      const link = newLink();
      await storage.insertLink(link);
      return newSubmission(link);
    },
    run: (storage, _, submission) => storage.submitLink(submission),
  },
];

/** Of the client with most of the users, but of users who are not listed: these keep their number of sessions. */
export function newLink() {
  const user = `writer-${randomBytes(6).toString('hex')}`;
  return {
    clientId: 'client-0',
    accessCodeHash: createHash('sha256').update(randomBytes(16)).digest('hex'),
    userId: user,
    callbackUrl: 'https://app.acme.example/claims/done?reference={SESSION_REFERENCE}&status={STATUS}',
    callbackOnSubmit: true,
    config: {
      currentUserId: user,
      contact: { email: 'claims@acme.example', phone: '+44 20 7946 0100', link: 'https://acme.example/help' },
      privacyPolicyUrl: 'https://acme.example/privacy',
      policy: { provider: 'Acme Insurance', number: 'P-2026-0000001', vehicle: { licensePlate: 'AB12 CDE' } },
    },
    createdAt: LATER,
    expiresAt: new Date('2030-01-02T12:00:00Z'),
  };
}

export function newSubmission({ clientId, accessCodeHash, userId: id }) {
  const policy = {
    number: 'P-2026-0000001',
    provider: 'Acme Insurance',
    holder: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      id,
      phone: '+44 20 7946 0200',
      email: 'person.1@mail.example',
    },
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: 'person.2@mail.example' }],
    vehicle: { licensePlate: 'AB12 CDE' },
  };
  const session = {
    reference: `S-${randomBytes(8).toString('hex').toUpperCase()}`,
    date: LATER,
    camsReference: `C-${randomBytes(8).toString('hex').toUpperCase()}`,
    status: 'submitted',
    createdAt: LATER,
    selectedPolicy: policy,
    incident: { date: '2026-01-15', description: 'A van turned left in front of me; my car has a dent.' },
  };
  return { clientId, accessCodeHash, at: LATER, session };
}

/** Random users of one size, each with the cursor of its second page. */
export async function createSamples(pool, { schema, sessions, users, usersPer }, count, random) {
  const { storage } = createProbe(pool, schema);
  const pick = (of) => Math.floor(random() * of);
  const samples = [];
  for (let i = 0; i < Math.min(count, users); i++) {
    const user = pick(users);
    const owner = { clientId: userClient(user), userId: userId(user) };
    const { sessions: page, nextCursor } = await storage.listSessions({ ...owner, limit: PAGE });
    const found = (await storage.listSessions({ ...owner, limit: 1000 })).sessions.length;
    if (page.length !== Math.min(PAGE, usersPer) || found !== usersPer)
      throw new Error(`user ${user} of ${sessions} sessions has ${found} of them, not ${usersPer}`);
    const number = pick(linkCount(sessions));
    const link = { clientId: userClient(userOf(number, users)), accessCodeHash: linkHash(number) };
    if ((await storage.findLink(link)) === undefined) throw new Error(`link ${number} is not there`);
    samples.push({ owner, cursor: nextCursor, link, key: pick(API_KEYS) });
  }
  return samples;
}

/**
 * Rounds over all sizes in random order, so that what disturbs the machine disturbs all of them alike. In each, every
 * case is asked for and timed with one random sample, and explained with another.
 */
export async function measure(pool, sizes, { rounds, serverTimes, random, signal, progress }) {
  const clock = serverTimes ? createServerClock(pool) : undefined;
  const probes = sizes.map(({ schema, samples }) => ({
    ...createProbe(pool, schema),
    samples,
    results: new Map(),
    queryIds: new Map(),
  }));
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round++) {
    signal.throwIfAborted();
    if (round % 100 === 0) progress(`measuring: round ${Math.max(round, 0)} of ${rounds}`);
    for (const probe of shuffle(probes, random)) {
      for (const { name, prepare, run } of CASES) {
        const sample = () => probe.samples[Math.floor(random() * probe.samples.length)];
        const first = await prepare?.(probe.storage);
        const ask = () => time(() => run(probe.storage, sample(), first));
        const queryId = probe.queryIds.get(name);
        const times = clock && queryId !== undefined ? await clock(queryId, ask) : { result: await ask() };
        const second = await prepare?.(probe.storage);
        const plans = await probe.explain('VERBOSE, TIMING OFF, FORMAT JSON', () =>
          run(probe.storage, sample(), second),
        );
        if (plans.length !== 1) throw new Error(`${name}: ${plans.length} statements were sent, not one`);
        probe.queryIds.set(name, plans[0][0][0]['Query Identifier']);
        if (round >= 0) record(probe.results, name, times, plans[0][0][0]);
      }
    }
  }
  return probes.map(({ results }) => results);
}

/** The plan as a person reads it, of one random sample. */
export async function showPlan(pool, { schema, samples }, name) {
  const probe = createProbe(pool, schema);
  const { run } = CASES.find((one) => one.name === name);
  const plans = await probe.explain('FORMAT TEXT', () => run(probe.storage, samples[0]));
  return plans.map((lines) => lines.join('\n')).join('\n\n');
}

async function time(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1000;
}

function record(results, name, { result: endToEndMicros, serverMicros }, { Plan: plan, ...times }) {
  const figures = ['endToEnd', 'server', 'planning', 'execution', 'hit', 'read', 'rows'];
  const result = results.get(name) ?? {
    ...Object.fromEntries(figures.map((figure) => [figure, []])),
    plans: {},
  };
  results.set(name, result);
  result.endToEnd.push(endToEndMicros);
  if (serverMicros !== undefined) result.server.push(serverMicros);
  result.planning.push(times['Planning Time'] * 1000);
  result.execution.push(times['Execution Time'] * 1000);
  result.hit.push(plan['Shared Hit Blocks']);
  result.read.push(plan['Shared Read Blocks']);
  result.rows.push(plan['Actual Rows']);
  const shape = [...new Set(nodes(plan))].join(', ');
  result.plans[shape] = (result.plans[shape] ?? 0) + 1;
}

/** Every node's type, with the table or the index that it reads. */
function nodes(plan) {
  const target = plan['Index Name'] ?? plan['Relation Name'];
  const name = target === undefined ? plan['Node Type'] : `${plan['Node Type']} ${target}`;
  return [name, ...(plan.Plans ?? []).flatMap(nodes)];
}

function shuffle(list, random) {
  return list
    .map((item) => [random(), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
