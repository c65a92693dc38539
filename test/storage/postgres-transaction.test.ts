// A link that is created in a transaction of the host is there after its commit, and nowhere after a rollback.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import t, { type Test } from 'tap';
import { createClaimlink, createLinkSigner } from '../../lib/index.js';
import {
  createPostgresStorage,
  fromKnex,
  fromKysely,
  fromPostgres,
  fromPrisma,
  fromSequelize,
  fromTypeorm,
  type PostgresDatabase,
} from '../../lib/storage/postgres/index.js';
import { linkRequest } from '../adapters/service.js';
import { IS_LONG } from '../size.js';
import { areLibrariesInstalled, openLibrary } from './handles.js';
import { findPostgres, openTables, settingsOf } from './postgres-server.js';

type Run = (database: PostgresDatabase) => Promise<void>;
// biome-ignore lint/suspicious/noExplicitAny: each function gets its library, which is installed apart
type Transaction = (library: any, run: Run) => Promise<unknown>;

/** Each library with the function of `libraries.mjs` that opens it, and a transaction as docs/postgres.md shows it. */
const TRANSACTIONS: Readonly<Record<string, [open: string, begin: Transaction]>> = {
  postgres: ['openPostgres', (sql, run) => sql.begin((tx: never) => run(fromPostgres(tx)))],
  Kysely: ['openKysely', (db, run) => db.transaction().execute((trx: never) => run(fromKysely(trx)))],
  Knex: ['openKnex', (knex, run) => knex.transaction((trx: never) => run(fromKnex(trx)))],
  Prisma: ['openPrisma', (client, run) => client.$transaction((tx: never) => run(fromPrisma(tx)))],
  TypeORM: [
    'openTypeorm',
    (source, run) => source.transaction((manager: never) => run(fromTypeorm(manager))),
  ],
  Sequelize: [
    'openSequelize',
    (sequelize, run) =>
      sequelize.transaction((transaction: unknown) =>
        run(fromSequelize({ query: (text, options) => sequelize.query(text, { ...options, transaction }) })),
      ),
  ],
  'pg-promise': [
    'openPgPromise',
    (db, run) =>
      db.tx((task: { result: PostgresDatabase['query'] }) =>
        run({ query: (text, params) => task.result(text, params) }),
      ),
  ],
};

async function beginWithPg(pool: pg.Pool, run: Run): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN');
    await run(connection);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  } finally {
    connection.release();
  }
}

const server = await findPostgres(t);
if (server !== undefined) {
  const { pool, schema, storage } = await openTables(t, server);
  await storage.insertClient({ clientId: 'acme' });
  const publicUrl = 'https://claims.example.com';
  const signer = createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: publicUrl,
  });
  const isStored = async (linkId: string) =>
    (await storage.findLink({ clientId: 'acme', accessCodeHash: linkId })) !== undefined;

  async function rule(t: Test, begin: (run: Run) => Promise<unknown>) {
    for (const end of ['commit', 'rollback']) {
      let linkId = '';
      const transaction = begin(async (database) => {
        const claimlink = createClaimlink({
          storage: createPostgresStorage(database, { schema }),
          publicUrl,
          signer,
        });
        ({ linkId } = await claimlink.createLink('acme', linkRequest()));
        t.equal(await isStored(linkId), false, 'others do not see the link before the end');
        if (end === 'rollback') throw new Error('of the host');
      });
      if (end === 'rollback') await t.rejects(transaction, { message: 'of the host' });
      else await transaction;
      t.equal(await isStored(linkId), end === 'commit', `after the ${end}`);
    }
  }

  t.test('pg: a link belongs to the transaction of the host', (t) =>
    rule(t, (run) => beginWithPg(pool, run)),
  );

  if (IS_LONG && areLibrariesInstalled())
    for (const [name, [open, begin]] of Object.entries(TRANSACTIONS))
      t.test(`${name}: a link belongs to the transaction of the host`, async (t) => {
        const { library, close } = await openLibrary(open, settingsOf(server));
        t.teardown(close);
        await rule(t, (run) => begin(library, run));
      });
}
