// Two services under load over a primary PostgreSQL with a synchronous standby: the primary fails, the standby is promoted.
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { IS_LONG } from '../size.js';
import { openSchema, openTools, type PostgresTools } from '../storage/postgres-server.js';
import { startProxy } from '../storage/proxy.js';
import { createCluster } from './cluster.js';
import { compare, type Load, type Stored, startLoad, storedSql } from './drill.js';
import { attachStandby, type Replica, startPrimary } from './replicas.js';

/** Number of crashes. A drill of ten has the other parts at full size as well. */
const ROUNDS = Number(process.env['FAILOVER_ROUNDS'] ?? 2);
const IS_DRILL = ROUNDS >= 10;
const QUERY_TIMEOUT_SECONDS = 2;
/** One is shorter than the time limit of a query, the others are longer. */
const BLACK_HOLES_SECONDS = IS_DRILL ? [0.5, 3, 10] : [3];
/** Seconds after the end of a black hole in which a 503 is accepted. */
const SETTLE_SECONDS = IS_DRILL ? 20 : 4;
/** Time that a gap may be longer than the promotion. */
const RECOVERY_MS = 1000;
const TIME_LIMIT_MS = 60_000 + ROUNDS * 20_000;

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
  async function failOver(load: Load, fail: (standby: Replica) => Promise<void>) {
    const standby = await attachStandby(t, tools as PostgresTools, primary);
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
  async function repeat(t: Test, load: Load, rounds: number, fail: (standby: Replica) => Promise<void>) {
    for (let round = 1; round <= rounds; round++) {
      const { failedAt, promotedAt } = await failOver(load, fail);
      await load.progress(50);
      const promotion = promotedAt - failedAt;
      const gap = load.gap(failedAt, promotedAt);
      const figures = `promoted after ${Math.round(promotion)} ms, no 200 for ${Math.round(gap)} ms`;
      t.comment(`round ${round}: ${figures}`);
      t.ok(gap <= promotion + RECOVERY_MS, figures);
    }
  }

  /** Ends the load and compares what it got with the database. */
  async function check(t: Test, load: Load) {
    await load.stop();
    const [stored] = await primary.query(storedSql(schema.schema));
    const differences = compare(load.links, stored as unknown as Stored);
    const counts = Object.entries(differences).map(([name, list]) => `${list.length} ${name}`);
    t.comment(
      `${load.links.length} links submitted twice: ${counts}; statuses ${JSON.stringify(load.statuses())}`,
    );
    t.same(differences, { lost: [], doubled: [], withoutEvent: [] });
    t.same(
      Object.keys(load.statuses()).filter((status) => !['200', '503'].includes(status)),
      [],
      'only 200 and 503',
    );
  }

  t.test(
    `${ROUNDS} crashes of the primary: nothing acknowledged is lost or doubled, and the gap is the promotion`,
    { timeout: TIME_LIMIT_MS },
    async (t) => {
      const load = startLoad(t, services);
      await repeat(t, load, ROUNDS, () => primary.kill());
      await check(t, load);
    },
  );

  t.test(
    'requests that reach the standby 2 s before its promotion get a 503',
    { timeout: TIME_LIMIT_MS },
    async (t) => {
      const load = startLoad(t, services);
      await repeat(t, load, IS_DRILL ? 6 : 1, async (standby) => {
        proxy.route(standby);
        await primary.kill();
        await wait(2000);
      });
      await check(t, load);
    },
  );

  for (const seconds of BLACK_HOLES_SECONDS) {
    t.test(
      `after a black hole of ${seconds} s and a switch, services recover within the time limit of a query`,
      { timeout: TIME_LIMIT_MS },
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
