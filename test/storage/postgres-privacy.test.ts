// Personal data in the tables: a link loses its own when it ends; deleteUser and deleteClient leave nothing in any table.
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createClaimlink, createLinkSigner, type LinkRequest } from '../../lib/index.js';
import { createPostgresStorage, type PostgresStorage } from '../../lib/storage/postgres/index.js';
import { claim } from '../core/world.js';
import { findPostgres, type openSchema, openTables } from './postgres-server.js';

const server = await findPostgres(t);

/** Returns a person with a marker in every text. */
function contactOf(marker: string) {
  return { firstName: marker, lastName: marker, email: `${marker}@example.com`, phone: `${marker} 123` };
}

/** Returns a link request with a marker in every field that may hold personal data. */
function prefilled(marker: string): LinkRequest {
  const contact = contactOf(marker);
  return {
    callbackUrl: `https://app.example.com/${marker}`,
    config: {
      contact: { email: 'help@example.com', phone: '+44 20 7946 0000' },
      currentUserId: marker,
      policy: {
        number: marker,
        provider: marker,
        holder: contact,
        vehicle: { licensePlate: marker },
        linkedContacts: [contact],
      },
      extra: { note: marker },
    },
  };
}

/** Returns a claim with a marker in every text. */
function markedClaim(marker: string) {
  const contact = contactOf(marker);
  return claim({
    policy: {
      number: marker,
      provider: marker,
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      holder: { ...contact, id: marker },
      linkedContacts: [contact],
      vehicle: { licensePlate: marker },
    },
    incident: { date: '2026-02-27', description: marker },
    extra: { note: marker },
  });
}

