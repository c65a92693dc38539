// docs/sqlite.md shows a backup and how to restore it. Both are run on a file that is then damaged.
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import t from 'tap';
import { createSqliteStorage } from '../../lib/storage/sqlite/index.js';
import { run } from '../package/programs.js';
import { codeBlocks, readDocument } from './markdown.js';
import { createShell } from './workspace.js';

/** Returns the only block of a chapter in a language. */
function blockOf(chapter: string, language: string): string {
  const [, text = ''] = readDocument('docs/sqlite.md').split(`\n## ${chapter}\n`);
  const [block, ...others] = codeBlocks(text.split('\n## ')[0] ?? '').filter(
    (candidate) => candidate.language === language,
  );
  if (block === undefined || others.length > 0) throw new Error(`${chapter} needs one block of ${language}.`);
  return block.code;
}

/** Overwrites the pages after the first one. */
const DAMAGE = `
const fs = require('node:fs');
fs.writeSync(fs.openSync('claims.db', 'r+'), Buffer.alloc(16 * 4096, 0xff), 0, undefined, 4096);
`;

t.test('the steps of docs/sqlite.md restore a backup over a damaged file', async (t) => {
  const { folder, shell } = await createShell(t, {
    DATABASE_URL: 'sqlite:claims.db',
    CLAIMLINK_DATABASE_URL: '',
  });
  const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;

  await shell('npx claimlink migrate && npx claimlink clients add acme --name Acme');
  await writeFile(join(folder, 'backup.mjs'), blockOf('Backup', 'ts'));
  await shell('node backup.mjs');
  t.equal(await modeOf('backup.db'), 0o600);

  const database = new Libsql(join(folder, 'claims.db'));
  t.teardown(() => database.close());
  await createSqliteStorage(database).insertClient({ clientId: 'later' });
  // Another process: one that closes the file here would end the locks of this connection.
  await run(process.execPath, ['-e', DAMAGE], folder);
  await t.rejects(shell('npx claimlink clients list'), /The file of DATABASE_URL is damaged/);

  const { stdout } = await shell(blockOf('Restore', 'sh'));
  t.match(stdout, /^Up to date at version \d+\.\nclientId .*\nacme .*\n$/);
  t.equal(await modeOf('claims.db'), 0o600);
  t.same((await readdir(join(folder, 'damaged'))).sort(), ['claims.db', 'claims.db-shm', 'claims.db-wal']);
});
