// Flags and environment variables: what each is read as, and the sentence for each mistake.
import t from 'tap';
import { nameOf } from '../../cli/flags.js';
import { migrationSql } from '../../lib/storage/postgres/index.js';
import { mistake, setUp } from '../mock-server/command.js';
import { commandsOf, parse, valuesOf } from './commands.js';

const URL_A = 'postgres://a@localhost/a';
const URL_B = 'postgres://b@localhost/b';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TOKEN = 'correct-horse-battery';

/** What follows each mistake in a flag. */
const HINT = 'claimlink <command> --help lists the flags.\n';

/** A flag of the mock, a text, and the option that it sets. */
const SETTINGS: [flag: string, text: string, option: object][] = [
  ['port', '0', { port: 0 }],
  ['host', '0.0.0.0', { host: '0.0.0.0' }],
  ['public-url', 'https://a.example', { publicUrl: 'https://a.example' }],
  ['allowed-host', 'host.docker.internal, a', { allowedHosts: ['host.docker.internal', 'a'] }],
  ['tls-cert', 'a.pem', { tls: 'a.pem' }],
  ['tls-key', 'b.pem', { tlsKey: 'b.pem' }],
  ['cors-origin', 'http://localhost:5173', { corsOrigins: ['http://localhost:5173'] }],
  ['seed', '-7', { seed: -7 }],
  ['seed', '007', { seed: '007' }],
  ['seed', 'spring', { seed: 'spring' }],
  ['ref-date', '2027-02-03', { refDate: new Date('2027-02-03T00:00:00Z') }],
  ['ref-date', '2027-02-03T04:05', { refDate: new Date('2027-02-03T04:05:00Z') }],
  ['ref-date', '2027-02-03T04:05:06.7Z', { refDate: new Date('2027-02-03T04:05:06.7Z') }],
  ['client', 'a:k:1', { clients: [{ clientId: 'a', apiKey: 'k:1' }] }],
  ['sessions', '0', { sessionCount: 0 }],
  ['scenario', 'world.yaml', { scenario: 'world.yaml' }],
  ['watch', 'on', { watch: true }],
  ['persist', 'mock.json', { persistFile: 'mock.json' }],
  ['latency', '0', { latencyMs: 0 }],
  ['latency', '200', { latencyMs: 200 }],
  ['latency', '100-800', { latencyMs: '100-800' }],
  ['latency', '60000-60000', { latencyMs: '60000-60000' }],
  ['fault', 'status=503', { faults: [{ status: 503 }] }],
  [
    'fault',
    'clientId=a,userId=u=1,route=createLink,effect=slow,bytesPerSecond=9,delayMs=10-20,times=2,rate=0.5',
    {
      faults: [
        {
          clientId: 'a',
          userId: 'u=1',
          route: 'createLink',
          effect: 'slow',
          bytesPerSecond: 9,
          delayMs: '10-20',
          times: 2,
          rate: 0.5,
        },
      ],
    },
  ],
  ['link-format', 'compact', { linkFormat: 'compact' }],
  ['events', 'claim.submitted,link.expired', { events: ['claim.submitted', 'link.expired'] }],
  ['webhook', 'http://127.0.0.1:3000/claims', { webhook: 'http://127.0.0.1:3000/claims' }],
  ['webhook-secret', SECRET, { webhookSecret: SECRET }],
  ['log', 'json', { log: 'json' }],
  ['control-token', TOKEN, { controlToken: TOKEN }],
  ['control-origin', 'http://localhost:5173', { controlOrigins: ['http://localhost:5173'] }],
];

for (const [flag, text, option] of SETTINGS) {
  const variable = `CLAIMLINK_${flag.toUpperCase().replaceAll('-', '_')}`;
  t.test(`--${flag} ${text} and ${variable} set the same option`, async (t) => {
    t.strictSame(valuesOf([`--${flag}`, text]), option);
    t.strictSame(valuesOf([`--${flag}=${text}`]), option);
    t.strictSame(valuesOf([], { [variable]: text }), option);
  });
}

t.test('each flag of the mock has a variable, and a case above or below', async (t) => {
  const tested = new Set([...SETTINGS.map(([flag]) => flag), 'ready-json']);
  const [, mock] = commandsOf().find(([name]) => name === 'mock') ?? [];
  for (const option of mock?.options ?? []) {
    t.ok(tested.has(option.name()), option.name());
    t.equal(option.envVar, `CLAIMLINK_${option.name().toUpperCase().replaceAll('-', '_')}`);
  }
});

