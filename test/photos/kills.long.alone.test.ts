// Processes that are killed while they take, claim and remove photos: no claim loses one, and one round leaves nothing else.
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { CLAIM_MARK_ID, claimedIdsOf } from '../../lib/core/claimed-photos.js';
import { SWEEP_LIMIT } from '../../lib/core/photo-removal.js';
import { createClaimlink, createLinkSigner, type Session } from '../../lib/index.js';
import { createFolderStore } from '../../lib/photos/index.js';
import { createPostgresStorage, migrate as migratePostgres } from '../../lib/storage/postgres/index.js';
import { createSqliteStorage, migrate as migrateSqlite } from '../../lib/storage/sqlite/index.js';
import { REPOSITORY } from '../repository.js';
import { sized } from '../size.js';
import { openSchema, startPostgres } from '../storage/postgres-server.js';
import { DRIVERS, openDatabase, temporaryFile } from '../storage/sqlite-drivers.js';

const PROCESS = fileURLToPath(new URL('test/photos/kill-process.mjs', REPOSITORY));
// Both databases at once.
t.jobs = 2;
const SQLITE_KILLS = sized(5, 5, 100);
const POSTGRES_KILLS = sized(50, 5, 1000);
const KILLS = { SQLite: SQLITE_KILLS, PostgreSQL: POSTGRES_KILLS };
/** Number of kills after which all links and claims are deleted, so that a round stays short. */
const SERIES = 50;
const KEYS = [{ kid: 'k1', algorithm: 'HS256', secret: 'a secret of at least 32 bytes, for tests' }] as const;
const CLIENT_ID = 'acme';
const PUBLIC_URL = 'https://claims.example.com';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Kind = keyof typeof KILLS;

/** Opens a new database, or returns undefined without a server. */
async function openKind(t: Test, kind: Kind) {
  if (kind === 'PostgreSQL') {
    const server = await startPostgres(t);
    if (server === undefined) return undefined;
    const { pool, schema } = await openSchema(t, server);
    await migratePostgres(pool, { schema });
    /** Waits until the server has ended what a process began: a commit that it sent may still run after its end. */
    const untilEnded = async (name: string) => {
      const sql = 'SELECT 1 FROM pg_stat_activity WHERE application_name = $1';
      while (((await pool.query(sql, [name])).rowCount ?? 0) > 0);
    };
    return {
      storage: createPostgresStorage(pool, { schema }),
      database: { url: server.url, schema },
      untilEnded,
    };
  }
  const file = temporaryFile(t);
  const [open] = Object.values(DRIVERS);
  if (open === undefined) throw new Error('no driver is installed');
  const database = openDatabase(t, open, file);
  await migrateSqlite(database);
  const untilEnded = async (_name: string) => {};
  return {
    storage: createSqliteStorage(database, { synchronous: 'normal' }),
    database: { file },
    untilEnded,
  };
}

/** Starts a process that waits for a line. */
function startProcess(settings: object) {
  const child = spawn(process.execPath, [PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], KILL_PROCESS: JSON.stringify({ keys: KEYS, ...settings }) },
  });
  return { child, closed: once(child, 'close') };
}

/** Lets a process run until it has printed so many lines, and kills it. Returns its errors. */
async function runKilled({ child, closed }: ReturnType<typeof startProcess>, lineCount: number) {
  const errors: string[] = [];
  let count = 0;
  child.stdin.write('go\n');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') continue;
    if (line.startsWith('error ')) errors.push(line);
    else if (++count === lineCount) child.kill('SIGKILL');
  }
  const [, signal] = await closed;
  return signal === 'SIGKILL' ? errors : [...errors, `the process ended by itself after ${count} lines`];
}

