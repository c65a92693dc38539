// Where a mock keeps its world: in memory, in memory and a file, or in PostgreSQL; the last two outlive the process.
import { randomBytes } from 'node:crypto';
import { type AdminStorage, hashApiKey, isClaimlinkError, type PresentedKey } from '../../lib/index.js';
import { invalidMockOptions, type MockClientOptions, type ResolvedMockOptions } from '../options.js';
import { scenarioToSnapshots } from '../scenario/scenario-snapshots.js';
import { createMemoryWorld, type MemoryWorld, storageOfNew } from './memory-world.js';
import { openMockState } from './mock-state.js';
import type { PersistFile } from './persist-file.js';
import type { ClientSnapshot, WorldSnapshot } from './world-snapshot.js';

/** A world, ready to be lived in. */
export interface OpenWorld {
  storage: AdminStorage;
  /** undefined: the world is in a database. */
  memory: MemoryWorld | undefined;
  /** Signs the links. */
  linkSecret: Uint8Array;
  /** Whether a user has exactly what is stored. */
  isNamed(clientId: string, userId: string): boolean;
  /** Adds a client and its key to a database; in memory, that is for the one who calls. */
  insert(client: MockClientOptions): Promise<void>;
  /** How the configured clients begin. */
  initial: readonly ClientSnapshot[];
  /** How the world was when it was last saved. */
  saved?: WorldSnapshot;
  persist?: PersistFile;
}

const SECRET_BYTES = 32;

/** A world that is gone with the process. @throws `options_invalid` for a scenario that does not hold together */
export function openMemoryWorld(options: ResolvedMockOptions): OpenWorld {
  const memory = createMemoryWorld();
  return {
    storage: memory.storage,
    memory,
    linkSecret: randomBytes(SECRET_BYTES),
    isNamed: memory.isNamed,
    insert: async () => {},
    initial: initialClients(options),
  };
}

/**
 * Opens the world that the options name. In a database it makes the tables that are not there.
 * @throws `options_invalid` for a seed other than the one that the world was begun with, and for a damaged file;
 * `storage_unavailable`.
 */
export async function openWorld(options: ResolvedMockOptions): Promise<OpenWorld> {
  if (options.database !== undefined) return openDatabaseWorld(options, options.database);
  const world = openMemoryWorld(options);
  if (options.persistFile === undefined) return world;
  const { createPersistFile } = await import('./persist-file.js');
  const persist = createPersistFile(options.persistFile);
  const file = await persist.load();
  if (file === undefined) return { ...world, persist };
  try {
    assertSame('/seed', String(options.seed), file.seed);
    assertSame('/refDate', options.refDate.toISOString(), file.refDate.toISOString());
  } catch (error) {
    await persist.close();
    throw error;
  }
  return { ...world, persist, linkSecret: file.linkSecret, saved: file.snapshot };
}

async function openDatabaseWorld(
  options: ResolvedMockOptions,
  database: NonNullable<ResolvedMockOptions['database']>,
): Promise<OpenWorld> {
  const { schema } = options;
  const { createPostgresStorage, migrate } = await import('../../lib/storage/postgres/index.js');
  const tables = schema === undefined ? {} : { schema };
  await migrate(database, tables);
  const state = await openMockState(database, schema);
  // Another seed would give a user who has submitted claims other policies than these are for.
  assertSame('/seed', String(options.seed), await state.keep('seed', String(options.seed)));
  const refDate = options.refDate.toISOString();
  assertSame('/refDate', refDate, await state.keep('ref_date', refDate));
  const secret = await state.keep('link_secret', randomBytes(SECRET_BYTES).toString('base64url'));

  const storage = createPostgresStorage(database, tables);
  const initial = initialClients(options);
  // All are looked at before any is inserted: a start that is refused leaves nothing behind.
  for (const { client } of initial) await assertKey(storage, client, options);
  for (const { client, storage: stored } of initial) {
    await insertUnlessThere(storage, client, options.now());
    for (const session of stored.sessions ?? []) await unlessThere(() => storage.insertSession(session));
  }
  const named = new Map(initial.map(({ client, namedUsers }) => [client.clientId, new Set(namedUsers)]));
  return {
    storage,
    memory: undefined,
    linkSecret: Buffer.from(secret, 'base64url'),
    isNamed: (clientId, userId) => named.get(clientId)?.has(userId) === true,
    insert: (client) => insertNew(storage, client, options.now()),
    initial,
  };
}

