// A database that cannot be used is one sentence, with no secret in it.
import t from 'tap';
import { databaseSentence } from '../../cli/database-errors.js';
import { ClaimlinkError } from '../../lib/index.js';
import { setUp } from '../mock-server/command.js';

const PASSWORD = 's3cret-pässword';

/** Runs a command that the database rejects, and returns its message. */
async function messageOf(args: string, url: string): Promise<string> {
  const { run, stdout, stderr } = setUp();
  const code = await run(args, { DATABASE_URL: url, CLAIMLINK_DATABASE_URL: url });
  if (code !== 2 || stdout.text !== '') throw new Error(`exit code ${code}: ${stdout.text}${stderr.text}`);
  for (const secret of [url, PASSWORD, encodeURIComponent(PASSWORD)]) {
    if (stderr.text.includes(secret)) throw new Error(`the message has a secret: ${stderr.text}`);
  }
  return stderr.text.replaceAll('CLAIMLINK_DATABASE_URL', '<name>');
}

const AWAY = `postgres://bob:${encodeURIComponent(PASSWORD)}@127.0.0.1:1/claims`;
for (const command of ['migrate', 'sweep', 'keys list --client a', 'clients list']) {
  t.test(`${command}: no server at the address`, async (t) => {
    t.equal(
      await messageOf(command, AWAY),
      'claimlink: The database of <name> cannot be reached (ECONNREFUSED).\n',
    );
  });
}

t.test('the URL and --schema name one schema', async (t) => {
  const differ = 'claimlink: --schema and schema= in <name> name different schemas.\n';
  for (const command of ['migrate --schema app', 'sweep --schema app', 'migrate --dry-run --schema app'])
    t.equal(await messageOf(command, `${AWAY}?schema=public`), differ, command);
  t.equal(await messageOf('sweep', `${AWAY}?schema=a&schema=b`), differ, 'two in the URL');
  const wrong = 'claimlink: schema= in <name> must be 1 to 40 lower-case letters, digits and underscores.\n';
  for (const name of ['App', '', 'a%22b'])
    t.equal(await messageOf('sweep', `${AWAY}?schema=${name}`), wrong, name);
  t.match(await messageOf('sweep --schema app', `${AWAY}?schema=app`), 'cannot be reached');
});

t.test('the socket folder is not there', async (t) => {
  t.equal(
    await messageOf('sweep', 'postgres://bob@localhost/claims?host=/nowhere/at/all'),
    'claimlink: The database of <name> cannot be reached (ENOENT).\n',
  );
});

t.test('errors that take another server to provoke', async (t) => {
  const coded = (code: string, more = {}) => Object.assign(new Error('x'), { code, ...more });
  const sentence = (error: unknown) => databaseSentence(error, '--database');
  t.equal(
    sentence(coded('SELF_SIGNED_CERT_IN_CHAIN')),
    'The certificate of the database of --database is not trusted (SELF_SIGNED_CERT_IN_CHAIN).',
  );
  for (const code of ['ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'])
    t.equal(sentence(coded(code)), `The database of --database cannot be reached (${code}).`);
  t.equal(sentence(coded('EVALIDATION')), undefined, 'the code of a host');
  t.equal(
    sentence(new ClaimlinkError('storage_unavailable')),
    'The database of --database cannot be reached.',
  );
  t.equal(
    sentence(new ClaimlinkError('storage_unavailable', 'It is read-only.', { cause: coded('25006') })),
    'The database of --database is not available (25006). It is read-only.',
  );
  t.equal(
    sentence(new ClaimlinkError('storage_unavailable', 'The disk is full.', { cause: coded('SQLITE_FULL') })),
    'The database of --database is not available (SQLITE_FULL). The disk is full.',
  );
  t.equal(
    sentence(coded('ERR_SQLITE_ERROR', { errcode: 26 })),
    'The file of --database is not a SQLite database.',
  );
  for (const error of [coded('SQLITE_CORRUPT_INDEX'), coded('ERR_SQLITE_ERROR', { errcode: 779 })])
    t.equal(sentence(error), 'The file of --database is damaged (SQLITE_CORRUPT): restore a backup.');
  t.equal(
    sentence(new Error('SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature does not match')),
    'The database rejects the user or the password of --database.',
  );
});

t.test('an error that is a defect of claimlink has no sentence', async (t) => {
  const syntax = Object.assign(new Error('syntax error'), { code: '42601', severity: 'ERROR' });
  for (const error of [syntax, new TypeError('x is not a function'), new ClaimlinkError('internal'), 'text'])
    t.equal(databaseSentence(error, '--database'), undefined);
});
