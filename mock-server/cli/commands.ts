// Every command of the command line: one table for parsing and help.

/** One command. */
export interface CommandDefinition {
  readonly purpose: string;
  /** What stands for its one argument in the help text; absent: it takes none. */
  readonly argument?: string;
  readonly examples: readonly string[];
}

/** The commands. Those of two words belong together by the first one. */
export const COMMANDS = {
  mock: {
    purpose: 'start the mock server (this is the default)',
    examples: [
      'claimlink --port 0 --ready-json',
      'claimlink --seed 7 --client acme:clk_test_acme --client beta:clk_test_beta',
      'claimlink mock --init --scenario world.yaml',
      'claimlink --scenario world.yaml --persist world.json --latency 100-800',
      'claimlink mock --database-url postgres://app@localhost/sandbox',
    ],
  },
  openapi: {
    purpose: 'print the OpenAPI document of the API',
    examples: ['claimlink openapi --public-url https://claims.example.com > openapi.json'],
  },
  check: {
    purpose: 'check a deployment against the contract; exit code 1 when it differs',
    argument: 'base-url',
    examples: [
      'claimlink check http://127.0.0.1:4010 --client-id demo --api-key clk_test_demo',
      'CLAIMLINK_API_KEY=... claimlink check https://claims.example.com --client-id acme --junit claimlink.xml',
    ],
  },
  migrate: {
    purpose: "bring the database's tables to this version",
    examples: [
      'claimlink migrate --database-url postgres://app@localhost/claims',
      'claimlink migrate --dry-run > claimlink.sql',
    ],
  },
  'clients add': {
    purpose: 'add a client',
    argument: 'client-id',
    examples: [
      "claimlink clients add acme --name 'Acme Insurance'",
      'claimlink clients add acme --callback-origin https://app.acme.example --callback-origin acme:',
    ],
  },
  'keys issue': {
    purpose: 'issue an API key, and show it once',
    examples: ['claimlink keys issue --client acme', 'claimlink keys issue --client acme --expires 90d'],
  },
  'keys list': {
    purpose: "list a client's API keys",
    examples: ['claimlink keys list --client acme', 'claimlink keys list --client acme --json'],
  },
  'keys revoke': {
    purpose: 'revoke an API key, from now on',
    argument: 'key-id',
    examples: ['claimlink keys revoke key_0b1c2d3e4f5a'],
  },
  sweep: {
    purpose: 'delete expired links',
    examples: ['claimlink sweep --database-url postgres://app@localhost/claims'],
  },
  help: { purpose: 'print this text, or the one of a command', examples: ['claimlink help keys'] },
} as const satisfies Record<string, CommandDefinition>;

/** Name of a command. */
export type Command = keyof typeof COMMANDS;

/** Every name of a command. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly Command[];

/** The commands that a word names, `keys`, or two, `keys issue`. */
export function commandsBelow(name: string): readonly Command[] {
  return COMMAND_NAMES.filter((command) => command === name || command.startsWith(`${name} `));
}
