// Three service processes over one PostgreSQL, killed at random moments: each event is recorded once and delivered.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Ajv } from 'ajv';
import t from 'tap';
import { canonicalJson } from '../../lib/core/plain-data.js';
import { EVENT_TYPES, type LifeEventType } from '../../lib/core/types.js';
import { lifeWebhookSchema } from '../../lib/http/response-schemas.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { signWebhook } from '../../lib/webhooks/request.js';
import { CLAIM, linkRequest } from '../adapters/service.js';
import { serve } from '../listen.js';
import { createDice } from '../mock-server/dice.js';
import { sized } from '../size.js';
import { openSchema, startPostgres } from '../storage/postgres-server.js';
import { createCluster, inParallel, type ServiceProcess } from './cluster.js';

const PROCESSES = 3;
/** Kills of each process. */
const KILLS = sized(5, 2, 50);
const LINKS = sized(100, 60, 700);
const SEED = 20_260_303;
/** The clock of the processes runs faster: a lease takes six seconds, and a link ends after twelve. */
const CLOCK_SPEED = 10;
const TTL_SECONDS = 120;
const NOTICE_SECONDS = 60;
const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** What happens to a link, in turn. Each may expire before. */
const FATES = ['none', 'start', 'decline', 'revoke', 'submit', 'renew'] as const;

/** A recorded event, as the table has it. */
interface Recorded {
  event_id: string;
  type: LifeEventType;
  client_id: string;
  user_id: string;
  occurred_at: Date;
  data: { linkId: string; sequence: number; expiresAt: number; why?: string };
}

/** A link, as the table has it. */
interface StoredLink {
  access_code_hash: string;
  submitted_at: Date | null;
  revoked_at: Date | null;
  expires_at: Date;
  moments: { type: string; at: number }[] | null;
}

