// claimlink links list, show, revoke and unlock, on a real PostgreSQL.
import t from 'tap';
import { createLinkSigner, hashAccessCode, type Link } from '../../lib/index.js';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import {
  later,
  PREFILLED,
  sampleLink,
  sampleSession,
  sampleSubmission,
} from '../../lib/testing/storage-suite/samples.js';
import { mistake, setUp } from '../mock-server/command.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';

/** Access codes look like this. */
const CODE = 'q83vEjRWeJCrze8SNFZ4kA';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4In0.c2lnbmF0dXJl';
const URL_OF_LINK = `https://claims.example.com/base/verify/${CODE}?token=${TOKEN}&lang=de`;
const LINK_ID = hashAccessCode(CODE);

t.test('a link that is neither an id nor a URL of a link is not repeated', async (t) => {
  const sentence =
    'claimlink: Name the link by its id of 64 hexadecimal digits, which claimlink links list shows, or by its whole URL in quotes. If you have the reference of a claim, claimlink links show --reference <text> shows its link.\n';
  for (const link of [
    CODE,
    LINK_ID.slice(1),
    'https://claims.example.com/',
    `https://claims.example.com/verify/${CODE}/x?token=${TOKEN}`,
    `claims.example.com/verify/${CODE}`,
  ])
    for (const command of ['show', 'revoke', 'unlock'])
      t.equal(
        await mistake(`links ${command} --client acme ${link}`, {
          DATABASE_URL: 'postgres://a@127.0.0.1:1/a',
        }),
        sentence,
        link,
      );
});

