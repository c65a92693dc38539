// Flags and environment variables: what each is read as, and the sentence for each mistake.
import { Command } from 'commander';
import t from 'tap';
import { migrationSql } from '../../../lib/storage/postgres/index.js';
import { CLIENT_FLAGS, DATABASE_FLAGS, KEY_FLAGS } from '../../../mock-server/cli/database-flags.js';
import { addFlags, type FlagSet, readFlags } from '../../../mock-server/cli/flags.js';
import { MOCK_FLAGS } from '../../../mock-server/cli/mock-flags.js';
import { createProgram, cutUnknownValues } from '../../../mock-server/cli/program.js';
import { mistake, setUp } from '../command.js';

const URL_A = 'postgres://a@localhost/a';
const URL_B = 'postgres://b@localhost/b';
const TOKEN = 'correct-horse-battery';

/** Reads the flags of a command. */
function read<S extends FlagSet>(flags: S, words: readonly string[], env: Record<string, string> = {}) {
  const command = addFlags(new Command('test').exitOverride(), flags);
  command.parse(words, { from: 'user' });
  return readFlags(command, flags, env);
}

/** A flag of the mock, a text, and the option that it sets. */
const SETTINGS: [flag: string, text: string, option: object][] = [
  ['port', '0', { port: 0 }],
  ['host', '0.0.0.0', { host: '0.0.0.0' }],
  ['public-url', 'https://a.example', { publicUrl: 'https://a.example' }],
  ['tls-cert', 'a.pem', { tlsCert: 'a.pem' }],
  ['tls-key', 'b.pem', { tlsKey: 'b.pem' }],
  ['cors-origin', 'http://localhost:5173', { corsOrigins: ['http://localhost:5173'] }],
  ['seed', '-7', { seed: -7 }],
  ['seed', '007', { seed: '007' }],
  ['seed', 'spring', { seed: 'spring' }],
  ['ref-date', '2027-02-03', { refDate: new Date('2027-02-03T00:00:00Z') }],
  ['ref-date', '2027-02-03T04:05', { refDate: new Date('2027-02-03T04:05:00Z') }],
  ['ref-date', '2027-02-03T04:05:06.7Z', { refDate: new Date('2027-02-03T04:05:06.7Z') }],
  ['client', 'a:k:1', { clients: [{ clientId: 'a', apiKey: 'k:1' }] }],
  ['clients', '3', { clientCount: 3 }],
  ['users', '100000', { userCount: 100_000 }],
  ['sessions', '0', { sessionCount: 0 }],
  ['scenario', 'world.yaml', { scenario: 'world.yaml' }],
  ['persist', 'mock.json', { persistFile: 'mock.json' }],
  ['latency', '0', { latencyMs: 0 }],
  ['latency', '200', { latencyMs: 200 }],
  ['latency', '100-800', { latencyMs: '100-800' }],
  ['latency', '60000-60000', { latencyMs: '60000-60000' }],
  ['error-rate', '0', { errorRate: 0 }],
  ['error-rate', '.05', { errorRate: 0.05 }],
  ['error-rate', '1.0', { errorRate: 1 }],
  ['fault', 'status=503', { faults: [{ status: 503 }] }],
  [
    'fault',
    'client=a,user=u=1,route=createLink,effect=reset-after,delay=10-20,times=2,rate=0.5',
    {
      faults: [
        {
          clientId: 'a',
          userId: 'u=1',
          route: 'createLink',
          effect: 'reset-after',
          delayMs: '10-20',
          times: 2,
          rate: 0.5,
        },
      ],
    },
  ],
  ['log', 'json', { log: 'json' }],
  ['control-token', TOKEN, { controlToken: TOKEN }],
];

for (const [flag, text, option] of SETTINGS) {
  const variable = `CLAIMLINK_${flag.toUpperCase().replaceAll('-', '_')}`;
  t.test(`--${flag} ${text} and ${variable} set the same option`, async (t) => {
    t.strictSame(read(MOCK_FLAGS, [`--${flag}`, text]).values, option);
    t.strictSame(read(MOCK_FLAGS, [`--${flag}=${text}`]).values, option);
    t.strictSame(read(MOCK_FLAGS, [], { [variable]: text }).values, option);
  });
}

