// Two services under load over a primary PostgreSQL with a standby: the primary fails, the standby is promoted.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { IS_LONG, IS_RELEASE } from '../size.js';
import { openSchema, openTools, type PostgresTools } from '../storage/postgres-server.js';
import { startProxy } from '../storage/proxy.js';
import { createCluster } from './cluster.js';
import {
  compare,
  countEach,
  type Load,
  type Reader,
  type Stored,
  startLoad,
  startReceiver,
  storedSql,
} from './drill.js';
import { attachStandby, type Replica, type Replication, startPrimary } from './replicas.js';

/** Number of crashes with a synchronous standby. */
const ROUNDS = IS_RELEASE ? 20 : 2;
/** Number of crashes with each other kind of replication. */
const OTHER_ROUNDS = IS_RELEASE ? 5 : 1;
const QUERY_TIMEOUT_SECONDS = 2;
/** One is shorter than the time limit of a query, the others are longer. */
const BLACK_HOLES_SECONDS = IS_RELEASE ? [0.5, 3, 10] : [3];
/** Seconds after the end of a black hole in which a 503 is accepted. */
const SETTLE_SECONDS = IS_RELEASE ? 20 : 4;
/** Time that a gap may be longer than the promotion. */
const RECOVERY_MS = 1000;

t.test('a comparison finds what is lost, doubled and without event', async (t) => {
  const stored: Stored = {
    links: [{ linkId: 'a', reference: 'S-1' }],
    sessions: [{ reference: 'S-1', hasEvent: true }],
  };
  const good = { linkId: 'a', references: ['S-1', 'S-1'] };
  t.same(compare([good], stored), { lost: [], doubled: [], withoutEvent: [] });
  t.same(compare([{ linkId: 'b', references: ['S-2'] }], stored).lost, ['b', 'S-2']);
  t.same(compare([{ linkId: 'a', references: ['S-1', 'S-2'] }], stored).doubled, ['a']);
  const second = { reference: 'S-2', hasEvent: false };
  const more = compare([good], { ...stored, sessions: [...stored.sessions, second] });
  t.same(more, { lost: [], doubled: ['S-2'], withoutEvent: ['S-2'] });
});

const tools = IS_LONG ? await openTools(t) : undefined;
if (!IS_LONG) t.test('failovers are skipped: they need CLAIMLINK_TESTS=long', { skip: true }, () => {});

