// docs/postgres.md shows a backup and how to restore it. Both are run, with what the document says of the data afterwards.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import {
  CLIENT_ID,
  NOON,
  sampleLink,
  sampleSession,
  sampleSubmission,
} from '../../lib/testing/storage-suite/samples.js';
import { openTools, startOwnPostgres } from '../storage/postgres-server.js';
import { codeBlocks, readDocument } from './markdown.js';
import { createShell } from './workspace.js';

const hashOf = (number: number) => String(number).repeat(64);
const idOf = (number: number) => ({ clientId: CLIENT_ID, accessCodeHash: hashOf(number) });

/** Returns the only block for a shell of a chapter. */
function blockOf(chapter: string): string {
  const [, text = ''] = readDocument('docs/postgres.md').split(`\n## ${chapter}\n`);
  const [block, ...others] = codeBlocks(text.split('\n## ')[0] ?? '').filter(
    ({ language }) => language === 'sh',
  );
  if (block === undefined || others.length > 0) throw new Error(`${chapter} needs one block of sh.`);
  return block.code;
}

const tools = await openTools(t);
if (tools !== undefined)
  t.test('the steps of docs/postgres.md restore a backup, and the data is that of its time', async (t) => {
    const server = await startOwnPostgres(t, tools);
    const { folder, shell } = await createShell(t, {
      DATABASE_URL: server.url,
      CLAIMLINK_DATABASE_URL: '',
      PATH: `${tools.bin}:${process.env['PATH']}`,
    });
    await shell(
      `npx claimlink migrate --schema claimlink && npx claimlink clients add ${CLIENT_ID} --schema claimlink`,
    );
    const pool = new pg.Pool({ connectionString: server.url });
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    const storage = createPostgresStorage(pool, { schema: 'claimlink' });
    const submit = async (number: number) => {
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(number) }));
      const session = { ...sampleSession(), reference: `S-${number}` };
      return storage.submitLink(sampleSubmission(hashOf(number), { session }));
    };
    const references = async (cursor?: string) => {
      const page = await storage.listClientSessions({
        clientId: CLIENT_ID,
        limit: 10,
        ...(cursor && { cursor }),
      });
      return { references: page.sessions.map(({ reference }) => reference), cursor: page.nextCursor };
    };
    await submit(1);
    await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
    await shell(blockOf('Backup'));
    t.equal((await stat(join(folder, 'claimlink.dump'))).mode & 0o777, 0o600);

    await submit(3);
    await submit(4);
    await storage.revokeLink({ ...idOf(2), at: NOON });
    const { cursor } = await references();
    await pool.query('DELETE FROM claimlink.claimlink_sessions');

    const { stdout } = await shell(blockOf('Restore'));
    t.match(stdout, /Up to date at version \d+\.\nclientId .*\n/);
    const restored = await references();
    t.equal(restored.references.length, 1, 'the claims since are missing');
    t.equal((await storage.findLink(idOf(2)))?.link.revokedAt, undefined, 'a revoked link works again');
    t.equal(await storage.findLink(idOf(3)), undefined, 'a link that was created since is unknown');
    await submit(5);
    t.equal((await references()).references.length, 2);
    t.same((await references(cursor)).references, [], 'a cursor of before misses a submission');
  });
