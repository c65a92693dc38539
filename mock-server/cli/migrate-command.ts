// claimlink migrate and claimlink sweep: the tables of a database and its expired links.
import { migrate, migrationSql, SCHEMA_VERSION } from '../../lib/storage/postgres/index.js';
import type { CommandContext } from './command-io.js';
import { tablesOf, withDatabase, withStorage } from './database.js';
import type { DATABASE_FLAGS, MIGRATE_FLAGS } from './database-flags.js';
import { toUsageError } from './flags.js';

export async function runMigrate({ flags, io }: CommandContext<typeof MIGRATE_FLAGS>): Promise<number> {
  if (flags.values.dryRun) {
    try {
      io.stdout.write(migrationSql(tablesOf(flags)));
      return 0;
    } catch (error) {
      throw toUsageError(error, flags);
    }
  }
  const applied = await withDatabase(flags, migrate);
  const sentences = applied.map((version) => `Applied version ${version}.\n`);
  io.stdout.write(sentences.join('') || `Up to date at version ${SCHEMA_VERSION}.\n`);
  return 0;
}

export async function runSweep({ flags, io }: CommandContext<typeof DATABASE_FLAGS>): Promise<number> {
  const deleted = await withStorage(flags, async (storage) => storage.deleteExpiredLinks(new Date()));
  io.stdout.write(`Deleted ${deleted} expired ${deleted === 1 ? 'link' : 'links'}.\n`);
  return 0;
}
