// Rolling deployments and rollbacks: older code restarts and serves on newer tables, and newer code on rows of older code.
import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import {
  assertSchema,
  createPostgresStorage,
  migrate,
  migrationSql,
  type PostgresStorage,
  SCHEMA_VERSION,
} from '../../lib/storage/postgres/index.js';
import {
  CLIENT_ID,
  hashOf,
  later,
  linkId,
  sampleLink,
  sampleSession,
  sampleSubmission,
  USER_ID,
} from '../../lib/testing/storage-suite/samples.js';
import { REPOSITORY } from '../repository.js';
import { olderStatements } from './older-statements.js';
import { findPostgres, openSchema, openTables } from './postgres-server.js';

const server = await findPostgres(t);

/** A call of older code with the statements that it ran, on tables of its own version. */
interface RecordedCall {
  call: string;
  statements: { text: string; params: unknown[]; rows: unknown[] }[];
}

/** What commit 767229c ran: its SCHEMA_VERSION is 3, and it starts only if max(version) is 3. */
const RECORDED = await readCalls('recorded-version-3.json');

/** What commit 2e545b8 ran, on links that another process may have created. Its SCHEMA_VERSION is 8. */
const RECORDED_VERSION_8 = await readCalls('recorded-version-8.json');

async function readCalls(name: string): Promise<readonly RecordedCall[]> {
  return JSON.parse(await readFile(new URL(`test/storage/${name}`, REPOSITORY), 'utf8'));
}

/** A change of a client as code of version 4 sends it. */
const UPDATE_OF_VERSION_4 = `
UPDATE claimlink_clients SET name = $2, callback_origins = $3::text::jsonb, locale = $4, branding = $5::text::jsonb, frame_ancestors = $6::text::jsonb
WHERE client_id = $1`;

/** Deletions of a link whose claim is older, by the process that has the storage. */
const DELETIONS: Readonly<Record<string, (storage: PostgresStorage) => unknown>> = {
  deleteExpiredLinks: (storage) => storage.deleteExpiredLinks(later(60_001), later(60_001)),
  deleteSessions: (storage) => storage.deleteSessions(later(60_001), later(60_001)),
  deleteUser: (storage) => storage.deleteUser({ clientId: CLIENT_ID, userId: USER_ID, at: later(60_001) }),
  deleteClient: (storage) => storage.deleteClient(CLIENT_ID, later(60_001)),
};

