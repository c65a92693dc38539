// claimlink migrate, clients add and sweep, on a real PostgreSQL.
import t from 'tap';
import { hashAccessCode, type Link } from '../../../lib/index.js';
import { createPostgresStorage, migrate } from '../../../lib/storage/postgres/index.js';
import { findPostgres, openSchema } from '../../storage/postgres-server.js';
import { setUp } from '../command.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const env = { DATABASE_URL: server.url };

  async function open(t: Parameters<typeof openSchema>[0], isMigrated: boolean) {
    const { pool, schema } = await openSchema(t, server ?? { url: '' });
    if (isMigrated) await migrate(pool, { schema });
    /** Gives exit code, stdout and stderr as one text. */
    const run = async (args: readonly string[]) => {
      const command = setUp();
      const code = await command.runWords([...args, '--schema', schema], env);
      return `${code} ${command.stdout.text}${command.stderr.text}`;
    };
    return { run, pool, schema, storage: createPostgresStorage(pool, { schema }) };
  }

  t.test('migrate says what it applied; again, that there is nothing to do', async (t) => {
    const { run } = await open(t, false);
    t.match(await run(['migrate']), /^0 Applied version 1\.\n(?:Applied version \d+\.\n)*$/);
    t.match(await run(['migrate']), /^0 Up to date at version \d+\.\n$/);
  });

  t.test('a schema that is not there is told', async (t) => {
    const { stderr, run } = setUp();
    t.equal(await run('migrate --schema nobody_made_this', env), 2);
    t.match(stderr.text, 'claimlink: There is no such schema in the database; create it');
  });

  t.test('a database that was never migrated is told to be', async (t) => {
    const { run } = await open(t, false);
    const commands = [
      'clients add a',
      'sweep',
      'keys issue --client a',
      'keys list --client a',
      'keys revoke k',
    ];
    for (const command of commands) {
      t.match(await run(command.split(' ')), /^2 claimlink: .*run "claimlink migrate"\.\n$/, command);
    }
  });

  t.test('tables of a later version are told, by every command', async (t) => {
    const { run, pool } = await open(t, true);
    await pool.query('INSERT INTO claimlink_migrations (version) VALUES (9999)');
    t.match(await run(['migrate']), /^2 claimlink: .* version 9999 .*update claimlink\.\n$/);
    t.match(await run(['sweep']), /^2 claimlink: .* version 9999 .*update claimlink\.\n$/);
  });

  t.test('clients add stores id, name and callback origins', async (t) => {
    const { run, storage } = await open(t, true);
    t.equal(await run(['clients', 'add', 'acme']), '0 Added the client acme.\n');
    t.same(await storage.findClient('acme'), { clientId: 'acme' });
    const origins = ['--callback-origin', 'https://b.example', '--callback-origin', 'beta:'];
    t.equal(
      await run(['clients', 'add', 'Bêta & Söhne', '--name', 'Beta "Insurance"', ...origins]),
      '0 Added the client Bêta & Söhne.\n',
    );
    t.same(await storage.findClient('Bêta & Söhne'), {
      clientId: 'Bêta & Söhne',
      name: 'Beta "Insurance"',
      callbackOrigins: ['https://b.example', 'beta:'],
    });
  });

  t.test('clients add refuses what is taken or can be no client, and changes nothing', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme', name: 'First' });
    t.equal(
      await run(['clients', 'add', 'acme', '--name', 'Second']),
      '2 claimlink: The client acme exists already.\n',
    );
    t.match(await storage.findClient('acme'), { name: 'First' });
    t.equal(await run(['clients', 'add', 'verify']), '2 claimlink: The id of the client is reserved.\n');
    t.match(
      await run(['clients', 'add', 'beta', '--callback-origin', 'https://b.example/']),
      /^2 claimlink: --callback-origin has an entry that is neither an origin.*\.\n$/,
    );
    t.equal(await storage.findClient('beta'), undefined);
  });

  t.test('sweep deletes the expired links and says how many', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme' });
    const link = (code: string, expiresAt: Date): Link => ({
      accessCodeHash: hashAccessCode(code),
      clientId: 'acme',
      userId: 'u',
      callbackUrl: 'https://example.com/',
      callbackOnSubmit: false,
      config: { contact: { email: 'a@example.com', phone: '1' }, currentUserId: 'u' },
      createdAt: new Date('2026-01-01'),
      expiresAt,
    });
    const future = new Date(Date.now() + 60_000);
    await storage.insertLink(link('expired', new Date('2026-01-02')));
    await storage.insertLink(link('live', future));
    t.equal(await run(['sweep']), '0 Deleted 1 expired link.\n');
    t.equal(await run(['sweep']), '0 Deleted 0 expired links.\n');
    t.ok(await storage.findLink({ clientId: 'acme', accessCodeHash: hashAccessCode('live') }));
  });
}
