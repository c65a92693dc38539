// Pools over a primary and its standby: which of them find the primary after a failover, and how long PgBouncer and a synchronous standby wait.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import {
  assertSchema,
  createPostgresStorage,
  migrate,
  type PostgresStorage,
} from '../../lib/storage/postgres/index.js';
import { hashOf, sampleLink } from '../../lib/testing/storage-suite/samples.js';
import { REPOSITORY } from '../repository.js';
import { IS_LONG, IS_RELEASE } from '../size.js';
import { openTools, startPooler } from '../storage/postgres-server.js';
import { startProxy } from '../storage/proxy.js';
import { attachStandby, startPrimary } from './replicas.js';

interface PrimaryPool {
  createPrimaryPool(urls: string[], options?: pg.PoolConfig): pg.Pool;
  callOnPrimary<T>(urls: string[], run: () => Promise<T>): Promise<T>;
}
const { callOnPrimary, createPrimaryPool }: PrimaryPool = await import(
  new URL('examples/failover/primary-pool.mjs', REPOSITORY).href
);

const tools = IS_LONG ? await openTools(t) : undefined;
if (!IS_LONG) t.test('pools are skipped: they need CLAIMLINK_TESTS=long', { skip: true }, () => {});

let links = 0;
const PATIENCE_MS = 60_000;
const RESTARTS = 5;

/** Inserts a link. Returns the SQLSTATE of the error, or '' for success. */
async function write(storage: PostgresStorage): Promise<string> {
  try {
    await storage.insertLink(sampleLink({ accessCodeHash: hashOf(++links) }));
    return '';
  } catch (error) {
    const { code, cause } = error as { code: string; cause?: { code?: string } };
    if (code !== 'storage_unavailable') throw error;
    return cause?.code ?? code;
  }
}

/** Inserts links until it succeeds. Returns the milliseconds. */
async function writeUntilItSucceeds(storage: PostgresStorage): Promise<number> {
  const start = performance.now();
  while ((await write(storage)) !== '') {
    if (performance.now() - start > PATIENCE_MS) throw new Error('The pool did not recover.');
    await wait(20);
  }
  return Math.round(performance.now() - start);
}

if (tools !== undefined) {
  let primary = await startPrimary(t, tools);
  const setup = new pg.Pool({ connectionString: primary.url });
  await migrate(setup);
  await setup.end();
  /** Attaches a standby that ends with the file. */
  const attach = () => attachStandby(t, tools, primary);
  let standby = await attach();

  function openStorage(pool: pg.Pool): PostgresStorage {
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    return createPostgresStorage(pool, { queryTimeoutSeconds: 2 });
  }
  const LIMITS = { max: 3, connectionTimeoutMillis: 2000 };

  t.test('a pool that rejects read-only servers leaves a standby; another pool reads from it', async (t) => {
    const proxy = await startProxy(t, standby);
    const rejecting = openStorage(createPrimaryPool([proxy.url], LIMITS));
    const pool = new pg.Pool({ connectionString: proxy.url, max: 1 });
    const other = openStorage(pool);
    const isStandby = async () => (await pool.query('SELECT pg_is_in_recovery() AS yes')).rows[0].yes;
    await t.rejects(async () => rejecting.findClient('acme'), { code: 'storage_unavailable' });
    t.equal(await other.findClient('acme'), undefined, 'the standby answers reads');
    proxy.route(primary);
    t.equal(await write(rejecting), '');
    t.equal(await isStandby(), true, 'the other pool keeps its connection');
    t.equal(await write(other), '25006', 'pg-pool ends a connection after an error');
    t.equal(await isStandby(), false);
  });

  t.test('a server that is silent after the start of a connection is left for the next one', async (t) => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      // AuthenticationOk and ReadyForQuery of PostgreSQL's protocol.
      socket.once('data', () => socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')));
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const urls = [`postgres://postgres@127.0.0.1:${port}/postgres`, primary.url];
    const storage = openStorage(createPrimaryPool(urls, { max: 1, connectionTimeoutMillis: 500 }));
    t.equal(await write(storage), 'storage_unavailable');
    t.equal(await write(storage), '');
    t.equal(sockets.size, 1);
  });

  t.test('a host starts while the first server of its pool is a standby', async (t) => {
    const urls = [standby.url, primary.url];
    const pool = createPrimaryPool(urls, LIMITS);
    t.teardown(() => pool.end());
    await t.rejects(assertSchema(pool), { code: 'storage_unavailable' });
    const other = createPrimaryPool(urls, LIMITS);
    t.teardown(() => other.end());
    await callOnPrimary(urls, () => assertSchema(other));
  });

  t.test('a pool over several servers finds the primary, and the new one after a failover', async (t) => {
    const storage = openStorage(createPrimaryPool([standby.url, primary.url], LIMITS));
    t.equal(await write(storage), '25006', 'the first server is a standby');
    t.equal(await write(storage), '', 'the next connection goes to the primary');
    await primary.kill();
    await standby.promote();
    primary = standby;
    t.comment(`the pool wrote ${await writeUntilItSucceeds(storage)} ms after the promotion`);
  });

  for (const seconds of IS_RELEASE ? [15, 1] : [])
    t.test(`PgBouncer with server_login_retry = ${seconds}`, async (t) => {
      standby = await attach();
      const proxy = await startProxy(t, primary);
      const source = `host=127.0.0.1 port=${new URL(proxy.url).port}`;
      const settings = `server_login_retry = ${seconds}`;
      const url = await startPooler(t, { folder: tools.folder, source, settings });
      const storage = openStorage(new pg.Pool({ connectionString: url ?? '', ...LIMITS }));
      await writeUntilItSucceeds(storage);
      const old = primary;
      await old.kill();
      // Meanwhile connections of PgBouncer fail.
      while ((await write(storage)) === '');
      await wait(1500);
      await standby.promote();
      primary = standby;
      proxy.route(primary);
      t.comment(`a write succeeded ${await writeUntilItSucceeds(storage)} ms after the promotion`);
    });

  if (IS_RELEASE)
    t.test('a commit waits for the synchronous standby after a restart of the primary', async (t) => {
      standby = await attach();
      const storage = openStorage(new pg.Pool({ connectionString: primary.url, ...LIMITS }));
      for (const interval of ['5s', '500ms']) {
        await standby.query(`ALTER SYSTEM SET wal_retrieve_retry_interval = '${interval}'`);
        await standby.query('SELECT pg_reload_conf()');
        for (let restart = 0; restart < RESTARTS; restart++) {
          t.equal(await write(storage), '');
          await primary.restart();
          const milliseconds = await writeUntilItSucceeds(storage);
          t.comment(`wal_retrieve_retry_interval = ${interval}: ${milliseconds} ms after the restart`);
        }
      }
    });
}
