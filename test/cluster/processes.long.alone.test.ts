// Two service processes over one PostgreSQL, killed and started again: nothing doubled, nothing lost.
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import t from 'tap';
import { CLAIM } from '../adapters/service.js';
import { sized } from '../size.js';
import { openSchema, startPostgres } from '../storage/postgres-server.js';
import { type Answer, createCluster, inParallel, type ServiceProcess } from './cluster.js';

/** Links of the first test, an even number. */
const LINKS = sized(100, 50, 2000);
const KILLS = sized(2, 1, 10);

const server = await startPostgres(t);
if (server !== undefined) {
  const referenceOf = (answer: Answer | undefined): string =>
    JSON.parse(answer?.body ?? '{}').data?.reference ?? '';

  const counts = async (pool: pg.Pool) => {
    const { rows } = await pool.query(`
      SELECT (SELECT count(*)::int FROM claimlink_sessions) AS sessions,
             (SELECT count(*)::int FROM claimlink_links WHERE submitted_at IS NOT NULL) AS submitted,
             (SELECT count(*)::int FROM claimlink_links l WHERE submitted_at IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM claimlink_sessions s WHERE s.client_id = l.client_id AND s.reference = l.session_reference
             )) AS dangling`);
    return rows[0] as { sessions: number; submitted: number; dangling: number };
  };

  t.test(`${LINKS}links, each submitted 5 times at once over two processes: one session each`, async (t) => {
    const schema = await openSchema(t, server);
    const cluster = await createCluster(t, server, schema);
    const services = await Promise.all([cluster.spawn(), cluster.spawn()]);
    const [first, second] = services;
    const paths = [...(await cluster.mint(first, LINKS / 2)), ...(await cluster.mint(second, LINKS / 2))];
    let disagreements = 0;
    const statuses = new Map<number, number>();
    await inParallel(paths, 8, async (path, index) => {
      const submissions = Array.from({ length: 5 }, (_, attempt) =>
        (services[(index + attempt) % 2] as ServiceProcess).send('POST', path, CLAIM),
      );
      const answers = await Promise.all(submissions);
      for (const answer of answers) {
        const status = answer?.status ?? 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      if (new Set(answers.map(referenceOf)).size !== 1) disagreements++;
    });
    const counted = await counts(schema.pool);
    t.comment(`links ${paths.length}, submissions ${paths.length * 5}, sessions ${counted.sessions}`);
    t.same(counted, { sessions: LINKS, submitted: LINKS, dangling: 0 });
    t.same(Object.fromEntries(statuses), { 200: LINKS * 5 }, 'every submission is answered with 200');
    t.equal(disagreements, 0, 'all five responses have the same reference');
  });

  t.test(`a process killed ${KILLS} times under load loses no acknowledged submission`, async (t) => {
    const schema = await openSchema(t, server);
    const cluster = await createCluster(t, server, schema);
    const acknowledged = new Set<string>();
    const used: string[] = [];
    let unanswered = 0;
    for (let round = 0; round < KILLS; round++) {
      const service = await cluster.spawn();
      const paths = await cluster.mint(service, 60);
      used.push(...paths);
      let answered = 0;
      const killAfter = 5 + round * 4;
      const stream = inParallel(paths, 12, async (path) => {
        const answer = await service.send('POST', path, CLAIM);
        if (answer?.status === 200) acknowledged.add(referenceOf(answer));
        else unanswered++;
        if (++answered === killAfter) await service.kill();
      });
      await stream;
    }
    t.comment(`links ${used.length}, acknowledged ${acknowledged.size}, unanswered ${unanswered}`);
    t.ok(unanswered > 0, 'some were cut off');
    const service = await cluster.spawn();
    const listed = new Set<string>();
    let path: string | undefined = '/acme/sessions/user-1?limit=500';
    while (path !== undefined) {
      const answer: Answer | undefined = await service.send('GET', path);
      for (const { reference } of JSON.parse(answer?.body ?? '[]')) listed.add(reference);
      path = /<https:\/\/claims\.example\.com([^>]+)>/.exec(String(answer?.headers['link'] ?? ''))?.[1];
    }
    t.same(
      [...acknowledged].filter((reference) => !listed.has(reference)),
      [],
      'every acknowledged one is listed',
    );
    t.equal((await counts(schema.pool)).dangling, 0, 'no link is used without its session');
    await inParallel(used, 12, async (path) => {
      acknowledged.add(referenceOf(await service.send('POST', path, CLAIM)));
    });
    t.same(
      await counts(schema.pool),
      { sessions: used.length, submitted: used.length, dangling: 0 },
      'a repeat of each ends with one session a link',
    );
    t.equal(acknowledged.size, used.length, 'a repeated submission gets the reference of the first one');
  });

  t.test('PostgreSQL restarts under load: 503 meanwhile, then as before, and nothing is lost', async (t) => {
    const schema = await openSchema(t, server);
    const cluster = await createCluster(t, server, schema);
    const service = await cluster.spawn();
    const paths = await cluster.mint(service, 600);
    const acknowledged = new Map<string, string>();
    const statuses = new Map<number, number>();
    let retryAfter: unknown;
    const submit = async (path: string): Promise<void> => {
      for (;;) {
        const answer = await service.send('POST', path, CLAIM);
        const status = answer?.status ?? 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) {
          acknowledged.set(path, referenceOf(answer));
          return;
        }
        if (status === 503) retryAfter = answer?.headers['retry-after'];
        await wait(20);
      }
    };
    const load = inParallel(paths, 8, submit);
    for (const mode of ['immediate', 'fast'] as const) {
      const soFar = acknowledged.size;
      await until(() => acknowledged.size > soFar + 50);
      await server.stop(mode);
      await until(() => (statuses.get(503) ?? 0) > 5);
      await server.start();
    }
    await load;
    t.comment(`answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`);
    t.same(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 503),
      [],
      'only 200 and 503',
    );
    t.equal(retryAfter, '5');
    t.same(await counts(schema.pool), { sessions: 600, submitted: 600, dangling: 0 });
    const { rows } = await schema.pool.query('SELECT reference FROM claimlink_sessions');
    const stored = new Set(rows.map(({ reference }) => reference));
    t.same(
      [...acknowledged.values()].filter((reference) => !stored.has(reference)),
      [],
      'nothing acknowledged is lost',
    );
  });
}

/** Polls until a condition holds; throws when it does not within 20 seconds. */
async function until(condition: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    if (condition()) return;
    await wait(10);
  }
  throw new Error('The condition did not hold within 20 seconds.');
}