t.test('--ready-json is on or off; without a value it is on', async (t) => {
  t.strictSame(valuesOf(['--ready-json']), { readyJson: true });
  for (const text of ['1', 'true', 'True', 'TRUE', 'yes', 'Yes', 'on', 'ON'])
    t.strictSame(valuesOf([], { CLAIMLINK_READY_JSON: text }), { readyJson: true }, text);
  for (const text of ['0', 'false', 'False', 'FALSE', 'no', 'No', 'off', 'OFF'])
    t.strictSame(valuesOf([], { CLAIMLINK_READY_JSON: text }), { readyJson: false }, text);
  t.match(
    await mistake('', { CLAIMLINK_READY_JSON: 'maybe' }),
    "from env 'CLAIMLINK_READY_JSON' is invalid. It must be on or off.",
  );
});

t.test('repeated flags, and lists in one text', async (t) => {
  const corsOrigins = ['http://localhost:5173', 'https://app.example.com'];
  const words = corsOrigins.flatMap((origin) => ['--cors-origin', origin]);
  t.strictSame(valuesOf(words), { corsOrigins });
  t.strictSame(valuesOf([], { CLAIMLINK_CORS_ORIGIN: corsOrigins.join(', ') }), { corsOrigins });
  t.strictSame(valuesOf(['--cors-origin', corsOrigins.join(',')]), { corsOrigins });
  const faults = [{ status: 503, times: 2 }, { effect: 'truncate' }];
  t.strictSame(valuesOf(['--fault', 'status=503,times=2', '--fault', 'effect=truncate']), { faults });
  t.strictSame(valuesOf([], { CLAIMLINK_FAULT: 'status=503,times=2; effect=truncate' }), { faults });
  t.strictSame(valuesOf(['--port', '1', '--port', '2']), { port: 2 }, 'the last one counts');
});

t.test('a flag wins over CLAIMLINK_DATABASE_URL, which wins over DATABASE_URL', async (t) => {
  const env = { CLAIMLINK_DATABASE_URL: URL_A, DATABASE_URL: URL_B };
  const read = (words: string[], variables: Record<string, string>) => {
    const command = parse(['sweep', ...words], variables);
    return [command.opts()['database'], nameOf(command, 'database')];
  };
  t.same(read(['--database', URL_B], { CLAIMLINK_DATABASE_URL: URL_A }), [URL_B, '--database']);
  t.same(read([], env), [URL_A, 'CLAIMLINK_DATABASE_URL']);
  t.same(
    read([], { CLAIMLINK_DATABASE_URL: '', DATABASE_URL: URL_B }),
    [URL_B, 'DATABASE_URL'],
    'an empty variable counts as unset',
  );
});

t.test('callback origins and expiry', async (t) => {
  const words = ['--callback-origin', 'https://a.example', '--callback-origin', 'app:'];
  const database = ['--database', URL_A];
  t.match(valuesOf(['clients', 'add', 'a', ...words, ...database]), {
    callbackOrigins: ['https://a.example', 'app:'],
  });
  const expires = (text: string) =>
    parse(['keys', 'issue', '--client', 'a', '--expires', text, ...database]).opts()['expiresAt'];
  t.same(expires('2030-12-31'), new Date('2030-12-31T00:00:00Z'));
  t.ok(Math.abs(expires('90d') - Date.now() - 90 * 86_400_000) < 60_000);
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
    t.match(await mistake(`keys issue --expires=${text}`), / is invalid\. It must be a date/, text);
});

t.test('days until the end of a rotated key', async (t) => {
  const days = (text: string) => {
    const words = ['keys', 'rotate', 'k', '--old-ends-in', text, '--database', URL_A];
    return Math.round((parse(words).opts()['oldKeyEndsAt'] - Date.now()) / 86_400_000);
  };
  t.same(['0', '0d', '7d', '9999d'].map(days), [0, 0, 7, 9999]);
  for (const text of ['7', '-1d', '10000d', '1.5d', '2030-12-31', ''])
    t.equal(
      await mistake(`keys rotate k --old-ends-in=${text}`),
      `claimlink: option '--old-ends-in <days>' is invalid. It must be days, such as 7d, or 0.\n${HINT}`,
      text,
    );
});

