// claimlink scenario: prints an example scenario.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { CommandIo } from './command-io.js';

const EXAMPLE = './fixtures/scenarios/starter.yaml';

export function addScenario(program: Command, io: CommandIo): Command {
  return program
    .command('scenario')
    .description('print an example scenario for the mock')
    .addHelpText(
      'after',
      '\nExample: claimlink scenario > claimlink.scenario.yaml\nThen: claimlink mock --scenario claimlink.scenario.yaml',
    )
    .action(async () => {
      io.stdout.write(
        await readFile(new URL(EXAMPLE, import.meta.resolve('claimlink/package.json')), 'utf8'),
      );
    });
}
