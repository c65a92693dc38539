// claimlink sessions list, show and update, on a real PostgreSQL.
import t from 'tap';
import type { SessionRecord } from '../../lib/index.js';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { sampleRecord } from '../../lib/testing/storage-suite/samples.js';
import { setUp } from '../mock-server/command.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const env = { CLAIMLINK_DATABASE_URL: server.url };

  /** Opens a database with the clients acme and other, and these sessions. */
  async function open(t: Parameters<typeof openSchema>[0], ...sessions: Partial<SessionRecord>[]) {
    const { pool, schema } = await openSchema(t, server ?? { url: '' });
    await migrate(pool, { schema });
    const storage = createPostgresStorage(pool, { schema });
    for (const clientId of ['acme', 'other']) await storage.insertClient({ clientId });
    for (const session of sessions) await storage.insertSession(sampleRecord(session));
    const run = async (args: string) => {
      const { run, stdout, stderr } = setUp();
      const code = await run(`${args} --schema ${schema}`, env);
      return { code, stdout: stdout.text, stderr: stderr.text };
    };
    return { run, storage };
  }

  const THREE = [
    { reference: 'S-1', userId: 'u-1', date: new Date('2026-03-01T09:30:00Z') },
    { reference: 'S-2', userId: 'u-2', date: new Date('2026-03-02T09:30:00Z'), status: 'accepted' },
    { reference: 'S-3', userId: 'u-1', date: new Date('2026-03-03T09:30:00Z'), camsReference: '\u001b[2J' },
  ];

  t.test('list is a table of the sessions of a client in the order of submission', async (t) => {
    const { run } = await open(t, ...THREE, { clientId: 'other' });
    t.same(await run('sessions list --client acme'), {
      code: 0,
      stdout: [
        'reference  userId  status     camsReference  date',
        'S-1        u-1     submitted  C-1            2026-03-01 09:30Z',
        'S-2        u-2     accepted   C-1            2026-03-02 09:30Z',
        'S-3        u-1     submitted  \\u001b[2J      2026-03-03 09:30Z',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  t.test('list --json has the members of the table and no data of the claim', async (t) => {
    const { run } = await open(t, THREE[0] ?? {});
    t.strictSame(JSON.parse((await run('sessions list --client acme --json')).stdout), [
      {
        reference: 'S-1',
        clientId: 'acme',
        userId: 'u-1',
        status: 'submitted',
        camsReference: 'C-1',
        date: '2026-03-01T09:30:00.000Z',
        createdAt: '2026-03-02T12:00:00.123Z',
      },
    ]);
  });

  t.test('list selects by user, time, limit and cursor', async (t) => {
    const { run } = await open(t, ...THREE);
    const references = async (args: string): Promise<string[]> =>
      JSON.parse((await run(`sessions list --client acme --json ${args}`)).stdout).map(
        ({ reference }: { reference: string }) => reference,
      );
    t.same(await references('--user u-1'), ['S-1', 'S-3']);
    t.same(await references('--since 2026-03-02'), ['S-2', 'S-3']);
    for (const [user, first, second] of [
      ['', ['S-1', 'S-2'], ['S-3']],
      ['--user u-1', ['S-1'], ['S-3']],
    ] as const) {
      const limit = `--limit ${first.length} ${user}`;
      const { stdout, stderr } = await run(`sessions list --client acme --json ${limit}`);
      t.match(
        JSON.parse(stdout),
        first.map((reference) => ({ reference })),
      );
      const [, cursor = ''] = /^More follow: repeat the command with --cursor (\S+)\n$/.exec(stderr) ?? [];
      t.same(await references(`${limit} --cursor ${cursor}`), second);
    }
  });

  t.test('list of something that does not exist is one sentence', async (t) => {
    const { run } = await open(t);
    for (const user of ['', ' --user u'])
      t.match(await run(`sessions list --client nobody${user}`), {
        code: 2,
        stderr: /^claimlink: There is no client nobody\./,
      });
    t.match(await run('sessions list'), { code: 2, stderr: /required option '--client <id>' not specified/ });
    t.match(await run('sessions list --client acme --user u --since 2026-01-01'), {
      code: 2,
      stderr: /^claimlink: option '--since <date>' cannot be used with option '--user <id>'\n/,
    });
    t.match(await run(`sessions list --client acme --user ${'x'.repeat(257)}`), {
      code: 2,
      stderr: /^claimlink: --user .*256/,
    });
  });

  t.test('show finds a session by its reference, and prints every member with its path', async (t) => {
    const { run } = await open(t, ...THREE);
    const { code, stdout, stderr } = await run('sessions show --client acme S-2');
    t.same([code, stderr], [0, '']);
    for (const line of [
      /^clientId +acme$/m,
      /^userId +u-2$/m,
      /^reference +S-2$/m,
      /^date +2026-03-02 09:30Z$/m,
      /^status +accepted$/m,
      /^selectedPolicy\.holder\.email +ada@example\.com$/m,
      /^selectedPolicy\.linkedContacts\.1\.firstName +Alan$/m,
      /^incident\.description +Hail\.\\u000aTwo dents/m,
      /^extra\.ticket +42$/m,
      /^extra\.nested\.deep\.2 +true$/m,
    ])
      t.match(stdout, line);
  });

  t.test('show --json prints the stored record', async (t) => {
    const { run, storage } = await open(t, ...THREE);
    const { stdout } = await run('sessions show S-3 --client acme --json');
    const record = await storage.findSession({ clientId: 'acme', reference: 'S-3' });
    t.strictSame(JSON.parse(stdout), JSON.parse(JSON.stringify(record)));
    t.equal(JSON.parse(stdout).camsReference, '\u001b[2J');
  });

  t.test('clients may have the same reference', async (t) => {
    const { run, storage } = await open(t, { userId: 'a' }, { clientId: 'other', userId: 'b' });
    t.match(await run('sessions update S-1 --status accepted'), {
      code: 2,
      stdout: '',
      stderr: /required option '--client <id>' not specified/,
    });
    t.match((await run('sessions show S-1 --client other')).stdout, /^userId +b$/m);
    t.match(await run('sessions update S-1 --client other --status accepted'), {
      code: 0,
      stdout: 'Updated the session S-1 of other.\n',
    });
    t.match(await storage.findSession({ clientId: 'other', reference: 'S-1' }), { status: 'accepted' });
    t.match(await storage.findSession({ clientId: 'acme', reference: 'S-1' }), { status: 'submitted' });
  });

  t.test('show without --client prints each match of all clients; --json is a list', async (t) => {
    const { run, storage } = await open(
      t,
      { clientId: 'other', userId: 'b' },
      { userId: 'a' },
      { reference: 'S-2', userId: 'c' },
    );
    const { code, stdout, stderr } = await run('sessions show S-1');
    t.same([code, stderr], [0, '']);
    const [first = '', second = '', ...more] = stdout.split('\n\n');
    t.match(first, /^clientId +acme\nuserId +a\nreference +S-1\n/);
    t.match(second, /^clientId +other\nuserId +b\nreference +S-1\n/);
    t.same(more, []);
    const json = async (args: string) => JSON.parse((await run(`sessions show ${args} --json`)).stdout);
    t.strictSame(
      await json('S-1'),
      JSON.parse(
        JSON.stringify([sampleRecord({ userId: 'a' }), sampleRecord({ clientId: 'other', userId: 'b' })]),
      ),
    );
    const record = await storage.findSession({ clientId: 'acme', reference: 'S-2' });
    t.strictSame(await json('S-2'), [JSON.parse(JSON.stringify(record))]);
    t.same(await run('sessions show S-9'), {
      code: 2,
      stdout: '',
      stderr: 'claimlink: There is no session S-9.\n',
    });
    t.match(await run(`sessions show ${'x'.repeat(101)}`), {
      code: 2,
      stderr: /^claimlink: The argument reference must not be longer than 100/,
    });
  });

  t.test('update changes what the flags name, and nothing else', async (t) => {
    const { run, storage } = await open(t, ...THREE);
    const key = { clientId: 'acme', reference: 'S-1' };
    const before = await storage.findSession(key);
    t.match(await run('sessions update --client acme S-1 --status accepted'), {
      code: 0,
      stdout: 'Updated the session S-1 of acme.\n',
    });
    t.match(await run('sessions update --client acme S-1 --cams-reference CAMS-7'), { code: 0 });
    t.strictSame(await storage.findSession(key), { ...before, status: 'accepted', camsReference: 'CAMS-7' });
  });

  t.test('an unknown session and an invalid change are one sentence', async (t) => {
    const { run } = await open(t, ...THREE);
    for (const [args, stderr] of [
      ['show S-9 --client acme', 'There is no session S-9 of the client acme.'],
      ['show S-1 --client nobody', 'There is no client nobody. claimlink clients list shows all.'],
      ['update S-9 --client acme --status x', 'There is no session S-9 of the client acme.'],
      ['update S-1 --client acme', 'Name what to change: --status or --cams-reference.'],
      [`update S-1 --client acme --status ${'x'.repeat(101)}`, /^claimlink: --status .*100/],
      ['update S-1 --client acme --cams-reference .', /^claimlink: --cams-reference must /],
      [`show --client acme ${'x'.repeat(101)}`, /^claimlink: The argument reference .*100/],
    ] as const)
      t.match(await run(`sessions ${args}`), {
        code: 2,
        stdout: '',
        stderr: typeof stderr === 'string' ? `claimlink: ${stderr}\n` : stderr,
      });
  });
}
