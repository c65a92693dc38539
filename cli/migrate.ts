// claimlink migrate: the tables of a database.
import type { Command } from 'commander';
import type { CommandIo } from './command-io.js';
import { addDatabaseFlags, tablesOf, withDatabase } from './database.js';
import { Flag } from './flags.js';

export function addMigrate(program: Command, io: CommandIo): void {
  const migrate = program
    .command('migrate')
    .description('create or update the tables of the database')
    .addOption(
      // commander needs no --database-url then.
      new Flag('--dry-run', 'print the SQL of all versions, without a database').implies({ databaseUrl: '' }),
    )
    .action(async ({ dryRun }: { dryRun?: boolean }, command: Command) => {
      const postgres = await import('../lib/storage/postgres/index.js');
      if (dryRun) {
        io.stdout.write(postgres.migrationSql(tablesOf(command)));
        return;
      }
      const applied = await withDatabase(command, postgres.migrate);
      const sentences = applied.map((version) => `Applied version ${version}.\n`);
      io.stdout.write(sentences.join('') || `Up to date at version ${postgres.SCHEMA_VERSION}.\n`);
    });
  addDatabaseFlags([migrate]);
}
