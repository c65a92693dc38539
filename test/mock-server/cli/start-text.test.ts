// The start text: short, in columns, coloured on a terminal only, and lines that can be pasted.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { readyLine, type StartTextOptions, startText } from '../../../mock-server/cli/start-text.js';
import { startMockServer } from '../../../mock-server/index.js';

const run = promisify(execFile);

const PLAIN: StartTextOptions = {
  keptIn: undefined,
  latencyMs: undefined,
  errorRate: undefined,
  hasControl: true,
  isColored: false,
};

/** The rows before the first example. */
function rowsOf(text: string): string[] {
  const [, rows = ''] = text.split('\n\n');
  return rows.split('\n');
}

t.test('it fits on a screen, and every value begins in one column', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const text = startText(mock, { ...PLAIN, keptIn: 'world.json', latencyMs: [100, 800], errorRate: 0.05 });
  t.ok(startText(mock, PLAIN).split('\n').length <= 24, text);
  const rows = rowsOf(text);
  t.same(
    rows.map((row) => row.slice(2, 14).trim()),
    ['Dashboard', 'API', 'Client', 'API key', 'Users', 'Seed', 'Kept in', 'Latency', 'Error rate'],
  );
  for (const row of rows) t.match(row, /^ {2}.{10} {2}\S/, row);
  t.notMatch(text, /[ \t]$/m, 'no line ends in a space');
  t.notMatch(text, '\u001b');
});

t.test('colours come on top: without them it is the same text', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const colored = startText(mock, { ...PLAIN, isColored: true });
  t.match(colored, '\u001b[1mclaimlink mock server');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  t.equal(colored.replace(/\u001b\[\d+m/g, ''), startText(mock, PLAIN));
});

t.test('of many clients and users it shows a few, and says how many there are', async (t) => {
  await using mock = await startMockServer({ port: 0, clientCount: 30, userCount: 400 });
  const rows = rowsOf(startText(mock, PLAIN));
  t.equal(rows.filter((row) => row.includes('Client ')).length, 5);
  t.match(rows.join('\n'), 'and 25 more clients');
  t.match(rows.join('\n'), 'user-1 user-2 user-3 user-4 user-5 … user-400 (any other id works too)');
  t.ok(readyLine(mock).length < 100_000);
  t.equal(JSON.parse(readyLine(mock)).clients.length, 30);
});

t.test('without the control there is no dashboard to tell of', async (t) => {
  await using mock = await startMockServer({ port: 0, control: false });
  t.notMatch(startText(mock, { ...PLAIN, hasControl: false }), 'Dashboard');
});

t.test('the curl lines survive whatever a shell could make of a key, and work as they are', async (t) => {
  for (const apiKey of [`k'"$(id)`, 'k`id`', 'k\\$HOME', 'k!!;&|<>', 'k*?[a]{b,c}', '~#k%s']) {
    await using mock = await startMockServer({ port: 0, clients: [{ clientId: `o'b "$x" \`y\``, apiKey }] });
    const text = startText(mock, PLAIN);
    const commands = [...text.matchAll(/^curl [\s\S]*?(?=\n\n)/gm)].map(([command]) => command);
    t.equal(commands.length, 2, text);
    const answers = await Promise.all(commands.map((command) => run('sh', ['-c', `${command} -sSf`])));
    const [listing, link] = answers.map(({ stdout }) => JSON.parse(stdout));
    t.ok(listing.length > 0, apiKey);
    t.match(link.data, `${mock.url}/verify/`);
  }
});