/** Invalid values of flags of the mock, and the end of the sentence for all of them. */
const MISTAKES: [flag: string, texts: readonly string[], sentence: string][] = [
  ['--port <number>', ['x', '', '--host'], 'It must be a whole number.'],
  ['--sessions <number>', ['many', '1.5', '1e2'], 'It must be a whole number.'],
  ['--latency <ms>', [''], 'It needs a value.'],
  [
    '--ref-date <date>',
    ['', 'today', '2026-02-30', '2026-13-01', '01/02/2026', '2026-01-01T25:00', '2026'],
    'It must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00.',
  ],
  ['--log <format>', ['loud', ''], 'Allowed choices are pretty, json, silent.'],
  ['--client <id:key>', ['demo', ':k', 'a:'], 'It must look like id:key, such as demo:clk_test_demo.'],
  ['--seed <number|text>', ['', '--ready-json'], 'It needs a value.'],
  ['--scenario <file>', [''], 'It needs a value.'],
  ['--persist <file>', [''], 'It needs a value.'],
  ['--control-token <token>', ['', '--port'], 'It needs a value.'],
  [
    '--fault <members>',
    ['', 'status', 'toString=1', 'code=503'],
    'It must be name=value pairs, such as status=503; names: clientId, userId, route, status, effect, bytesPerSecond, afterBytes, delayMs, times, rate.',
  ],
  ['--fault <members>', ['delay=200', 'status=503,delay=1'], 'It has an unknown name: did you mean delayMs?'],
  ['--fault <members>', ['user=ada,status=503'], 'It has an unknown name: did you mean userId?'],
  ['--fault <members>', ['client=demo,status=503'], 'It has an unknown name: did you mean clientId?'],
  [
    '--fault <members>',
    ['effect=slow,bytes-per-second=9'],
    'It has an unknown name: did you mean bytesPerSecond?',
  ],
  ['--fault <members>', ['status=x', 'status=500,times='], 'It must be a whole number.'],
];

/** Values that the mock rejects: its schemas have the ranges. */
const REJECTED_VALUES: Readonly<Record<string, string>> = {
  '--port=70000': '--port must be 65535 or less',
  '--port=-1': '--port must be 0 or more',
  '--sessions=10001': '--sessions must be 10000 or less',
  '--latency=60001': '--latency must be 60000 or less',
  '--latency=200ms': "--latency must be milliseconds, 0 to 60000, or a range such as '100-800'",
  '--latency=200-100': "--latency must be milliseconds, 0 to 60000, or a range such as '100-800'",
  '--events=link.opened':
    '--events must be one of: claim.submitted, link.started, link.expiring, link.expired, link.revoked, link.declined, link.renewal_requested, link.locked, data.deleted',
  '--webhook-secret=abc': '--webhook-secret must be a text of whsec_ and 24 to 64 bytes in base64',
  '--fault=status=600': '--fault: status must be 599 or less',
  '--fault=status=500,rate=2': '--fault: rate must be 1 or less',
  '--port=6000': '--port must not be 6000: browsers and fetch block this port',
  '--port=0 --public-url=http://127.0.0.1:6000':
    '--public-url must not have port 6000: browsers and fetch block this port',
  'openapi --public-url=http://127.0.0.1:6000':
    '--public-url must not have port 6000: browsers and fetch block this port',
  '--webhook=http://127.0.0.1:6000': '--webhook must not have port 6000: browsers and fetch block this port',
  'check http://127.0.0.1:6000 --client-id=a --api-key=b':
    'The argument base-url must not have port 6000: browsers and fetch block this port',
  '--allowed-host=a:1':
    '--allowed-host must be a host name without scheme and port, such as host.docker.internal',
  '--fault=status=500,rate=x': '--fault: rate must be number',
  '--fault=effect=fast':
    '--fault: effect must be one of: reset-before, reset-after, truncate, malformed, slow, cut-upload, pass',
  '--fault=status=503,effect=truncate':
    '--fault must be a fault with an effect, or with status or body, not both',
};

for (const [words, sentence] of Object.entries(REJECTED_VALUES)) {
  t.test(`${words}: ${sentence}`, async (t) => {
    t.equal(await mistake(words), `claimlink: ${sentence}.\n`);
  });
}

for (const [form, texts, sentence] of MISTAKES) {
  t.test(`${form}: ${sentence}`, async (t) => {
    for (const text of texts)
      t.equal(
        await mistake(`${form.split(' ')[0]}=${text}`),
        `claimlink: option '${form}' is invalid. ${sentence}\n${HINT}`,
        text,
      );
  });
}

t.test('a mistake in a variable names the variable, and not its value', async (t) => {
  const value = "x' from env 'A' is invalid";
  t.equal(
    await mistake('', { CLAIMLINK_PORT: value }),
    `claimlink: option '--port <number>' from env 'CLAIMLINK_PORT' is invalid. It must be a whole number.\n${HINT}`,
  );
});

