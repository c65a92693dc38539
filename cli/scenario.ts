// claimlink scenario: prints an example scenario, or writes it to a file.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { CommandIo } from './command-io.js';
import { type OutputFlags, outputFlag, writeDocument } from './output.js';

const EXAMPLE = './fixtures/scenarios/starter.yaml';

export function addScenario(program: Command, io: CommandIo): Command {
  return program
    .command('scenario')
    .description('print an example scenario for the mock')
    .addOption(outputFlag())
    .addHelpText(
      'after',
      '\nExample: claimlink scenario --output claimlink.scenario.yaml\nThen: claimlink mock --scenario claimlink.scenario.yaml',
    )
    .action(async (flags: OutputFlags) => {
      const example = new URL(EXAMPLE, import.meta.resolve('claimlink/package.json'));
      await writeDocument(io, flags, await readFile(example, 'utf8'));
    });
}
