// claimlink migrate: the tables of a database.
import { migrate, migrationSql, SCHEMA_VERSION } from '../../lib/storage/postgres/index.js';
import type { CommandContext } from './command-io.js';
import { withDatabase } from './database.js';
import type { MIGRATE_FLAGS } from './database-flags.js';

export async function runMigrate({ flags, io }: CommandContext<typeof MIGRATE_FLAGS>): Promise<void> {
  if (flags.values.dryRun) {
    io.stdout.write(migrationSql(flags.values));
    return;
  }
  const applied = await withDatabase(flags, migrate);
  const sentences = applied.map((version) => `Applied version ${version}.\n`);
  io.stdout.write(sentences.join('') || `Up to date at version ${SCHEMA_VERSION}.\n`);
}