t.test('an invalid database URL is not repeated: it may contain a password', async (t) => {
  const expected = ` is invalid. It must look like postgres://user:password@host:5432/database or sqlite:claims.db.\n${HINT}`;
  const option = "claimlink: option '--database <url>'";
  for (const url of [
    'mysql://u:s3cret@h/d',
    's3cret',
    'postgres://u:s3#cret@h/d',
    'postgres://u:s3cret%zz@h/d',
    'sqlite://s3cret.db',
    'sqlite:postgres://u:s3cret@h/d',
    'sqlite:redis://:s3cret@h',
    'sqlite::memory:',
    'sqlite:',
    '',
  ])
    t.equal(await mistake(`sweep --database=${url}`), `${option}${expected}`, url);
  t.equal(await mistake('sweep', { DATABASE_URL: 's3cret' }), `${option} from env 'DATABASE_URL'${expected}`);
  const url = 'postgres://app:s3cret@db/claims';
  for (const line of [`migrate ${url}`, url, `keys ${url}`, `--${url}`, 'sweep app:s3cret@db', `mock ${url}`])
    t.notMatch(await mistake(line), /s3cret/, line);
});

t.test('a required flag is named', async (t) => {
  t.equal(await mistake('sweep'), `claimlink: required option '--database <url>' not specified\n${HINT}`);
  t.equal(await mistake('keys issue'), `claimlink: required option '--client <id>' not specified\n${HINT}`);
});

t.test('an unknown flag or command is named, with the nearest one', async (t) => {
  for (const [line, meant] of [
    ['--prot 1', '--port'],
    ['--redy-json', '--ready-json'],
    ['--publicurl=x', '--public-url'],
    ['--latensy 1', '--latency'],
    ['--controltoken x', '--control-token'],
    ['scenario --hepl', '--help'],
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
  for (const [words, name] of [
    [['mock', `--control-tokn=${value}`], '--control-tokn=...'],
    [[`--control-tokn=${value}`], '--control-tokn=...'],
    [['check', 'http://127.0.0.1:1', '--client-id=a', '--api-key=b', `--api-kye=${value}`], '--api-kye=...'],
    [['keys', 'issue', '--client=a', '--database', URL_A, `--clinet=${value}`], '--clinet=...'],
    [['keys', `--zzzzzzzzzz=${value}`], '--zzzzzzzzzz=...'],
    [['sweep', '--database', URL_A, `-u=${value}`], '-u=...'],
    [['keys', 'list', '--client=a', '--database', URL_A, `--json=${value}`], '--json=...'],
  ] as const) {
    const { runWords, stderr } = setUp();
    t.equal(await runWords(words), 2);
    t.notMatch(stderr.text, 'S3CRET');
    t.match(stderr.text, `claimlink: unknown option '${name}'\n`);
  }
});

t.test('a missing or superfluous argument, a missing value, and a flag of another command', async (t) => {
  const database = `--database ${URL_A}`;
  t.match(await mistake(`keys revoke ${database}`), "claimlink: missing required argument 'key-id'\n");
  t.match(await mistake(`keys revoke a b ${database}`), "claimlink: too many arguments for 'revoke'.");
  t.match(await mistake('mock extra'), "claimlink: too many arguments for 'mock'.");
  t.match(await mistake('--port'), "claimlink: option '--port <number>' argument missing\n");
  t.match(await mistake('openapi --port 1'), "claimlink: unknown option '--port'");
  t.match(await mistake('keys'), 'Usage: claimlink keys');
});

t.test('flags that exclude each other', async (t) => {
  for (const [line, first, second] of [
    ['sessions list --client a --user u --since 2026-01-01', '--since <date>', '--user <id>'],
    ['deliveries retry --reference r --all', '--all', '--reference <text>'],
    [
      'clients update a --any-callback-origin --callback-origin a:',
      '--any-callback-origin',
      '--callback-origin <origin>',
    ],
  ] as const)
    t.match(
      await mistake(`${line} --database ${URL_A}`),
      `claimlink: option '${first}' cannot be used with option '${second}'\n`,
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

t.test('--table-prefix and CLAIMLINK_TABLE_PREFIX name the tables', async (t) => {
  for (const [words, env] of [
    [' --table-prefix demo_', {}],
    ['', { CLAIMLINK_TABLE_PREFIX: 'demo_' }],
  ] as const) {
    const { run, stdout } = setUp();
    t.equal(await run(`migrate --dry-run${words}`, env), 0);
    t.equal(stdout.text, migrationSql({ tablePrefix: 'demo_' }));
  }
  t.equal(
    await mistake('migrate --dry-run --table-prefix Demo'),
    'claimlink: --table-prefix must be 1 to 40 lower-case letters, digits and underscores.\n',
  );
});
