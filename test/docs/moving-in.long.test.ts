// docs/moving-in.md adds the sessions of another system. Its script runs on a real PostgreSQL, ends in the middle, and runs again.
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { ROOT } from '../package/programs.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';
import { createShell, startNode } from './workspace.js';

/** The script prints a line for each 1,000. */
const LINES = 1200;

/** Returns a claim of the other system. */
const rowOf = (number: number) => ({
  customerId: `user-${number % 100}`,
  claimNumber: `OLD-${number}`,
  state: number % 2 === 0 ? 'closed' : 'open',
  openedAt: '2025-03-01T09:30:00Z',
  reportedAt: '2025-03-01T09:45:00Z',
  policyNumber: `P-${number}`,
  lastName: 'Lovelace',
  damage: 'Hail',
  damageDate: '2025-02-28',
});
const toLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const ROWS = Array.from({ length: LINES }, (_, index) => rowOf(index + 1));

const server = await findPostgres(t);
if (server !== undefined)
  t.test('an import that was killed goes on, and a repetition adds and changes nothing', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await migrate(pool, { schema });
    const storage = createPostgresStorage(pool, { schema });
    const env = { DATABASE_URL: server.url, CLAIMLINK_DATABASE_URL: '', CLAIMLINK_SCHEMA: schema };
    const { folder, shell } = await createShell(t, env);
    await shell("npx claimlink clients add acme --name 'Acme Insurance'");
    await writeFile(join(folder, 'claims.jsonl'), toLines(ROWS));
    const script = join(ROOT, 'examples/moving-in/import-sessions.mjs');
    const run = () => shell(`node '${script}' acme claims.jsonl`);
    const countStored = async () =>
      Number((await pool.query('SELECT count(*) FROM claimlink_sessions')).rows[0].count);

    // A pipe, so that the script waits for its last lines when it is killed.
    await shell('mkfifo pipe');
    const killed = startNode(t, folder, [script, 'acme', 'pipe'], env);
    const pipe = await open(join(folder, 'pipe'), 'w');
    await pipe.writeFile(toLines(ROWS.slice(0, 1050)));
    if (killed.child.stderr !== null) await once(killed.child.stderr, 'data'); // line 1000
    killed.child.kill('SIGKILL');
    await killed.stop();
    await pipe.close();

    const counts = (added: number, present: number) =>
      `{ added: ${added}, present: ${present}, rejected: 0 }\n`;
    const stored = await countStored();
    t.ok(stored > 900 && stored < LINES, `${stored} sessions`);
    t.equal((await run()).stdout, counts(LINES - stored, stored));
    await storage.updateSession({ clientId: 'acme', reference: 'OLD-1', status: 'rejected' });
    t.equal((await run()).stdout, counts(0, LINES));
    t.equal(await countStored(), LINES);
    t.match(await storage.findSession({ clientId: 'acme', reference: 'OLD-1' }), { status: 'rejected' });
    t.same(await storage.countEvents({ limit: 10 }), { pending: 0, failed: 0 }, 'no event');

    const wrong = [
      { ...rowOf(1), customerId: 'user-2' },
      { ...rowOf(0), reportedAt: 'yesterday' },
      rowOf(9999),
    ];
    await writeFile(join(folder, 'wrong.jsonl'), `${toLines(wrong)}{"broken\n`);
    const { stdout, stderr } = await shell(`node '${script}' acme wrong.jsonl || echo "exit code $?"`);
    t.equal(stdout, '{ added: 1, present: 0, rejected: 3 }\nexit code 1\n');
    t.same(stderr.split('\n').sort(), [
      '',
      'line 1: another session has this reference',
      'line 2: date value',
      'line 4: no JSON',
    ]);
  });
