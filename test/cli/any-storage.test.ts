// The commands of the service on PostgreSQL, on a SQLite file, and on a storage of the host.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import t, { type Test } from 'tap';
import {
  createPostgresStorage,
  migrate as migratePostgres,
  migrationSql as postgresSql,
} from '../../lib/storage/postgres/index.js';
import {
  createSqliteStorage,
  migrate as migrateSqlite,
  migrationSql as sqliteSql,
} from '../../lib/storage/sqlite/index.js';
import { sampleLink, sampleSession, sampleSubmission } from '../../lib/testing/storage-suite/samples.js';
import { mistake, setUp } from '../mock-server/command.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';
import { commandsOf } from './commands.js';

type Environment = Readonly<Record<string, string>>;
type FullStorage = ReturnType<typeof createSqliteStorage>;

/** A storage with its tables, and the flags that name it. */
interface Target {
  storage: FullStorage;
  flags: readonly string[];
}

const TABLES = { tablePrefix: 'demo_' };

function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'claimlink-any-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openSqliteFile(t: Test, file: string): Promise<FullStorage> {
  const database = new Libsql(file);
  t.teardown(() => database.close());
  await migrateSqlite(database, TABLES);
  return createSqliteStorage(database, TABLES);
}

/** Returns a module whose default export opens a storage over a SQLite file. */
function storageModule(file: string, methods = 'storage'): string {
  return `
import Libsql from '${import.meta.resolve('libsql')}';
import { createSqliteStorage } from '${import.meta.resolve('../../lib/storage/sqlite/index.js')}';
export default async function open() {
  const database = new Libsql(${JSON.stringify(file)});
  const storage = createSqliteStorage(database, ${JSON.stringify(TABLES)});
  return { ...${methods}, close: () => { database.close(); globalThis.closedStorages = (globalThis.closedStorages ?? 0) + 1; } };
}`;
}

function writeModule(t: Test, text: string): string {
  const path = join(temporaryFolder(t), 'storage.mjs');
  writeFileSync(path, text);
  return path;
}

/** Opens a storage of the host over a SQLite file. */
async function openHost(t: Test, methods?: string): Promise<Target> {
  const file = join(temporaryFolder(t), 'host.db');
  const storage = await openSqliteFile(t, file);
  return { storage, flags: ['--storage', writeModule(t, storageModule(file, methods))] };
}

const TARGETS: Record<string, (t: Test) => Promise<Target>> = {
  'a SQLite file': async (t) => {
    const file = join(temporaryFolder(t), 'claims.db');
    const storage = await openSqliteFile(t, file);
    return { storage, flags: ['--database', `sqlite:${file}`, '--table-prefix', 'demo_'] };
  },
  'a storage of the host': (t) => openHost(t),
};

const server = await findPostgres(t);
if (server !== undefined)
  TARGETS['PostgreSQL'] = async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await migratePostgres(pool, { schema, ...TABLES });
    const flags = ['--database', server.url, '--schema', schema, '--table-prefix', 'demo_'];
    return { storage: createPostgresStorage(pool, { schema, ...TABLES }), flags };
  };

/** Runs a command; returns exit code, stdout and stderr as one text. */
async function run(line: string, flags: readonly string[], env: Environment = {}): Promise<string> {
  const command = setUp();
  const code = await command.runWords([...line.split(' '), ...flags], env);
  return `${code} ${command.stdout.text}${command.stderr.text}`;
}

/** Adds two links of acme that have expired and were submitted, and one that is usable. Delivery of the first one failed. */
async function addLinks({ storage }: Target): Promise<void> {
  const failedAt = new Date('2026-02-01T10:00:00Z');
  for (const reference of ['S-1', 'S-2']) {
    const event = { id: `event-${reference}`, attempts: 1, nextAttemptAt: failedAt } as const;
    await storage.insertLink(sampleLink({ clientId: 'acme', userId: 'user-1', accessCodeHash: reference }));
    const session = sampleSession({ reference });
    await storage.submitLink(sampleSubmission(reference, { clientId: 'acme', session, event }));
  }
  const failure = { attempts: 1, nextAttemptAt: failedAt, failedAt, reason: 'Error' };
  await storage.postponeEvent({ clientId: 'acme', reference: 'S-1', id: 'event-S-1', ...failure });
  const expiresAt = new Date('2999-01-01');
  await storage.insertLink(
    sampleLink({ clientId: 'acme', userId: 'user-1', accessCodeHash: USABLE, expiresAt }),
  );
}

