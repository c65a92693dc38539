// The program of commander: its commands in groups, and its messages without secrets.
import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addCheck } from './check.js';
import { addClients } from './clients.js';
import { type CommandIo, notify } from './command-io.js';
import { addDatabaseFlags } from './database.js';
import { addDeliveries } from './deliveries.js';
import { addKeys } from './keys.js';
import { addLinks } from './links.js';
import { addMigrate } from './migrate.js';
import { addMock } from './mock.js';
import { addOpenapi } from './openapi.js';
import { addScenario } from './scenario.js';
import { addSessions } from './sessions.js';
import { addSweep } from './sweep.js';
import { addUsers } from './users.js';

/** Adds a command to the program and returns it. */
type AddCommand = (program: Command, io: CommandIo) => Command;

/** Commands of the mock, in the order of the help text. */
const MOCK: readonly AddCommand[] = [addMock, addCheck, addOpenapi, addScenario];

/** Commands of the service, in the order of the help text. They and their subcommands get the flags of a database. */
const SERVICE: readonly AddCommand[] = [
  addMigrate,
  addClients,
  addKeys,
  addUsers,
  addLinks,
  addSessions,
  addDeliveries,
  addSweep,
];

/** Returns the words for commander: without a command, the command is mock. A default command takes any first word. */
export function toWords([first = '', ...rest]: readonly string[]): string[] {
  if (first === '') return ['mock', ...rest];
  const isFlag = first.startsWith('-') && !['--help', '-h', '--version', '-v'].includes(first);
  return isFlag ? ['mock', first, ...rest] : [first, ...rest];
}

/** Creates the program. commander reads variables from `process.env` when it parses. */
export function createProgram(io: CommandIo): Command {
  // commander takes an empty variable for a value.
  for (const [name, text] of Object.entries(process.env))
    if (text === '' && name.startsWith('CLAIMLINK_')) delete process.env[name];
  const program = new Command('claimlink')
    .description('A mock server for the session listing and standalone link API, and tools for a service.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print the help text')
    .helpCommand('help [command]', 'print the help text of a command')
    .showHelpAfterError('claimlink <command> --help lists the flags.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr(text) {
        if (io.isJsonLog) notify(io, 'error', text.trimEnd().replace(/^claimlink: /, ''));
        else io.stderr.write(text);
      },
      outputError: (text, write) => write(withoutValues(text)),
    });
  program.commandsGroup('The mock:');
  for (const add of MOCK) add(program, io);
  program.commandsGroup('The service, on PostgreSQL, SQLite or a storage of the host:');
  for (const add of SERVICE) {
    const command = add(program, io);
    addDatabaseFlags(command.commands.length > 0 ? command.commands : [command]);
  }
  return program;
}

/** Replaces the prefix of commander, and removes the values that its messages quote: one may be a secret. */
function withoutValues(text: string): string {
  return text
    .replace(/^error: /, 'claimlink: ')
    .replace(/^(.*?) value '.*' from env '(\w+)' is invalid/s, "$1 from env '$2' is invalid")
    .replace(/^(.*?) (?:argument|value) '.*' is invalid/s, '$1 is invalid')
    .replace(/^(.*? '-[^=']*=).*'/s, "$1...'");
}

function version(): string {
  // By its own name, so that it works from the sources and from dist.
  return String(createRequire(import.meta.url)('claimlink/package.json').version);
}
