// Each handle takes the type of its library. postgres-handles.long.test.ts compiles this file.
import type { PGlite } from '@electric-sql/pglite';
import type { PrismaClient } from '@prisma/client';
import type { drizzle } from 'drizzle-orm/node-postgres';
import type { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import type { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import type { Knex } from 'knex';
import type { Kysely } from 'kysely';
import type { Sql } from 'postgres';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPostgres,
  fromPrisma,
} from '../../../lib/storage/postgres/handles.js';

export const handlesOf = (libraries: {
  kysely: Kysely<{ users: { id: number } }>;
  drizzle: ReturnType<typeof drizzle>;
  drizzlePglite: ReturnType<typeof drizzlePglite<Record<string, never>, PGlite>>;
  drizzlePostgres: ReturnType<typeof drizzlePostgres>;
  knex: Knex;
  prisma: PrismaClient;
  sql: Sql;
}) => [
  fromKysely(libraries.kysely),
  fromDrizzle(libraries.drizzle),
  fromDrizzle(libraries.drizzlePglite),
  fromDrizzle(libraries.drizzlePostgres),
  fromKnex(libraries.knex),
  fromPrisma(libraries.prisma),
  fromPostgres(libraries.sql),
];
