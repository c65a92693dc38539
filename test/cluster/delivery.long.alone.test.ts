// Two service processes over one PostgreSQL, killed at random moments: every submission is delivered.
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { DELIVERY_ATTEMPTS, LEASE_SECONDS } from '../../lib/core/delivery-attempt.js';
import type { StoredEvent } from '../../lib/core/storage.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { CLAIM } from '../adapters/service.js';
import { createDice } from '../mock-server/dice.js';
import { sized } from '../size.js';
import { openSchema, startPostgres } from '../storage/postgres-server.js';
import { startClaimsSystem } from './claims-system.js';
import { createCluster, inParallel, type ServiceProcess } from './cluster.js';

/** Kills of each of the two processes. */
const KILLS = sized(3, 2, 15);
const SUBMISSIONS = sized(150, 100, 300);
const SEED = 20_260_302;
/** The clock of the processes runs faster: a lease takes six seconds. */
const CLOCK_SPEED = 10;

const server = await startPostgres(t);
if (server !== undefined) {
  t.test(
    `${SUBMISSIONS} submissions over two processes, each killed ${KILLS} times: each is delivered at least once, after its commit`,
    async (t) => {
      const dice = createDice(SEED);
      const { pool, schema } = await openSchema(t, server);
      const receiver = await startClaimsSystem(t, dice, async (reference) => {
        const sql = 'SELECT 1 FROM claimlink_sessions WHERE reference = $1';
        return (await pool.query(sql, [reference])).rows.length > 0;
      });
      const start = Date.now();
      const clock = () => start + (Date.now() - start) * CLOCK_SPEED;
      const cluster = await createCluster(
        t,
        server,
        { pool, schema },
        {
          CLUSTER_RECEIVER: receiver.url,
          CLUSTER_START: String(start),
          CLUSTER_SPEED: String(CLOCK_SPEED),
        },
      );
      const services = await Promise.all([cluster.spawn(), cluster.spawn()]);
      const paths = await cluster.mint(services[0], SUBMISSIONS);
      let kills = 0;
      let unanswered = 0;

      const submissions = inParallel(paths, 8, async (path, index) => {
        // The stream of submissions lasts as long as the kills.
        await until(() => kills >= Math.floor((index * 2 * KILLS) / SUBMISSIONS) - 1);
        for (let attempt = 0; ; attempt++) {
          const service = services[(index + attempt) % 2] as ServiceProcess;
          const answer = await service.send('POST', path, CLAIM);
          if (answer?.status === 200) return;
          unanswered++;
          await wait(10);
        }
      });
      const killings = [0, 1].map(async (number) => {
        for (let count = 0; count < KILLS; count++) {
          await wait(dice.upTo(500));
          await services[number]?.kill();
          kills++;
          services[number] = await cluster.spawn();
        }
      });
      await Promise.all([submissions, ...killings]);
      const storage = createPostgresStorage(pool, { schema });
      const failures: StoredEvent[] = [];
      await until(async () => {
        // An event whose attempts were often killed would wait for minutes. Only a lease may still run.
        await pool.query('UPDATE claimlink_outbox SET next_attempt_at = $1 WHERE next_attempt_at > $2', [
          new Date(clock()),
          new Date(clock() + LEASE_SECONDS * 1000),
        ]);
        // On a busy machine the kills may use up the 20 attempts of an event. Then an operator retries it.
        failures.push(...(await storage.listEvents({ state: 'failed', limit: 100 })));
        await storage.retryEvents({ at: new Date(clock()) });
        const { pending, failed } = await storage.countEvents({ limit: 100 });
        return pending === 0 && failed === 0;
      });

      const { rows } = await pool.query('SELECT reference FROM claimlink_sessions');
      const committed = rows.map(({ reference }) => String(reference));
      const deliveries = [...receiver.accepted.values()].flat().length;
      t.comment(
        `${committed.length} committed, ${kills} kills, ${unanswered} requests without an answer, ` +
          `${deliveries} deliveries of ${receiver.accepted.size} submissions, ` +
          `${receiver.rejected} rejected by the receiver, up to ${receiver.attempts} attempts, ${failures.length} retried`,
      );
      t.equal(committed.length, SUBMISSIONS);
      t.same(
        committed.filter((reference) => !receiver.accepted.has(reference)),
        [],
        'each is delivered',
      );
      t.same(receiver.early, [], 'none before its commit');
      t.equal(receiver.accepted.size, SUBMISSIONS, 'nothing else is delivered');
      t.ok(
        [...receiver.accepted.values()].every((ids) => new Set(ids).size === 1),
        'the id of an event is the same in each delivery',
      );
      t.same(
        failures.filter(({ attempts }) => attempts < DELIVERY_ATTEMPTS),
        [],
        'an event fails after its last attempt, not before',
      );
      t.equal(kills, 2 * KILLS);
    },
  );
}

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(10);
}
