// Every order of the steps of operations on one link, on a real PostgreSQL, at each isolation level.
import assert from 'node:assert/strict';
import type pg from 'pg';
import t, { type Test } from 'tap';
import { createPostgresStorage, type PostgresStorage } from '../../lib/storage/postgres/index.js';
import { IS_RELEASE } from '../size.js';
import {
  assertPromises,
  begin,
  type Choose,
  CREATIONS,
  callOperation,
  LIFE_PAIRS,
  LIFE_TRIPLES,
  type OperationName,
  readState,
  runOrders,
  runScenarios,
  type Scenario,
  scenariosOf,
  serialOutcomes,
} from './interleavings.js';
import { olderStatements } from './older-statements.js';
import { findPostgres, openTables, type PostgresServer } from './postgres-server.js';

const CLEAR = ['links', 'sessions', 'sequences', 'outbox', 'event_types']
  .map((table) => `DELETE FROM claimlink_${table}`)
  .join('; ');

const NAMED_TOO_EARLY = `SELECT 1 FROM claimlink_sessions s JOIN claimlink_outbox v
  ON v.type = 'data.deleted' AND v.data->'linkIds' ? (s.link->>'linkId')`;

/** A connection that stops before each step. */
interface Actor {
  storage: PostgresStorage;
  pid: number;
  /** Makes the next step. Absent while a step runs. */
  next?: (() => void) | undefined;
  /** The server has a statement of this connection. */
  isSending: boolean;
  /** Its statement has run, and is not committed. */
  holdsLocks: boolean;
  isDone: boolean;
}

/** Counts what actors do, and wakes up who waits for it. */
function createSignal() {
  let wake = () => {};
  const signal = {
    count: 0,
    send() {
      signal.count++;
      wake();
    },
    wait: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
  return signal;
}

/**
 * Creates an actor. A statement that changes something is a transaction of two steps: the statement and its commit. Above
 * READ COMMITTED there is one before them, which takes the snapshot. A statement that reads is one step.
 */
async function createActor(
  client: pg.ClientBase,
  signal: ReturnType<typeof createSignal>,
  hasSnapshot: boolean,
  isOlder: boolean,
): Promise<Actor> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  async function send(text: string, params: unknown[] = []) {
    actor.isSending = true;
    signal.send();
    try {
      return await client.query(text, params);
    } finally {
      actor.isSending = false;
    }
  }
  const step = () =>
    new Promise<void>((resolve) => {
      actor.next = () => {
        actor.next = undefined;
        resolve();
      };
      signal.send();
    });
  async function query(text: string, params?: unknown[]) {
    await step();
    if (text.trimStart().startsWith('SELECT')) return send(text, params);
    await send(hasSnapshot ? 'BEGIN; SELECT 1' : 'BEGIN');
    try {
      if (hasSnapshot) await step();
      const result = await send(text, params);
      actor.holdsLocks = true;
      await step();
      await send('COMMIT');
      return result;
    } catch (error) {
      await send('ROLLBACK');
      throw error;
    } finally {
      actor.holdsLocks = false;
    }
  }
  const storage = createPostgresStorage({ query: isOlder ? olderStatements(query) : query });
  const actor: Actor = {
    storage,
    pid: Number(rows[0]?.pid),
    isSending: false,
    holdsLocks: false,
    isDone: false,
  };
  return actor;
}

/**
 * Opens a schema with its actors. Returns a function that runs every order of a scenario.
 * @param hasOlder whether the second operation is that of a process of 0.2.0
 */
async function openWorld(t: Test, server: PostgresServer, level: string, hasOlder = false) {
  const { pool, storage } = await openTables(
    t,
    server,
    `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`,
  );
  const backend = { storage, clear: () => pool.query(CLEAR) };
  const signal = createSignal();
  const actors: Actor[] = [];
  for (let number = 0; number < 3; number++) {
    const client = await pool.connect();
    t.teardown(() => client.release());
    actors.push(await createActor(client, signal, level !== 'read committed', hasOlder && number === 1));
  }

  /** Waits until each actor is done, waits for its next step, or waits for a lock that another one holds. */
  async function settle(running: readonly Actor[]): Promise<void> {
    for (;;) {
      const busy = running.filter(({ isDone, next }) => !isDone && next === undefined);
      if (busy.length === 0) return;
      // A retry begins by itself, and a statement waits for the locks of another actor only.
      const mayWait = running.some(({ next, holdsLocks }) => holdsLocks && next !== undefined);
      if (!mayWait || !busy.every(({ isSending }) => isSending)) {
        await signal.wait();
        continue;
      }
      const { count } = signal;
      const { rows } = await pool.query<{ blocked: number }>(
        'SELECT count(*)::integer AS blocked FROM unnest($1::integer[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0',
        [busy.map(({ pid }) => pid)],
      );
      if (rows[0]?.blocked === busy.length && signal.count === count) return;
    }
  }

  async function runOrder(scenario: Scenario, choose: Choose) {
    await begin(backend, scenario);
    const running = actors.slice(0, scenario.length);
    const results = running.map(async (actor, index) => {
      actor.isDone = false;
      try {
        return await callOperation(scenario, index, actor.storage);
      } finally {
        actor.isDone = true;
        signal.send();
      }
    });
    let isNamedTooEarly = false;
    while (running.some(({ isDone }) => !isDone)) {
      await settle(running);
      isNamedTooEarly ||= (await pool.query(NAMED_TOO_EARLY)).rows.length > 0;
      const ready = [...running.keys()].filter((index) => running[index]?.next !== undefined);
      if (ready.length > 0) running[choose(ready)]?.next?.();
    }
    const outcome = { results: await Promise.all(results), state: await readState(backend) };
    assert.ok(!isNamedTooEarly, 'no link is named while its session exists');
    return outcome;
  }

  return async (scenario: Scenario): Promise<number> => {
    const serial = await serialOutcomes(backend, scenario);
    return runOrders(async (choose) => {
      const outcome = await runOrder(scenario, choose);
      assert.ok(!outcome.results.includes('storage_unavailable'), 'conflicts end within the retries');
      assertPromises(scenario, outcome, serial, hasOlder);
    });
  };
}

