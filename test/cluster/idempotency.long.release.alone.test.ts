// Two service processes over one database, PostgreSQL or SQLite: one link for an Idempotency-Key.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { hashApiKey } from '../../lib/index.js';
import { createPostgresStorage, migrate as migratePostgres } from '../../lib/storage/postgres/index.js';
import { createSqliteStorage, migrate as migrateSqlite } from '../../lib/storage/sqlite/index.js';
import { REPOSITORY } from '../repository.js';
import { sized } from '../size.js';
import { openSchema, startPostgres } from '../storage/postgres-server.js';
import { DRIVERS, openDatabase, temporaryFile } from '../storage/sqlite-drivers.js';

const PROCESS = fileURLToPath(new URL('test/cluster/idempotency-process.mjs', REPOSITORY));
const ROUNDS = sized(15, 15, 100);
/** Concurrent creations in each of the two processes. */
const CREATIONS = 100;
const KILLS = sized(5, 5, 20);

const OLD = { kid: 'old', algorithm: 'HS256', secret: 'an old secret of at least 32 bytes' };
const NEW = { kid: 'new', algorithm: 'HS256', secret: 'a new secret of at least 32 bytes' };

/** A database with one client, and how a process opens it. */
interface Prepared {
  database: object;
  /** Returns the number of links. */
  countLinks(): Promise<number>;
}

/** Opens a new database, or returns undefined without a server. */
const DATABASES: Record<string, (t: Test) => Promise<Prepared | undefined>> = {
  async PostgreSQL(t) {
    const server = await startPostgres(t);
    if (server === undefined) return undefined;
    const { pool, schema } = await openSchema(t, server);
    await migratePostgres(pool, { schema });
    const storage = createPostgresStorage(pool, { schema });
    await addClient(storage);
    return {
      database: { url: server.url, schema },
      async countLinks() {
        const { rows } = await pool.query(`SELECT count(*)::int AS count FROM "${schema}".claimlink_links`);
        return rows[0].count;
      },
    };
  },
  async SQLite(t) {
    const file = temporaryFile(t);
    const [open] = Object.values(DRIVERS);
    if (open === undefined) throw new Error('no driver is installed');
    const database = openDatabase(t, open, file);
    await migrateSqlite(database);
    await addClient(createSqliteStorage(database));
    return {
      database: { file },
      async countLinks() {
        const [row] = database.prepare('SELECT count(*) AS count FROM claimlink_links').all() as {
          count: number;
        }[];
        return Number(row?.count);
      },
    };
  },
};

async function addClient(
  storage: Pick<ReturnType<typeof createPostgresStorage>, 'insertClient' | 'insertApiKey'>,
) {
  await storage.insertClient({ clientId: 'acme' });
  await storage.insertApiKey({
    id: '1',
    clientId: 'acme',
    hash: hashApiKey('clk_once'),
    createdAt: new Date(0),
  });
}

interface Settings {
  keys?: readonly object[];
  /** true: the process ends by SIGKILL when it has inserted a link. */
  isKilled?: boolean;
}

async function start(t: Test, { database }: Prepared, { keys = [OLD], isKilled = false }: Settings = {}) {
  const args = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE', process.execPath, PROCESS];
  const child: ChildProcess = spawn('env', args, {
    env: { ...process.env, IDEMPOTENCY_PROCESS: JSON.stringify({ database, keys, isKilled }) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  await once(child, 'message');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    exited,
    /** Creates links at the same time. Resolves to their URLs, or to what else the responses have. */
    async create(key: string, count: number): Promise<string[]> {
      child.send({ key, count });
      const [urls] = await once(child, 'message');
      return urls;
    },
    send: (key: string) => child.send({ key, count: 1 }),
  };
}

for (const [name, open] of Object.entries(DATABASES)) {
  t.test(name, async (t) => {
    const prepared = await open(t);
    if (prepared === undefined) return;
    const { countLinks } = prepared;

    t.test(
      `${2 * CREATIONS} concurrent creations over two processes: one link, one URL, in each of ${ROUNDS} rounds`,
      async (t) => {
        const services = await Promise.all([start(t, prepared), start(t, prepared)]);
        const before = await countLinks();
        for (let round = 1; round <= ROUNDS; round++) {
          const urls = await Promise.all(services.map(({ create }) => create(`round-${round}`, CREATIONS)));
          const distinct = new Set(urls.flat());
          if (distinct.size !== 1 || !/^https:/.test([...distinct][0] ?? ''))
            t.fail(`round ${round}: ${distinct.size} responses: ${[...distinct].slice(0, 3)}`);
        }
        t.equal((await countLinks()) - before, ROUNDS);
      },
    );

    t.test(
      `${KILLS} processes killed between insertion and response: the repetition gets the link`,
      async (t) => {
        const service = await start(t, prepared);
        for (let round = 1; round <= KILLS; round++) {
          const before = await countLinks();
          const killed = await start(t, prepared, { isKilled: true });
          killed.send(`kill-${round}`);
          t.same(await killed.exited, [null, 'SIGKILL']);
          t.equal((await countLinks()) - before, 1, 'the link is inserted');
          const urls = [
            ...(await service.create(`kill-${round}`, 1)),
            ...(await service.create(`kill-${round}`, 1)),
          ];
          t.match(urls[0], /^https:/);
          t.equal(urls[1], urls[0]);
          t.equal((await countLinks()) - before, 1, 'no link is added');
        }
      },
    );

    t.test('a rotation of the signing keys between two attempts: the same URL at each step', async (t) => {
      const before = await countLinks();
      const urls: string[] = [];
      for (const keys of [[OLD], [OLD, NEW], [NEW, OLD]]) {
        const service = await start(t, prepared, { keys });
        urls.push(...(await service.create('rotation', 10)));
      }
      t.equal(new Set(urls).size, 1);
      t.match(urls[0], /^https:/);
      t.equal((await countLinks()) - before, 1);
    });
  });
}
