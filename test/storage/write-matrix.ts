// Runs the matrix and writes it to docs/storage.md: npm run proof -- matrix
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Row, readDocument, replaceTable } from '../docs/markdown.js';
import { REPOSITORY } from '../repository.js';

const DOCUMENT = 'docs/storage.md';

/** Folders of the packages that the matrix needs. */
const PACKAGE_FOLDERS = ['test/storage/matrix', 'test/storage/handles', 'test/runtimes/packages'];

for (const folder of PACKAGE_FOLDERS) {
  const path = fileURLToPath(new URL(folder, REPOSITORY));
  if (!existsSync(`${path}/node_modules/.package-lock.json`))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', path], { stdio: 'inherit' });
}

// It loads the drivers, which are installed now.
const { MATRIX } = await import('./matrix.js');
const rows: Row[] = [];
for (const { database, driver, run } of MATRIX) {
  const teardowns: (() => unknown)[] = [];
  const scope = { teardown: (teardown: () => unknown) => void teardowns.unshift(teardown) };
  const { total = 0, failed = [] } = (await run(scope)) ?? {};
  for (const teardown of teardowns) await teardown();
  const row = [database, driver, `${total - failed.length} of ${total}`];
  rows.push(row);
  process.stdout.write(`| ${row.join(' | ')} |\n`);
  for (const { name, message } of failed) process.stdout.write(`  ${name}\n    ${message}\n`);
  if (failed.length > 0 || total === 0) process.exitCode = 1;
}
const document = replaceTable(readDocument(DOCUMENT), 'matrix', rows);
writeFileSync(new URL(DOCUMENT, REPOSITORY), document);
