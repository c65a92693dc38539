// The start text: short, in columns, with colours on a terminal only, and with curl lines that work.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { readyLine, type StartTextOptions, startText } from '../../cli/start-text.js';
import { startMockServer } from '../../mock-server/index.js';

const run = promisify(execFile);

const PLAIN: StartTextOptions = {
  platform: 'linux',
  isColored: false,
};

/** The rows before the first example. */
function rowsOf(text: string): string[] {
  const [, rows = ''] = text.split('\n\n');
  return rows.split('\n');
}

t.test('the text fits a screen, and all values start in one column', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const settings = {
    persistFile: 'mock.json',
    latencyMs: '100-800',
    faults: [{ status: 500 }],
  } as const;
  const text = await startText(mock, { ...PLAIN, ...settings });
  t.ok((await startText(mock, PLAIN)).split('\n').length <= 24, text);
  const rows = rowsOf(text);
  t.same(
    rows.map((row) => row.slice(2, 14).trim()),
    ['Dashboard', 'API', 'Client', 'API key', 'Users', '', 'Seed', 'State file', 'Latency', 'Faults'],
  );
  for (const row of rows) t.match(row, /^ {2}.{10} {2}\S/, row);
  t.notMatch(text, /[ \t]$/m, 'no line ends in a space');
  t.notMatch(text, '\u001b');
});

t.test('the text names the special users', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(await startText(mock, PLAIN), /^ {14}user-empty user-many user-slow user-error$/m);
});

t.test('the text with colours is the same text', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const colored = await startText(mock, { ...PLAIN, isColored: true });
  t.match(colored, '\u001b[1mclaimlink mock server');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of colours
  t.equal(colored.replace(/\u001b\[\d+m/g, ''), await startText(mock, PLAIN));
});

t.test('of many clients and users the text shows some', async (t) => {
  const clients = Array.from({ length: 30 }, (_, index) => ({
    clientId: `c-${index}`,
    apiKey: `k-${index}`,
  }));
  const users = Array.from({ length: 400 }, (_, index) => ({ userId: `u-${index}` }));
  const scenario = { clients: [{ clientId: 'first', apiKey: 'k', users }] };
  await using mock = await startMockServer({ port: 0, clients, scenario });
  const rows = rowsOf(await startText(mock, PLAIN));
  t.equal(rows.filter((row) => row.includes('Client ')).length, 5);
  t.match(rows.join('\n'), 'and 26 more clients');
  t.match(rows.join('\n'), 'Users       u-0 u-1 u-2 u-3 u-4 (other ids work as well)');
  const line = await readyLine(mock);
  t.ok(line.length < 100_000);
  t.equal(JSON.parse(line).clients.length, 31);
});

t.test('the secret of a webhook is shown if it is generated, and not if it is set', async (t) => {
  const webhook = 'http://127.0.0.1:2/claims?key=hidden';
  await using generated = await startMockServer({ port: 0, webhook });
  const { webhookSecret = '' } = generated;
  const rows = rowsOf(await startText(generated, { ...PLAIN, webhook })).slice(-2);
  t.same(rows, ['  Webhook     http://127.0.0.1:2/claims?key=[…]', `  Secret      ${webhookSecret}`]);
  t.equal(JSON.parse(await readyLine(generated)).webhookSecret, webhookSecret);
  const options = { webhook, webhookSecret };
  await using set = await startMockServer({ port: 0, ...options });
  const texts = [await startText(set, { ...PLAIN, ...options }), await readyLine(set, options)];
  t.notMatch(texts.join(''), webhookSecret.slice(6));
});

t.test('the curl lines work for keys with any characters of a shell', async (t) => {
  for (const apiKey of [`k'"$(id)`, 'k`id`', 'k\\$HOME', 'k!!;&|<>', 'k*?[a]{b,c}', '~#k%s']) {
    await using mock = await startMockServer({ port: 0, clients: [{ clientId: `o'b "$x" \`y\``, apiKey }] });
    const text = await startText(mock, PLAIN);
    const commands = [...text.matchAll(/^curl [\s\S]*?(?=\n\n)/gm)].map(([command]) => command);
    t.equal(commands.length, 2, text);
    const answers = await Promise.all(commands.map((command) => run('sh', ['-c', `${command} -sSf`])));
    const [listing, link] = answers.map(({ stdout }) => JSON.parse(stdout));
    t.ok(listing.length > 0, apiKey);
    t.match(link.data, `${mock.url}/verify/`);
    t.match(await (await fetch(link.data)).text(), /value="Lovelace"/, 'the form is prefilled');
  }
});

t.test('on Windows the curl lines have the form of PowerShell', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const text = await startText(mock, { ...PLAIN, platform: 'win32' });
  t.match(text, `\ncurl.exe '${mock.url}/demo/sessions/user-1' \`\n  -H 'x-api-key: clk_test_demo'\n`);
  t.match(text, /\n'\{"callbackUrl":.*\}' \| curl\.exe 'http:.*\/demo\/link' `\n/);
  t.notMatch(text, /^curl /m);
});
