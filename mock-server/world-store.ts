// Where a mock keeps its world: in memory, or in PostgreSQL, where it outlives the process.
import { randomBytes } from 'node:crypto';
import {
  type AdminStorage,
  type ApiKey,
  createMemoryStorage,
  hashApiKey,
  isClaimlinkError,
} from '../lib/index.js';
import { openMockState } from './mock-state.js';
import { invalidMockOptions, type ResolvedMockOptions } from './options.js';

/** What has to outlive the process for links and sessions to do so. */
export interface WorldStore {
  storage: AdminStorage;
  /** Signs the links. */
  linkSecret: Uint8Array;
}

const SECRET_BYTES = 32;

/**
 * Opens the store that the options name. In a database it makes the tables that are not there.
 * @throws `options_invalid` for a seed other than the one that the database was begun with, `storage_unavailable`.
 */
export async function openWorldStore(options: ResolvedMockOptions): Promise<WorldStore> {
  const { database, schema } = options;
  if (database === undefined)
    return { storage: createMemoryStorage(), linkSecret: randomBytes(SECRET_BYTES) };
  const { createPostgresStorage, migrate } = await import('../lib/storage/postgres.js');
  const tables = schema === undefined ? {} : { schema };
  await migrate(database, tables);
  const state = await openMockState(database, schema);

  // Another seed would give a user who has sessions the ones of the other seed besides.
  const seed = await state.keep('seed', String(options.seed));
  if (seed !== String(options.seed)) throw otherThanBefore('/seed', seed);
  const refDate = await state.keep('ref_date', options.refDate.toISOString());
  if (refDate !== options.refDate.toISOString()) throw otherThanBefore('/refDate', refDate);

  const secret = await state.keep('link_secret', randomBytes(SECRET_BYTES).toString('base64url'));
  return {
    storage: createPostgresStorage(database, tables),
    linkSecret: Buffer.from(secret, 'base64url'),
  };
}

function otherThanBefore(pointer: string, before: string): Error {
  const detail = `must be ${before} again, which the data in this database derives from`;
  return invalidMockOptions([{ pointer, detail }]);
}

/**
 * Adds the clients and keys that are not there yet. A client that is there stays as it is, and may get one more key.
 * @throws `options_invalid` for a key that is another client's in the database.
 */
export async function insertClients(
  storage: AdminStorage,
  { clients, now }: Pick<ResolvedMockOptions, 'clients' | 'now'>,
): Promise<void> {
  // All are looked at before any is inserted: a start that is refused leaves nothing behind.
  for (const [index, { clientId, apiKey }] of clients.entries()) {
    const { apiKey: stored } = await storage.findCredentials({ apiKeyHash: hashApiKey(apiKey), clientId });
    const detail = stored && keyProblem(stored, clientId, now());
    if (detail !== undefined) throw invalidMockOptions([{ pointer: `/clients/${index}/apiKey`, detail }]);
  }
  for (const { apiKey, ...client } of clients) {
    const hash = hashApiKey(apiKey);
    await unlessThere(() => storage.insertClient(client));
    // Named after its hash, so that the same key has the same id in every process.
    const id = `mock_${hash.slice(0, 12)}`;
    await unlessThere(() => storage.insertApiKey({ id, clientId: client.clientId, hash, createdAt: now() }));
  }
}

function keyProblem(
  { clientId, expiresAt, revokedAt }: ApiKey,
  wanted: string,
  now: Date,
): string | undefined {
  if (clientId !== wanted) return "is another client's already";
  const isOver = [expiresAt, revokedAt].some((moment) => moment !== undefined && moment <= now);
  return isOver ? 'has expired or was revoked in this database' : undefined;
}

async function unlessThere(insert: () => unknown): Promise<void> {
  try {
    await insert();
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'already_exists') throw error;
  }
}