t.test('each flag of the mock but --init has a variable, and a case above or below', async (t) => {
  const tested = new Set([...SETTINGS.map(([flag]) => flag), 'init', 'ready-json', 'no-control']);
  for (const { form, variables } of Object.values(MOCK_FLAGS)) {
    const [name = ''] = form.slice(2).split(' ');
    t.ok(tested.has(name), name);
    const variable = `CLAIMLINK_${name.toUpperCase().replaceAll('-', '_')}`;
    t.same(variables, name === 'init' ? [] : [variable]);
  }
});

t.test('a flag without a value is on; its variable is on or off', async (t) => {
  t.strictSame(read(MOCK_FLAGS, ['--no-control', '--ready-json']).values, {
    noControl: true,
    readyJson: true,
  });
  t.strictSame(read(MOCK_FLAGS, [], { CLAIMLINK_NO_CONTROL: 'off' }).values, { noControl: false });
  for (const text of ['1', 'true', 'True', 'TRUE', 'yes', 'Yes', 'on', 'ON'])
    t.strictSame(read(MOCK_FLAGS, [], { CLAIMLINK_READY_JSON: text }).values, { readyJson: true }, text);
  for (const text of ['0', 'false', 'False', 'FALSE', 'no', 'No', 'off', 'OFF'])
    t.strictSame(read(MOCK_FLAGS, [], { CLAIMLINK_READY_JSON: text }).values, { readyJson: false }, text);
  t.strictSame(read(MOCK_FLAGS, ['--init']).values, { init: true });
  t.strictSame(read(MOCK_FLAGS, [], { CLAIMLINK_INIT: '1' }).values, {});
  t.match(
    await mistake('', { CLAIMLINK_READY_JSON: 'maybe' }),
    'CLAIMLINK_READY_JSON must be true or false.',
  );
});

t.test('repeated flags, and lists in variables', async (t) => {
  const origins = ['http://localhost:5173', 'https://app.example.com'];
  const words = origins.flatMap((origin) => ['--cors-origin', origin]);
  t.strictSame(read(MOCK_FLAGS, words).values, { corsOrigins: origins });
  t.strictSame(read(MOCK_FLAGS, [], { CLAIMLINK_CORS_ORIGIN: origins.join(', ') }).values, {
    corsOrigins: origins,
  });
  const faults = [{ status: 503, times: 2 }, { effect: 'truncate' }];
  t.strictSame(read(MOCK_FLAGS, ['--fault', 'status=503,times=2', '--fault', 'effect=truncate']).values, {
    faults,
  });
  const env = { CLAIMLINK_FAULT: 'status=503,times=2; effect=truncate' };
  t.strictSame(read(MOCK_FLAGS, [], env).values, { faults });
  t.strictSame(read(MOCK_FLAGS, ['--port', '1', '--port', '2']).values, { port: 2 }, 'the last one counts');
});

t.test(
  'a flag takes precedence over CLAIMLINK_DATABASE_URL, which takes precedence over DATABASE_URL',
  async (t) => {
    const env = { CLAIMLINK_DATABASE_URL: URL_A, DATABASE_URL: URL_B };
    const given = read(DATABASE_FLAGS, ['--database-url', URL_B], { CLAIMLINK_DATABASE_URL: URL_A });
    t.equal(given.need('databaseUrl'), URL_B);
    t.equal(given.nameOf('databaseUrl'), '--database-url');
    t.equal(read(DATABASE_FLAGS, [], env).values.databaseUrl, URL_A);
    t.equal(read(DATABASE_FLAGS, [], env).nameOf('databaseUrl'), 'CLAIMLINK_DATABASE_URL');
    const shared = read(DATABASE_FLAGS, [], { CLAIMLINK_DATABASE_URL: '', DATABASE_URL: URL_B });
    t.equal(shared.values.databaseUrl, URL_B, 'an empty variable counts as unset');
    t.equal(shared.nameOf('databaseUrl'), 'DATABASE_URL');
  },
);

t.test('callback origins and expiry', async (t) => {
  const words = ['--callback-origin', 'https://a.example', '--callback-origin', 'app:'];
  t.same(read(CLIENT_FLAGS.add, words).values, { callbackOrigins: ['https://a.example', 'app:'] });
  const expires = (text: string) => read(KEY_FLAGS.issue, ['--expires', text]).values.expires;
  t.same(expires('2030-12-31'), new Date('2030-12-31T00:00:00Z'));
  t.same(expires('90d'), { days: 90 });
  t.equal(expires('never'), 'never');
  for (const text of [
    '2030-02-30',
    '2030-13-01',
    '2030-12',
    'soon',
    '0d',
    '90',
    '-1d',
    '10000d',
    '2030-12-31T00:00',
  ])
    t.match(
      await mistake(`keys issue --expires=${text}`),
      /^claimlink: --expires must be a date, such as /,
      text,
    );
});