const USABLE = 'a'.repeat(64);

const QUESTIONS = t.testdir({
  'birthday.yaml': 'id: dateOfBirth\nkind: date\ntexts:\n  en: { label: When were you born? }\n',
  'wrong.json': '{ "id": "a", "kind": "choice", "texts": { "en": { "label": "A" } } }',
});

/** The jobs of an operator, in order: each command, and what it prints. `<key>` is the id of the first API key. */
const JOBS: readonly (readonly [command: string, output: RegExp])[] = [
  [
    'migrate',
    /^0 Up to date at version \d+\.\n$|^2 claimlink: The host creates and updates the tables of --storage /,
  ],
  ['clients add acme --name Acme --callback-origin https://a.example', /^0 Added the client acme\.\n$/],
  ['clients add acme', /^2 claimlink: The client acme exists already\.\n$/],
  ['clients update acme --locale de', /^0 Updated the client acme\.\n$/],
  [
    'clients update acme --recipient-check /policy/number --recipient-check /policy/holder/email',
    /^0 Updated the client acme\.\n$/,
  ],
  ['clients show acme --json', /"recipientCheck": \[\s+"\/policy\/number",\s+"\/policy\/holder\/email"\s+\]/],
  [
    'clients update acme --recipient-check /policy/provider',
    /^2 claimlink: --recipient-check must be a list of different members/,
  ],
  ['clients update acme --recipient-check=', /^0 Updated the client acme\.\n$/],
  [`clients update acme --recipient-question ${QUESTIONS}/birthday.yaml`, /^0 Updated the client acme\.\n$/],
  [
    `clients update acme --recipient-question ${QUESTIONS}/wrong.json`,
    /^2 claimlink: --recipient-question: kind must be text or date\.\n/,
  ],
  [
    `clients update acme --recipient-question ${QUESTIONS}/none.json`,
    /^2 claimlink: --recipient-question must name a file with JSON or YAML: /,
  ],
  [
    `clients update acme --recipient-question ${QUESTIONS}/birthday.yaml --recipient-check /policy/number`,
    /^2 .*--recipient-question.* cannot be used with .*--recipient-check/,
  ],
  ['clients show acme', /\nsettings\.recipientCheck\.texts\.en\.label +When were you born\?\n/],
  ['clients update acme --recipient-question=', /^0 Updated the client acme\.\n$/],
  ['clients update acme --allow-decline true', /^0 Updated the client acme\.\n$/],
  ['clients show acme --json', /"allowDecline": true/],
  ['clients update acme --allow-decline yes', /^2 claimlink: --allow-decline must be true or false/],
  ['clients update acme --allow-decline=', /^0 Updated the client acme\.\n$/],
  ['clients list', /\nacme {6}Acme {2}https:\/\/a\.example\n$/],
  ['clients show acme', /\nlocale +de\n/],
  ['keys issue --client acme --expires 2999-12-31', /^0 Key {5}clk_[\w-]{43}\nKey id {2}key_\w+\n/],
  ['keys list --client acme', / 2999-12-31 00:00Z {2}- {10,}never {7}active\n$/],
  ['keys update <key> --expires never', /^0 The key \w+ does not expire\.\n$/],
  ['keys show <key>', /\nstate {7}active\n(?:.*\n)expiresAt {3}-\n/],
  ['keys rotate <key> --old-ends-in 0', /\nThe old key \w+ has ended\.\n/],
  ['keys revoke <key>', /^0 Revoked the key \w+\.\n$/],
  ['keys revoke <key>', /^2 claimlink: There is no key with the id \w+, or it is revoked already\.\n$/],
  ['keys issue --client nobody', /^2 claimlink: There is no client nobody\. /],
  ['links list --client acme --state created', /^0 .*\na{64} {2}user-1 {2}created /],
  [`links show ${USABLE} --client acme`, /\nstate +created\n/],
  [`links show ${USABLE}`, /\nstate +created\n/],
  [`links unlock ${USABLE} --client acme`, /^0 Unlocked the link a{64}\.\n$/],
  [`links revoke ${USABLE} --client acme`, /^0 Revoked the link a{64}\.\n$/],
  [`links revoke ${USABLE} --client acme`, /^2 claimlink: The link a{64} is revoked, /],
  [`links unlock ${USABLE} --client acme`, /^2 claimlink: The link a{64} is revoked, so unlocking/],
  ['sessions update S-1 --client acme --status accepted', /^0 Updated the session S-1 of acme\.\n$/],
  ['sessions show S-1 --client acme', /\nstatus +accepted\n/],
  ['sessions show S-1', /\nstatus +accepted\n/],
  ['sessions photos S-1 --to never-made', /^0 The session S-1 of acme has no photos\.\n$/],
  ['sessions list --client acme --limit 1', /\nS-1 (?:.*\n)More follow: repeat the command with --cursor /],
  ['sessions list --client acme --user user-1', /^0 reference (?:.*\n){3}$/],
  ['deliveries list', /\nacme {6}claim\.submitted {2}S-1 (?:.*\n)In all: 1 failed, 1 pending\.\n$/],
  ['deliveries retry --reference S-1', /^0 1 delivery is due again\. /],
  ['deliveries list', /\nIn all: 0 failed, 2 pending\.\n$/],
  ['users export --client acme --user user-1', /\nExported: sessions 2, links 3\.\n$/],
  [
    'sweep --links 1d --sessions-older-than 999y',
    /^0 Deleted 2 expired links\.\nDeleted 0 sessions from before 1\d{3}-\d\d-\d\d\.\n$/,
  ],
  [
    'users delete --client acme --user user-1 --yes',
    /^0 Deleted: sessions 2, links 1, undelivered events 2\.\n$/,
  ],
  ['users export --client acme --user user-1', /\nExported: sessions 0, links 0\.\n$/],
  ['clients remove acme --yes', /^0 Removed the client acme\.\n$/],
  ['clients show acme', /^2 claimlink: There is no client acme\. /],
];

