// The help texts: an overview, and for each command its own flags. Each fits a screen.
import t from 'tap';
import { mistake, setUp } from '../mock-server/command.js';
import { commandsOf } from './commands.js';

async function help(args: string): Promise<string> {
  const { run, stdout, stderr } = setUp();
  const code = await run(args);
  if (code !== 0 || stderr.text !== '') throw new Error(`exit code ${code}: ${stderr.text}`);
  return stdout.text;
}

const COMMANDS = commandsOf();

t.test('the commands', async (t) => {
  t.same(
    COMMANDS.map(([name]) => name),
    [
      'mock',
      'check',
      'openapi',
      'scenario',
      'migrate',
      'clients list',
      'clients show',
      'clients add',
      'clients update',
      'clients remove',
      'keys issue',
      'keys list',
      'keys show',
      'keys update',
      'keys rotate',
      'keys revoke',
      'users export',
      'users delete',
      'links list',
      'links show',
      'links revoke',
      'links unlock',
      'sessions list',
      'sessions show',
      'sessions update',
      'sessions photos',
      'deliveries list',
      'deliveries retry',
      'sweep',
    ],
  );
});

for (const args of ['help', '--help', '-h']) {
  t.test(`${args} lists the commands of the mock, then those of the service`, async (t) => {
    const [, mock = '', service = ''] = (await help(args)).split(/^The (?:mock|service)\b.*:\n/m);
    const namesIn = (text: string) =>
      [...(text.split('\n\n', 1)[0] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
    t.same(namesIn(mock), ['mock', 'check', 'openapi', 'scenario']);
    const groups = COMMANDS.map(([name]) => name.split(' ', 1)[0]);
    t.same([...namesIn(mock), ...namesIn(service)], [...new Set(groups)]);
  });
}

for (const [name, command] of COMMANDS) {
  t.test(`claimlink ${name} --help lists the flags of ${name}, with their variables`, async (t) => {
    const text = await help(`${name} --help`);
    t.match(text, `Usage: claimlink ${name} `);
    t.match(text, command.description());
    // A long description is broken into lines.
    const words = text.replace(/\s+/g, ' ');
    for (const { flags, description, envVar } of command.options) {
      t.ok(words.includes(flags), flags);
      t.ok(words.includes(description), description);
      if (envVar !== undefined) t.ok(words.includes(`env: ${envVar})`), envVar);
    }
    const lines = text.trimEnd().split('\n');
    t.ok(lines.length <= 64, `${lines.length} lines`);
    for (const line of lines) t.ok(line.length <= 90, line);
    t.notMatch(text, / \n/, 'no line ends in a space');
  });
}

t.test('the help of the program says which storages the tools of the service work on', async (t) => {
  // The mock has no database.
  t.match(await help('--help'), 'The service, on PostgreSQL, SQLite or a storage of the host:');
});

t.test('every command of the service has the flags of the storage', async (t) => {
  for (const [name, { options }] of COMMANDS.slice(4)) {
    const flags = options.map(({ long }) => long);
    for (const flag of ['--database', '--storage', '--schema', '--table-prefix'])
      t.ok(flags.includes(flag), `${name} ${flag}`);
  }
});

t.test('the help of a group lists its commands', async (t) => {
  const text = await help('keys --help');
  t.equal(await help('help keys'), text);
  for (const name of ['issue', 'list', 'show', 'update', 'rotate', 'revoke'])
    t.match(text, new RegExp(`^ {2}${name} `, 'm'));
});

t.test('--help takes precedence over a missing argument', async (t) => {
  t.match(await help('keys revoke --help'), 'Usage: claimlink keys revoke');
});

t.test('help for an unknown command is a mistake, and lists the commands', async (t) => {
  t.match(await mistake('help migrat'), 'Usage: claimlink [options] [command]');
});