/** Returns the files of a folder store: the id of the link, that of the photo, and the path. */
function filesOf(folder: string) {
  const root = join(folder, 'photos');
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      linkId: parentPath.split(/[/\\]/).at(-1) ?? '',
      photoId: name.split('.')[0] ?? '',
      path: join(parentPath, name),
    }));
}

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  t.test(
    `${kind}: ${KILLS[kind]} killed processes lose no photo of a claim, and leave nothing`,
    async (t) => {
      const opened = await openKind(t, kind);
      if (opened === undefined) return;
      const { storage, database, untilEnded } = opened;
      // A process may be killed before it creates a folder.
      const folder = t.testdir({ tmp: {}, photos: {} });
      await storage.insertClient({
        clientId: CLIENT_ID,
        settings: { form: { photos: { need: 'optional' } } },
      });
      // After the leases of processes that are gone.
      let ahead = 2 * MINUTE;
      const now = () => new Date(Date.now() + ahead);
      const errors: unknown[] = [];
      const checked = new Set<string>();
      const claimlink = createClaimlink({
        storage,
        signer: createLinkSigner({ keys: KEYS, issuer: PUBLIC_URL }),
        publicUrl: PUBLIC_URL,
        photos: { store: createFolderStore(folder) },
        now,
        onError: (error) => errors.push(error),
      });

      /** Delivers what is due, and compares all links once. */
      async function runRound() {
        const temporary = join(folder, 'tmp');
        // A temporary file of a killed process is old.
        for (const name of readdirSync(temporary)) utimesSync(join(temporary, name), 0, 0);
        // Some folders of links are empty.
        const clients = readdirSync(join(folder, 'photos')).map((name) => join(folder, 'photos', name));
        const linkCount = clients.flatMap((client) => readdirSync(client)).length;
        for (let call = 0; call <= linkCount / SWEEP_LIMIT; call++) await claimlink.deliverPending();
        await claimlink.idle();
        t.same(readdirSync(temporary), []);
      }

      /** Returns whether the bytes of a photo are those that were sent. Reads each file once. */
      function isWhole(path: string | undefined, id: string): boolean {
        if (path === undefined) return false;
        if (checked.has(path)) return true;
        checked.add(path);
        return hash('sha256', readFileSync(path), 'hex') === id;
      }

      /** Returns what is wrong in the folder. */
      async function problems(): Promise<string[]> {
        const files = filesOf(folder);
        const sessions: Session[] = [];
        for (let cursor: string | undefined, hasMore = true; hasMore; ) {
          const page = await storage.listClientSessions({
            clientId: CLIENT_ID,
            limit: 1000,
            ...(cursor && { cursor }),
          });
          sessions.push(...page.sessions);
          ({ nextCursor: cursor, hasMore } = page);
        }
        const sessionOf = new Map(sessions.map((session) => [session.link?.linkId ?? '', session]));
        const wrong: string[] = [];
        const pathOf = new Map(files.map(({ linkId, photoId, path }) => [`${linkId} ${photoId}`, path]));
        for (const [linkId, session] of sessionOf)
          for (const id of claimedIdsOf(session))
            if (!isWhole(pathOf.get(`${linkId} ${id}`), id))
              wrong.push(`the claim ${session.reference} has lost ${id}`);
        for (const { linkId, photoId, path } of files) {
          const session = sessionOf.get(linkId);
          const stored = await storage.findLink({ clientId: CLIENT_ID, accessCodeHash: linkId });
          const { revokedAt, submittedAt, expiresAt } = stored?.link ?? {};
          const isUsable = expiresAt !== undefined && expiresAt > now() && !revokedAt && !submittedAt;
          if (session && photoId === CLAIM_MARK_ID) continue;
          if (session ? !claimedIdsOf(session).has(photoId) : !isUsable) wrong.push(`${path} is left`);
        }
        return wrong;
      }

      /** Lets all links expire, and deletes all claims: nothing is left. */
      async function endSeries() {
        const count = filesOf(folder).length;
        t.ok(count > 5, `${count} files`);
        ahead = 3 * DAY;
        await runRound();
        t.same(await problems(), []);
        await claimlink.deleteSessions(now());
        await runRound();
        t.same(filesOf(folder), []);
        await claimlink.deleteExpiredLinks(now());
        await claimlink.idle();
        ahead = 2 * MINUTE;
      }

      const nameOf = (round: number) => `kill-${round}`;
      const start = (round: number) => startProcess({ database, folder, name: nameOf(round) });
      let next = start(0);
      t.teardown(() => next.child.kill('SIGKILL'));
      for (let round = 0; round < KILLS[kind]; round++) {
        const current = next;
        // It starts while the other one works.
        next = start(round + 1);
        // Steps are spread: each kill is at another one.
        t.same(await runKilled(current, 5 + ((round * 37) % 150)), []);
        await untilEnded(nameOf(round));
        await runRound();
        const wrong = await problems();
        if (wrong.length > 0) t.fail(`round ${round}`, { wrong });
        if (round % SERIES === SERIES - 1 || round === KILLS[kind] - 1) await endSeries();
      }
      t.comment(`${checked.size} photos of claims after ${KILLS[kind]} kills on ${kind}`);
      t.same(errors, []);
    },
  );
