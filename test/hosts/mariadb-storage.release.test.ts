// The MariaDB storage of examples/mariadb passes the suite for storages, and its host runs.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import t, { type Test } from 'tap';
import { missingMethods } from '../../lib/core/assert-options.js';
import { STORAGE_METHODS } from '../../lib/core/guarded-storage.js';
import type {
  AdminStorage,
  CheckStorage,
  EventKey,
  IdempotencyStorage,
  KeyUseStorage,
  LifeStorage,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
} from '../../lib/core/storage.js';
import { storageSuite } from '../../lib/testing/index.js';
import { driveClaimlink, driveOwnRoute, pathOf, startHost } from '../examples/host.js';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';
import { findMariadb, type MariadbServer, startMariadb } from './mariadb-server.js';

const FOLDER = pathOf('mariadb/');
const BIN = fileURLToPath(new URL('dist/cli/bin.js', REPOSITORY));
const POOL_SIZE = 10;
const AT = new Date('2026-01-01T12:00:00Z');
const CLIENT_ID = 'acme';

type MariadbStorage = AdminStorage &
  OutboxStorage &
  RecordStorage &
  SearchStorage &
  CheckStorage &
  IdempotencyStorage &
  LifeStorage &
  KeyUseStorage;

/** The parts of mysql2 that the test uses. */
interface Connection {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<[Row[], unknown]>;
  release(): void;
}
interface Pool extends Connection {
  getConnection(): Promise<Connection>;
  end(): Promise<void>;
}
interface Example {
  createMariadbStorage(pool: Pool): MariadbStorage;
  migrate(pool: Pool): Promise<void>;
}

const programs = await findMariadb();
const missing =
  programs === undefined
    ? 'there is no mariadbd and mariadb-install-db on this machine'
    : (!IS_LONG || !existsSync(`${FOLDER}node_modules/.package-lock.json`)) &&
      'they need npm ci --prefix examples/mariadb, and CLAIMLINK_TESTS=long';

if (missing !== false && process.env['CI'] && IS_LONG) t.fail(missing);
else if (missing !== false)
  t.test(`tests on a real MariaDB are skipped: ${missing}`, { skip: true }, () => {});