t.test('days until the end of a rotated key', async (t) => {
  const days = (text: string) => read(KEY_FLAGS.rotate, ['--old-ends-in', text]).values.oldEndsIn;
  t.same(['0', '0d', '7d', '9999d'].map(days), [0, 0, 7, 9999]);
  for (const text of ['7', '-1d', '10000d', '1.5d', '2030-12-31', ''])
    t.equal(
      await mistake(`keys rotate k --old-ends-in=${text}`),
      'claimlink: --old-ends-in must be days, such as 7d, or 0.\n',
      text,
    );
});

/** Invalid values of flags of the mock, and the sentence for all of them. */
const MISTAKES: [flag: string, texts: readonly string[], sentence: string][] = [
  ['--port', ['70000', '-1', 'x'], 'must be a whole number, 0 to 65535.'],
  ['--clients', ['0', '1001', '-1', '1.5', 'x', '1e2'], 'must be a whole number, 1 to 1000.'],
  ['--users', ['0', '100001', 'many'], 'must be a whole number, 1 to 100000.'],
  ['--sessions', ['10001', '-1'], 'must be a whole number, 0 to 10000.'],
  [
    '--latency',
    ['', '-1', '1.5', '200ms', '60001', '100-60001', '200-100', '100-', '100-200-300'],
    'must be milliseconds, 0 to 60000, or a range of them, such as 100-800.',
  ],
  [
    '--error-rate',
    ['', '5', '1.01', '-0.1', '5%', '0,05', '1e-3'],
    'must be a number from 0 to 1, such as 0.05.',
  ],
  [
    '--ref-date',
    ['', 'today', '2026-02-30', '2026-13-01', '01/02/2026', '2026-01-01T25:00', '2026'],
    'must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00.',
  ],
  ['--log', ['loud', ''], 'must be one of: pretty, json, silent.'],
  ['--client', ['demo', ':k', 'a:'], 'must look like id:key, such as demo:clk_test_demo.'],
  ['--scenario', [''], 'must not be empty.'],
  ['--persist', [''], 'must not be empty.'],
  ['--control-token', [''], 'must not be empty.'],
  ['--fault', ['times=2', 'route=createLink'], 'needs status, effect or delay.'],
  ['--fault', ['status=503,effect=truncate'], 'cannot have both status and effect.'],
  ['--fault', ['status=99', 'status=600'], 'status must be a whole number, 200 to 599.'],
  [
    '--fault',
    ['', 'status', 'toString=1', 'code=503'],
    'must be name=value pairs, such as status=503; names: client, user, route, status, effect, delay, times, rate.',
  ],
  ['--fault', ['status=500,rate=2'], 'rate must be a number from 0 to 1, such as 0.05.'],
];

for (const [flag, texts, sentence] of MISTAKES) {
  t.test(`${flag} ${sentence}`, async (t) => {
    for (const text of texts)
      t.equal(await mistake(`${flag}=${text}`), `claimlink: ${flag} ${sentence}\n`, text);
  });
}

t.test('a mistake in a variable names the variable', async (t) => {
  t.equal(
    await mistake('', { CLAIMLINK_PORT: 'x' }),
    'claimlink: CLAIMLINK_PORT must be a whole number, 0 to 65535.\n',
  );
});

t.test('an invalid database URL is not repeated: it may contain a password', async (t) => {
  const expected = ' must look like postgres://user:password@host:5432/database.\n';
  for (const url of [
    'mysql://u:s3cret@h/d',
    's3cret',
    'postgres://u:s3#cret@h/d',
    'postgres://u:s3cret%zz@h/d',
    '',
  ])
    t.equal(await mistake(`sweep --database-url=${url}`), `claimlink: --database-url${expected}`, url);
  t.equal(await mistake('sweep', { DATABASE_URL: 's3cret' }), `claimlink: DATABASE_URL${expected}`);
  const url = 'postgres://app:s3cret@db/claims';
  for (const line of [`migrate ${url}`, url, `keys ${url}`, `--${url}`, 'sweep app:s3cret@db', `mock ${url}`])
    t.notMatch(await mistake(line), /s3cret/, line);
});

