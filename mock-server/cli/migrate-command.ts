// claimlink migrate: the tables of a database.
import { migrate, migrationSql, SCHEMA_VERSION } from '../../lib/storage/postgres/index.js';
import type { CommandContext } from './command-io.js';
import { tablesOf, withDatabase } from './database.js';
import type { MIGRATE_FLAGS } from './database-flags.js';
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