t.test('the jobs are all commands of the service', async (t) => {
  const commands = commandsOf().map(([name]) => name);
  const service = commands.slice(commands.indexOf('migrate'));
  t.same(
    service.filter((name) => !JOBS.some(([command]) => `${command} `.startsWith(`${name} `))),
    [],
  );
});

for (const [name, open] of Object.entries(TARGETS)) {
  t.test(`the commands do every job of an operator on ${name}`, async (t) => {
    const target = await open(t);
    let keyId = '';
    for (const [command, output] of JOBS) {
      if (command.startsWith('links list')) await addLinks(target);
      if (command.includes('<key>')) keyId ||= (await target.storage.listApiKeys('acme'))[0]?.id ?? '';
      t.match(await run(command.replace('<key>', keyId), target.flags), output, command);
    }
  });
}

t.test(
  'migrate creates a SQLite file, and says what it applied; again, that there is nothing to do',
  async (t) => {
    const file = join(temporaryFolder(t), 'new.db');
    const flags = ['--database', `sqlite:${file}`];
    t.match(await run('migrate', flags), /^0 (?:Applied version \d+\.\n)+$/);
    t.match(await run('migrate', flags), /^0 Up to date at version \d+\.\n$/);
    t.equal(await run('clients list', flags), '0 clientId  name  callbackOrigins\n');
    t.match(
      await run('clients list', [...flags, '--table-prefix', 'other_']),
      /^2 .*run "claimlink migrate"\.\n$/,
    );
  },
);

t.test('migrate --dry-run prints the SQL of the database that --database names', async (t) => {
  for (const [database, sql] of [
    ['sqlite:missing.db', sqliteSql(TABLES)],
    ['postgres://a@127.0.0.1:1/a', postgresSql(TABLES)],
  ] as const)
    t.equal(await run('migrate --dry-run', ['--database', database, '--table-prefix', 'demo_']), `0 ${sql}`);
});

t.test('a SQLite file that is missing or unusable is reported, and not created', async (t) => {
  const folder = temporaryFolder(t);
  const noDatabase = join(folder, 'text.db');
  writeFileSync(noDatabase, 'This is a text.'.repeat(500));
  const missing = join(folder, 'missing.db');
  for (const command of ['clients list', 'sweep']) {
    const text = await run(command, ['--database', `sqlite:${missing}`]);
    t.equal(
      text,
      `2 claimlink: The file ${missing} of --database does not exist; claimlink migrate creates it.\n`,
    );
  }
  const env = { DATABASE_URL: `sqlite:${noDatabase}` };
  t.equal(
    await mistake('clients list', env),
    'claimlink: The file of DATABASE_URL is not a SQLite database.\n',
  );
  for (const command of ['migrate', 'sweep'])
    t.match(
      await run(command, ['--database', `sqlite:${folder}`]),
      `2 claimlink: The file ${folder} of --database cannot be opened. `,
    );
});