const server = await findPostgres(t);
if (server !== undefined) {
  const env = { CLAIMLINK_DATABASE_URL: server.url };
  const FAR = new Date('2999-01-01T00:00:00Z');

  /** Opens a database with these links. */
  async function open(t: Parameters<typeof openSchema>[0], ...links: Partial<Link>[]) {
    const { pool, schema } = await openSchema(t, server ?? { url: '' });
    await migrate(pool, { schema });
    const storage = createPostgresStorage(pool, { schema });
    for (const clientId of ['acme', 'other']) await storage.insertClient({ clientId });
    for (const link of links)
      await storage.insertLink(
        sampleLink({ accessCodeHash: LINK_ID, expiresAt: FAR, config: PREFILLED, ...link }),
      );
    const run = async (args: string) => {
      const { run, stdout, stderr } = setUp();
      const code = await run(`${args} --schema ${schema}`, env);
      return { code, stdout: stdout.text, stderr: stderr.text };
    };
    return { run, storage };
  }

  t.test('list is a table of links with their states, by user', async (t) => {
    const hashes = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
    const [created = '', submitted = '', expired = ''] = hashes;
    const { run, storage } = await open(
      t,
      { accessCodeHash: created, userId: 'u-2' },
      { accessCodeHash: submitted, userId: 'u-1' },
      { accessCodeHash: expired, userId: 'u-3', expiresAt: new Date('2026-03-02T13:00:00Z') },
    );
    await storage.submitLink(sampleSubmission(submitted, { session: sampleSession({ reference: 'S-9' }) }));
    t.same(await run('links list --client acme'), {
      code: 0,
      stdout: [
        `linkId${' '.repeat(58)}  userId  state      createdAt          expiresAt          reference`,
        `${submitted}  u-1     submitted  2026-03-02 12:00Z  2999-01-01 00:00Z  S-9`,
        `${created}  u-2     created    2026-03-02 12:00Z  2999-01-01 00:00Z  -`,
        `${expired}  u-3     expired    2026-03-02 12:00Z  2026-03-02 13:00Z  -`,
        '',
      ].join('\n'),
      stderr: '',
    });
    const ids = async (args: string): Promise<string[]> =>
      JSON.parse((await run(`links list --client acme --json ${args}`)).stdout).map(
        ({ linkId }: { linkId: string }) => linkId,
      );
    t.same(await ids('--state expired'), [expired]);
    t.same(await ids('--user u-2'), [created]);
    const { stdout, stderr } = await run('links list --client acme --limit 2');
    t.equal(stdout.split('\n').length, 4);
    const [, cursor = ''] = /^More follow: repeat the command with --cursor (\S+)\n$/.exec(stderr) ?? [];
    t.same(await ids(`--limit 2 --cursor ${cursor}`), [expired]);
  });

  t.test('list of something that does not exist is one sentence', async (t) => {
    const { run } = await open(t);
    t.match(await run('links list --client nobody'), { code: 2, stderr: /There is no client nobody\./ });
    t.match(await run('links list'), { code: 2, stderr: /required option '--client <id>' not specified/ });
    t.match(await run('links list --client acme --cursor x'), { code: 2, stderr: /^claimlink: --cursor / });
    t.match(await run('links list --client acme --state used'), {
      code: 2,
      stderr: /'--state <state>' is invalid\. Allowed choices are created, /,
    });
  });

  for (const [name, link] of [
    ['id', LINK_ID],
    ['URL', URL_OF_LINK],
  ] as const) {
    t.test(
      `show finds a link by its ${name}, and shows no access code, token or prefilled data`,
      async (t) => {
        const { run } = await open(t, {});
        const { code, stdout, stderr } = await run(`links show --client acme ${link}`);
        t.same([code, stderr], [0, '']);
        t.match(stdout, new RegExp(`^linkId +${LINK_ID}\nclientId +acme\nuserId +user-1\nstate +created\n`));
        const json = await run(`links show ${link} --json --client acme`);
        t.strictSame(JSON.parse(json.stdout), {
          linkId: LINK_ID,
          clientId: 'acme',
          userId: 'user-1',
          state: 'created',
          createdAt: '2026-03-02T12:00:00.123Z',
          expiresAt: '2999-01-01T00:00:00.000Z',
          openedAt: null,
          submittedAt: null,
          revokedAt: null,
          reference: null,
          callbackUrl: 'https://app.example.com/done?r={SESSION_REFERENCE}#top',
          callbackOnSubmit: false,
          history: [{ type: 'link.created', at: '2026-03-02T12:00:00.123Z' }],
        });
        t.match(stdout, /\nhistory\n {2}2026-03-02 12:00Z {2}link\.created *\n$/);
        for (const secret of [CODE, TOKEN, 'P-9']) t.notOk((stdout + json.stdout).includes(secret));
      },
    );

    t.test(`revoke ends a link by its ${name}, once, and prints its id only`, async (t) => {
      const { run, storage } = await open(t, {});
      t.same(await run(`links revoke --client acme ${link}`), {
        code: 0,
        stdout: `Revoked the link ${LINK_ID}.\n`,
        stderr: '',
      });
      t.ok((await storage.findLink({ clientId: 'acme', accessCodeHash: LINK_ID }))?.link.revokedAt);
      t.same(await run(`links revoke --client acme ${link}`), {
        code: 2,
        stdout: '',
        stderr: `claimlink: The link ${LINK_ID} is revoked, so it cannot be revoked.\n`,
      });
    });
  }

  /** Returns the URL of the link with a token for this client. */
  function urlFor(clientId: string): string {
    const signer = createLinkSigner({
      keys: [{ kid: 'k', algorithm: 'HS256', secret: 'a secret of the service of 32 bytes' }],
      issuer: 'https://claims.example.com/base',
    });
    const token = signer.sign({ accessCode: CODE, clientId, issuedAt: new Date(), expiresAt: FAR });
    return URL_OF_LINK.replace(TOKEN, token);
  }

  t.test('show without --client finds a link by its URL, whose token names the client', async (t) => {
    const { run } = await open(t, {}, { clientId: 'other', userId: 'user-2' });
    for (const [clientId, userId] of [
      ['acme', 'user-1'],
      ['other', 'user-2'],
    ] as const) {
      const url = urlFor(clientId);
      const { code, stdout, stderr } = await run(`links show ${url}`);
      t.same([code, stderr], [0, '']);
      t.match(
        stdout,
        new RegExp(`^linkId +${LINK_ID}\nclientId +${clientId}\nuserId +${userId}\nstate +created\n`),
      );
      t.match(JSON.parse((await run(`links show ${url} --json`)).stdout), { clientId, userId });
    }
    t.match((await run(`links show ${urlFor('acme')} --client other`)).stdout, /^clientId +other$/m);
  });

  t.test('show without --client names the client of a URL that has no such link', async (t) => {
    const { run } = await open(t);
    for (const [clientId, sentence] of [
      ['acme', `There is no link ${LINK_ID} of the client acme.`],
      ['nobody', 'There is no client nobody. claimlink clients list shows all.'],
    ] as const)
      t.same(await run(`links show ${urlFor(clientId)}`), {
        code: 2,
        stdout: '',
        stderr: `claimlink: ${sentence}\n`,
      });
  });

  t.test('show without --client finds an id, and a URL of another signer, among all clients', async (t) => {
    const { run } = await open(t, { clientId: 'other', userId: 'user-2' }, {});
    for (const link of [LINK_ID, URL_OF_LINK, URL_OF_LINK.replace(/\?.*/, '')]) {
      const { code, stdout } = await run(`links show ${link}`);
      t.equal(code, 0);
      t.match(stdout.split('\n\n'), [/^clientId +acme$/m, /^clientId +other$/m]);
      const json = await run(`links show ${link} --json`);
      t.match(JSON.parse(json.stdout), [{ clientId: 'acme' }, { clientId: 'other', linkId: LINK_ID }]);
      for (const secret of [CODE, TOKEN]) t.notOk((stdout + json.stdout).includes(secret));
    }
    t.same(await run(`links show ${'f'.repeat(64)}`), {
      code: 2,
      stdout: '',
      stderr: `claimlink: There is no link ${'f'.repeat(64)}.\n`,
    });
  });

  t.test(
    'the history of a link is printed from its URL, its session and its user, without a value',
    async (t) => {
      const { run, storage } = await open(t, {});
      const id = { clientId: 'acme', accessCodeHash: LINK_ID };
      const minute = (count: number) => later(count * 60_000);
      await storage.addMoment({ ...id, moment: { type: 'link.started', at: minute(1) }, sequence: 1 });
      const session = sampleSession({ reference: 'S-9', link: { linkId: LINK_ID } });
      const event = { id: 'event-1', attempts: 1, nextAttemptAt: minute(4) } as const;
      await storage.submitLink(sampleSubmission(LINK_ID, { at: minute(2), session, event }));
      const repeated = { type: 'claim.repeated', at: minute(3), unchanged: false } as const;
      await storage.addMoment({ ...id, moment: repeated, sequence: 2 });
      const key = { clientId: 'acme', reference: 'S-9', id: 'event-1' };
      await storage.postponeEvent({
        ...key,
        attempts: 1,
        nextAttemptAt: minute(5),
        reason: 'Error HTTP_503',
      });
      const history = [
        'history',
        '  2026-03-02 12:00Z  link.created',
        '  2026-03-02 12:01Z  link.started',
        '  2026-03-02 12:02Z  claim.submitted',
        '  2026-03-02 12:03Z  claim.repeated          another claim, not stored',
        '  2026-03-02 12:05Z  claim.delivery_pending  next attempt, after 1 attempt, Error HTTP_503',
      ];
      for (const command of [
        `show ${URL_OF_LINK}`,
        `show ${LINK_ID} --client acme`,
        'show --reference S-9',
        'show --reference S-9 --client acme',
        'list --client acme --user user-1 --history',
      ]) {
        const { code, stdout } = await run(`links ${command}`);
        t.equal(code, 0, command);
        const lines = stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.trimEnd());
        t.same(lines.slice(lines.indexOf('history')), history, command);
        t.notMatch(stdout, /Ada|P-9|Hail/);
      }
      for (const [command, sentence] of [
        ['show', 'Name the link: either its id or URL, or --reference <text>.'],
        [`show ${LINK_ID} --reference S-9`, 'Name the link: either its id or URL, or --reference <text>.'],
        ['show --reference S-1', 'There is no link of a session S-1.'],
        ['show --reference S-1 --client acme', 'There is no link of a session S-1 of the client acme.'],
      ] as const)
        t.same(await run(`links ${command}`), { code: 2, stdout: '', stderr: `claimlink: ${sentence}\n` });
      const { link: _, ...older } = sampleSession({ reference: 'S-2' });
      await storage.insertSession({ clientId: 'acme', userId: 'user-1', ...older });
      t.match((await run('links show --reference S-2')).stderr, /The session S-2 names no link/);
    },
  );

  t.test('unlock gives a link its attempts back, and names the state of a link that has ended', async (t) => {
    const { run, storage } = await open(t, {});
    const id = { clientId: 'acme', accessCodeHash: LINK_ID };
    for (let count = 0; count < 5; count++) await storage.takeAttempt({ ...id, limit: 5 });
    t.equal(await storage.takeAttempt({ ...id, limit: 5 }), undefined);
    t.same(await run(`links unlock --client acme ${URL_OF_LINK}`), {
      code: 0,
      stdout: `Unlocked the link ${LINK_ID}.\n`,
      stderr: '',
    });
    t.equal(await storage.takeAttempt({ ...id, limit: 5 }), 1);
    await storage.submitLink(sampleSubmission(LINK_ID));
    t.match(await run(`links unlock --client acme ${LINK_ID}`), {
      code: 2,
      stderr: `claimlink: The link ${LINK_ID} is submitted, so unlocking it opens no form.\n`,
    });
  });

  t.test('show, revoke and unlock of a link that does not exist name its id', async (t) => {
    const { run } = await open(t);
    for (const command of ['show', 'revoke', 'unlock']) {
      for (const link of [URL_OF_LINK, LINK_ID])
        t.match(await run(`links ${command} ${link} --client acme`), {
          code: 2,
          stdout: '',
          stderr: `claimlink: There is no link ${LINK_ID} of the client acme.\n`,
        });
      t.match(await run(`links ${command} ${LINK_ID} --client nobody`), {
        code: 2,
        stderr: /There is no client nobody\./,
      });
    }
  });
}
