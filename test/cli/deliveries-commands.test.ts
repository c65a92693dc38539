// claimlink deliveries list and retry, on a real PostgreSQL.
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { sampleLink, sampleSession, sampleSubmission } from '../../lib/testing/storage-suite/samples.js';
import { setUp } from '../mock-server/command.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const env = { CLAIMLINK_DATABASE_URL: server.url };
  const at = (text: string) => new Date(`${text}Z`);

  /** Opens a database with a pending delivery of acme, and a failed one of acme and of other. */
  async function open(t: Parameters<typeof openSchema>[0]) {
    const { pool, schema } = await openSchema(t, server ?? { url: '' });
    await migrate(pool, { schema });
    const storage = createPostgresStorage(pool, { schema });
    for (const clientId of ['acme', 'other']) await storage.insertClient({ clientId });
    for (const [index, clientId] of ['acme', 'acme', 'other'].entries()) {
      const accessCodeHash = String(index);
      const reference = `S-${index}`;
      await storage.insertLink(sampleLink({ clientId, accessCodeHash }));
      const event = { id: `event-${index}`, attempts: 1, nextAttemptAt: at('2999-01-31T09:30:59') } as const;
      const session = sampleSession({ reference });
      await storage.submitLink(sampleSubmission(accessCodeHash, { clientId, session, event }));
      const failedAt = at(`2026-02-01T10:0${index}:00`);
      const failure = { attempts: 1, nextAttemptAt: failedAt, failedAt, reason: 'Error ECONNREFUSED' };
      if (index > 0) await storage.postponeEvent({ clientId, reference, id: event.id, ...failure });
    }
    const run = async (args: string) => {
      const { run, stdout, stderr } = setUp();
      const code = await run(`${args} --schema ${schema}`, env);
      return { code, stdout: stdout.text, stderr: stderr.text };
    };
    return { run, storage };
  }

  t.test('list is a table of failed deliveries, and says how many there are', async (t) => {
    const { run } = await open(t);
    t.same(await run('deliveries list'), {
      code: 0,
      stdout: [
        'clientId  type             reference  id       attempts  nextAttemptAt  failedAt           reason',
        'acme      claim.submitted  S-1        event-1  1         -              2026-02-01 10:01Z  Error ECONNREFUSED',
        'other     claim.submitted  S-2        event-2  1         -              2026-02-01 10:02Z  Error ECONNREFUSED',
        '',
      ].join('\n'),
      stderr: 'In all: 2 failed, 1 pending.\n',
    });
  });

  t.test('list and retry have the events of links and of deletions, by time, without the user', async (t) => {
    const { run, storage } = await open(t);
    await storage.chooseEvents({ types: ['link.revoked', 'data.deleted'], expiryNoticeSeconds: 60 });
    await storage.revokeLink({ clientId: 'acme', accessCodeHash: '0', at: at('2026-02-01T10:00:00') });
    await storage.insertLink(sampleLink({ clientId: 'acme', accessCodeHash: '9' }));
    await storage.revokeLink({ clientId: 'acme', accessCodeHash: '9', at: sampleLink().createdAt });
    await storage.deleteExpiredLinks(at('2999-01-01T00:00:00'), at('2999-02-01T00:00:00'));
    const list = async (state: string) =>
      JSON.parse((await run(`deliveries list --state ${state} --client acme --json`)).stdout);
    const pending = await list('pending');
    t.match(pending, [
      { type: 'link.revoked', linkId: '9', reference: null, attempts: 0, reason: null },
      { type: 'claim.submitted', reference: 'S-0' },
      { type: 'data.deleted', linkId: null, reference: null },
    ]);
    t.notMatch(JSON.stringify(pending), 'user-1');
    const [{ id }] = pending;
    const failedAt = at('2026-03-03T00:00:00');
    await storage.postponeEvent({
      clientId: 'acme',
      id,
      attempts: 0,
      nextAttemptAt: failedAt,
      failedAt,
      reason: 'Error',
    });
    t.same(
      (await list('failed')).map(({ type }: { type: string }) => type),
      ['claim.submitted', 'link.revoked'],
    );
    t.match(await run('deliveries list'), { stderr: 'In all: 3 failed, 2 pending.\n' });
    t.match(await run('deliveries retry --client acme --all'), { stdout: /^2 deliveries are due again\./ });
  });

  t.test('list selects by state, client and limit', async (t) => {
    const { run } = await open(t);
    const rows = async (args: string) =>
      (await run(`deliveries list ${args}`)).stdout.split('\n').slice(1, -1);
    t.same(await rows('--state pending'), [
      'acme      claim.submitted  S-0        event-0  1         2999-01-31 09:30Z  -         -',
    ]);
    t.match(await rows('--client other'), [/^other /]);
    t.match(await rows('--limit 1'), [/^acme /]);
    t.match(await run('deliveries list --state done'), {
      code: 2,
      stderr: /^claimlink: option '--state <state>' is invalid\. Allowed choices are pending, failed\.\n/,
    });
  });

  t.test('list --json has the same, for programs, and no personal data', async (t) => {
    const { run } = await open(t);
    t.same(JSON.parse((await run('deliveries list --client acme --json')).stdout), [
      {
        id: 'event-1',
        clientId: 'acme',
        type: 'claim.submitted',
        reference: 'S-1',
        linkId: 'a'.repeat(64),
        attempts: 1,
        nextAttemptAt: null,
        failedAt: '2026-02-01T10:01:00.000Z',
        reason: 'Error ECONNREFUSED',
      },
    ]);
  });

  t.test('retry makes failed deliveries due again: one, those of a client, or all', async (t) => {
    const { run, storage } = await open(t);
    t.match(await run('deliveries retry --client acme --reference S-1'), {
      code: 0,
      stdout: '1 delivery is due again. deliverPending of your service repeats them.\n',
      stderr: '',
    });
    const due = await storage.leaseEvents({ at: new Date(), leaseUntil: new Date(), limit: 10 });
    t.match(due, [{ id: 'event-1', attempts: 1 }]);
    t.match(await run('deliveries retry --client acme --all'), { stdout: /^0 deliveries are due/ });
    t.match(await run('deliveries retry --all'), { stdout: /^1 delivery is due/ });
    t.same(await storage.countEvents({ limit: 100 }), { pending: 3, failed: 0 });
  });

  t.test('retry of something else is a mistake', async (t) => {
    const { run } = await open(t);
    const selection = 'claimlink: Name what to repeat: either --reference <text> or --all.\n';
    t.match(await run('deliveries retry --client acme'), { code: 2, stderr: selection });
    t.match(await run('deliveries retry --reference S-0'), {
      code: 2,
      stderr: 'claimlink: There is no failed delivery with the reference S-0.\n',
    });
  });
}
