// Reads from a standby: the storage suite over a primary and its standby, and what each mode of replication misses.
import pg from 'pg';
import t from 'tap';
import { createPostgresStorage, type PostgresStorage } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import {
  CLIENT_ID,
  hashOf,
  NOON,
  sampleLink,
  sampleSession,
  sampleSubmission,
} from '../../lib/testing/storage-suite/samples.js';
import { IS_LONG, IS_RELEASE } from '../size.js';
import { deleteRows, openTables, openTools } from '../storage/postgres-server.js';
import { attachStandby, startPrimary } from './replicas.js';

/** Sessions that are listed at once after their submission, in each mode. */
const SESSIONS = IS_RELEASE ? 1000 : 100;
const MODES = IS_RELEASE ? ['remote_apply', 'on', 'remote_write', 'local'] : ['remote_apply'];

const tools = IS_LONG ? await openTools(t) : undefined;
if (!IS_LONG) t.test('replicas are skipped: they need CLAIMLINK_TESTS=long', { skip: true }, () => {});

if (tools !== undefined) {
  const primary = await startPrimary(t, tools);
  const { pool, schema } = await openTables(t, primary);
  const standby = await attachStandby(t, tools, primary, { commit: 'remote_apply' });

  function openPool(connectionString: string, mode?: string): pg.Pool {
    const pool = new pg.Pool({
      connectionString,
      max: 20,
      ...(mode && { options: `-c synchronous_commit=${mode}` }),
    });
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    return pool;
  }
  const replica = createPostgresStorage(openPool(standby.url), { schema });

  /** Reads from the standby, but for deliveries: the storage may delete an event when it lists events. */
  function withReplica(storage: PostgresStorage): PostgresStorage {
    const { findCredentials, findClient, findLink, findSession, findApiKey } = replica;
    const { listSessions, listClientSessions, listLinks, listClients, listApiKeys } = replica;
    const records = { findCredentials, findClient, findLink, findSession, findApiKey };
    return { ...storage, ...records, listSessions, listClientSessions, listLinks, listClients, listApiKeys };
  }

  let rules = 0;
  for (const { name, run } of storageSuite(async () => {
    await deleteRows(pool);
    return withReplica(createPostgresStorage(pool, { schema }));
  }))
    t.test(name, async () => {
      await run();
      rules++;
    });
  t.test('the suite has passed', async (t) => t.comment(`${rules} rules with reads from the standby`));

  for (const mode of MODES)
    t.test(`${mode}: a session is listed from the standby at once after its submission`, async (t) => {
      await deleteRows(pool);
      const storage = createPostgresStorage(openPool(primary.url, mode), { schema });
      await storage.insertClient({ clientId: CLIENT_ID });
      const milliseconds: number[] = [];
      let missing = 0;
      for (let index = 0; index < SESSIONS; index++) {
        const userId = `user-${index}`;
        const reference = `S-${index}`;
        await storage.insertLink(sampleLink({ accessCodeHash: hashOf(index), userId }));
        const submission = sampleSubmission(hashOf(index), { session: sampleSession({ reference }) });
        const start = performance.now();
        await storage.submitLink(submission);
        milliseconds.push(performance.now() - start);
        const { sessions } = await replica.listSessions({ clientId: CLIENT_ID, userId, limit: 10 });
        if (sessions.length === 0) missing++;
      }
      const [median] = milliseconds.sort((a, b) => a - b).slice(SESSIONS / 2);
      t.comment(`${missing} of ${SESSIONS} missing; a submission took ${median?.toFixed(2)} ms (median)`);
      if (mode === 'remote_apply') t.equal(missing, 0);
    });

  t.test('without its only synchronous standby, a primary answers reads; submissions wait', async (t) => {
    await deleteRows(pool);
    const storage = createPostgresStorage(pool, { schema, queryTimeoutSeconds: 0.5 });
    const { accessCodeHash, clientId } = sampleLink();
    await storage.insertClient({ clientId });
    await storage.insertLink(sampleLink());
    await standby.kill();
    const submit = async (reference: string) =>
      storage.submitLink(sampleSubmission(accessCodeHash, { session: sampleSession({ reference }) }));
    for (const reference of ['S-1', 'S-2']) {
      await t.rejects(submit(reference), { code: 'storage_unavailable' });
      const link = await storage.findLink({ clientId, accessCodeHash });
      t.equal(link?.link.submittedAt, undefined, 'a submission that waits is not visible');
    }
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = ''");
    await primary.query('SELECT pg_reload_conf()');
    const patient = createPostgresStorage(pool, { schema });
    const outcome = await patient.submitLink(
      sampleSubmission(accessCodeHash, { at: NOON, session: sampleSession({ reference: 'S-3' }) }),
    );
    t.equal(outcome.outcome, 'already_submitted');
    t.equal('session' in outcome && outcome.session.reference, 'S-1', 'the first submission took effect');
  });
}
