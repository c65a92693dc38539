// claimlink migrate: the tables of a database.
import type { Command } from 'commander';
import type { CommandIo } from './command-io.js';
import { withDatabase } from './database.js';
import { Flag } from './flags.js';

export function addMigrate(program: Command, io: CommandIo): Command {
  return program
    .command('migrate')
    .description('create or update the tables of the database')
    .addOption(
      // commander needs no --database then.
      new Flag('--dry-run', 'print the SQL of all versions, without a database').implies({ database: '' }),
    )
    .action(async ({ dryRun }: { dryRun?: boolean }, command: Command) => {
      await withDatabase(command, async (database) => {
        if (dryRun) {
          io.stdout.write(database.migrationSql());
          return;
        }
        const { applied, version: current } = await database.migrate();
        const sentences = applied.map((version) => `Applied version ${version}.\n`);
        io.stdout.write(sentences.join('') || `Up to date at version ${current}.\n`);
      });
    });
}