function initialClients(options: ResolvedMockOptions): ClientSnapshot[] {
  const { clients, scenario } = options;
  const fromScenario = scenario === undefined ? [] : scenarioToSnapshots(scenario, options.now());
  const ids = new Set(fromScenario.map(({ client }) => client.clientId));
  const keys = new Set(fromScenario.map(({ client }) => client.apiKey));
  const problems = clients.flatMap(({ clientId, apiKey }, index) => [
    ...(ids.has(clientId)
      ? [
          {
            pointer: `/clients/${index}/clientId`,
            rule: 'unique' as const,
            detail: "is the scenario's already",
          },
        ]
      : []),
    ...(keys.has(apiKey)
      ? [
          {
            pointer: `/clients/${index}/apiKey`,
            rule: 'unique' as const,
            detail: "is the scenario's already",
          },
        ]
      : []),
  ]);
  if (problems.length > 0) throw invalidMockOptions(problems);
  const others = clients.map((client) => ({
    client,
    isConfigured: true,
    storage: storageOfNew(client, options.now()),
    namedUsers: [],
    clock: { offsetMs: 0 },
    links: [],
  }));
  return [...fromScenario, ...others];
}

function assertSame(pointer: string, now: string, before: string): void {
  if (now === before) return;
  const detail = `must be ${before} again, which the data that is kept derives from`;
  throw invalidMockOptions([{ pointer, rule: 'value', detail }]);
}

/** @throws `options_invalid` for a key that is another client's in the database, or is over */
async function assertKey(
  storage: AdminStorage,
  { clientId, apiKey }: MockClientOptions,
  { clients, now }: ResolvedMockOptions,
): Promise<void> {
  const { apiKey: stored } = await storage.findCredentials({ apiKeyHash: hashApiKey(apiKey), clientId });
  const detail = stored && keyProblem(stored, clientId, now());
  if (detail === undefined) return;
  const index = clients.findIndex((client) => client.clientId === clientId);
  throw invalidMockOptions([
    { pointer: index < 0 ? '/scenario' : `/clients/${index}/apiKey`, rule: 'value', detail },
  ]);
}

function keyProblem(
  { clientId, expiresAt, revokedAt }: PresentedKey,
  wanted: string,
  now: Date,
): string | undefined {
  if (clientId !== wanted) return "is another client's already";
  const isOver = [expiresAt, revokedAt].some((moment) => moment !== undefined && moment <= now);
  return isOver ? 'has expired or was revoked in this database' : undefined;
}

/** @throws `already_exists` */
async function insertNew(storage: AdminStorage, client: MockClientOptions, now: Date): Promise<void> {
  const { clients = [], apiKeys = [] } = storageOfNew(client, now);
  for (const each of clients) await storage.insertClient(each);
  for (const each of apiKeys) await storage.insertApiKey(each);
}

/** A client that is there stays as it is, and may get one more key. */
async function insertUnlessThere(storage: AdminStorage, client: MockClientOptions, now: Date): Promise<void> {
  const { clients = [], apiKeys = [] } = storageOfNew(client, now);
  for (const each of clients) await unlessThere(() => storage.insertClient(each));
  for (const each of apiKeys) await unlessThere(() => storage.insertApiKey(each));
}

async function unlessThere(insert: () => unknown): Promise<void> {
  try {
    await insert();
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'already_exists') throw error;
  }
}