const server = await startPostgres(t);
if (server !== undefined) {
  t.test(
    `${LINKS} links over ${PROCESSES} processes, each killed ${KILLS} times: each event is recorded once, and delivered as documented`,
    async (t) => {
      const dice = createDice(SEED);
      const { pool, schema } = await openSchema(t, server);
      /** Bodies of the accepted webhooks by their id. */
      const accepted = new Map<string, Set<string>>();
      const problems: string[] = [];
      let deliveries = 0;
      let rejected = 0;
      const ajv = new Ajv({ strict: false, validateFormats: false });
      const types = EVENT_TYPES.filter((type) => type !== 'claim.submitted');
      const schemas = new Map<string, ReturnType<typeof ajv.compile>>(
        types.map((type) => [type, ajv.compile(lifeWebhookSchema(type))]),
      );

      const receiver = createServer(async (req, res) => {
        const {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signature,
        } = req.headers;
        const body = await text(req);
        const { type } = JSON.parse(body);
        if (signature !== signWebhook(SECRET, String(id), String(timestamp), body))
          problems.push(`${id}: another signature`);
        const isValid = schemas.get(type);
        if (isValid ? !isValid(JSON.parse(body)) : type !== 'claim.submitted')
          problems.push(`${id}: another body than documented: ${body}`);
        const sql = 'SELECT 1 FROM recorded WHERE event_id = $1';
        if ((await pool.query(sql, [id])).rows.length !== 1)
          problems.push(`${id}: delivered before its commit`);
        await wait(dice.upTo(30));
        if (dice.chance(0.1)) {
          rejected++;
          res.writeHead(503).end();
          return;
        }
        deliveries++;
        // A session that was read from the database may have its members in another order.
        accepted.set(
          String(id),
          (accepted.get(String(id)) ?? new Set()).add(canonicalJson(JSON.parse(body))),
        );
        res.writeHead(204).end();
      });

      const start = Date.now();
      const clock = () => start + (Date.now() - start) * CLOCK_SPEED;
      const cluster = await createCluster(
        t,
        server,
        { pool, schema },
        {
          CLUSTER_RECEIVER: await serve(t, receiver),
          CLUSTER_EVENTS: JSON.stringify({
            events: EVENT_TYPES,
            expiryNoticeSeconds: NOTICE_SECONDS,
            linkTtlSeconds: TTL_SECONDS,
          }),
          CLUSTER_WEBHOOK_SECRET: SECRET,
          CLUSTER_START: String(start),
          CLUSTER_SPEED: String(CLOCK_SPEED),
        },
      );
      const storage = createPostgresStorage(pool, { schema });
      await storage.updateClient({ clientId: 'acme', settings: { allowDecline: true } });
      // The delivery deletes events. The trigger keeps each one that was recorded.
      const columns = 'NEW.event_id, NEW.type, NEW.client_id, NEW.user_id, NEW.occurred_at, NEW.data';
      await pool.query(`
        CREATE TABLE recorded (
          event_id text, type text, client_id text, user_id text, occurred_at timestamptz, data jsonb
        );
        CREATE FUNCTION record_event() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN INSERT INTO ${schema}.recorded VALUES (${columns}); RETURN NULL; END
        $$;
        CREATE TRIGGER recorded AFTER INSERT ON claimlink_outbox FOR EACH ROW EXECUTE FUNCTION record_event()`);

      const services = await Promise.all(Array.from({ length: PROCESSES }, () => cluster.spawn()));
      let kills = 0;
      let unanswered = 0;
      /** Calls one process after another until one responds. */
      async function ask<T>(index: number, send: (service: ServiceProcess) => Promise<T | undefined>) {
        for (let attempt = 0; ; attempt++) {
          const result = await send(services[(index + attempt) % PROCESSES] as ServiceProcess);
          if (result !== undefined) return result;
          unanswered++;
          await wait(10);
        }
      }

      const statuses = new Map<number, number>();
      async function live(index: number): Promise<void> {
        const answer = await ask(index, (service) => service.send('POST', '/acme/link', linkRequest()));
        const errors = services.flatMap((service) => service.errors.slice(-5));
        if (answer.status !== 200)
          throw new Error(`${answer.status} ${answer.body} after the errors ${errors}`);
        const path = (JSON.parse(answer.body) as { data: string }).data.slice(
          'https://claims.example.com'.length,
        );
        const linkId = createHash('sha256')
          .update(/verify\/([^?]+)/.exec(path)?.[1] ?? '')
          .digest('hex');
        const form = async (fields: Readonly<Record<string, string>>) => {
          const { status } = await ask(index, (service) => service.sendForm(path, fields));
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          return status;
        };
        const fate = FATES[index % FATES.length];
        if (fate === 'start' || fate === 'decline' || fate === 'submit') await form({ action: 'start' });
        if (fate === 'decline') await form({ action: 'decline', why: 'wrong_person' });
        if (fate === 'revoke') await ask(index, (service) => service.revokeLink(linkId));
        if (fate === 'submit') await ask(index, (service) => service.send('POST', path, CLAIM));
        if (fate !== 'renew') return;
        // The page of a link that has not ended ignores the request.
        await until(async () => {
          const expired = (await storage.findLink({ clientId: 'acme', accessCodeHash: linkId }))?.link
            .expiresAt;
          return expired !== undefined && expired.getTime() < clock();
        });
        await form({ action: 'renew' });
      }

      const lives = inParallel(Array.from({ length: LINKS }), 12, async (_, index) => {
        // The links are created as long as the kills last.
        await until(() => kills >= Math.floor((index * PROCESSES * KILLS) / LINKS) - 1);
        await live(index);
      });
      const killings = services.map(async (_, number) => {
        for (let count = 0; count < KILLS; count++) {
          await wait(dice.upTo(500));
          await services[number]?.kill();
          kills++;
          services[number] = await cluster.spawn();
        }
      });
      await Promise.all([lives, ...killings]);
      let retried = 0;
      await until(async () => {
        await pool.query('UPDATE claimlink_outbox SET next_attempt_at = $1 WHERE next_attempt_at > $2', [
          new Date(clock()),
          new Date(clock() + 60_000),
        ]);
        retried += await storage.retryEvents({ at: new Date(clock()) });
        const { rows } = await pool.query(`
          SELECT (SELECT count(*) FROM claimlink_links WHERE notice_at IS NOT NULL)
            + (SELECT count(*) FROM claimlink_outbox) AS left`);
        return Number(rows[0]?.left) === 0;
      });

      const { rows: links } = await pool.query<StoredLink>('SELECT * FROM claimlink_links');
      const { rows: recorded } = await pool.query<Recorded>('SELECT * FROM recorded');
      const life = recorded.filter(({ data }) => data !== null);
      const ends = new Map<string, number>();
      for (const link of links) {
        const ofLink = life.filter(({ data }) => data.linkId === link.access_code_hash);
        const moments = (link.moments ?? []).map(({ type, at }, index) => `${index + 1} ${type} ${at}`);
        const told = ofLink.map(
          ({ type, occurred_at, data }) => `${data.sequence} ${type} ${occurred_at.getTime()}`,
        );
        const expected = moments.filter((moment) => !moment.includes('claim.repeated'));
        const isAsExpected = JSON.stringify(told.sort(bySequence)) === JSON.stringify(expected);
        if (!isAsExpected) problems.push(`recorded ${told}, and the moments are ${expected}`);
        const end = endOf(link);
        ends.set(end, (ends.get(end) ?? 0) + 1);
        problems.push(...endProblems(link, ofLink));
      }
      for (const { event_id: id, type, client_id, user_id, occurred_at, data } of recorded) {
        const [body, ...others] = accepted.get(id) ?? [];
        if (body === undefined || others.length > 0)
          problems.push(`${id}: delivered with ${others.length + 1} bodies`);
        if (data === null || body === undefined) continue;
        const { linkId, sequence, why } = data;
        const expected = {
          type,
          timestamp: occurred_at.toISOString(),
          data: {
            clientId: client_id,
            userId: user_id,
            linkId,
            sequence,
            expiresAt: new Date(data.expiresAt).toISOString(),
            ...(why && { why }),
          },
        };
        if (body !== canonicalJson(expected)) problems.push(`${id}: ${body}`);
      }
      const { rows: sessions } = await pool.query('SELECT reference FROM claimlink_sessions');

      t.comment(
        `${links.length} links, ${kills} kills, ${unanswered} requests without an answer, ${recorded.length} events recorded, ` +
          `${deliveries} deliveries of ${accepted.size} events, ${rejected} rejected by the receiver, ${retried} retried`,
      );
      t.comment(
        `ends: ${JSON.stringify(Object.fromEntries(ends))}, events: ${JSON.stringify(countTypes(recorded))}`,
      );
      t.same(problems, []);
      t.equal(
        new Set(recorded.map(({ event_id }) => event_id)).size,
        recorded.length,
        'each id is recorded once',
      );
      t.equal(accepted.size, recorded.length, 'each event is delivered, and nothing else');
      t.equal(recorded.length - life.length, sessions.length, 'each submission has one event');
      t.same(
        [...statuses.keys()].filter((status) => status !== 204 && status !== 410),
        [],
        'only 204 and 410',
      );
      t.same(
        [...ends.keys()].sort(),
        ['declined', 'expired', 'revoked', 'submitted'],
        'links end in each way',
      );
      t.equal(kills, PROCESSES * KILLS);
    },
  );
}