if (tools !== undefined) {
  let primary = await startPrimary(t, tools);
  const proxy = await startProxy(t, primary);
  const schema = await openSchema(t, primary);
  const options = {
    // Fewer connections than the load has requests, so that a black hole holds all of them.
    pool: { max: 5, connectionTimeoutMillis: 2000 },
    storage: { queryTimeoutSeconds: QUERY_TIMEOUT_SECONDS },
    service: { recordSubmissions: true, storageTimeoutSeconds: 2 * QUERY_TIMEOUT_SECONDS },
  };
  const cluster = await createCluster(t, proxy, schema, { CLUSTER_OPTIONS: JSON.stringify(options) });
  const services = await Promise.all([cluster.spawn(), cluster.spawn()]);

  /** Fails over to a new standby under load. `fail` ends the primary. Returns when that began and when it was over. */
  async function failOver(
    load: Load,
    fail: (standby: Replica) => Promise<void>,
    replication: Replication = {},
  ) {
    const standby = await attachStandby(t, tools as PostgresTools, primary, replication);
    await load.progress(100);
    const failedAt = performance.now();
    await fail(standby);
    await standby.promote();
    proxy.route(standby);
    const promotedAt = performance.now();
    primary = standby;
    return { failedAt, promotedAt };
  }

  /** Fails over several times, and compares the time without a 200 with the time of the promotion. */
  async function repeat(
    t: Test,
    load: Load,
    rounds: number,
    fail: (standby: Replica) => Promise<void>,
    replication: Replication = {},
  ) {
    for (let round = 1; round <= rounds; round++) {
      const { failedAt, promotedAt } = await failOver(load, fail, replication);
      await load.progress(50);
      const promotion = promotedAt - failedAt;
      const gap = load.gap(failedAt, promotedAt);
      const figures = `promoted after ${Math.round(promotion)} ms, no 200 for ${Math.round(gap)} ms`;
      t.comment(`round ${round}: ${figures}`);
      t.ok(gap <= promotion + RECOVERY_MS, figures);
    }
  }

  async function readStored(): Promise<Stored> {
    const [stored] = await primary.query(storedSql(schema.schema));
    return stored as unknown as Stored;
  }

  /** Ends the load and compares what it got with the database. */
  async function compareAll(t: Test, load: Load) {
    await load.stop();
    const differences = compare(load.links, await readStored());
    const counts = Object.entries(differences).map(([name, list]) => `${list.length} ${name}`);
    t.comment(
      `${load.links.length} links submitted twice: ${counts.join(', ')}; statuses ${JSON.stringify(load.statuses())}`,
    );
    const errors = services.flatMap((service) => service.errors);
    t.comment(`onError got so far ${JSON.stringify(countEach(errors))}`);
    return differences;
  }

  async function check(t: Test, load: Load) {
    const differences = await compareAll(t, load);
    t.same(differences, { lost: [], doubled: [], withoutEvent: [] });
    assertStatuses(t, load);
  }

  function assertStatuses(t: Test, load: Load, ...others: string[]) {
    const expected = ['200', '503', ...others];
    const statuses = Object.keys(load.statuses());
    t.same(
      statuses.filter((status) => !expected.includes(status)),
      [],
      `only ${expected}`,
    );
  }

  t.test(
    `${ROUNDS} crashes of the primary: nothing acknowledged is lost or doubled, and the gap is the promotion`,
    async (t) => {
      const load = startLoad(t, services);
      await repeat(t, load, ROUNDS, () => primary.kill());
      await check(t, load);
    },
  );

  if (IS_RELEASE)
    t.test(
      `${OTHER_ROUNDS} crashes with remote_apply: nothing acknowledged is lost or doubled`,
      async (t) => {
        const load = startLoad(t, services);
        await repeat(t, load, OTHER_ROUNDS, () => primary.kill(), { commit: 'remote_apply' });
        await check(t, load);
      },
    );

  for (const lagMs of IS_RELEASE ? [0, 50] : [50])
    t.test(
      `crashes with asynchronous replication and ${lagMs} ms lag: a reader that goes back misses nothing`,
      async (t) => {
        const pool = new pg.Pool({ connectionString: proxy.url, max: 3, connectionTimeoutMillis: 2000 });
        pool.on('error', () => {});
        t.teardown(() => pool.end());
        const storage = createPostgresStorage(pool, { schema: schema.schema, queryTimeoutSeconds: 2 });
        const load = startLoad(t, services);
        const [follower, cursorReader, timeReader] = Array.from(
          { length: 3 },
          (): Reader => ({ read: new Set(), position: {} }),
        ) as [Reader, Reader, Reader];
        const receiver = startReceiver(t, storage, [follower, cursorReader, timeReader]);
        const before = (await readStored()).sessions.length;
        for (let round = 1; round <= OTHER_ROUNDS; round++) {
          const earlier = { position: cursorReader.position, since: new Date() };
          await repeat(t, load, 1, () => primary.kill(), { commit: 'local', lagMs });
          cursorReader.position = earlier.position;
          timeReader.position = { since: earlier.since };
        }
        const { withoutEvent } = await compareAll(t, load);
        await receiver.stop();
        const stored = (await readStored()).sessions.map(({ reference }) => reference);
        const missing = (references: ReadonlySet<string>) => stored.filter((each) => !references.has(each));
        const references = [...receiver.received.values()].map((set) => [...set]);
        const lost = references.flat().filter((reference) => !stored.includes(reference));
        const twice = references.filter(({ length }) => length > 1);
        const missed = `a reader that does not go back missed ${missing(follower.read).length} of ${stored.length - before} sessions`;
        t.comment(
          `${missed}; events of ${lost.length} lost sessions, and of ${twice.length} links with two references, arrived`,
        );
        t.same(missing(cursorReader.read), [], 'missed after an earlier cursor');
        t.same(missing(timeReader.read), [], 'missed after an earlier time');
        t.same(missing(new Set(references.flat())), [], 'sessions whose event did not arrive');
        t.same(withoutEvent, []);
        // A link that is lost is unknown.
        assertStatuses(t, load, '404');
      },
    );

  t.test('requests that reach the standby 2 s before its promotion get a 503', async (t) => {
    const load = startLoad(t, services);
    await repeat(t, load, IS_RELEASE ? 6 : 1, async (standby) => {
      proxy.route(standby);
      await primary.kill();
      await wait(2000);
    });
    await check(t, load);
  });

  for (const seconds of BLACK_HOLES_SECONDS) {
    t.test(
      `after a black hole of ${seconds} s and a switch, services recover within the time limit of a query`,
      async (t) => {
        const load = startLoad(t, services);
        const { promotedAt } = await failOver(load, async () => {
          proxy.blackHole();
          await wait(seconds * 1000);
          await primary.kill();
        });
        await wait((SETTLE_SECONDS + 2) * 1000);
        const first = Math.max(...load.recovery(promotedAt));
        const last = load.responses.findLast(({ status }) => status !== 200)?.at ?? promotedAt;
        const settled = Math.round(last - promotedAt);
        t.comment(`first 200 of both services ${first} ms after the switch, last 503 after ${settled} ms`);
        t.ok(first <= QUERY_TIMEOUT_SECONDS * 1000 + RECOVERY_MS, `first 200 after ${first} ms`);
        t.ok(settled <= SETTLE_SECONDS * 1000, `last 503 after ${settled} ms`);
        await check(t, load);
      },
    );
  }
}
