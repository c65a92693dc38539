// Part `imports`: how long Node takes to import what a host imports, in a new process each time.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runNode } from './processes.mjs';
import { measureRounds, medianOf, progress, rangeOf, ratioOf, tableOf } from './rounds.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRIES = [['claimlink/node'], ['claimlink', 'claimlink/node'], ['claimlink', 'claimlink/fastify']];
/** An import takes milliseconds, so many rounds are cheap. */
const IMPORTS_PER_ROUND = 8;
const TIME_IMPORT = `
  const start = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - start);
`;

export async function run(context) {
  const { rounds, against, signal, folder } = context;
  const subjects = [{ name: 'an empty file', file: await writeModule(folder, 'empty', []) }];
  for (const checkout of against === undefined ? [ROOT] : [ROOT, against])
    for (const specifiers of ENTRIES) {
      const urls = await Promise.all(specifiers.map((specifier) => resolveEntry(checkout, specifier)));
      const name = specifiers.join(' + ') + (checkout === ROOT ? '' : `, ${against}`);
      subjects.push({ name, file: await writeModule(folder, `${subjects.length}`, urls) });
    }
  const time = async ({ file }) =>
    Number(await runNode(['--input-type=module', '-e', TIME_IMPORT, file], { signal, folder }));
  // The first import reads the files from the disk, so it does not count.
  for (const subject of subjects) await time(subject);
  const count = rounds * IMPORTS_PER_ROUND;
  const times = await measureRounds(subjects, count, (subject, round) => {
    progress(`round ${round + 1} of ${count}: ${subject.name}`);
    return time(subject);
  });
  progress('');
  const rows = subjects.map(({ name }, index) => {
    const all = times.get(subjects[index]);
    // The entries of the other checkout follow in the same order.
    const other = times.get(subjects[index + ENTRIES.length]);
    const ratio = index === 0 || other === undefined ? undefined : ratioOf(all, other);
    return [
      name,
      medianOf(all).toFixed(1),
      rangeOf(all, 1),
      ratio?.median.toFixed(2) ?? '',
      ratio?.range ?? '',
    ];
  });
  const columns = [`import, ${count} times`, 'median ms', 'min–max', 'ratio to --against', 'min–max'];
  console.log(`\n${tableOf(columns, rows)}`);
}

/** Returns the URL of a public entry of a checkout, by the `exports` of its package.json. */
async function resolveEntry(checkout, specifier) {
  const { exports } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const entry = exports[specifier.replace('claimlink', '.')];
  return pathToFileURL(join(checkout, entry.default)).href;
}

/** Writes a module with these imports. A host also imports several entries from one module. */
async function writeModule(folder, name, urls) {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(''));
  return file;
}
