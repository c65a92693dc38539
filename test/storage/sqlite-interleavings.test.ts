// Every order of operations on one link over two or three connections to one SQLite file.
//
// SQLite runs in the thread of the caller. So an operation runs as a whole before a statement of another one, as if the
// thread of another process did. A transaction of another connection makes it fail with `storage_unavailable`.
import t, { type Test } from 'tap';
import { createSqliteStorage, migrate, type SqliteDatabase } from '../../lib/storage/sqlite/index.js';
import { IS_RELEASE } from '../size.js';
import {
  assertPromises,
  begin,
  type Choose,
  CREATIONS,
  callOperation,
  LIFE_PAIRS,
  LIFE_TRIPLES,
  readState,
  runOrders,
  runScenarios,
  type Scenario,
  scenariosOf,
  serialOutcomes,
} from './interleavings.js';
import { DRIVERS, type OpenDatabase, openDatabase, temporaryFile } from './sqlite-drivers.js';

const [open] = Object.values(DRIVERS) as [OpenDatabase];
const CLEAR = ['links', 'sessions', 'outbox'].map((table) => `DELETE FROM claimlink_${table}`).join('; ');

/** Returns the database, which calls a function before each statement. */
function stopping(database: SqliteDatabase, beforeStatement: () => void): SqliteDatabase {
  return {
    exec(sql) {
      beforeStatement();
      return database.exec(sql);
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run(...params) {
          beforeStatement();
          return statement.run(...params);
        },
        all(...params) {
          beforeStatement();
          return statement.all(...params);
        },
      };
    },
  };
}

/** Opens a file with three connections. Returns a function that runs every order of a scenario. */
async function openWorld(t: Test) {
  const file = temporaryFile(t);
  const database = openDatabase(t, open, file);
  await migrate(database);
  const storage = createSqliteStorage(database, { synchronous: 'normal' });
  const backend = { storage, clear: () => database.exec(CLEAR) };

  let beforeStatement = (_index: number) => {};
  const storages = [0, 1, 2].map((index) => {
    const connection = openDatabase(t, open, file);
    const options = { synchronous: 'normal' } as const;
    const storage = createSqliteStorage(
      stopping(connection, () => beforeStatement(index)),
      options,
    );
    connection.exec('PRAGMA busy_timeout = 0');
    return storage;
  });

  async function runOrder(scenario: Scenario, choose: Choose) {
    await begin(backend, scenario);
    const results: Promise<string>[] = [];
    const waiting = [...scenario.keys()];
    const start = (index: number) => {
      waiting.splice(waiting.indexOf(index), 1);
      results[index] = callOperation(scenario, index, storages[index] as typeof storage);
    };
    beforeStatement = (current) => {
      while (waiting.length > 0) {
        const chosen = choose([current, ...waiting]);
        if (chosen === current) return;
        start(chosen);
      }
    };
    while (waiting.length > 0) {
      start(choose([...waiting]));
      await Promise.all(results);
    }
    beforeStatement = () => {};
    return { results: await Promise.all(results), state: await readState(backend) };
  }

  return async (scenario: Scenario): Promise<number> => {
    const serial = await serialOutcomes(backend, scenario);
    return runOrders(async (choose) => assertPromises(scenario, await runOrder(scenario, choose), serial));
  };
}

t.test('SQLite: every order of operations on one link keeps the promises', async (t) => {
  const run = await openWorld(t);
  const scenarios = [
    ...scenariosOf(2),
    ...scenariosOf(2, CREATIONS),
    ...LIFE_PAIRS,
    ...(IS_RELEASE ? [...scenariosOf(3), ...scenariosOf(3, CREATIONS), ...LIFE_TRIPLES] : []),
  ];
  const orders = await runScenarios(t, scenarios, run);
  t.comment(`SQLite: ${scenarios.length} scenarios, ${orders} orders`);
});