t.test('only the owner may read a SQLite file that migrate creates, and its -wal and -shm', async (t) => {
  const file = join(temporaryFolder(t), 'new.db');
  t.match(await run('migrate', ['--database', `sqlite:${file}`]), /^0 Applied version 1\./);
  const database = new Libsql(file);
  t.teardown(() => database.close());
  await createSqliteStorage(database).insertClient({ clientId: 'acme' });
  for (const path of [file, `${file}-wal`, `${file}-shm`]) t.equal(statSync(path).mode & 0o777, 0o600, path);
});

t.test('migrate keeps the mode of a SQLite file that is there', async (t) => {
  const file = join(temporaryFolder(t), 'group.db');
  writeFileSync(file, '', { mode: 0o640 });
  t.match(await run('migrate', ['--database', `sqlite:${file}`]), /^0 Applied version 1\./);
  t.equal(statSync(file).mode & 0o777, 0o640);
});

t.test('a damaged SQLite file is one sentence', async (t) => {
  const folder = temporaryFolder(t);
  const whole = join(folder, 'whole.db');
  const database = new Libsql(join(folder, 'claims.db'));
  t.teardown(() => database.close());
  await migrateSqlite(database);
  database.exec(`VACUUM INTO '${whole}'`);
  const bytes = readFileSync(whole);
  for (const [index, damaged] of [bytes.subarray(0, 8192), Buffer.from(bytes).fill(0xff, 4096)].entries())
    for (const command of ['clients list', 'migrate', 'sweep', 'keys issue --client acme']) {
      const file = join(folder, `${index} ${command}.db`);
      writeFileSync(file, damaged);
      t.equal(
        await run(command, ['--database', `sqlite:${file}`]),
        '2 claimlink: The file of --database is damaged (SQLITE_CORRUPT): restore a backup.\n',
        command,
      );
    }
});

t.test('an empty SQLite file needs claimlink migrate', async (t) => {
  const file = join(temporaryFolder(t), 'empty.db');
  writeFileSync(file, '');
  t.match(
    await run('sweep', ['--database', `sqlite:${file}`]),
    /^2 claimlink: .*run "claimlink migrate"\.\n$/,
  );
});

t.test('the tables of a storage of the host are its own', async (t) => {
  for (const command of ['migrate', 'migrate --dry-run'])
    t.equal(
      await run(command, ['--storage', 'storage.mjs']),
      '2 claimlink: The host creates and updates the tables of --storage itself. claimlink migrate needs --database.\n',
      command,
    );
});

t.test('a command closes the storage of the host', async (t) => {
  const { flags } = await openHost(t);
  const closed = () => (globalThis as { closedStorages?: number }).closedStorages ?? 0;
  const before = closed();
  t.match(await run('clients list', flags), /^0 /);
  t.match(await run('clients show nobody', flags), /^2 /);
  t.equal(closed(), before + 2);
});

t.test('a default export may be the storage itself', async (t) => {
  const path = writeModule(t, 'export default { findClient() {} };');
  t.match(
    await run('clients list', ['--storage', path]),
    /^2 claimlink: --storage must implement Storage, which every command needs; it lacks findCredentials, /,
  );
});

t.test('sweep writes every ten seconds which step runs', async (t) => {
  const host = globalThis as { deletedSessions?: Promise<number> };
  let end = (_deleted: number) => {};
  host.deletedSessions = new Promise((resolve) => {
    end = resolve;
  });
  const { flags } = await openHost(t, 'storage, deleteSessions: () => globalThis.deletedSessions');
  const { setInterval: start } = globalThis;
  t.teardown(() => {
    globalThis.setInterval = start;
  });
  globalThis.setInterval = ((tick: () => void, ms: number) => start(tick, ms / 1000)) as typeof start;
  const { runWords, stdout, stderr } = setUp();
  const code = runWords(['sweep', '--sessions-older-than', '3y', ...flags]);
  while (!stderr.text.includes('20 s')) await new Promise((resolve) => setTimeout(resolve, 5));
  end(7);
  t.equal(await code, 0);
  t.match(stderr.text, /^Deleting sessions for 10 s\.\nDeleting sessions for 20 s\.\n/);
  t.match(stdout.text, 'Deleted 7 sessions from before');
});