const has = (scenario: Scenario, ...names: OperationName[]) => names.every((name) => scenario.includes(name));
const PAIRS = [...scenariosOf(2), ...scenariosOf(2, CREATIONS)];
/** Above READ COMMITTED, these pairs have too many orders. */
const FEWER_PAIRS = PAIRS.filter(
  (scenario) => !has(scenario, 'open', 'deleteUser') && String(scenario) !== 'deleteUser,deleteUser',
);
const FEWER_LIFE_PAIRS = LIFE_PAIRS.filter(
  ([end, name]) => !['deleteUser', 'deleteClient'].includes(end ?? '') || name === 'expire',
);
const TRIPLES = [...scenariosOf(3), ...scenariosOf(3, CREATIONS)].filter(
  (scenario) =>
    (has(scenario, 'submit') || has(scenario, 'create')) &&
    new Set(scenario).size === 3 &&
    !has(scenario, 'open', 'deleteUser'),
);
const PAIRS_OF_SUBMISSION: readonly Scenario[] = [
  ['submit', 'submit'],
  ['submit', 'revoke'],
];

/** Pairs of operations, the second one by a process of 0.2.0. */
const DELETIONS: readonly OperationName[] = ['sweep', 'deleteUser', 'deleteClient', 'purge'];
const ENDS: readonly OperationName[] = ['submit', 'revoke', 'decline', 'expire'];
const BESIDE_OLDER = [
  ...['submit' as const, ...DELETIONS].flatMap((name) => DELETIONS.map((older): Scenario => [name, older])),
  ...[...ENDS, ...DELETIONS].flatMap((name) => ENDS.map((older): Scenario => [name, older])),
]
  // Each of these two sees the row that the other one deletes, and none names the link: docs/upgrading.md says so.
  .filter(([name, older]) => older !== 'purge' || (name !== 'sweep' && name !== 'deleteUser'));

const LEVELS: Readonly<Record<string, readonly Scenario[]>> = {
  'read committed': IS_RELEASE
    ? [...PAIRS, ...TRIPLES, ['submit', 'submit', 'revoke'], ...LIFE_PAIRS, ...LIFE_TRIPLES]
    : [...FEWER_PAIRS, ...FEWER_LIFE_PAIRS],
  'repeatable read': IS_RELEASE ? [...FEWER_PAIRS, ...FEWER_LIFE_PAIRS] : PAIRS_OF_SUBMISSION,
  serializable: IS_RELEASE ? [...FEWER_PAIRS, ...FEWER_LIFE_PAIRS] : PAIRS_OF_SUBMISSION,
};

const server = await findPostgres(t);
if (server !== undefined) {
  t.jobs = 3;
  for (const [level, scenarios] of Object.entries(LEVELS)) {
    t.test(
      `${level}: every order of operations on one link keeps the promises`,
      { buffered: true },
      async (t) => {
        const run = await openWorld(t, server, level);
        const orders = await runScenarios(t, scenarios, run);
        t.comment(`PostgreSQL, ${level}: ${scenarios.length} scenarios, ${orders} orders`);
      },
    );
  }
  t.test('every order of an operation and one of 0.2.0 keeps the promises', { buffered: true }, async (t) => {
    const run = await openWorld(t, server, 'read committed', true);
    // In CI, each operation once beside the one of 0.2.0 that it is.
    const scenarios = IS_RELEASE
      ? BESIDE_OLDER
      : BESIDE_OLDER.filter(([name, older]) => name === 'submit' || name === older);
    const orders = await runScenarios(t, scenarios, run);
    t.comment(`PostgreSQL, beside 0.2.0: ${scenarios.length} scenarios, ${orders} orders`);
  });
}
