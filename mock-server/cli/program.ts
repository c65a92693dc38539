// The commands of the command line. Each command loads its module when it runs.
import { createRequire } from 'node:module';
import { Command } from 'commander';
import { CHECK_FLAGS } from './check-flags.js';
import type { CommandGroup, CommandIo, Run } from './command-io.js';
import {
  CLIENT_FLAGS,
  DELIVERY_FLAGS,
  KEY_FLAGS,
  MIGRATE_FLAGS,
  SWEEP_FLAGS,
  USER_FLAGS,
} from './database-flags.js';
import {
  addFlags,
  commandName,
  type Environment,
  type FlagSet,
  readFlags,
  toUsageError,
  UsageError,
} from './flags.js';
import { MOCK_FLAGS, OPENAPI_FLAGS, REMOVED_FLAGS } from './mock-flags.js';

const DATABASE_NOTE = 'Variables: CLAIMLINK_DATABASE_URL, then DATABASE_URL; CLAIMLINK_SCHEMA.';

/** Texts after the flags in the help text of a command. */
const NOTES: Readonly<Record<string, string>> = {
  mock: `A variable sets the same as its flag, which takes precedence: CLAIMLINK_PORT=4010.
--client, --cors-origin and --fault may be repeated.
Example: claimlink --client acme:clk_acme --latency 100-800 --persist mock.json`,
  openapi: 'Example: claimlink openapi --public-url https://claims.example.com > openapi.json',
  check: `Exit code: 0 all rules hold, 1 a rule of the contract fails, 3 only decisions of
claimlink fail, 2 the command is wrong or the deployment does not respond.
Variables: CLAIMLINK_CLIENT_ID, CLAIMLINK_API_KEY, CLAIMLINK_USER_ID.
Example:
  CLAIMLINK_API_KEY=... claimlink check https://claims.example.com --client-id acme`,
  sweep: `Always removes the prefilled data of expired links that it keeps. Ages: days, weeks,
months and years, such as 30d, 2w, 6m and 3y.
Example: claimlink sweep --links 30d --sessions-older-than 3y`,
  'clients add': `Example: claimlink clients add acme --name 'Acme Insurance'`,
  'clients update': 'Settings without a flag keep their value.',
  'keys issue': 'Example: claimlink keys issue --client acme --expires 90d',
  'keys update': `A revoked key cannot be changed. An expired key with a later expiry works again.
Example: claimlink keys update key_0123456789ab --expires 30d`,
  'users export': 'Example: claimlink users export --client acme --user 42 --out user-42.json',
  'deliveries retry': 'Example: claimlink deliveries retry --client acme --all',
  'keys rotate': `Both keys work until the old one ends. An old key that expires earlier still does.
Example: claimlink keys rotate key_0123456789ab --old-ends-in 14d`,
};

/** Names of the flags that belong to the program. */
const PROGRAM_FLAGS: readonly string[] = ['--help', '-h', '--version', '-v'];

/** Returns the words for commander: without a command, the command is mock; `help keys` is `keys --help`. */
export function toWords(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest.filter((word) => !word.startsWith('-')), '--help'];
  const hasCommand = first !== undefined && (!first.startsWith('-') || PROGRAM_FLAGS.includes(first));
  return hasCommand ? [...argv] : ['mock', ...argv];
}

/** Leaves out what follows an unknown command, so that `kyes --help` is an error and not the help of the program. */
export function endAtUnknownCommand(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  for (const [index, word] of words.entries()) {
    if (command.commands.length === 0 || word.startsWith('-')) break;
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (next === undefined) return words.slice(0, index + 1);
    command = next;
  }
  return words;
}

/** Cuts the values off unknown flags: commander would print them, and finds no similar flag with them. */
export function cutUnknownValues(program: Command, words: readonly string[]): readonly string[] {
  let command: Command | undefined = program;
  const names = new Set(PROGRAM_FLAGS);
  for (const word of words) {
    command = command?.commands.find((candidate) => candidate.name() === word);
    for (const { long } of command?.options ?? []) if (long) names.add(long);
  }
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.map((word, index) => {
    const [name = ''] = word.split('=', 1);
    return name.startsWith('--') && index < end && !names.has(name) ? name : word;
  });
}

