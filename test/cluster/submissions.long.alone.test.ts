// How many submissions of one client a database accepts, whose commits wait for a standby.
import pg from 'pg';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import {
  hashOf,
  sampleLink,
  sampleSession,
  sampleSubmission,
} from '../../lib/testing/storage-suite/samples.js';
import { IS_RELEASE } from '../size.js';
import { deleteRows, openTools } from '../storage/postgres-server.js';
import { inParallel } from './cluster.js';
import { attachStandby, startPrimary } from './replicas.js';

const SUBMISSIONS = 1000;
/** Numbers of clients and of connections. The first shows how long a submission takes. */
const CASES = [
  [1, 1],
  [1, 16],
  [16, 16],
] as const;
const LAGS_MS = [0, 2, 5];

const tools = IS_RELEASE ? await openTools(t) : undefined;
if (!IS_RELEASE)
  t.test('submissions are skipped: they need npm run proof -- ha submissions', { skip: true }, () => {});

for (const lagMs of tools ? LAGS_MS : [])
  t.test(`a standby that gets the WAL ${lagMs} ms later`, async (t) => {
    if (tools === undefined) return;
    const primary = await startPrimary(t, tools);
    const pool = new pg.Pool({ connectionString: primary.url, max: 16 });
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    await migrate(pool);
    await attachStandby(t, tools, primary, { lagMs });
    const storage = createPostgresStorage(pool);
    for (const [clients, connections] of CASES) {
      await deleteRows(pool);
      const submissions = Array.from({ length: SUBMISSIONS }, (_, index) => ({
        ...sampleSubmission(hashOf(index), { session: sampleSession({ reference: `S-${index}` }) }),
        clientId: `client-${index % clients}`,
      }));
      for (let client = 0; client < clients; client++)
        await storage.insertClient({ clientId: `client-${client}` });
      await inParallel(submissions, connections, async ({ clientId, accessCodeHash }) => {
        await storage.insertLink(sampleLink({ clientId, accessCodeHash }));
      });
      const start = performance.now();
      let submitted = 0;
      await inParallel(submissions, connections, async (submission) => {
        if ((await storage.submitLink(submission)).outcome === 'submitted') submitted++;
      });
      const seconds = (performance.now() - start) / 1000;
      t.comment(
        `${clients} clients, ${connections} connections: ${Math.round(SUBMISSIONS / seconds)} submissions per second`,
      );
      t.equal(submitted, SUBMISSIONS);
    }
  });
