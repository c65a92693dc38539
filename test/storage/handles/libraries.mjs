// Opens each library. The caller closes it.
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import { drizzle } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';

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
