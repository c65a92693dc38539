// The storage suite over the real libraries of the handles, and the errors that the handles translate.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import pg from 'pg';
import t from 'tap';
import {
  assertSchema,
  createPostgresStorage,
  fromDrizzle,
  fromPrisma,
  migrate,
} from '../../lib/storage/postgres/index.js';
import { freePort } from '../listen.js';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';
import { areLibrariesInstalled, HANDLES, openHandle } from './handles.js';
import { findPostgres, openSchema, runSuite, settingsOf } from './postgres-server.js';

/** Errors of Prisma for raw queries, as its versions 6 and 7 throw them, and the code that they stand for. */
const PRISMA_ERRORS: readonly (readonly [string, object])[] = [
  ['23505', adapterError({ originalCode: '23505', kind: 'UniqueConstraintViolation' })],
  ['40P01', adapterError({ originalCode: '40P01', kind: 'TransactionWriteConflict' })],
  ['ECONNREFUSED', adapterError({ kind: 'DatabaseNotReachable' })],
  ['ECONNRESET', adapterError({ kind: 'ConnectionClosed' })],
  ['ETIMEDOUT', adapterError({ kind: 'SocketTimeout' })],
  ['23505', { code: 'P2010', meta: { code: '23505' } }],
  ['40001', { code: 'P2034' }],
  ['ENOENT', { code: 'ENOENT' }],
  ['P2010', adapterError({ kind: 'GenericJs' })],
];

function adapterError(cause: object) {
  return { code: 'P2010', meta: { driverAdapterError: { cause } } };
}

/** A PrismaClient that fails once. */
function failingOnce(error: unknown) {
  let calls = 0;
  return {
    async $queryRawUnsafe() {
      calls++;
      if (calls === 1) throw error;
      return [];
    },
  };
}

t.test('fromPrisma gives an error the code of PostgreSQL or Node, and the error as its cause', async (t) => {
  for (const [code, members] of PRISMA_ERRORS) {
    const cause = Object.assign(new Error('Raw query failed.'), members);
    await t.rejects(fromPrisma(failingOnce(cause)).query('SELECT 1'), {
      message: cause.message,
      code,
      cause,
    });
  }
});

t.test('fromPrisma keeps the message of an error without a code', async (t) => {
  const cause = new Error('timeout exceeded when trying to connect');
  const storage = createPostgresStorage(fromPrisma(failingOnce(cause)));
  await t.rejects(async () => storage.findClient('acme'), { code: 'storage_unavailable', cause: { cause } });
});

t.test('the storage repeats a statement over Prisma after a deadlock', async (t) => {
  const error = adapterError({ originalCode: '40P01', kind: 'TransactionWriteConflict' });
  t.equal(await createPostgresStorage(fromPrisma(failingOnce(error))).findClient('acme'), undefined);
});

t.test('fromDrizzle returns a Pool of pg, which gets queryTimeoutSeconds', async (t) => {
  const pool = new pg.Pool();
  t.equal(fromDrizzle({ $client: pool }), pool);
});

// Prisma alone is 250 MB, so CI does not download the libraries. `npm run proof -- matrix` runs the suite over each of them.
const isReady = IS_LONG && areLibrariesInstalled();
if (!isReady) {
  const message = 'they need npm ci --prefix test/storage/handles, and CLAIMLINK_TESTS=long';
  t.test(`handles are skipped: ${message}`, { skip: true }, () => {});
}
const server = isReady ? await findPostgres(t) : undefined;

if (server !== undefined) {
  for (const [name, handle] of Object.entries(HANDLES)) {
    t.test(name, async (t) => {
      const { pool, schema } = await openSchema(t, server);
      const { database, close } = await openHandle(handle, settingsOf(server));
      t.teardown(close);
      await migrate(database, { schema });
      await assertSchema(database, { schema });

      for (const code of ['23505', '40001', '40P01', '57P01'])
        await t.test(`an error has its SQLSTATE ${code}`, async (t) => {
          const raise = `DO $block$ BEGIN RAISE EXCEPTION 'fault' USING ERRCODE = '${code}'; END $block$`;
          await t.rejects(database.query(raise), { code });
        });

      await t.test('an error does not have the parameters of its statement', async (t) => {
        const error: unknown = await database.query('SELECT $1::text, 1 / 0', ['secret']).catch((e) => e);
        t.match(error, { code: '22012' });
        t.notMatch(inspect(error, { depth: 10 }), /secret/);
      });

      for (const settings of [{ host: '127.0.0.1', port: await freePort() }, { host: '/nonexistent' }])
        await t.test(`no server at ${settings.host} is storage_unavailable`, async (t) => {
          const unreachable = await openHandle(handle, { ...settingsOf(server), ...settings });
          t.teardown(unreachable.close);
          const storage = createPostgresStorage(unreachable.database);
          await t.rejects(async () => storage.findClient('acme'), { code: 'storage_unavailable' });
        });

      await t.test(
        'a library that the host has ended is storage_unavailable, or connects again',
        async (t) => {
          const ended = await openHandle(handle, settingsOf(server));
          await ended.database.query('SELECT 1');
          await ended.close();
          const call = async () => createPostgresStorage(ended.database, { schema }).findClient('acme');
          if (name === 'Prisma') t.equal(await call(), undefined);
          else await t.rejects(call(), { code: 'storage_unavailable' });
          t.teardown(ended.close);
        },
      );

      await runSuite(t, pool, () => createPostgresStorage(database, { schema }));
    });
  }
}

if (isReady)
  t.test('each handle takes the type of its library', async (t) => {
    const path = (name: string) => fileURLToPath(new URL(name, REPOSITORY));
    const args = ['-p', path('test/storage/handles'), '--singleThreaded'];
    const tsc = promisify(execFile)(path('node_modules/.bin/tsc'), args).catch(({ stdout }) => ({ stdout }));
    t.equal((await tsc).stdout, '');
  });
