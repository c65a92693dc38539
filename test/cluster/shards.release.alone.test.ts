// The recipe examples/shards: the storage suite over three servers, and what happens when one of them is down.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import t from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { type ClaimlinkOptions, createClaimlink, createLinkSigner } from '../../lib/index.js';
import { createPostgresStorage, migrate, type PostgresStorage } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { hashOf, NOON, sampleLink, sampleSubmission } from '../../lib/testing/storage-suite/samples.js';
import { CLAIM, linkRequest } from '../adapters/service.js';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';
import { deleteRows, openTools } from '../storage/postgres-server.js';
import { type Replica, startPrimary } from './replicas.js';

const { createShardedStorage } = (await import(
  new URL('examples/shards/sharded-storage.mjs', REPOSITORY).href
)) as {
  createShardedStorage(
    servers: PostgresStorage[],
    indexOf?: (clientId: string, count: number) => number,
  ): PostgresStorage;
};

const tools = IS_LONG ? await openTools(t) : undefined;
if (!IS_LONG) t.test('several servers are skipped: they need CLAIMLINK_TESTS=long', { skip: true }, () => {});

if (tools !== undefined) {
  const servers: { replica: Replica; pool: pg.Pool; storage: PostgresStorage }[] = [];
  for (let index = 0; index < 3; index++) {
    const replica = await startPrimary(t, tools);
    const pool = new pg.Pool({ connectionString: replica.url, max: 20, connectionTimeoutMillis: 30_000 });
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    await migrate(pool);
    servers.push({ replica, pool, storage: createPostgresStorage(pool) });
  }
  const storages = servers.map(({ storage }) => storage);
  const clear = () => Promise.all(servers.map(({ pool }) => deleteRows(pool)));

  let rules = 0;
  for (const { name, run } of storageSuite(async () => {
    await clear();
    return createShardedStorage(storages);
  }))
    t.test(name, async () => {
      await run();
      rules++;
    });
  t.test('the suite has passed', async (t) => t.comment(`${rules} rules over ${servers.length} servers`));

  t.test('with one server down, the others serve their clients and deliver their events', async (t) => {
    await clear();
    const clients = ['first', 'second', 'third'];
    const sharded = createShardedStorage(storages, (clientId) => Math.max(clients.indexOf(clientId), 0));
    const delivered: string[] = [];
    const publicUrl = 'https://claims.example.com';
    const options: Omit<ClaimlinkOptions, 'storage'> = {
      publicUrl,
      signer: createLinkSigner({
        keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
        issuer: publicUrl,
      }),
      onSubmit: ({ clientId }) => {
        delivered.push(clientId);
      },
      onError: () => {},
    };
    const claimlink = createClaimlink({ ...options, storage: sharded });
    const handler = createFetchHandler(claimlink);
    const keys: Record<string, string> = {};
    for (const clientId of clients) {
      await claimlink.addClient({ clientId });
      keys[clientId] = (await claimlink.addApiKey(clientId)).key;
      // A submission whose process ended before the delivery.
      await sharded.insertLink(sampleLink({ clientId, accessCodeHash: hashOf(1) }));
      const event = { id: `event-${clientId}`, attempts: 0 as const, nextAttemptAt: NOON };
      await sharded.submitLink({ ...sampleSubmission(hashOf(1), { event }), clientId });
    }
    await servers[1]?.replica.kill();

    async function send(method: string, url: string, key = '', body?: unknown) {
      const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await handler(new Request(new URL(url, publicUrl), init));
      return { status: response.status, body: await response.text() };
    }
    for (const clientId of ['first', 'third']) {
      const key = keys[clientId];
      t.equal((await send('GET', `/${clientId}/sessions/user-1`, key)).status, 200, `listing of ${clientId}`);
      const created = await send('POST', `/${clientId}/link`, key, linkRequest());
      t.equal(created.status, 200);
      const { data } = JSON.parse(created.body) as { data: string };
      t.equal((await send('POST', data, '', CLAIM)).status, 200, 'submission');
      t.equal((await send('POST', data, '', CLAIM)).status, 200, 'repeated submission');
      t.equal((await send('GET', `/${clientId}/sessions/user-1`, 'clk_unknown')).status, 401, 'unknown key');
      const others = keys[clientId === 'first' ? 'third' : 'first'];
      t.equal(
        (await send('GET', `/${clientId}/sessions/user-1`, others)).status,
        401,
        "another client's key",
      );
      t.equal((await send('GET', '/unknown/sessions/user-1', key)).status, 404, 'unknown client');
    }
    t.equal((await send('GET', '/second/sessions/user-1', keys['second'])).status, 503);
    t.equal((await send('POST', '/second/link', keys['second'], linkRequest())).status, 503);
    await claimlink.idle();

    // Deliveries and sweeps run for each server.
    delivered.length = 0;
    const results = await Promise.allSettled(
      storages.map((storage) => createClaimlink({ ...options, storage }).deliverPending()),
    );
    t.same(
      results.map((result) => result.status === 'fulfilled' && result.value.delivered),
      [1, false, 1],
    );
    t.same(delivered.sort(), ['first', 'third']);
    await t.rejects(async () => sharded.deleteExpiredLinks(new Date('2100-01-01T00:00:00Z')), {
      code: 'storage_unavailable',
    });
    for (const [index, clientId] of clients.entries()) {
      if (index === 1) continue;
      const { links } = await sharded.listLinks({ clientId, at: NOON, limit: 10 });
      t.same(links, [], `the links of ${clientId} are swept`);
    }
  });
}
