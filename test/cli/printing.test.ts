// What the command line prints: no control characters of texts that it got, and no secrets of its arguments.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { printTo } from '../../cli/command-io.js';
import { issueApiKey } from '../../lib/index.js';
import { createPaint } from '../../mock-server/http/terminal.js';
import { createSink } from '../mock-server/client.js';
import { setUp } from '../mock-server/command.js';

/** Clears the screen and sets the clipboard of a terminal, with C0, C1 and format characters. */
const ESCAPES = '\u001b[2J\u001b]52;c;eA==\u0007\u009b31m\u007f\u202e';
const CONTROL = /[^\P{C}\n\t]/u;
// A statement never reaches it: the port is closed.
const env = { DATABASE_URL: 'postgres://app:s3cret@127.0.0.1:1/claims' };

/** Runs a command line that is a mistake, and returns what it prints. */
async function printed(words: readonly string[]): Promise<string> {
  const { runWords, stdout, stderr } = setUp();
  const code = await runWords(words, env);
  if (code !== 2 || stdout.text !== '') throw new Error(`${words}: exit code ${code}, ${stdout.text}`);
  return stderr.text;
}

t.test('a path and the content of a scenario are printed without control characters', async (t) => {
  const folder = t.testdir();
  const wrong = join(folder, `${ESCAPES}.json`);
  await writeFile(wrong, JSON.stringify({ clients: [{ clientId: 'a', [ESCAPES]: 1 }] }));
  for (const file of [wrong, join(folder, `none${ESCAPES}.json`)]) {
    const text = await printed(['mock', '--port', '0', '--scenario', file]);
    t.notMatch(text, CONTROL);
    t.match(text, '\\u001b[2J', 'an escape shows which character it was');
  }
});

t.test('arguments and values of flags are printed without control characters', async (t) => {
  for (const words of [
    [`x${ESCAPES}`],
    ['keys', `x${ESCAPES}`],
    ['keys', 'issue', `--x${ESCAPES}`],
    ['check', 'http://127.0.0.1:2', '--client-id', ESCAPES, '--api-key', 'k', '--only', ESCAPES],
  ])
    t.notMatch(await printed(words), CONTROL, words.join(' '));
});

t.test('JSON with control characters keeps its value', async (t) => {
  const sink = createSink();
  const value = { name: `${ESCAPES}\n\t\ud800 👩‍💻 ü` };
  printTo(sink).write(JSON.stringify(value, null, 2));
  t.notMatch(sink.text, CONTROL);
  t.strictSame(JSON.parse(sink.text), value);
});

t.test('a terminal gets the styles of claimlink and its line of progress, and nothing else', async (t) => {
  const terminal = createSink(true);
  const styled = createPaint(true);
  const words = (['bold', 'cyan', 'dim', 'green', 'red', 'yellow'] as const).map((style) =>
    styled(style, 'a'),
  );
  const styledLine = `\r\u001b[K1/2 ${words.join(' ')}\n`;
  printTo(terminal).write(styledLine);
  t.equal(terminal.text, styledLine);
  printTo(terminal).write(`x\r\u001b[K\u001b[2J\u001b[41m\n`);
  t.equal(terminal.text, `${styledLine}x\\u000d\\u001b[K\\u001b[2J\\u001b[41m\n`);
  const file = createSink();
  printTo(file).write(styledLine);
  t.notMatch(file.text, CONTROL);
});

t.test('an API key instead of an id or a command is not printed, and reaches no database', async (t) => {
  const { key } = issueApiKey();
  for (const words of [
    ['keys', 'revoke', key],
    ['keys', 'show', key],
    ['keys', 'rotate', key],
    ['keys', 'update', key, '--expires', 'never'],
    ['clients', 'show', key],
    ['clients', 'add', key],
    ['clients', 'remove', key],
    ['keys', key],
    [key],
    ['--port', key],
    ['migrate', key],
    ['keys', 'list', '--client', key.slice(0, 30)],
    ['users', 'delete', '--client', key, '--user', key],
  ]) {
    const text = await printed(words);
    t.notMatch(text, key.slice(4, 30), words.join(' '));
  }
  t.equal(
    await printed(['keys', 'revoke', key]),
    'claimlink: The command keys revoke takes no API key. claimlink keys list shows the ids of keys.\n',
  );
  t.match(await printed([key]), `claimlink: unknown command 'clk_…${key.slice(-4)}'\n`);
});

t.test('the secret of a webhook is not printed, wherever it is', async (t) => {
  const secret = `whsec_${'Ab1+/'.repeat(8)}`;
  const webhook = ['--webhook', 'http://127.0.0.1:2/'];
  for (const words of [
    [secret],
    ['mock', secret],
    ['--webhook', secret],
    ['--webhook-secret', secret],
    ['--webhook-secret', `${secret}!`, ...webhook],
    ['--webhook-secrets', secret, ...webhook],
    [`--webhook-secrets=${secret}`],
  ])
    t.notMatch(await printed(words), 'Ab1+/', words.join(' '));
});

t.test('the URL of a database instead of a command or an argument is not printed', async (t) => {
  for (const url of [
    'postgres://app:s3cret@db/claims',
    "postgres://app:it's-s3cret@db/claims",
    "postgres://app:'s3cret'@db/claims",
    'postgres://app:s3cret',
    "app:'s3cret@db",
    "mysql://app:'s3cret@db/claims",
  ])
    for (const words of [
      [url],
      ['keys', url],
      ['migrate', url],
      ['help', url],
      ['keys', 'revoke', url],
      ['users', 'delete', '--client', url, '--user', 'u'],
    ])
      t.notMatch(await printed(words), 's3cret', words.join(' '));
  for (const command of ['clients show', 'clients add', 'keys revoke'])
    t.equal(
      await printed([...command.split(' '), 'postgres://app:s3cret@db/claims']),
      `claimlink: The command ${command} takes the URL of a database by --database only.\n`,
    );
});

t.test('the URL of a link instead of a command is not printed', async (t) => {
  const url = 'https://claims.example.com/verify/q83vEjRWeJCrze8SNFZ4kA?token=eyJhbGciOiJIUzI1NiJ9.e30.c2ln';
  for (const words of [[url], ['keys', url], ['users', 'delete', '--client', url, '--user', 'u']])
    t.notMatch(await printed(words), /q83v|eyJ/, words.join(' '));
});