t.test('a command needs the methods that it calls, and names those that are missing', async (t) => {
  const { flags } = await openHost(t, '{ ...storage, updateSession: undefined, listEvents: undefined }');
  t.equal(await run('clients add acme', flags), '0 Added the client acme.\n');
  t.match(await run('keys issue --client acme', flags), /^0 /);
  const lacking = (name: string, method: string) =>
    `2 claimlink: --storage must implement ${name}, which this command needs; it lacks ${method}.\n`;
  for (const command of ['sweep', 'links list --client acme', 'sessions show S-1 --client acme'])
    t.equal(await run(command, flags), lacking('RecordStorage', 'updateSession'), command);
  t.equal(await run('deliveries list', flags), lacking('OutboxStorage', 'listEvents'));

  const { flags: withoutSearch } = await openHost(t, '{ ...storage, findSessions: undefined }');
  for (const command of ['sessions show S-1', `links show ${USABLE}`])
    t.equal(
      await run(command, withoutSearch),
      '2 claimlink: --storage must implement SearchStorage, which a search without a client needs; it lacks findSessions.\n',
    );
  t.match(
    await run(`sessions show S-1 --client acme`, withoutSearch),
    /^2 claimlink: There is no client acme\./,
  );

  const { flags: plain, storage } = await openHost(t, '{ ...storage, listClients: undefined }');
  await storage.insertClient({ clientId: 'acme' });
  t.match(await run(`links show ${USABLE} --client acme`, plain), /^2 claimlink: There is no link /);
});

t.test('a module that cannot be used is reported in one sentence', async (t) => {
  const unusable = 'needs a default export: a storage, or a function that returns one.';
  const hint = '--verbose shows the message, which may contain secrets.';
  const withText = (text: string) => writeModule(t, text);
  for (const [path, sentence] of [
    [join(temporaryFolder(t), 'none.mjs'), 'does not exist.'],
    [withText('export const storage = {};'), unusable],
    [withText('export default () => 1;'), unusable],
    [withText('export default {'), `failed to load (SyntaxError). ${hint}`],
    [withText('throw new Error("password=s3cret");'), `failed to load (Error). ${hint}`],
    [withText('throw "password=s3cret";'), `failed to load (not an Error). ${hint}`],
    [
      withText('export default async () => { new URL("redis://:s3cret@db:port"); };'),
      `failed to load (TypeError ERR_INVALID_URL). ${hint}`,
    ],
  ] as const) {
    const text = `2 claimlink: The module ${path} of --storage ${sentence}\n`;
    t.equal(await run('clients list', ['--storage', path]), text);
    t.equal(
      await run('clients list', [], { CLAIMLINK_STORAGE: path }),
      text.replace('of --storage', 'of CLAIMLINK_STORAGE'),
    );
  }
});

t.test('the URL of a database as the module is not printed', async (t) => {
  t.equal(
    await mistake('clients list', { CLAIMLINK_STORAGE: 'postgres://app:s3cret@db/claims' }),
    'claimlink: The module postgres://…@db/claims of CLAIMLINK_STORAGE does not exist.\n',
  );
});

t.test(
  '--verbose shows the message of a module that failed to load, without the passwords of URLs',
  async (t) => {
    for (const url of ['postgres://app:s3cret@db/claims', 'redis://:p w@db/claims']) {
      const path = writeModule(t, `export default async () => { throw new Error("no ${url}"); };`);
      t.equal(
        await run('clients list --verbose', ['--storage', path]),
        `2 claimlink: The module ${path} of --storage failed to load. Error: no ${url.split('//')[0]}//…@db/claims\n`,
      );
    }
  },
);

t.test('an error of the storage of the host is one sentence if the database caused it', async (t) => {
  const { flags } = await openHost(
    t,
    `{ ...storage, listClients() { throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }); } }`,
  );
  t.equal(
    await run('clients list', flags),
    '2 claimlink: The database of --storage cannot be reached (ECONNREFUSED).\n',
  );
});

t.test(
  '--verbose shows an error of the storage of the host also if it has the code of a system error',
  async (t) => {
    const thrown = (code: string) => `Object.assign(new Error('why it failed'), { code: '${code}' })`;
    for (const [code, sentence] of [
      ['ECONNREFUSED', '2 claimlink: The database of --storage cannot be reached (ECONNREFUSED).'],
      [
        'EVALIDATION',
        '1 claimlink: The storage of --storage failed (Error EVALIDATION). --verbose shows the message,',
      ],
    ] as const) {
      const { flags } = await openHost(t, `{ ...storage, listClients() { throw ${thrown(code)}; } }`);
      t.ok((await run('clients list', flags)).startsWith(sentence), code);
      t.match(
        await run('clients list --verbose', flags),
        /^1 claimlink: unexpected error\nError: why it failed\n {4}at /,
      );
    }
  },
);

