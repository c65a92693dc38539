// The commands of the command line. Each command loads its module when it runs.
import { createRequire } from 'node:module';
import { Command } from 'commander';
import { CHECK_FLAGS } from './check-flags.js';
import type { CommandContext, CommandIo } from './command-io.js';
import {
  CLIENT_FLAGS,
  DATABASE_FLAGS,
  DELIVERY_FLAGS,
  KEY_FLAGS,
  MIGRATE_FLAGS,
  NEW_CLIENT_FLAGS,
} from './database-flags.js';
import { addFlags, commandName, type Environment, type FlagSet, readFlags, UsageError } from './flags.js';
import { MOCK_FLAGS, OPENAPI_FLAGS, REMOVED_FLAGS } from './mock-flags.js';

interface CommandDefinition<S extends FlagSet> {
  /** Name, and the argument if there is one: `revoke <key-id>`. */
  readonly usage: string;
  readonly description: string;
  readonly flags: S;
  readonly notes?: string;
  /** Resolves to the exit code. */
  run(context: CommandContext<S>): Promise<number>;
}

const DATABASE_NOTE = 'Variables: CLAIMLINK_DATABASE_URL, then DATABASE_URL; CLAIMLINK_SCHEMA.';

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

/** Creates the program. `setExitCode` is called when a command has run. */
export function createProgram(env: Environment, io: CommandIo, setExitCode: (code: number) => void): Command {
  const program = new Command('claimlink');
  program
    .description('A mock server for the session listing and standalone link API, and tools for its database.')
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

  function add<S extends FlagSet>(parent: Command, definition: CommandDefinition<S>): Command {
    const command = parent.command(definition.usage).description(definition.description);
    addFlags(command, definition.flags);
    const notes = [definition.notes, 'databaseUrl' in definition.flags ? DATABASE_NOTE : undefined];
    command.addHelpText('after', ['', ...notes.filter((note) => note !== undefined)].join('\n'));
    command.showHelpAfterError(`claimlink ${commandName(command)} --help lists the flags.`);
    return command.action(async () => {
      const flags = readFlags(command, definition.flags, env);
      setExitCode(await definition.run({ flags, argument: command.args[0] ?? '', env, io }));
    });
  }

  const mock = add(program, {
    usage: 'mock',
    description: 'start the mock server (default)',
    flags: MOCK_FLAGS,
    notes: `A variable sets the same as its flag, which takes precedence: CLAIMLINK_PORT=4010.
--client, --cors-origin and --fault may be repeated.
Example: claimlink --client acme:clk_acme --latency 100-800 --persist mock.json`,
    run: async (context) => (await import('./mock-command.js')).runMock(context),
  });
  for (const form of REMOVED_FLAGS) {
    const removed = mock.createOption(form).hideHelp();
    mock.addOption(
      removed.argParser(() => {
        throw new UsageError(
          `The mock has no database mode, so it has no ${removed.long}. Keep its state with --persist <file>, or run the service on a database: examples/sandbox.mjs.`,
        );
      }),
    );
  }

  add(program, {
    usage: 'openapi',
    description: 'print the OpenAPI document of the API',
    flags: OPENAPI_FLAGS,
    notes: 'Example: claimlink openapi --public-url https://claims.example.com > openapi.json',
    run: async (context) => (await import('./openapi-command.js')).runOpenApi(context),
  });

  add(program, {
    usage: 'check <base-url>',
    description: 'check a deployment against the contract',
    flags: CHECK_FLAGS,
    notes: `Exit code: 0 all rules hold, 1 a rule of the contract fails, 3 only decisions of
claimlink fail, 2 the command is wrong or the deployment does not respond.
Variables: CLAIMLINK_CLIENT_ID, CLAIMLINK_API_KEY, CLAIMLINK_USER_ID.
Example:
  CLAIMLINK_API_KEY=... claimlink check https://claims.example.com --client-id acme`,
    run: async (context) => (await import('./check-command.js')).runCheckCommand(context),
  });

  add(program, {
    usage: 'migrate',
    description: 'create or update the tables of the database',
    flags: MIGRATE_FLAGS,
    run: async (context) => (await import('./migrate-command.js')).runMigrate(context),
  });

  add(program, {
    usage: 'sweep',
    description: 'delete expired links',
    flags: DATABASE_FLAGS,
    run: async (context) => (await import('./migrate-command.js')).runSweep(context),
  });

  const clients = addGroup('clients', 'list, show, add, update and remove clients');
  add(clients, {
    usage: 'list',
    description: 'list the clients',
    flags: CLIENT_FLAGS.list,
    run: async (context) => (await import('./clients-commands.js')).runClientsList(context),
  });
  add(clients, {
    usage: 'show <client-id>',
    description: 'show one client and its API keys',
    flags: CLIENT_FLAGS.list,
    run: async (context) => (await import('./clients-commands.js')).runClientsShow(context),
  });
  add(clients, {
    usage: 'add <client-id>',
    description: 'add a client',
    flags: NEW_CLIENT_FLAGS,
    notes: `Example: claimlink clients add acme --name 'Acme Insurance'`,
    run: async (context) => (await import('./clients-commands.js')).runClientsAdd(context),
  });
  add(clients, {
    usage: 'update <client-id>',
    description: 'change the name or the callback origins of a client',
    flags: CLIENT_FLAGS.update,
    notes: 'Without a flag, name and callback origins stay as they are.',
    run: async (context) => (await import('./clients-commands.js')).runClientsUpdate(context),
  });
  add(clients, {
    usage: 'remove <client-id>',
    description: 'remove a client with its API keys, links and sessions',
    flags: CLIENT_FLAGS.remove,
    run: async (context) => (await import('./clients-commands.js')).runClientsRemove(context),
  });

  const keys = addGroup('keys', 'issue, list, show, update, rotate and revoke API keys');
  add(keys, {
    usage: 'issue',
    description: 'issue an API key and show it once',
    flags: KEY_FLAGS.issue,
    notes: 'Example: claimlink keys issue --client acme --expires 90d',
    run: async (context) => (await import('./keys-commands.js')).runKeysIssue(context),
  });
  add(keys, {
    usage: 'list',
    description: 'list the API keys of a client',
    flags: KEY_FLAGS.list,
    run: async (context) => (await import('./keys-commands.js')).runKeysList(context),
  });
  add(keys, {
    usage: 'show <key-id>',
    description: 'show one API key, without its secret',
    flags: KEY_FLAGS.show,
    run: async (context) => (await import('./keys-commands.js')).runKeysShow(context),
  });
  add(keys, {
    usage: 'update <key-id>',
    description: 'change the expiry of an API key',
    flags: KEY_FLAGS.update,
    notes: `A revoked key cannot be changed. An expired key with a later expiry works again.
Example: claimlink keys update key_0123456789ab --expires 30d`,
    run: async (context) => (await import('./keys-commands.js')).runKeysUpdate(context),
  });
  add(keys, {
    usage: 'rotate <key-id>',
    description: 'issue a new API key for the same client; the old one ends later',
    flags: KEY_FLAGS.rotate,
    notes: `Both keys work until the old one ends. An old key that expires earlier still does.
Example: claimlink keys rotate key_0123456789ab --old-ends-in 14d`,
    run: async (context) => (await import('./keys-commands.js')).runKeysRotate(context),
  });
  add(keys, {
    usage: 'revoke <key-id>',
    description: 'revoke an API key',
    flags: DATABASE_FLAGS,
    run: async (context) => (await import('./keys-commands.js')).runKeysRevoke(context),
  });

  const deliveries = addGroup('deliveries', 'list and repeat deliveries of submissions');
  add(deliveries, {
    usage: 'list',
    description: 'list the submissions that are not delivered',
    flags: DELIVERY_FLAGS.list,
    run: async (context) => (await import('./deliveries-commands.js')).runDeliveriesList(context),
  });
  add(deliveries, {
    usage: 'retry',
    description: 'make failed deliveries due again',
    flags: DELIVERY_FLAGS.retry,
    notes: 'Example: claimlink deliveries retry --client acme --all',
    run: async (context) => (await import('./deliveries-commands.js')).runDeliveriesRetry(context),
  });

  function addGroup(name: string, description: string): Command {
    return program
      .command(name)
      .description(description)
      .usage('<command> [flags]')
      .helpCommand(false)
      .showHelpAfterError(`claimlink ${name} --help lists the commands.`);
  }

  return program;
}

/** Replaces commander's prefix, and words that may contain a password: a URL in the wrong place. */
function toSentence(text: string): string {
  return text
    .replace(/^error: /, 'claimlink: ')
    .replace(/'[^']*(?::\/\/|@)[^']*'/g, 'with a URL (write it after --database-url)');
}

function version(): string {
  // By its own name, so that it works from the sources and from dist.
  return String(createRequire(import.meta.url)('claimlink/package.json').version);
}