else
  t.test('a storage over MariaDB', async (t) => {
    if (programs === undefined) return;
    const server = await startMariadb(t, programs);
    const { openDatabase, openPool } = await connectTo(t, server);
    const { createMariadbStorage, migrate }: Example = await import(join(FOLDER, 'storage.mjs'));

    /** Creates a storage on new tables. */
    async function openStorage() {
      const database = await openDatabase();
      const pool = openPool(database.name);
      await migrate(pool);
      const storage = createMariadbStorage(pool);
      const close = async () => {
        await database.drop();
        await pool.end();
      };
      return { database: database.name, pool, close, storage };
    }

    t.test('it has the methods of every interface', async (t) => {
      const { storage, close } = await openStorage();
      for (const [name, methods] of Object.entries(STORAGE_METHODS))
        t.same(missingMethods(storage, methods), [], name);
      await close();
    });

    t.test('it passes every rule of the suite', async (t) => {
      const pools = new WeakMap<object, Pool>();
      const createStorage = async () => {
        const { storage, pool, close } = await openStorage();
        pools.set(storage, pool);
        return Object.assign(storage, { close });
      };
      const createPair = async () => {
        const { storage, database, close } = await openStorage();
        const pool = openPool(database);
        const other = Object.assign(createMariadbStorage(pool), { close: () => pool.end() });
        return [Object.assign(storage, { close }), other] as const;
      };
      async function lockEvent(storage: object, { clientId, id }: EventKey) {
        const connection = await pools.get(storage)?.getConnection();
        if (connection === undefined) throw new Error('The storage is not of this test');
        await connection.query('START TRANSACTION');
        const event = 'SELECT 1 FROM outbox WHERE clientId = ? AND id = ? FOR UPDATE';
        await connection.query(event, [clientId, id]);
        return async () => {
          await connection.query('ROLLBACK');
          connection.release();
        };
      }
      const cases = storageSuite(createStorage, { createPair, lockEvent });
      t.ok(cases.length > 300);
      for (const { name, run } of cases) await t.test(name, run);
    });

    t.test('one-outbox.sql moves the events of the two tables of 0.2', async (t) => {
      const { storage, pool, close } = await openStorage();
      const link = await insertLink(storage);
      t.match(await storage.submitLink({ ...link, at: AT, session: SESSION }), { outcome: 'submitted' });
      for (const sql of OLD_EVENTS) await pool.query(sql);
      for (const sql of await statementsOf('one-outbox.sql')) await pool.query(sql);
      t.match(await storage.listEvents({ state: 'pending', limit: 10 }), [
        {
          id: 'event-2',
          type: 'link.started',
          at: AT.toISOString(),
          userId: 'user-1',
          linkId: 'hash-1',
          sequence: 1,
        },
        {
          id: 'event-1',
          type: 'claim.submitted',
          userId: 'user-1',
          session: { reference: 'S-1' },
          attempts: 2,
        },
      ]);
      t.match(await storage.listEvents({ state: 'failed', limit: 10 }), [
        {
          id: 'event-3',
          type: 'data.deleted',
          linkIds: ['hash-2'],
          failedAt: AT.toISOString(),
          reason: 'Error',
        },
      ]);
      for (const table of ['events', 'lifeEvents'])
        await t.rejects(pool.query(`SELECT 1 FROM ${table}`), { code: 'ER_NO_SUCH_TABLE' });
      await close();
    });

    t.test('processes create the tables at the same time', async () => {
      const { name, drop } = await openDatabase();
      const pools = Array.from({ length: 4 }, () => openPool(name));
      await Promise.all(pools.map(migrate));
      await drop();
      await Promise.all(pools.map((pool) => pool.end()));
    });

    t.test('a submission that MariaDB ends as a deadlock is repeated', async (t) => {
      const { storage, pool, close } = await openStorage();
      const link = await insertLink(storage);
      const connection = await pool.getConnection();
      await connection.query('START TRANSACTION');
      // MariaDB ends the transaction with fewer changes: that of the submission.
      await connection.query("INSERT INTO clients (clientId) SELECT CONCAT('other-', seq) FROM seq_1_to_100");
      await connection.query('SELECT 1 FROM links FOR UPDATE');
      const submission = storage.submitLink({ ...link, at: AT, session: SESSION });
      while ((await statusOf(pool, 'Innodb_row_lock_current_waits')) === 0);
      await connection.query('SELECT 1 FROM clients WHERE clientId = ? FOR UPDATE', [CLIENT_ID]);
      await connection.query('ROLLBACK');
      connection.release();
      t.match(await submission, { outcome: 'submitted' });
      t.ok((await statusOf(pool, 'Innodb_deadlocks')) > 0, 'there was a deadlock');
      await close();
    });

    t.test('an error of MariaDB has no value of a record', async (t) => {
      const { storage, close } = await openStorage();
      const secret = 'Erika Mustermann';
      const client = { clientId: CLIENT_ID, name: secret.repeat(10) };
      const error = await Promise.resolve(storage.insertClient(client)).catch((error: unknown) => error);
      t.match(error, { code: 'ER_DATA_TOO_LONG' });
      t.notMatch(inspect(error, { depth: 10 }), secret);
      await close();
    });

    t.test('calls reject with storage_unavailable until MariaDB runs again', async (t) => {
      const { storage, close } = await openStorage();
      const link = await insertLink(storage);
      await server.stop();
      const unavailable = { code: 'storage_unavailable' };
      await t.rejects(Promise.resolve(storage.findLink(link)), unavailable, 'a statement');
      const submit = async () => storage.submitLink({ ...link, at: AT, session: SESSION });
      await t.rejects(submit(), unavailable, 'a transaction');
      await server.start();
      t.match(await submit(), { outcome: 'submitted' });
      await close();
      await t.rejects(submit(), unavailable, 'a pool that was closed');
    });

    t.test('the host runs, and its storage serves the commands', async (t) => {
      const { name, drop } = await openDatabase();
      t.teardown(drop);
      const url = `mysql://root@localhost/${name}?socketPath=${server.socketPath}`;
      const env = { MARIADB_URL: url, SIGNING_SECRET: '5e'.repeat(32) };
      const host = await startHost(t, ['server.mjs'], { cwd: FOLDER, env });
      await driveClaimlink(t, host);
      await driveOwnRoute(t, host);
      t.equal(await host.end(), 0, 'SIGTERM ends it');

      const args = [BIN, 'keys', 'list', '--client', CLIENT_ID, '--storage', 'database.mjs'];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        cwd: FOLDER,
        env: { ...process.env, ...env },
      });
      t.match(stdout, host.key.slice(-4), 'the key that the host has issued');
    });
  });