t.test(
  'another error of the storage of the host shows name and code, and with --verbose its stack',
  async (t) => {
    const thrown = `Object.assign(new RangeError('password=s3cret for redis://:p w@h'), { code: 'ER_LONG' })`;
    const { flags } = await openHost(t, `{ ...storage, listClients() { throw ${thrown}; } }`);
    t.equal(
      await run('clients list', flags),
      '1 claimlink: The storage of --storage failed (RangeError ER_LONG). --verbose shows the message, which may contain secrets.\n',
    );
    t.match(
      await run('clients list --verbose', flags),
      /^1 claimlink: unexpected error\nRangeError: password=s3cret for redis:\/\/…@h\n {4}at /,
    );
    t.equal(
      await run('clients update acme --verbose', flags),
      '2 claimlink: Name what to change, such as --name or --primary-color. See claimlink clients update --help.\n',
      '--verbose is no setting',
    );
  },
);

t.test('an error of close of the storage of the host shows no message', async (t) => {
  const path = writeModule(
    t,
    `import Libsql from '${import.meta.resolve('libsql')}';
import { createSqliteStorage, migrate } from '${import.meta.resolve('../../lib/storage/sqlite/index.js')}';
export default async () => {
  const database = new Libsql(':memory:');
  await migrate(database);
  return { ...createSqliteStorage(database), close() { throw new Error('password=s3cret'); } };
};`,
  );
  t.match(await run('clients list', ['--storage', path]), /The storage of --storage failed \(Error\)\./);
});

t.test(
  'a storage of the host does not read the variables of --database, such as a URL of MySQL',
  async (t) => {
    const { flags } = await openHost(t);
    const [, module = ''] = flags;
    const url = 'mysql://app:s3cret@db/claims';
    for (const name of ['DATABASE_URL', 'CLAIMLINK_DATABASE_URL']) {
      t.match(await run('clients list', flags, { [name]: url }), /^0 /, `${name} with --storage`);
      const variables = { [name]: url, CLAIMLINK_STORAGE: module };
      t.match(await run('clients list', [], variables), /^0 /, `${name} with CLAIMLINK_STORAGE`);
      t.match(
        await run('clients list', [], { [name]: url }),
        `2 claimlink: option '--database <url>' from env '${name}' is invalid. It must look like`,
        `${name} alone`,
      );
    }
    t.match(
      await run('clients list', ['--database', url], { CLAIMLINK_STORAGE: module }),
      "2 claimlink: option '--database <url>' is invalid. It must look like",
      'the flag takes precedence',
    );
  },
);

t.test(
  'a flag takes precedence over the variable of the other storage; both flags exclude each other',
  async (t) => {
    const { flags } = await openHost(t);
    const [, module = ''] = flags;
    const file = join(temporaryFolder(t), 'missing.db');
    const database = ['--database', `sqlite:${file}`];
    t.match(await run('clients list', flags, { DATABASE_URL: `sqlite:${file}` }), /^0 /);
    t.match(
      await run('clients list', [], { DATABASE_URL: `sqlite:${file}`, CLAIMLINK_STORAGE: module }),
      /^0 /,
    );
    t.match(
      await run('clients list', database, { CLAIMLINK_STORAGE: module }),
      / of --database does not exist/,
    );
    t.equal(
      await run('clients list', [...flags, ...database]),
      '2 claimlink: --database and --storage exclude each other.\n',
    );
  },
);

t.test('flags of tables that the storage does not have are rejected', async (t) => {
  const database = ['--database', 'sqlite:claims.db'];
  t.equal(await run('sweep --schema a', database), '2 claimlink: --schema cannot be used with SQLite.\n');
  t.equal(
    await run('sweep --table-prefix a_', ['--storage', 'storage.mjs']),
    '2 claimlink: --table-prefix cannot be used with a storage of the host.\n',
  );
  t.equal(
    await run('sweep', ['--storage', 'storage.mjs'], { CLAIMLINK_SCHEMA: 'a' }),
    '2 claimlink: CLAIMLINK_SCHEMA cannot be used with a storage of the host.\n',
  );
});
