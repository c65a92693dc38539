// claimlink scenario: writes an example scenario.
import type { Command } from 'commander';
import { quote } from '../mock-server/curl.js';
import type { CommandIo } from './command-io.js';

export function addScenario(program: Command, io: CommandIo): void {
  program
    .command('scenario')
    .description('write an example scenario for the mock')
    .argument('[scenario]', 'new file, JSON or YAML (default: claimlink.scenario.yaml)')
    .action(async (file?: string) => {
      const { writeStarter } = await import('./scenario-starter.js');
      const path = await writeStarter(file);
      const word = /^[\w./-]+$/.test(path) ? path : quote(path);
      io.stdout.write(`Wrote ${path}. Start the mock with it: npx claimlink --scenario ${word}\n`);
    });
}
