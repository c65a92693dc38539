// The handles with their libraries, which are installed apart from the packages of the repository.
import { existsSync } from 'node:fs';
import {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPostgres,
  fromPrisma,
  fromSequelize,
  fromTypeorm,
  type PostgresDatabase,
} from '../../lib/storage/postgres/index.js';
import { REPOSITORY } from '../repository.js';
import type { settingsOf } from './postgres-server.js';

const FOLDER = new URL('test/storage/handles/', REPOSITORY);

type Settings = ReturnType<typeof settingsOf>;

/** A handle of a library that runs. */
interface OpenHandle {
  database: PostgresDatabase;
  close(): Promise<void>;
}

interface Handle {
  /** Name of the package of the library. */
  package: string;
  /** Name of the function of `libraries.mjs`. */
  open: string;
  // biome-ignore lint/suspicious/noExplicitAny: types.ts checks the type of each library
  from: (library: any) => PostgresDatabase;
}

/** Each handle by the name of its library. */
export const HANDLES: Readonly<Record<string, Handle>> = {
  postgres: { package: 'postgres', open: 'openPostgres', from: fromPostgres },
  Kysely: { package: 'kysely', open: 'openKysely', from: fromKysely },
  Drizzle: { package: 'drizzle-orm', open: 'openDrizzle', from: fromDrizzle },
  Knex: { package: 'knex', open: 'openKnex', from: fromKnex },
  Prisma: { package: '@prisma/client', open: 'openPrisma', from: fromPrisma },
  TypeORM: { package: 'typeorm', open: 'openTypeorm', from: fromTypeorm },
  Sequelize: { package: 'sequelize', open: 'openSequelize', from: fromSequelize },
  'pg-promise': { package: 'pg-promise', open: 'openPgPromise', from: ({ $pool }) => $pool },
};

/** Returns whether the libraries are installed. */
export const areLibrariesInstalled = (): boolean =>
  existsSync(new URL('node_modules/.package-lock.json', FOLDER));

/** Opens a library by the name of its function. */
export async function openLibrary(open: string, settings: Settings) {
  const libraries = await import(new URL('libraries.mjs', FOLDER).href);
  // biome-ignore lint/suspicious/noExplicitAny: the libraries are installed apart
  return (await libraries[open](settings)) as { library: any; close(): Promise<void> };
}

/** Opens a library and returns its handle. */
export async function openHandle({ open, from }: Handle, settings: Settings): Promise<OpenHandle> {
  const { library, close } = await openLibrary(open, settings);
  return { database: from(library), close };
}
