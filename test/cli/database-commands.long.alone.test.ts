// claimlink migrate, clients, users and sweep, on a real PostgreSQL.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type ClientSettings, hashAccessCode, type Link } from '../../lib/index.js';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { sampleSession } from '../../lib/testing/storage-suite/samples.js';
import { setUp } from '../mock-server/command.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';

const server = await findPostgres(t);
const NO_SETTINGS = { locale: null, branding: {}, frameAncestors: [], settings: {} };
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

  t.test('commands with --table-prefix use the tables with this prefix only', async (t) => {
    const { run, pool, schema } = await open(t, true);
    const withPrefix = (args: string) => run([...args.split(' '), '--table-prefix', 'demo_']);
    t.match(await withPrefix('migrate'), /^0 Applied version 1\.\n/);
    t.equal(await withPrefix('clients add acme'), '0 Added the client acme.\n');
    t.equal(await withPrefix('clients update acme --name Acme'), '0 Updated the client acme.\n');
    t.match(await withPrefix('clients update acme'), /^2 claimlink: Name what to change/);
    t.match(await withPrefix('keys issue --client acme'), /^0 Key /);
    t.same(await createPostgresStorage(pool, { schema, tablePrefix: 'demo_' }).listClients(), [
      { clientId: 'acme', name: 'Acme' },
    ]);
    t.equal(await run(['clients', 'list']), '0 clientId  name  callbackOrigins\n');
  });

  t.test('every command uses the schema of the URL, which migrate creates', async (t) => {
    const { pool, schema } = await open(t, false);
    const name = `${schema}_url`;
    t.teardown(() => pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`));
    const url = `${server.url}${server.url.includes('?') ? '&' : '?'}schema=${name}`;
    const run = async (args: string) => {
      const command = setUp();
      return `${await command.run(args, { DATABASE_URL: url })} ${command.stdout.text}${command.stderr.text}`;
    };
    t.match(await run('migrate'), /^0 Applied version 1\.\n/);
    t.equal(await run('clients add acme'), '0 Added the client acme.\n');
    t.match(await run(`clients list --schema ${name}`), /^0 .*\nacme/);
    t.same(await createPostgresStorage(pool, { schema: name }).listClients(), [{ clientId: 'acme' }]);
  });

  t.test('the message for a database without tables names claimlink migrate', async (t) => {
    const { run } = await open(t, false);
    const commands = [
      'clients add a',
      'clients list',
      'clients show a',
      'clients update a --name b',
      'clients remove a --yes',
      'sweep',
      'users export --client a --user b',
      'users delete --client a --user b --yes',
      'keys issue --client a',
      'keys list --client a',
      'keys show k',
      'keys update k --expires never',
      'keys rotate k',
      'keys revoke k',
      'deliveries list',
      'deliveries retry --all',
      'links list --client a',
      `links show --client a ${'0'.repeat(64)}`,
      `links revoke --client a ${'0'.repeat(64)}`,
      `links unlock --client a ${'0'.repeat(64)}`,
      'sessions list --client a',
      'sessions show --client a S-1',
      'sessions update --client a S-1 --status x',
    ];
    for (const command of commands) {
      t.match(await run(command.split(' ')), /^2 claimlink: .*run "claimlink migrate"/i, command);
    }
  });

  t.test('migrate and sweep report tables of a later version', async (t) => {
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

  t.test('clients add rejects what is taken or can be no client, and changes nothing', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme', name: 'First' });
    t.equal(
      await run(['clients', 'add', 'acme', '--name', 'Second']),
      '2 claimlink: The client acme exists already.\n',
    );
    t.match(await storage.findClient('acme'), { name: 'First' });
    t.equal(await run(['clients', 'add', 'verify']), '2 claimlink: The argument client-id is reserved.\n');
    t.match(
      await run(['clients', 'add', 'beta', '--callback-origin', 'https://b.example/']),
      /^2 claimlink: --callback-origin has an entry that is neither an origin.*\.\n$/,
    );
    t.equal(await storage.findClient('beta'), undefined);
  });

  t.test('clients list shows all clients, as a table or as JSON', async (t) => {
    const { run, storage } = await open(t, true);
    t.equal(await run(['clients', 'list']), '0 clientId  name  callbackOrigins\n');
    await storage.insertClient({ clientId: 'beta', name: 'Beta\u001b[2J', callbackOrigins: [] });
    await storage.insertClient({
      clientId: 'acme',
      callbackOrigins: ['https://a.example', 'acme:'],
    });
    await storage.insertClient({ clientId: 'Z' });
    t.equal(
      await run(['clients', 'list']),
      [
        '0 clientId  name           callbackOrigins',
        'Z         -              -',
        'acme      -              https://a.example acme:',
        'beta      Beta\\u001b[2J  none',
        '',
      ].join('\n'),
    );
    const text = await run(['clients', 'list', '--json']);
    t.same(JSON.parse(text.slice(2)), [
      { clientId: 'Z', name: null, callbackOrigins: null, ...NO_SETTINGS },
      { clientId: 'acme', name: null, callbackOrigins: ['https://a.example', 'acme:'], ...NO_SETTINGS },
      { clientId: 'beta', name: 'Beta\u001b[2J', callbackOrigins: [], ...NO_SETTINGS },
    ]);
  });

  t.test('clients show prints one client and its keys, without their hashes', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme', name: 'Acme' });
    t.match(
      await run(['clients', 'show', 'acme']),
      /^0 clientId {9}acme\nname {13}Acme\ncallbackOrigins {2}-\n(?:.*\n)*\nid {2}key {2}createdAt .*\n$/,
    );
    const createdAt = new Date('2026-01-31T09:30:59Z');
    await storage.insertApiKey({
      id: 'key-1',
      clientId: 'acme',
      hash: 'the-hash',
      hint: 'clk_…x',
      createdAt,
    });
    const text = await run(['clients', 'show', 'acme']);
    t.match(text, /\n\nid {5}key {5}createdAt .*\nkey-1 {2}clk_…x {2}2026-01-31 09:30Z .* active\n$/);
    const json = await run(['clients', 'show', 'acme', '--json']);
    t.match(JSON.parse(json.slice(2)), { clientId: 'acme', apiKeys: [{ id: 'key-1', state: 'active' }] });
    t.notMatch(text + json, 'the-hash');
    t.equal(
      await run(['clients', 'show', 'nobody']),
      '2 claimlink: There is no client nobody. claimlink clients list shows all.\n',
    );
  });

  t.test('clients update changes what the flags name, and nothing else', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme', name: 'Acme', callbackOrigins: ['https://a.example'] });
    t.equal(await run(['clients', 'update', 'acme', '--name', 'New']), '0 Updated the client acme.\n');
    t.same(await storage.findClient('acme'), {
      clientId: 'acme',
      name: 'New',
      callbackOrigins: ['https://a.example'],
    });
    await run(['clients', 'update', 'acme', '--callback-origin', 'https://b.example']);
    t.same(await storage.findClient('acme'), {
      clientId: 'acme',
      name: 'New',
      callbackOrigins: ['https://b.example'],
    });
    await run(['clients', 'update', 'acme', '--any-callback-origin']);
    t.same(await storage.findClient('acme'), { clientId: 'acme', name: 'New' });
  });

  t.test('an empty name or callback origin removes the setting, as the help says', async (t) => {
    const { run, storage } = await open(t, true);
    const callbackOrigins = ['https://a.example'];
    await storage.insertClient({ clientId: 'acme', name: 'Acme', callbackOrigins });
    t.equal(await run(['clients', 'update', 'acme', '--name', '']), '0 Updated the client acme.\n');
    t.same(await storage.findClient('acme'), { clientId: 'acme', callbackOrigins });
    t.equal(
      await run(['clients', 'update', 'acme', '--callback-origin', '']),
      '0 Updated the client acme.\n',
    );
    t.same(await storage.findClient('acme'), { clientId: 'acme' });
    t.equal(await run(['clients', 'add', 'beta', '--name', '']), '0 Added the client beta.\n');
    t.same(await storage.findClient('beta'), { clientId: 'beta' });
    t.match(await run(['clients', 'add', 'gamma', '--name', '--locale']), /^2 .*--name.* It needs a value\./);
  });

  t.test('an empty callback origin never allows more than the help says', async (t) => {
    const { run, storage } = await open(t, true);
    const client = { clientId: 'acme', callbackOrigins: ['https://a.example'] };
    await storage.insertClient(client);
    const origins = ['--callback-origin', 'https://b.example', '--callback-origin', ''];
    for (const words of [
      ['update', 'acme', ...origins],
      ['add', 'beta', '--callback-origin', ''],
    ])
      t.match(
        await run(['clients', ...words]),
        /^2 claimlink: --callback-origin has an entry that is neither/,
      );
    t.same(await storage.listClients(), [client]);
    await storage.updateClient({ clientId: 'acme', callbackOrigins: [] });
    await run(['clients', 'update', 'acme', '--name', 'Acme']);
    t.match(await storage.findClient('acme'), { name: 'Acme', callbackOrigins: [] }, 'no origin stays none');
  });

  t.test(
    'clients add and update set the language, the brand and the frame ancestors; empty texts remove them',
    async (t) => {
      const { run, storage } = await open(t, true);
      const branding = {
        displayName: 'Acme & Söhne',
        logoUrl: 'https://img.example/logo.svg',
        primaryColor: '#7a1f5c',
        supportUrl: 'https://acme.example/help',
        imprintUrl: 'https://acme.example/imprint',
      };
      const brandFlags = [
        '--display-name',
        '--logo-url',
        '--primary-color',
        '--support-url',
        '--imprint-url',
      ];
      const values = Object.values(branding);
      const settings = brandFlags.flatMap((flag, index) => [flag, values[index] ?? '']);
      const others = [
        '--locale',
        'de',
        '--frame-ancestor',
        'https://a.example',
        '--frame-ancestor',
        'https://b.example',
      ];
      t.match(await run(['clients', 'add', 'acme', ...settings, ...others]), /^0 Added/);
      const client = {
        clientId: 'acme',
        locale: 'de',
        branding,
        frameAncestors: ['https://a.example', 'https://b.example'],
      };
      t.same(await storage.findClient('acme'), client);
      const shown = await run(['clients', 'show', 'acme']);
      for (const value of [...values, 'de', 'https://a.example', 'https://b.example']) t.match(shown, value);
      t.match(JSON.parse((await run(['clients', 'show', 'acme', '--json'])).slice(2)), client);

      await run(['clients', 'update', 'acme', '--name', 'New', '--logo-url', '']);
      const { logoUrl: _, ...rest } = branding;
      t.same(await storage.findClient('acme'), { ...client, name: 'New', branding: rest });
      await run([
        'clients',
        'update',
        'acme',
        '--locale',
        '',
        '--frame-ancestor',
        '',
        ...brandFlags.flatMap((flag) => [flag, '']),
      ]);
      t.same(await storage.findClient('acme'), { clientId: 'acme', name: 'New' });
    },
  );

  t.test('clients add and update set when the success page goes on; an empty text removes it', async (t) => {
    const { run, storage } = await open(t, true);
    await run(['clients', 'add', 'acme', '--redirect-after', '120']);
    t.same(await storage.findClient('acme'), { clientId: 'acme', settings: { redirectAfterSeconds: 120 } });
    t.match(await run(['clients', 'show', 'acme']), /^settings\.redirectAfterSeconds {2}120$/m);
    await run(['clients', 'update', 'acme', '--redirect-after', 'never']);
    const client = { clientId: 'acme', settings: { redirectAfterSeconds: 'never' } };
    t.same(await storage.findClient('acme'), client);
    await run(['clients', 'update', 'acme', '--name', 'Acme']);
    t.same(await storage.findClient('acme'), { ...client, name: 'Acme' });
    await run(['clients', 'update', 'acme', '--redirect-after', '']);
    t.same(await storage.findClient('acme'), { clientId: 'acme', name: 'Acme' });
  });

  t.test('clients update sets the form from a file; an empty text removes it', async (t) => {
    const { run, storage } = await open(t, true);
    const form = { fields: { '/policy/vehicle/licensePlate': 'hidden' } } as const;
    const folder = t.testdir({
      'form.json': JSON.stringify(form),
      'bad.json': '{',
      'wrong.json': '{"field":{}}',
    });
    await run(['clients', 'add', 'acme', '--form', `${folder}/form.json`, '--redirect-after', 'never']);
    const settings = { redirectAfterSeconds: 'never', form } as const;
    t.same(await storage.findClient('acme'), { clientId: 'acme', settings });
    for (const [file, message] of [
      ['bad.json', /--form must name a file with JSON/],
      ['none.json', /--form must name a file with JSON/],
      ['wrong.json', /field is not an option \(did you mean fields\?\)/],
    ] as const)
      t.match(await run(['clients', 'update', 'acme', '--form', `${folder}/${file}`]), message);
    t.same(await storage.findClient('acme'), { clientId: 'acme', settings });
    await run(['clients', 'update', 'acme', '--form', '']);
    t.same(await storage.findClient('acme'), {
      clientId: 'acme',
      settings: { redirectAfterSeconds: 'never' },
    });
  });

  t.test('a setting of newer code is shown, and stays when another one is changed', async (t) => {
    const { run, storage } = await open(t, true);
    const client = { clientId: 'acme', settings: { later: true } as ClientSettings };
    await storage.insertClient(client);
    t.match(await run(['clients', 'show', 'acme']), /^settings\.later {2,}true$/m);
    t.match(await run(['clients', 'update', 'acme', '--redirect-after', '60']), /^0 Updated/);
    t.same(await storage.findClient('acme'), {
      ...client,
      settings: { ...client.settings, redirectAfterSeconds: 60 },
    });
  });

  t.test('a setting that is not valid is rejected by its flag', async (t) => {
    const { run } = await open(t, true);
    const rejections: [words: string[], sentence: RegExp][] = [
      [
        ['--primary-color', '#ffff00'],
        /--primary-color must reach a contrast of 4\.5:1 .* is #[0-9a-f]{6}\./,
      ],
      [['--logo-url', 'http://acme.example/logo.svg'], /--logo-url must be an https URL\./],
      [['--locale', 'german language'], /--locale must be a BCP 47 language tag/],
      [['--frame-ancestor', '*'], /--frame-ancestor has an entry that is not an origin/],
      ...['0', '4', '301', '5.5', '-60', '1e2', 'soon', '--name'].map((text): [string[], RegExp] => [
        ['--redirect-after', text],
        /--redirect-after must be 'never' or a whole number of seconds, 5 to 300\./,
      ]),
    ];
    for (const [words, sentence] of rejections)
      t.match(await run(['clients', 'add', 'acme', ...words]), sentence, words.join(' '));
  });

  t.test('clients update rejects an invalid change', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme', name: 'Acme' });
    const rejections: [words: string[], sentence: RegExp][] = [
      [[], /Name what to change, such as --name or --primary-color\./],
      [
        ['--any-callback-origin', '--callback-origin', 'a:'],
        /--any-callback-origin' cannot be used with option '--callback-origin/,
      ],
      [
        ['--callback-origin', 'https://b.example/'],
        /--callback-origin has an entry that is neither an origin/,
      ],
    ];
    for (const [words, sentence] of rejections) {
      const text = await run(['clients', 'update', 'acme', ...words]);
      t.match(text, /^2 claimlink: /);
      t.match(text, sentence);
    }
    t.same(await storage.findClient('acme'), { clientId: 'acme', name: 'Acme' });
    t.match(
      await run(['clients', 'update', 'nobody', '--name', 'x']),
      /^2 claimlink: There is no client nobody\./,
    );
  });

  t.test('clients remove needs --yes, and removes the client with its keys', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme' });
    await storage.insertApiKey({ id: 'key-1', clientId: 'acme', hash: 'hash', createdAt: new Date() });
    t.equal(
      await run(['clients', 'remove', 'acme']),
      '2 claimlink: This removes the client acme with its API keys, links and sessions. Repeat it with --yes.\n',
    );
    t.ok(await storage.findClient('acme'));
    t.equal(await run(['clients', 'remove', 'acme', '--yes']), '0 Removed the client acme.\n');
    t.same(await storage.findCredentials({ apiKeyHash: 'hash', clientId: 'acme' }), {});
    t.match(await run(['clients', 'remove', 'acme', '--yes']), /^2 claimlink: There is no client acme\./);
  });

  /** A link with prefilled personal data. */
  const link = (code: string, expiresAt: Date): Link => ({
    accessCodeHash: hashAccessCode(code),
    clientId: 'acme',
    userId: 'u',
    callbackUrl: 'https://example.com/',
    callbackOnSubmit: false,
    config: {
      contact: { email: 'a@example.com', phone: '1' },
      currentUserId: 'u',
      policy: { number: 'P-1' },
    },
    createdAt: new Date('2026-01-01'),
    expiresAt,
  });
  const linkId = (code: string) => ({ clientId: 'acme', accessCodeHash: hashAccessCode(code) });
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

  t.test('sweep deletes the expired links and says how many', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme' });
    await storage.insertLink(link('expired', new Date('2026-01-02')));
    await storage.insertLink(link('live', ago(-1)));
    t.equal(await run(['sweep']), '0 Deleted 1 expired link.\n');
    t.equal(await run(['sweep', '--links']), '0 Deleted 0 expired links.\n');
    t.match(await storage.findLink(linkId('live')), { link: { config: { policy: { number: 'P-1' } } } });
  });

  t.test('sweep --links 30d keeps younger links, and removes their prefilled data', async (t) => {
    const { run, storage } = await open(t, true);
    await storage.insertClient({ clientId: 'acme' });
    for (const days of [31, 29, 1, -1]) await storage.insertLink(link(String(days), ago(days)));
    t.equal(
      await run(['sweep', '--links', '30d']),
      '0 Deleted 1 expired link.\nRemoved the prefilled data of 2 expired links.\n',
    );
    t.equal(await run(['sweep', '--links', '30d']), '0 Deleted 0 expired links.\n');
    t.equal(await storage.findLink(linkId('31')), undefined);
    const { contact, currentUserId } = link('29', ago(29)).config;
    t.strictSame((await storage.findLink(linkId('29')))?.link.config, { contact, currentUserId });
    t.match(await storage.findLink(linkId('-1')), { link: { config: { policy: { number: 'P-1' } } } });
  });

  t.test('sweep --sessions-older-than 3y deletes older sessions, and keeps links', async (t) => {
    const { run, storage, pool } = await open(t, true);
    await storage.insertClient({ clientId: 'acme' });
    await storage.insertLink(link('expired', ago(1)));
    await pool.query(`
      INSERT INTO claimlink_sessions (client_id, reference, user_id, date, cams_reference, status, created_at, selected_policy)
      SELECT 'acme', n::text, 'u', now() - make_interval(years => 3, mins => n - 60000), 'c', 's', now(), '{}'
      FROM generate_series(1, 120001) n WHERE n NOT BETWEEN 59990 AND 60010`);
    const { rows } = await pool.query(
      'SELECT count(*)::integer AS kept FROM claimlink_sessions WHERE date >= now() - make_interval(years => 3)',
    );
    t.match(
      await run(['sweep', '--sessions-older-than', '3y']),
      /^0 Removed the prefilled data of 1 expired link\.\nDeleted 59991 sessions from before \d{4}-\d\d-\d\d\.\n$/,
    );
    const after = await pool.query('SELECT count(*)::integer AS kept FROM claimlink_sessions');
    t.same(after.rows, rows);
    t.ok(await storage.findLink(linkId('expired')));
  });

  for (const args of [
    '--links 0d',
    '--sessions-older-than 3',
    '--sessions-older-than=3h',
    '--sessions-older-than --links',
  ]) {
    t.test(`sweep ${args} is rejected, and nothing is deleted`, async (t) => {
      const { run, storage } = await open(t, true);
      await storage.insertClient({ clientId: 'acme' });
      await storage.insertLink(link('expired', ago(1)));
      t.match(
        await run(['sweep', ...args.split(' ')]),
        /^2 claimlink: option '.*' is invalid\. It must be 1 to 999 days/,
      );
      t.ok(await storage.findLink(linkId('expired')));
    });
  }

  /** A user with a session and a link, and another user with a session. */
  async function openUser(t: Parameters<typeof openSchema>[0]) {
    const opened = await open(t, true);
    const { storage } = opened;
    await storage.insertClient({ clientId: 'acme' });
    for (const userId of ['u', 'other']) {
      const session = sampleSession({ reference: `S-${userId}` });
      await storage.insertSession({ clientId: 'acme', userId, ...session });
    }
    await storage.insertLink(link('live', ago(-1)));
    return opened;
  }

  t.test('users export writes JSON to stdout, or to a new file that only its owner may read', async (t) => {
    const { run, schema } = await openUser(t);
    const { stdout, stderr, runWords } = setUp();
    const args = ['users', 'export', '--client', 'acme', '--user', 'u'];
    t.equal(await runWords([...args, '--schema', schema], env), 0);
    t.match(JSON.parse(stdout.text), {
      clientId: 'acme',
      userId: 'u',
      sessions: [{ reference: 'S-u', selectedPolicy: { holder: { email: 'ada@example.com' } } }],
      links: [{ state: 'created', config: { policy: { number: 'P-1' } } }],
    });
    t.equal(stderr.text, 'Exported: sessions 1, links 1.\n');
    const file = join(t.testdir(), 'u.json');
    t.equal(await run([...args, '--out', file]), '0 Exported: sessions 1, links 1.\n');
    t.match(JSON.parse(await readFile(file, 'utf8')), { userId: 'u', sessions: [{ reference: 'S-u' }] });
    t.equal((await stat(file)).mode & 0o777, 0o600);
    await writeFile(file, 'other');
    t.equal(await run([...args, '--out', file]), `2 claimlink: --out: ${file} exists already.\n`);
    t.equal(await readFile(file, 'utf8'), 'other');
    const nowhere = join(t.testdirName, 'none', 'u.json');
    t.equal(
      await run([...args, '--out', nowhere]),
      `2 claimlink: --out: ${nowhere} cannot be written (ENOENT).\n`,
    );
  });

  t.test('users delete asks for --yes, deletes one user and prints the counts', async (t) => {
    const { run, storage } = await openUser(t);
    const args = ['users', 'delete', '--client', 'acme', '--user', 'u'];
    t.equal(
      await run(args),
      '2 claimlink: This deletes the sessions, links and undelivered events of the user u of acme. Repeat it with --yes.\n',
    );
    t.ok(await storage.findLink(linkId('live')));
    t.equal(await run([...args, '--yes']), '0 Deleted: sessions 1, links 1, undelivered events 0.\n');
    t.equal(await storage.findLink(linkId('live')), undefined);
    t.equal((await storage.listSessions({ clientId: 'acme', userId: 'other', limit: 9 })).sessions.length, 1);
    t.equal(await run([...args, '--yes']), '0 Deleted: sessions 0, links 0, undelivered events 0.\n');
  });

  t.test('users commands name the flag of a client or user that is wrong or missing', async (t) => {
    const { run } = await openUser(t);
    t.match(
      await run(['users', 'export', '--user', 'u']),
      /^2 claimlink: required option '--client <id>' not specified\n/,
    );
    t.match(
      await run(['users', 'export', '--client', 'none', '--user', 'u']),
      /^2 claimlink: There is no client none\./,
    );
    t.match(
      await run(['users', 'delete', '--yes', '--client', 'acme', '--user', 'a\nb']),
      /^2 claimlink: --user must not contain control characters\.\n/,
    );
    t.match(
      await run(['users', 'delete', '--yes', '--client', 'x'.repeat(101), '--user', 'u']),
      /^2 claimlink: --client .*100/,
    );
  });
}