t.test('a required flag is named with its variables', async (t) => {
  t.equal(
    await mistake('sweep'),
    'claimlink: The command sweep needs --database-url <url>, or CLAIMLINK_DATABASE_URL, or DATABASE_URL.\n',
  );
  t.equal(await mistake('keys issue'), 'claimlink: The command keys issue needs --client <id>.\n');
});

t.test('an unknown flag or command is named, with the nearest one', async (t) => {
  for (const [line, meant] of [
    ['--prot 1', '--port'],
    ['--redy-json', '--ready-json'],
    ['--publicurl=x', '--public-url'],
    ['--latensy 1', '--latency'],
    ['--no-controls', '--no-control'],
    ['keys list --jsn', '--json'],
    ['opneapi', 'openapi'],
    ['kyes', 'keys'],
    ['keys isue', 'issue'],
  ] as const)
    t.match(await mistake(line), `(Did you mean ${meant}?)`, line);
  t.match(await mistake('--zzzzzzzzzz'), "claimlink: unknown option '--zzzzzzzzzz'\n");
  t.match(await mistake('toString'), "claimlink: unknown command 'toString'\n");
});

t.test('the value of an unknown flag is not repeated: it may be a secret', async (t) => {
  const value = "S3CRET-0123456789'S3CRET=\nS3CRET";
  for (const [words, name, meant] of [
    [['mock', `--control-tokn=${value}`], '--control-tokn', '--control-token'],
    [[`--control-tokn=${value}`], '--control-tokn', '--control-token'],
    [['check', 'http://127.0.0.1:1', `--api-kye=${value}`], '--api-kye', '--api-key'],
    [['keys', 'issue', `--clinet=${value}`], '--clinet', '--client'],
    [['keys', `--zzzzzzzzzz=${value}`], '--zzzzzzzzzz', undefined],
    [[`--ready-json=${value}`], '--ready-json=...', undefined],
    [['sweep', `-u=${value}`], '-u=...', undefined],
    [['keys', 'issue', `--help=${value}`], '--help=...', undefined],
  ] as const) {
    const { runWords, stderr } = setUp();
    t.equal(await runWords(words), 2);
    t.notMatch(stderr.text, 'S3CRET');
    t.match(stderr.text, name);
    if (meant !== undefined) t.match(stderr.text, `(Did you mean ${meant}?)`);
  }
});

t.test('after -- a word is no flag, and stays as it is', async (t) => {
  const words = ['clients', 'show', '--x=1', '--json', '--database-url=a=b', '--', '--x=1'];
  t.strictSame(
    cutUnknownValues(
      createProgram({}, setUp().io, () => {}),
      words,
    ),
    [...words.slice(0, 2), '--x', ...words.slice(3)],
  );
});

t.test('a missing or superfluous argument, a missing value, and a flag of another command', async (t) => {
  t.match(await mistake('keys revoke'), "claimlink: missing required argument 'key-id'\n");
  t.match(await mistake('keys revoke a b'), "claimlink: too many arguments for 'revoke'.");
  t.match(await mistake('mock extra'), "claimlink: too many arguments for 'mock'.");
  t.match(await mistake('--port'), "claimlink: option '--port <number>' argument missing\n");
  t.equal(await mistake('--seed --ready-json'), 'claimlink: --seed needs a value: --seed <number|text>.\n');
  t.match(await mistake('--ready-json=1'), "unknown option '--ready-json=...'\n");
  t.match(await mistake('openapi --port 1'), "claimlink: unknown option '--port'");
  t.match(await mistake('keys'), 'Usage: claimlink keys');
});

t.test('the mock has no database mode, and says what to use', async (t) => {
  for (const flag of ['--database-url', '--schema'])
    t.equal(
      await mistake(`mock ${flag} x`),
      `claimlink: The mock has no database mode, so it has no ${flag}. Keep its state with --persist <file>, or run the service on a database: examples/sandbox.mjs.\n`,
    );
});

t.test('migrate --dry-run prints the SQL without a database', async (t) => {
  const { run, stdout } = setUp();
  t.equal(await run('migrate --dry-run --schema claims'), 0);
  t.equal(stdout.text, migrationSql({ schema: 'claims' }));
  t.equal(
    await mistake('migrate --dry-run --schema Claims'),
    'claimlink: --schema must be 1 to 40 lower-case letters, digits and underscores.\n',
  );
});