/** Creates the program. A command calls `setExitCode` if it ends without an error, but not with exit code 0. */
export function createProgram(env: Environment, io: CommandIo, setExitCode: (code: number) => void): Command {
  const program = new Command('claimlink');
  program
    .description(
      'A mock server for the session listing and standalone link API, and tools for a service on PostgreSQL.',
    )
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print the help text')
    .helpCommand('help [command]', 'print the help text of a command')
    .addHelpText(
      'after',
      '\nWithout a command, claimlink runs mock. claimlink help <command> lists its flags.',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(toSentence(text)),
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
    });

  /** Adds a command. `usage` is its name, and its argument if it has one. */
  function add<S extends FlagSet>(
    parent: Command,
    usage: string,
    description: string,
    flags: S,
    load: () => Promise<Run<S>>,
  ): Command {
    const command = parent.command(usage).description(description);
    const name = commandName(command);
    addFlags(command, flags);
    const notes = [NOTES[name], 'databaseUrl' in flags ? DATABASE_NOTE : undefined];
    command.addHelpText('after', ['', ...notes.filter((note) => note !== undefined)].join('\n'));
    command.showHelpAfterError(`claimlink ${name} --help lists the flags.`);
    return command.action(async () => {
      const reader = readFlags(command, flags, env);
      try {
        const run = await load();
        await run({ flags: reader, argument: command.args[0] ?? '', env, io, setExitCode });
      } catch (error) {
        throw toUsageError(error, reader);
      }
    });
  }

  /** Adds a group of commands. `descriptions` has the description of each command by its usage. */
  function addGroup<G extends Readonly<Record<string, FlagSet>>>(
    name: string,
    description: string,
    flags: G,
    load: () => Promise<CommandGroup<G>>,
    descriptions: Readonly<Record<string, string>>,
  ): void {
    const group = program
      .command(name)
      .description(description)
      .usage('<command> [flags]')
      .helpCommand(false)
      .showHelpAfterError(`claimlink ${name} --help lists the commands.`);
    for (const [usage, text] of Object.entries(descriptions)) {
      const member: keyof G & string = usage.split(' ', 1)[0] ?? '';
      add(group, usage, text, flags[member], async () => (await load())[member]);
    }
  }

  const mock = add(program, 'mock', 'start the mock server (default)', MOCK_FLAGS, () =>
    import('./mock-command.js').then((module) => module.runMock),
  );
  for (const form of REMOVED_FLAGS) {
    const removed = mock.createOption(form).hideHelp();
    removed.argParser(() => {
      throw new UsageError(
        `The mock has no database mode, so it has no ${removed.long}. Keep its state with --persist <file>, or run the service on a database: examples/sandbox.mjs.`,
      );
    });
    mock.addOption(removed);
  }

  add(program, 'openapi', 'print the OpenAPI document of the API', OPENAPI_FLAGS, () =>
    import('./openapi-command.js').then((module) => module.runOpenApi),
  );
  add(program, 'check <base-url>', 'check a deployment against the contract', CHECK_FLAGS, () =>
    import('./check-command.js').then((module) => module.runCheckCommand),
  );
  add(program, 'migrate', 'create or update the tables of the database', MIGRATE_FLAGS, () =>
    import('./migrate-command.js').then((module) => module.runMigrate),
  );
  add(program, 'sweep', 'delete expired links, and old sessions if you say how old', SWEEP_FLAGS, () =>
    import('./sweep-command.js').then((module) => module.runSweep),
  );

  const loadClients = async () => (await import('./clients-commands.js')).clients;
  addGroup('clients', 'list, show, add, update and remove clients', CLIENT_FLAGS, loadClients, {
    list: 'list the clients',
    'show <client-id>': 'show one client and its API keys',
    'add <client-id>': 'add a client',
    'update <client-id>': 'change the settings of a client',
    'remove <client-id>': 'remove a client with its API keys, links and sessions',
  });

  const loadKeys = async () => (await import('./keys-commands.js')).keys;
  addGroup('keys', 'issue, list, show, update, rotate and revoke API keys', KEY_FLAGS, loadKeys, {
    issue: 'issue an API key and show it once',
    list: 'list the API keys of a client',
    'show <key-id>': 'show one API key, without its secret',
    'update <key-id>': 'change the expiry of an API key',
    'rotate <key-id>': 'issue a new API key for the same client; the old one ends later',
    'revoke <key-id>': 'revoke an API key',
  });

  const loadUsers = async () => (await import('./users-commands.js')).users;
  addGroup('users', 'export and delete the data of a user', USER_FLAGS, loadUsers, {
    export: 'write the sessions and links of a user as JSON',
    delete: 'delete the sessions, links and undelivered events of a user',
  });

  const loadDeliveries = async () => (await import('./deliveries-commands.js')).deliveries;
  addGroup('deliveries', 'list and repeat deliveries of submissions', DELIVERY_FLAGS, loadDeliveries, {
    list: 'list the submissions that are not delivered',
    retry: 'make failed deliveries due again',
  });

  return program;
}

/** Replaces commander's prefix, and words that may contain a secret: the value of a flag, a URL in the wrong place. */
function toSentence(text: string): string {
  return text
    .replace(/^error: /, 'claimlink: ')
    .replace(/^(.*? '-[^=']*=).*'/s, "$1...'")
    .replace(/'[^']*(?::\/\/|@)[^']*'/g, 'with a URL (write it after --database-url)');
}

function version(): string {
  // By its own name, so that it works from the sources and from dist.
  return String(createRequire(import.meta.url)('claimlink/package.json').version);
}
