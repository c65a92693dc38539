// Commands of two words, their arguments, and the flags and variables of the database.
import t from 'tap';
import { migrationSql } from '../../../lib/storage/postgres/index.js';
import { readCommandLine } from '../../../mock-server/cli/command-line.js';
import { FLAGS, type Flag } from '../../../mock-server/cli/flags.js';
import { mistake, setUp } from '../command.js';

const URL_A = 'postgres://a@localhost/a';
const URL_B = 'postgres://b@localhost/b';

function read(args: string, env: Record<string, string> = {}) {
  const request = readCommandLine(args.split(' '), env);
  if (request.kind !== 'run') throw new Error(request.kind);
  return request.line;
}

t.test('flags of one name belong to different commands, and agree on taking a value', async (t) => {
  const flags = Object.values<Flag>(FLAGS);
  for (const flag of flags) {
    for (const other of flags.filter(({ name }) => name === flag.name && flag !== undefined)) {
      if (other === flag) continue;
      t.equal(other.value === undefined, flag.value === undefined, flag.name);
      t.notOk(
        other.commands.some((command) => flag.commands.includes(command)),
        flag.name,
      );
    }
  }
});

t.test('a command of two words, with its argument and flags anywhere', async (t) => {
  t.match(read('keys revoke key_1'), { command: 'keys revoke', argument: 'key_1' });
  t.match(read('--schema s clients --name N add acme'), {
    command: 'clients add',
    argument: 'acme',
    values: { schema: 's', name: 'N' },
  });
});

t.test('--client is a client and its key to the mock, a client to keys', async (t) => {
  t.same(read('mock --client a:k').values, { clients: [{ clientId: 'a', apiKey: 'k' }] });
  t.same(read('keys list --client a:k').values, { client: 'a:k' });
  t.same(read('keys list', { CLAIMLINK_CLIENT: 'a:k' }).values, {});
});

t.test('callback origins may be repeated', async (t) => {
  t.same(read('clients add a --callback-origin https://a.example --callback-origin app:').values, {
    callbackOrigins: ['https://a.example', 'app:'],
  });
});

t.test('the flag beats CLAIMLINK_DATABASE_URL, which beats DATABASE_URL', async (t) => {
  const env = { CLAIMLINK_DATABASE_URL: URL_A, DATABASE_URL: URL_B };
  const given = read(`sweep --database-url ${URL_B}`, { CLAIMLINK_DATABASE_URL: URL_A });
  t.equal(given.values.databaseUrl, URL_B);
  t.equal(given.nameOf('databaseUrl'), '--database-url');
  t.equal(read('sweep', env).values.databaseUrl, URL_A);
  t.equal(read('sweep', env).nameOf('databaseUrl'), 'CLAIMLINK_DATABASE_URL');
  const shared = read('sweep', { CLAIMLINK_DATABASE_URL: '', DATABASE_URL: URL_B });
  t.equal(shared.values.databaseUrl, URL_B);
  t.equal(shared.nameOf('databaseUrl'), 'DATABASE_URL');
});

t.test('the mock leaves DATABASE_URL alone: it belongs to a real service', async (t) => {
  t.same(read('mock', { DATABASE_URL: URL_B }).values, {});
  t.same(read('mock', { CLAIMLINK_DATABASE_URL: URL_A }).values, { databaseUrl: URL_A });
});

t.test('an expiry is the beginning of a day, or days from now', async (t) => {
  const expires = (text: string) => read(`keys issue --expires ${text}`).values.expires;
  t.same(expires('2030-12-31'), new Date('2030-12-31T00:00:00Z'));
  t.same(expires('90d'), { days: 90 });
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

t.test('a database URL that is none is told without being quoted', async (t) => {
  const expected = ' must look like postgres://user:password@host:5432/database.\n';
  for (const url of [
    'mysql://u:s3cret@h/d',
    's3cret',
    'postgres://u:s3#cret@h/d',
    'postgres://u:s3cret%zz@h/d',
    '',
  ]) {
    t.equal(await mistake(`sweep --database-url=${url}`), `claimlink: --database-url${expected}`, url);
  }
  t.equal(await mistake('sweep', { DATABASE_URL: 's3cret' }), `claimlink: DATABASE_URL${expected}`);
});

t.test('what a command cannot do without is named', async (t) => {
  t.equal(
    await mistake('sweep'),
    'claimlink: The command sweep needs --database-url <url>, or CLAIMLINK_DATABASE_URL or DATABASE_URL in the environment.\n',
  );
  t.equal(await mistake('keys issue'), 'claimlink: The command keys issue needs --client <id>.\n');
  t.equal(await mistake('keys list'), 'claimlink: The command keys list needs --client <id>.\n');
  t.equal(
    await mistake('keys revoke'),
    'claimlink: The command keys revoke needs an argument: claimlink keys revoke <key-id>.\n',
  );
  t.equal(
    await mistake('clients add'),
    'claimlink: The command clients add needs an argument: claimlink clients add <client-id>.\n',
  );
  t.match(await mistake('clients add a --name='), '--name must not be empty');
});

t.test('half a command names the other halves', async (t) => {
  t.equal(await mistake('keys'), 'claimlink: The command keys needs one of: issue, list, revoke.\n');
  t.equal(await mistake('clients'), 'claimlink: The command clients needs one of: add.\n');
  t.equal(await mistake('keys isue'), 'claimlink: There is no command keys isue; did you mean keys issue?\n');
  t.equal(
    await mistake('keys destroyall'),
    'claimlink: There is no command keys destroyall; claimlink keys --help lists them.\n',
  );
  t.equal(await mistake('kyes'), 'claimlink: There is no command kyes; did you mean keys?\n');
});

t.test('what is too much is named', async (t) => {
  t.equal(
    await mistake('keys revoke a b'),
    'claimlink: The command keys revoke takes no further argument; got b.\n',
  );
  t.equal(await mistake('sweep all'), 'claimlink: The command sweep takes no further argument; got all.\n');
  t.equal(
    await mistake('keys list --expires 1d'),
    'claimlink: --expires is no flag of the command keys list.\n',
  );
  t.equal(await mistake('keys list --jsn'), 'claimlink: There is no flag --jsn; did you mean --json?\n');
});

t.test(
  '--schema of a mock without a database is a mistake; a variable may be meant for other commands',
  async (t) => {
    t.equal(await mistake('--schema s'), 'claimlink: --schema needs --database-url.\n');
    t.equal(read('mock', { CLAIMLINK_SCHEMA: 's' }).isGiven('schema'), false);
  },
);

t.test('migrate --dry-run prints the SQL and needs no database', async (t) => {
  const { run, stdout } = setUp();
  t.equal(await run('migrate --dry-run --schema claims'), 0);
  t.equal(stdout.text, migrationSql({ schema: 'claims' }));
  const bad = setUp();
  t.equal(await bad.run('migrate --dry-run --schema Claims'), 2);
  t.equal(
    bad.stderr.text,
    'claimlink: --schema must be 1 to 40 lower-case letters, digits and underscores.\n',
  );
});

t.test('a URL in the wrong place is not repeated: it may hold a password', async (t) => {
  const url = 'postgres://app:s3cret@db/claims';
  for (const line of [`migrate ${url}`, url, `keys ${url}`, `--${url}`, 'sweep app:s3cret@db']) {
    const message = await mistake(line);
    t.notMatch(message, /s3cret/, line);
    t.match(message, /--database-url/, line);
  }
});
