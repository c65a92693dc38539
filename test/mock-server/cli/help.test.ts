// The help texts: an overview, and for each command its own flags. Each fits a screen.
import type { Command } from 'commander';
import t from 'tap';
import { createProgram } from '../../../mock-server/cli/program.js';
import { mistake, setUp } from '../command.js';

async function help(args: string): Promise<string> {
  const { run, stdout, stderr } = setUp();
  const code = await run(args);
  if (code !== 0 || stderr.text !== '') throw new Error(`exit code ${code}: ${stderr.text}`);
  return stdout.text;
}

/** All commands that do something, with their names as the caller writes them. */
function commandsOf(parent: Command, prefix = ''): [name: string, command: Command][] {
  return parent.commands.flatMap((command): [string, Command][] => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length > 0 ? commandsOf(command, `${name} `) : [[name, command]];
  });
}

const COMMANDS = commandsOf(createProgram({}, setUp().io, () => {}));

t.test('the commands', async (t) => {
  t.same(
    COMMANDS.map(([name]) => name),
    [
      'mock',
      'openapi',
      'check',
      'migrate',
      'sweep',
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
      'deliveries list',
      'deliveries retry',
    ],
  );
});

for (const args of ['help', '--help', '-h', 'help --help']) {
  t.test(`${args} lists the commands`, async (t) => {
    const text = await help(args);
    for (const name of [
      'mock',
      'openapi',
      'check',
      'migrate',
      'sweep',
      'clients',
      'keys',
      'users',
      'deliveries',
      'help',
    ])
      t.match(text, new RegExp(`^ {2}${name}( |$)`, 'm'));
  });
}

for (const [name, command] of COMMANDS) {
  t.test(`claimlink ${name} --help lists the flags of ${name} and fits a screen`, async (t) => {
    const text = await help(`${name} --help`);
    t.equal(await help(`help ${name}`), text, 'claimlink help prints the same');
    t.match(text, `Usage: claimlink ${name} [options]`);
    t.match(text, command.description());
    for (const { flags, description, hidden } of command.options) {
      t.equal(text.includes(flags), !hidden, flags);
      // A long description is broken into lines.
      if (!hidden) t.ok(text.replace(/\s+/g, ' ').includes(description), description);
    }
    const lines = text.trimEnd().split('\n');
    t.ok(lines.length <= 42, `${lines.length} lines`);
    for (const line of lines) t.ok(line.length <= 90, line);
    t.notMatch(text, / \n/, 'no line ends in a space');
  });
}

t.test('the help of the program says that the tools are for a service on PostgreSQL', async (t) => {
  // The mock has no database.
  t.match((await help('--help')).replace(/\s+/g, ' '), ' API, and tools for a service on PostgreSQL. ');
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

t.test('help for an unknown command is a mistake', async (t) => {
  t.match(await mistake('help migrat'), "claimlink: unknown command 'migrat'\n(Did you mean migrate?)\n");
  t.match(await mistake('keys isue --help'), "claimlink: unknown command 'isue'\n(Did you mean issue?)\n");
});
