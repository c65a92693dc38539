// One table of events in place of the two of 0.2.0, whose code goes on over views with the old names.
import pg from 'pg';
import t, { type Test } from 'tap';
import { assertSchema, createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import {
  CLIENT_ID,
  hashOf,
  later,
  linkId,
  NOON,
  sampleLink,
  sampleSession,
  sampleSubmission,
} from '../../lib/testing/storage-suite/samples.js';
import { sized } from '../size.js';
import { findPostgres, openSchema, type PostgresServer } from './postgres-server.js';
import { findOlderCode, type OlderCode } from './storage-0.2.0.js';

const CHOICE = { types: ['link.started', 'link.declined', 'data.deleted'], expiryNoticeSeconds: 60 } as const;
const LEASE = { at: later(120_000), leaseUntil: later(600_000), limit: 10 };

/** Creates a schema with the tables of 0.2.0 and a client. */
async function openOlder(t: Test, server: PostgresServer, older: OlderCode, settings?: string) {
  const opened = await openSchema(t, server, settings);
  await older.migrate(opened.pool);
  const storage = older.createPostgresStorage(opened.pool);
  await storage.insertClient({ clientId: CLIENT_ID });
  await storage.chooseEvents(CHOICE);
  return { ...opened, storage };
}

type Writer = Pick<ReturnType<typeof createPostgresStorage>, 'insertLink' | 'addMoment' | 'submitLink'>;

/** Starts and submits a link: an event of the link, and one of the submission. Returns the id of the latter. */
async function submit(storage: Writer, number: number): Promise<string> {
  const accessCodeHash = hashOf(number);
  await storage.insertLink(sampleLink({ accessCodeHash }));
  const moment = { type: 'link.started', at: NOON } as const;
  await storage.addMoment({ ...linkId(accessCodeHash), moment, sequence: 1 });
  const id = `event-${number}`;
  const session = sampleSession({ reference: `S-${number}` });
  const event = { id, attempts: 0, nextAttemptAt: NOON } as const;
  const { outcome } = await storage.submitLink(sampleSubmission(accessCodeHash, { session, event }));
  if (outcome !== 'submitted') throw new Error(`the submission is ${outcome}`);
  return id;
}

/** Delivers the events that are due as code of 0.2.0, and returns what it delivered. */
async function deliverAsOlder(storage: ReturnType<OlderCode['createPostgresStorage']>): Promise<string[]> {
  const submissions = await storage.leaseEvents(LEASE);
  for (const event of submissions) await storage.settleEvent(event);
  const others = await storage.leaseLifeEvents(LEASE);
  for (const { event } of others) await storage.settleLifeEvent(event);
  return [
    ...submissions.map(({ id }) => id),
    ...others.map(({ event }) => `${event.type} ${'linkId' in event && Number(event.linkId)}`),
  ];
}

/** The same as this code. */
async function deliver(storage: ReturnType<typeof createPostgresStorage>): Promise<string[]> {
  const events = await storage.leaseEvents(LEASE);
  for (const event of events) await storage.settleEvent(event);
  return events.map((event) => ('linkId' in event ? `${event.type} ${Number(event.linkId)}` : event.id));
}

/** What must be delivered of these links. */
const expectedOf = (count: number) =>
  Array.from({ length: count }, (_, number) => [`event-${number + 1}`, `link.started ${number + 1}`])
    .flat()
    .sort();

const server = await findPostgres(t);
const older = await findOlderCode(t);
if (server !== undefined && older !== undefined) {
  t.test('the storage suite of 0.2.0 passes on the tables of this code', async (t) => {
    const { pool } = await openOlder(t, server, older);
    await migrate(pool);
    await older.assertSchema(pool);
    t.same(await older.migrate(pool), []);
    const other = new pg.Pool(pool.options);
    t.teardown(() => other.end());
    const createStorage = async () => {
      for (const table of ['clients', 'api_keys', 'sessions', 'links', 'sequences', 'outbox', 'event_types'])
        await pool.query(`DELETE FROM claimlink_${table}`);
      return older.createPostgresStorage(pool);
    };
    const createPair = async () => [await createStorage(), older.createPostgresStorage(other)] as const;
    async function lockEvent(_: unknown, { clientId, id }: { clientId: string; id: string }) {
      const connection = await other.connect();
      await connection.query('BEGIN');
      const row = 'SELECT FROM claimlink_events WHERE client_id = $1 AND event_id = $2 FOR UPDATE';
      await connection.query(row, [clientId, id]);
      return async () => {
        await connection.query('ROLLBACK');
        connection.release();
      };
    }
    const cases = older.storageSuite(createStorage, { createPair, lockEvent });
    let rules = 0;
    for (const { name, run } of cases)
      await t.test(name, async () => {
        await run();
        rules++;
      });
    t.equal(rules, 430);
  });

  for (const level of ['read committed', 'repeatable read', 'serializable'])
    t.test(`${level}: the tables change while 0.2.0 writes and delivers, and no event is lost`, async (t) => {
      const settings = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      const { pool } = await openOlder(t, server, older, settings);
      const warnings: string[] = [];
      const onWarning = ({ message }: Error) => warnings.push(message);
      process.on('warning', onWarning);
      t.teardown(() => process.off('warning', onWarning));
      const open = () => {
        const single = new pg.Pool({ ...pool.options, max: 1 });
        t.teardown(() => single.end());
        return older.createPostgresStorage(single, { prepareStatements: true });
      };
      const half = sized(300, 100);
      let count = 0;
      let isWritten = false;
      let halfWritten = () => {};
      const isHalf = new Promise<void>((resolve) => {
        halfWritten = resolve;
      });
      const writer = async (storage: Writer) => {
        while (count < 2 * half) {
          await submit(storage, ++count);
          if (count === half) halfWritten();
        }
      };
      const delivered: string[] = [];
      const deliverer = async (storage: ReturnType<typeof open>) => {
        for (let isLast = false; !isLast; ) {
          const isComplete = isWritten;
          const ids = await deliverAsOlder(storage);
          delivered.push(...ids);
          isLast = isComplete && ids.length === 0;
        }
      };
      const writers = [writer(open()), writer(open())];
      const deliverers = [deliverer(open()), deliverer(open())];
      await isHalf;
      t.same((await Promise.all([migrate(pool), migrate(pool)])).flat(), [10], 'one of two migrates');
      const newer = createPostgresStorage(pool);
      const ofNewer: string[] = [];
      for (let number = 0; number < 10; number++) ofNewer.push(...(await deliver(newer)));
      await Promise.all(writers);
      isWritten = true;
      await Promise.all(deliverers);
      t.same([...delivered, ...ofNewer].sort(), expectedOf(count));
      // Above READ COMMITTED, a call that waited for the migration does not see the events that it moved.
      const left = await newer.listEvents({ state: 'pending', limit: 10 });
      if (level === 'read committed') t.same(left, []);
      t.ok(
        left.every(({ type, id }) => type === 'claim.submitted' && delivered.includes(id)),
        'what is left is delivered a second time',
      );
      t.same(warnings, []);
    });

  t.test('0.2.0 goes on after this code, and this code after 0.2.0', async (t) => {
    const { pool, storage: before } = await openOlder(t, server, older);
    await submit(before, 1);
    await migrate(pool);
    const newer = createPostgresStorage(pool);
    await assertSchema(pool);
    await submit(newer, 2);
    const failed = { reason: 'Error', nextAttemptAt: NOON, failedAt: NOON };
    for (const event of await newer.leaseEvents({ ...LEASE, kind: 'submission', limit: 1 }))
      await newer.postponeEvent({ ...event, ...failed });

    await older.assertSchema(pool);
    t.same(await older.migrate(pool), []);
    const rolledBack = older.createPostgresStorage(pool);
    await submit(rolledBack, 3);
    t.equal(await rolledBack.retryEvents({ at: NOON }), 1);
    t.equal((await rolledBack.leaseEvents({ ...LEASE, limit: 9 })).length, 3);
    t.equal((await rolledBack.listLifeEvents({ state: 'pending', limit: 9 })).length, 3);

    await assertSchema(pool);
    t.same(await migrate(pool), []);
    await submit(newer, 4);
    const later = { at: LEASE.leaseUntil, leaseUntil: LEASE.leaseUntil, limit: 20 };
    const events = await newer.leaseEvents(later);
    t.same(
      events.map((event) => ('linkId' in event ? `${event.type} ${Number(event.linkId)}` : event.id)).sort(),
      expectedOf(4),
    );
    t.match(
      events.filter(({ attempts }) => attempts === 2).map(({ type }) => type),
      Array.from({ length: 3 }, () => 'claim.submitted'),
      'the attempts of 0.2.0 count',
    );
  });

  t.test('deletions of 0.2.0 delete the events of its rule over the views', async (t) => {
    const { pool, storage } = await openOlder(t, server, older);
    await migrate(pool);
    const newer = createPostgresStorage(pool);
    for (const number of [1, 2]) await submit(newer, number);
    t.match(await storage.deleteUser({ clientId: CLIENT_ID, userId: sampleLink().userId, at: NOON }), {
      sessions: 2,
      events: 4,
    });
    t.match(await newer.listEvents({ state: 'pending', limit: 9 }), [{ type: 'data.deleted' }]);
    await storage.deleteClient(CLIENT_ID, NOON);
    t.match(await newer.listEvents({ state: 'pending', limit: 9 }), [{ type: 'data.deleted' }]);
  });
}
