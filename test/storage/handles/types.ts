// Each handle takes the type of its library. postgres-handles.long.test.ts compiles this file.
import type { PGlite } from '@electric-sql/pglite';
import type { PrismaClient } from '@prisma/client';
import type { drizzle } from 'drizzle-orm/node-postgres';
import type { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import type { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import type { Knex } from 'knex';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { IDatabase } from 'pg-promise';
import type { Sql } from 'postgres';
import type { Sequelize } from 'sequelize';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PostgresDatabase } from '../../../lib/storage/postgres/execute.js';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPostgres,
  fromPrisma,
  fromSequelize,
  fromTypeorm,
} from '../../../lib/storage/postgres/handles.js';

export const handlesOf = (libraries: {
  kysely: Kysely<{ users: { id: number } }>;
  drizzle: ReturnType<typeof drizzle>;
  drizzlePglite: ReturnType<typeof drizzlePglite<Record<string, never>, PGlite>>;
  drizzlePostgres: ReturnType<typeof drizzlePostgres>;
  knex: Knex;
  prisma: PrismaClient;
  sql: Sql;
  source: DataSource;
  manager: EntityManager;
  runner: QueryRunner;
  sequelize: Sequelize;
  pgPromise: IDatabase<object>;
}) => [
  fromKysely(libraries.kysely),
  fromDrizzle(libraries.drizzle),
  fromDrizzle(libraries.drizzlePglite),
  fromDrizzle(libraries.drizzlePostgres),
  fromKnex(libraries.knex),
  fromPrisma(libraries.prisma),
  fromPostgres(libraries.sql),
  fromTypeorm(libraries.source),
  fromTypeorm(libraries.manager),
  fromTypeorm(libraries.runner),
  fromSequelize(libraries.sequelize),
  libraries.pgPromise.$pool as unknown as Pool satisfies PostgresDatabase,
];