if (server !== undefined) {
  /** A service on PostgreSQL with a client, and all rows of all of its tables as text. */
  async function open(t: Parameters<typeof openSchema>[0]) {
    const settings = `-c application_name=${randomUUID()}`;
    const { pool, schema, storage } = await openTables(t, server ?? { url: '' }, settings);
    await storage.insertClient({ clientId: 'acme' });
    const signer = createLinkSigner({
      keys: [{ kid: '1', algorithm: 'HS256', secret: new Uint8Array(32) }],
      issuer: 'https://claims.example.com',
    });
    const claimlink = createClaimlink({ storage, signer, publicUrl: 'https://claims.example.com' });
    const create = async (marker: string) => {
      const { url, linkId } = await claimlink.createLink('acme', prefilled(marker));
      const { pathname, searchParams } = new URL(url);
      const parts = [pathname.slice('/verify/'.length), searchParams.get('token') ?? ''] as const;
      return { linkId, parts };
    };
    const dump = async () => {
      const { rows } = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
      const texts = rows.map(async ({ tablename }) => {
        const table = await pool.query(`SELECT t::text AS row FROM ${tablename} t`);
        return [tablename, ...table.rows.map(({ row }) => row)].join('\n');
      });
      return (await Promise.all(texts)).join('\n');
    };
    return { pool, claimlink, storage, create, dump };
  }

  for (const [name, erase] of [
    ['deleteUser', (storage) => storage.deleteUser({ clientId: 'acme', userId: 'canary' })],
    ['deleteClient', (storage) => storage.deleteClient('acme')],
  ] as [string, (storage: PostgresStorage) => Promise<unknown>][])
    t.test(`${name} also deletes the session of a submission that it waits for`, async (t) => {
      const { pool, claimlink, storage, create, dump } = await open(t);
      const { linkId, parts } = await create('canary');
      const holder = await pool.connect();
      /** Resolves when so many statements of the pool wait for a lock. */
      const waiting = async (count: number) => {
        for (;;) {
          const { rows } = await pool.query(
            `SELECT 1 FROM pg_stat_activity
             WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock'`,
          );
          if (rows.length >= count) return;
        }
      };
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM claimlink_links WHERE access_code_hash = $1 FOR UPDATE', [linkId]);
      const submitted = claimlink.submitClaim(...parts, markedClaim('canary'));
      await waiting(1);
      const erased = erase(storage);
      await waiting(2);
      await holder.query('COMMIT');
      holder.release();
      t.match(await submitted, { repeated: false });
      await erased;
      t.notMatch(await dump(), 'canary');
    });

  t.test('deleteClient deletes nothing of a client that was added again meanwhile', async (t) => {
    const { pool, storage } = await open(t);
    const key = { id: 'key-1', clientId: 'acme', hash: '0'.repeat(64), createdAt: new Date() };
    let statements = 0;
    const paused = createPostgresStorage({
      async query(text, params) {
        if (++statements === 2) {
          await storage.insertClient({ clientId: 'acme', name: 'again' });
          await storage.insertApiKey(key);
        }
        return pool.query(text, params);
      },
    });
    t.equal(await paused.deleteClient('acme'), true);
    t.equal(statements, 2);
    t.same(await storage.findClient('acme'), { clientId: 'acme', name: 'again' });
    t.same(await storage.listApiKeys('acme'), [key]);
  });

  t.test('after deleteUser no table contains anything of the user, and all of others', async (t) => {
    const { claimlink, storage, create, dump } = await open(t);
    for (const marker of ['canary', 'neighbour']) {
      await create(marker);
      await claimlink.openLink(...(await create(marker)).parts);
      await claimlink.revokeLink('acme', (await create(marker)).linkId);
      await claimlink.submitClaim(...(await create(marker)).parts, markedClaim(marker));
      const { linkId } = await create(marker);
      const at = new Date();
      const { sessions } = await storage.listSessions({ clientId: 'acme', userId: marker, limit: 1 });
      const [session] = sessions;
      if (session === undefined) throw new Error('there is no session');
      await storage.submitLink({
        clientId: 'acme',
        accessCodeHash: linkId,
        at,
        session: { ...session, reference: `S-${marker}` },
        event: { id: `event-${marker}`, attempts: 0, nextAttemptAt: at },
      });
    }
    const exportNeighbour = async () => {
      const { exportedAt: _, ...records } = await claimlink.exportUser('acme', 'neighbour');
      return records;
    };
    const [before, neighbour] = [await dump(), await exportNeighbour()];
    t.match(before, /event-canary/);
    t.same(await claimlink.deleteUser('acme', 'canary'), { sessions: 2, links: 5, events: 1 });
    const after = await dump();
    t.notMatch(after, 'canary');
    t.match(after, 'event-neighbour');
    t.strictSame(await exportNeighbour(), neighbour);
  });

  t.test('after deleteClient no table contains anything of the client', async (t) => {
    const { claimlink, storage, create, dump } = await open(t);
    await storage.insertApiKey({ id: 'key-1', clientId: 'acme', hash: 'a', createdAt: new Date() });
    await claimlink.submitClaim(...(await create('canary')).parts, markedClaim('canary'));
    t.match(await dump(), 'acme');
    t.equal(await storage.deleteClient('acme'), true);
    t.notMatch(await dump(), 'acme');
  });

  t.test('a link that is submitted, revoked or swept after its end has no prefilled data', async (t) => {
    const { claimlink, storage, create, dump } = await open(t);
    const marker = 'canary';
    await claimlink.submitClaim(...(await create(marker)).parts, markedClaim('claimed'));
    await claimlink.revokeLink('acme', (await create(marker)).linkId);
    await create(marker);
    await claimlink.revokeLinks('acme');
    await create(marker);
    t.equal(await storage.reduceExpiredLinks(new Date('2100-01-01')), 1);
    const { links } = await storage.listLinks({ clientId: 'acme', at: new Date(), limit: 10 });
    t.equal(links.length, 4);
    for (const { link } of links) {
      t.strictSame(link.config, {
        contact: prefilled(marker).config.contact,
        currentUserId: marker,
      });
    }
    t.notMatch((await dump()).replaceAll(`app.example.com/${marker}`, ''), `${marker}@example.com`);
  });
}