/** The tables of events that the example had with 0.2, and an event of each kind. */
const OLD_EVENTS = [
  `CREATE TABLE events (clientId VARCHAR(100) NOT NULL, reference VARCHAR(100) NOT NULL, id VARCHAR(36) NOT NULL UNIQUE,
    attempts INT NOT NULL, nextAttemptAt BIGINT NOT NULL, failedAt BIGINT, reason VARCHAR(200),
    PRIMARY KEY (clientId, reference), KEY due (failedAt, nextAttemptAt),
    FOREIGN KEY (clientId, reference) REFERENCES sessions (clientId, reference) ON DELETE CASCADE
  ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`,
  `CREATE TABLE lifeEvents (id VARCHAR(36) NOT NULL PRIMARY KEY, type VARCHAR(100) NOT NULL, clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(256), at BIGINT NOT NULL, data MEDIUMTEXT NOT NULL, attempts INT NOT NULL, nextAttemptAt BIGINT NOT NULL,
    failedAt BIGINT, reason VARCHAR(200), KEY due (failedAt, nextAttemptAt), KEY ofUser (clientId, userId)
  ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`,
  `INSERT INTO events VALUES ('${CLIENT_ID}', 'S-1', 'event-1', 2, ${AT.getTime()}, NULL, NULL)`,
  `INSERT INTO lifeEvents VALUES
    ('event-2', 'link.started', '${CLIENT_ID}', 'user-1', ${AT.getTime()}, '{"linkId":"hash-1","sequence":1}', 0, 1, NULL, NULL),
    ('event-3', 'data.deleted', '${CLIENT_ID}', NULL, ${AT.getTime()}, '{"linkIds":["hash-2"]}', 20, 1, ${AT.getTime()}, 'Error')`,
];

/** Returns the statements of a file of the example. */
async function statementsOf(name: string): Promise<string[]> {
  const text = (await readFile(join(FOLDER, name), 'utf8')).replaceAll(/^--.*$/gm, '');
  return text.split(';').filter((statement) => statement.trim() !== '');
}

const SESSION = {
  reference: 'S-1',
  date: AT,
  camsReference: 'CAMS-1',
  status: 'submitted',
  createdAt: AT,
  selectedPolicy: {
    number: '1',
    provider: 'p',
    holder: { firstName: 'a', lastName: 'b', id: '', phone: '', email: 'a@b.example' },
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    linkedContacts: [],
    vehicle: { licensePlate: 'B-AB 1' },
  },
};

/** Returns a number of the status of the server. */
async function statusOf(pool: Pool, name: string): Promise<number> {
  const [rows] = await pool.query<{ Value: string }>('SHOW GLOBAL STATUS WHERE Variable_name = ?', [name]);
  return Number(rows[0]?.Value);
}

/** Creates a client with a link, and returns how to find the link. */
async function insertLink(storage: MariadbStorage) {
  const link = { clientId: CLIENT_ID, accessCodeHash: 'a'.repeat(64) };
  await storage.insertClient({ clientId: CLIENT_ID });
  await storage.insertLink({
    ...link,
    userId: 'user-1',
    callbackUrl: 'https://app.example.com/done',
    callbackOnSubmit: false,
    config: { contact: { email: 'a@b.example', phone: '1' }, currentUserId: 'user-1' },
    createdAt: AT,
    expiresAt: new Date(AT.getTime() + 1000),
  });
  return link;
}

/** Returns functions that create databases, and pools of ten connections. */
async function connectTo(t: Test, { socketPath }: MariadbServer) {
  const { createPool }: { createPool(options: object): Pool } = createRequire(`${FOLDER}package.json`)(
    'mysql2/promise',
  );
  const openPool = (database?: string) =>
    createPool({ socketPath, user: 'root', connectionLimit: POOL_SIZE, ...(database && { database }) });
  const root = openPool();
  t.teardown(() => root.end());
  let count = 0;
  async function openDatabase() {
    count += 1;
    const name = `test_${count}`;
    await root.query(`CREATE DATABASE ${name}`);
    return {
      name,
      async drop() {
        await root.query(`DROP DATABASE ${name}`);
      },
    };
  }
  return { openDatabase, openPool };
}