function endOf({ submitted_at, revoked_at, moments }: StoredLink): string {
  if (submitted_at !== null) return 'submitted';
  if (revoked_at === null) return 'expired';
  return moments?.at(-1)?.type === 'link.declined' ? 'declined' : 'revoked';
}

/** Returns what is wrong with the events of a link that has ended. */
function endProblems(link: StoredLink, events: readonly Recorded[]): string[] {
  const end = endOf(link);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  const counts = ['expired', 'revoked', 'declined'].map((name) => [name, count(`link.${name}`)] as const);
  const problems = counts
    .filter(([name, number]) => number !== (name === end ? 1 : 0))
    .map(([name, number]) => `a link that is ${end} has ${number} events link.${name}`);
  for (const type of ['link.expiring', 'link.started', 'link.renewal_requested'])
    if (count(type) > 1) problems.push(`a link has ${count(type)} events ${type}`);
  const expiresAt = link.expires_at.getTime();
  const times: Readonly<Record<string, number>> = {
    'link.expiring': expiresAt - NOTICE_SECONDS * 1000,
    'link.expired': expiresAt,
  };
  for (const { type, occurred_at } of events)
    if (times[type] !== undefined && times[type] !== occurred_at.getTime())
      problems.push(`${type} is at ${occurred_at.toISOString()}`);
  return problems;
}

function countTypes(events: readonly { type: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

const bySequence = (a: string, b: string) => Number.parseInt(a, 10) - Number.parseInt(b, 10);

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(10);
}
