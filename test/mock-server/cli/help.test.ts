// The help texts: an overview, and for each command its own flags and no others.
import t from 'tap';
import { COMMAND_NAMES, COMMANDS } from '../../../mock-server/cli/commands.js';
import { FLAGS, type Flag } from '../../../mock-server/cli/flags.js';
import { mistake, setUp } from '../command.js';

async function help(args: string): Promise<string> {
  const { run, stdout, stderr } = setUp();
  const code = await run(args);
  if (code !== 0 || stderr.text !== '') throw new Error(`exit code ${code}: ${stderr.text}`);
  return stdout.text;
}

/** The flags that a help text lists. */
function flagsIn(text: string): string[] {
  const [, section = ''] = text.split('\nFlags\n');
  return [...(section.split('\n\n', 1)[0] ?? '').matchAll(/^ {2}--([\w-]+)/gm)].map(([, name = '']) => name);
}

for (const args of ['help', '--help', '-h', 'help --help']) {
  t.test(`${args} lists the commands`, async (t) => {
    const text = await help(args);
    t.match(text, /^claimlink: a mock/);
    for (const [name, { purpose }] of Object.entries(COMMANDS))
      t.match(text, new RegExp(`^ {2}${name} +${purpose.replace(/[()]/g, '\\$&')}$`, 'm'));
  });
}

for (const command of COMMAND_NAMES) {
  t.test(`claimlink ${command} --help lists the flags of ${command}, and an example`, async (t) => {
    const text = await help(`${command === 'help' ? 'help help' : command} --help`);
    t.ok(text.startsWith(`claimlink ${command}: ${COMMANDS[command].purpose}\n`), text);
    t.equal(await help(`help ${command}`), text, 'so does claimlink help');
    const own = Object.values<Flag>(FLAGS).filter(({ commands }) => commands.includes(command));
    t.same(
      flagsIn(text),
      own.map(({ name }) => name),
    );
    for (const { env, default: preset, description } of own) {
      t.ok(text.includes(description), description);
      if (env !== undefined) t.match(text, `${env} `);
      if (env !== undefined && preset !== undefined) t.ok(text.includes(`default: ${preset}`), preset);
    }
    t.match(text, /\nExamples\n {2}claimlink/);
    t.notMatch(text, / \n/, 'no line ends in a space');
  });
}

t.test('one word of several commands: all of them, and whose flag is whose', async (t) => {
  const text = await help('keys --help');
  t.equal(await help('help keys'), text);
  t.match(text, 'claimlink keys revoke <key-id> [flags]');
  t.match(text, /--expires .*\(keys issue\)$/m);
  t.match(text, /--client <id> .*\(keys issue, keys list\)$/m);
  t.notMatch(text, '--port');
});

t.test('DATABASE_URL stands in for --database-url, but not for the mock', async (t) => {
  t.match(await help('migrate --help'), /^ {2}DATABASE_URL /m);
  t.notMatch(await help('mock --help'), /^ {2}DATABASE_URL /m);
});

t.test('--help wins over whatever else is wrong with the line', async (t) => {
  t.match(await help('keys revoke --port x --help'), /^claimlink keys revoke: /);
});

t.test('help on what is no command is a mistake', async (t) => {
  t.equal(await mistake('help migrat'), 'claimlink: There is no command migrat; did you mean migrate?\n');
  t.equal(
    await mistake('keys isue --help'),
    'claimlink: There is no command keys isue; did you mean keys issue?\n',
  );
});