if (server !== undefined) {
  /** A schema with the tables of this code. */
  async function openMigrated(t: Test) {
    const { pool, schema } = await openTables(t, server ?? { url: '' });
    /** Runs the statements of all recorded calls, and compares their rows. */
    const replay = async (test: Pick<typeof t, 'same'>) => {
      for (const { call, statements } of RECORDED)
        for (const { text, params, rows } of statements)
          test.same((await pool.query(text, params)).rows, rows, call);
    };
    return { pool, schema, replay };
  }

  t.test('code of version 3 starts, migrates and serves on the tables of this code', async (t) => {
    const { replay } = await openMigrated(t);
    await replay(t);
  });

  t.test('this code goes on with the links, sessions and events of code of version 3', async (t) => {
    const { pool, replay } = await openMigrated(t);
    await replay(t);
    const storage = createPostgresStorage(pool);
    const link = (index: number) => ({
      clientId: 'acme',
      accessCodeHash: String(index).padStart(64, '0'),
    });
    t.match(await storage.findLink(link(1)), {
      link: { openedAt: '2026-03-02T12:00:20.000Z' },
      session: { reference: 'S-1', status: 'accepted', link: undefined },
    });
    t.match((await storage.findLink(link(3)))?.link.config, { extra: { case: 3 } });
    const lease = () => storage.leaseEvents({ at: later(600_000), leaseUntil: later(600_000), limit: 10 });
    const [event] = await lease();
    t.match(event, { id: 'event-1', attempts: 2, reason: undefined, session: { link: undefined } });
    if (event === undefined) throw new Error('there is no event');
    await storage.postponeEvent({ ...event, reason: 'Error', nextAttemptAt: later(600_000) });
    t.match(await lease(), [{ id: 'event-1', attempts: 3, reason: 'Error' }]);
    const [first] = (await storage.listClientSessions({ clientId: 'acme', limit: 1 })).sessions;
    if (first === undefined) throw new Error('there is no session');
    const { clientId: _, userId: __, ...session } = first;
    const { outcome } = await storage.submitLink({
      ...link(3),
      at: later(0),
      session: { ...session, reference: 'S-3', link: { linkId: link(3).accessCodeHash } },
    });
    t.equal(outcome, 'submitted');
    const feed = await storage.listClientSessions({ clientId: 'acme', limit: 10 });
    t.same(
      feed.sessions.map(({ reference, link }) => [reference, link !== undefined]),
      [
        ['S-1', false],
        ['S-2', false],
        ['S-3', true],
      ],
    );
  });

  t.test(
    'this code records the use of a key of code of version 3, which then serves it as before',
    async (t) => {
      const { pool, replay } = await openMigrated(t);
      await replay(t);
      const storage = createPostgresStorage(pool);
      const [apiKey] = await storage.listApiKeys('acme');
      if (apiKey === undefined) throw new Error('there is no key');
      t.equal(apiKey.lastUsedAt, undefined);
      const use = { apiKeyHash: apiKey.hash, at: later(1) };
      await storage.recordKeyUse(use);
      const calls = RECORDED.filter(({ call }) => call.includes('findCredentials'));
      t.not(calls.length, 0);
      for (const { call, statements } of calls)
        for (const { text, params, rows } of statements)
          t.same((await pool.query(text, params)).rows, rows, call);
      t.same(await storage.listApiKeys('acme'), [{ ...apiKey, lastUsedAt: later(1) }]);
    },
  );

  t.test('code of version 8 submits and delivers beside this code, and deletes no event of it', async (t) => {
    const { pool } = await openMigrated(t);
    const storage = createPostgresStorage(pool);
    const replay = async (calls: readonly RecordedCall[]) => {
      for (const { call, statements } of calls)
        for (const { text, params, rows } of statements)
          t.same((await pool.query(text, params)).rows, rows, call);
    };
    const told = async () => {
      const stored = await storage.listEvents({ state: 'pending', kind: 'life', limit: 100 });
      return stored.map((event) => `${event.type} ${'linkId' in event ? Number(event.linkId) : ''}`).sort();
    };
    await storage.insertClient({ clientId: 'acme' });
    await storage.chooseEvents({ types: ['link.started', 'link.expired'], expiryNoticeSeconds: 60 });
    // Code of version 8 submits link 1, revokes link 2 and deletes the user of link 4.
    for (const [number, userId] of [[1], [2], [3], [4, 'user-2']] as const) {
      const link = sampleLink({ accessCodeHash: hashOf(number), ...(userId && { userId }) });
      await storage.insertLink(link);
      const moment = { type: 'link.started', at: later(0) } as const;
      await storage.addMoment({ ...linkId(link.accessCodeHash), moment, sequence: 1 });
    }
    const calls = RECORDED_VERSION_8.filter(({ call }) => call !== 'insertLink');
    const firstSweep = calls.findIndex(({ call }) => call === 'deleteExpiredLinks');
    await replay(calls.slice(0, firstSweep));
    const started = [1, 2, 3, 4].map((number) => `link.started ${number}`);
    t.same(await told(), started, 'it deletes no event');
    t.equal((await storage.listMoments(linkId(hashOf(1))))?.length, 1, 'it deletes no moment');
    await storage.addDueMoments({ at: later(60_000), limit: 10 });
    t.same(await told(), ['link.expired 3', ...started], 'what it has submitted and revoked does not expire');
    await replay(calls.slice(firstSweep));
    t.same(await told(), ['link.expired 3', ...started]);
    const leased = await storage.leaseEvents({
      kind: 'life',
      at: later(60_000),
      leaseUntil: later(120_000),
      limit: 10,
    });
    t.equal(leased.length, 5, 'this code delivers them');
  });

  t.test('code of version 8 creates links, and this code adds their moments', async (t) => {
    const { pool } = await openMigrated(t);
    const storage = createPostgresStorage(pool);
    await storage.insertClient({ clientId: 'acme' });
    await storage.chooseEvents({ types: ['link.started', 'link.expired'], expiryNoticeSeconds: 60 });
    const creations = RECORDED_VERSION_8.filter(({ call }) => call === 'insertLink');
    t.equal(creations.length, 4);
    for (const { text, params } of creations.flatMap(({ statements }) => statements))
      await pool.query(text, params);
    const moment = { type: 'link.started', at: later(0) } as const;
    t.equal(await storage.addMoment({ ...linkId(hashOf(1)), moment, sequence: 1 }), true);
    t.equal(await storage.addDueMoments({ at: later(60_000), limit: 10 }), 0, 'they are not due');
    t.same(
      (await storage.listEvents({ state: 'pending', limit: 10 })).map(({ type }) => type),
      ['link.started'],
    );
  });

  t.test('deletions of 0.2.0 and of this code, one after the other, name each link', async (t) => {
    const { pool } = await openMigrated(t);
    const newer = createPostgresStorage(pool);
    const older = createPostgresStorage({
      query: olderStatements((text, params) => pool.query(text, params)),
    });
    const [claimed, unclaimed] = [hashOf(1), hashOf(2)];

    /** Returns the links that events named wrongly, or not. */
    async function problems(): Promise<string[]> {
      const { rows: links } = await pool.query('SELECT access_code_hash AS hash FROM claimlink_links');
      const { rows: sessions } = await pool.query('SELECT reference FROM claimlink_sessions');
      const stored = await newer.listEvents({ state: 'pending', limit: 100 });
      const named = stored.flatMap((event) => (event.type === 'data.deleted' ? event.linkIds : []));
      const times = (linkId: string) => named.filter((other) => other === linkId).length;
      const isLeft = (linkId: string) => links.some(({ hash }) => hash === linkId);
      return [
        ...(times(unclaimed) === (isLeft(unclaimed) ? 0 : 1) ? [] : ['the link without a claim']),
        ...(sessions.length > 0 && times(claimed) > 0 ? ['the link whose session exists'] : []),
        ...(sessions.length === 0 && !isLeft(claimed) && times(claimed) === 0
          ? ['the link with a claim']
          : []),
      ];
    }

    for (const [by, first, second] of [
      ['0.2.0', older, newer],
      ['this code', newer, older],
    ] as const)
      for (const name of Object.keys(DELETIONS))
        for (const next of Object.keys(DELETIONS)) {
          for (const table of ['clients', 'links', 'sessions', 'outbox'])
            await pool.query(`DELETE FROM claimlink_${table}`);
          await newer.insertClient({ clientId: CLIENT_ID });
          await newer.chooseEvents({ types: ['data.deleted'], expiryNoticeSeconds: 60 });
          for (const accessCodeHash of [claimed, unclaimed])
            await newer.insertLink(sampleLink({ accessCodeHash }));
          const session = sampleSession({ link: { linkId: claimed } });
          await newer.submitLink(sampleSubmission(claimed, { session }));
          await DELETIONS[name]?.(first);
          t.same(await problems(), [], `${name} by ${by}`);
          await DELETIONS[next]?.(second);
          t.same(await problems(), [], `${name} by ${by}, then ${next}`);
        }
  });

  t.test('code of version 4 that changes a client keeps its settings', async (t) => {
    const { pool } = await openMigrated(t);
    const storage = createPostgresStorage(pool);
    const client = { clientId: 'acme', settings: { redirectAfterSeconds: 'never' } } as const;
    await storage.insertClient({ ...client, name: 'Acme', locale: 'de' });
    await pool.query(UPDATE_OF_VERSION_4, ['acme', 'New', null, null, null, null]);
    t.strictSame(await storage.findClient('acme'), { ...client, name: 'New' });
  });

  t.test('this code starts on newer tables if their migration allows it, and migrates nothing', async (t) => {
    const { pool } = await openMigrated(t);
    await pool.query(`INSERT INTO claimlink_versions VALUES (${SCHEMA_VERSION + 2}, ${SCHEMA_VERSION})`);
    await assertSchema(pool);
    t.same(await migrate(pool), []);
  });

  t.test('this code and code of version 3 reject tables whose migration needs newer code', async (t) => {
    const { pool } = await openMigrated(t);
    // A migration records its oldest code in both tables.
    await pool.query(`INSERT INTO claimlink_migrations VALUES (${SCHEMA_VERSION + 1})`);
    await pool.query(`INSERT INTO claimlink_versions VALUES (${SCHEMA_VERSION + 1}, ${SCHEMA_VERSION + 1})`);
    const rejection = { code: 'schema_mismatch', message: /knows only \d+: update claimlink\.$/ };
    await t.rejects(assertSchema(pool), rejection);
    await t.rejects(migrate(pool), rejection);
    const { rows } = await pool.query('SELECT max(version) AS version FROM claimlink_migrations');
    t.not(rows[0]?.version, 3);
  });

  t.test('the tables name each migration of this code with the oldest code that works with it', async (t) => {
    const { pool } = await openSchema(t, server);
    await pool.query(migrationSql());
    const { rows } = await pool.query('SELECT version, oldest_code FROM claimlink_versions ORDER BY version');
    t.same(
      rows.map(({ version, oldest_code }) => [version, oldest_code]),
      [
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 3],
        [5, 3],
        [6, 3],
        [7, 3],
        [8, 3],
        [9, 3],
        [10, 3],
      ],
    );
  });
}
