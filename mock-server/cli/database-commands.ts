// The commands that keep a database: its tables, its clients, its expired links.
import { type Client, isClaimlinkError } from '../../lib/index.js';
import { migrate, migrationSql, SCHEMA_VERSION } from '../../lib/storage/postgres/index.js';
import type { CommandIo } from './command-io.js';
import type { CommandLine } from './command-line.js';
import { tablesOf, withDatabase, withStorage } from './database.js';
import { UsageError } from './flags.js';

/** claimlink migrate */
export async function runMigrate(line: CommandLine, { stdout }: CommandIo): Promise<void> {
  if (line.values.dryRun) {
    stdout.write(migrationSql(tablesOf(line)));
    return;
  }
  const applied = await withDatabase(line, migrate);
  const sentences = applied.map((version) => `Applied version ${version}.\n`);
  stdout.write(sentences.join('') || `Up to date at version ${SCHEMA_VERSION}.\n`);
}

/** claimlink clients add */
export async function runClientsAdd(line: CommandLine, { stdout }: CommandIo): Promise<void> {
  const { name, callbackOrigins } = line.values;
  const client: Client = {
    clientId: line.argument,
    ...(name !== undefined && { name }),
    ...(callbackOrigins !== undefined && { callbackOrigins }),
  };
  try {
    await withStorage(line, async (storage) => storage.insertClient(client));
  } catch (error) {
    throw toUsageError(error, client);
  }
  stdout.write(`Added the client ${client.clientId}.\n`);
}

function toUsageError(error: unknown, { clientId }: Client): unknown {
  if (!isClaimlinkError(error)) return error;
  if (error.code === 'already_exists') return new UsageError(`The client ${clientId} exists already.`);
  if (error.code !== 'request_invalid') return error;
  const [{ parameter, detail } = { detail: 'is not valid' }] = error.details ?? [];
  return new UsageError(
    `${parameter === 'callbackOrigins' ? '--callback-origin' : 'The id of the client'} ${detail}.`,
  );
}

/** claimlink sweep */
export async function runSweep(line: CommandLine, { stdout }: CommandIo): Promise<void> {
  const deleted = await withStorage(line, async (storage) => storage.deleteExpiredLinks(new Date()));
  stdout.write(`Deleted ${deleted} expired ${deleted === 1 ? 'link' : 'links'}.\n`);
}
