// Opens each library. The caller closes it.
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import pgPromise from 'pg-promise';
import postgres from 'postgres';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';

/** The storage works without the names that the plugin changes. */
export function openKysely(settings) {
  const db = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool(settings) }),
    plugins: [new CamelCasePlugin()],
  });
  return { library: db, close: () => db.destroy() };
}

/** Drizzle changes how `postgres` serializes dates and JSON. */
export function openDrizzle(settings) {
  const db = drizzle({ connection: { ...settings, onnotice() {} } });
  return { library: db, close: () => db.$client.end() };
}

export function openKnex(settings) {
  const db = knex({ client: 'pg', connection: settings, log: { warn() {} } });
  return { library: db, close: () => db.destroy() };
}

export function openPrisma(settings) {
  const client = new PrismaClient({ adapter: new PrismaPg(settings) });
  return { library: client, close: () => client.$disconnect() };
}

export function openPostgres(settings) {
  const sql = postgres({ ...settings, onnotice() {} });
  return { library: sql, close: () => sql.end() };
}

export async function openTypeorm({ user, ...settings }) {
  const source = new DataSource({ type: 'postgres', ...settings, username: user });
  // Without a server, the queries report it.
  await source.initialize().catch(() => {});
  return { library: source, close: async () => source.isInitialized && source.destroy() };
}

/** The storage works with options that change the results of the host's own queries. */
export function openSequelize({ user, ...settings }) {
  const query = { plain: true, type: 'SELECT' };
  const sequelize = new Sequelize({
    dialect: 'postgres',
    ...settings,
    username: user,
    logging: false,
    query,
  });
  return { library: sequelize, close: () => sequelize.close() };
}

export function openPgPromise(settings) {
  const db = pgPromise({ noWarnings: true })(settings);
  return { library: db, close: () => db.$pool.ended || db.$pool.end() };
}
