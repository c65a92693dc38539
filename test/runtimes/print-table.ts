// Prints the table of docs/evidence/runtimes.md and every failure: npm run proof -- runtimes
import { areInstalled, runAll, suitesOf, toRow } from './runtimes.js';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (!areInstalled()) {
  process.stderr.write('Install the runtimes first: npm ci --prefix test/runtimes/packages\n');
  process.exit(1);
}

const results = await runAll();
print(
  '| runtime | contract | storage | SQLite | photos in memory | photos in a folder | photos on S3 | link keys |',
);
print('|---|---|---|---|---|---|---|---|');
for (const result of results) print(`| ${toRow(result).join(' | ')} |`);
for (const { runtime, keys, stderr, ...suites } of results) {
  const failed = suitesOf(suites).flatMap((result) => result?.failed ?? []);
  for (const { name, message } of [...failed, ...keys.failed]) print(`\n${runtime}: ${name}\n  ${message}`);
  if (failed.length > 0) process.exitCode = 1;
  if (stderr !== '') print(`\n${runtime}, stderr:\n${stderr}`);
}
