// What every request costs in counted work: prints it as JSON, or writes it into budget.json with --update.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * No collection falls into a measurement, and no optimising compiler decides, at a moment of its own, which
 * allocations it leaves out: the same code allocates the same, on a loaded machine too.
 */
const UNOPTIMIZED = [
  '--expose-gc',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
  '--no-opt',
  '--no-maglev',
  '--no-flush-bytecode',
];

const COMMENT =
  'What a request may cost at most, counted: test/performance/work.test.ts. After a change for the better, or one that must cost more: npm run build && node test/performance/measure-work.mjs --update';

const [calls, bytes] = await Promise.all([
  run([], new URL('count-calls.mjs', import.meta.url)),
  run(UNOPTIMIZED, new URL('count-bytes.mjs', import.meta.url)),
]);
const columns = [...Object.keys(Object.values(calls)[0]), 'bytes'];
const rows = Object.entries(calls).map(([name, counts]) => [
  name,
  [...Object.values(counts), ...(name in bytes ? [toHundreds(bytes[name])] : [])],
]);

if (process.argv.includes('--update')) {
  const lines = rows.map(([name, numbers]) => `    ${JSON.stringify(name)}: [${numbers.join(', ')}]`);
  const text = `{
  "comment": ${JSON.stringify(COMMENT)},
  "columns": [
${columns.map((column) => `    "${column}"`).join(',\n')}
  ],
  "rows": {
${lines.join(',\n')}
  }
}
`;
  await writeFile(new URL('budget.json', import.meta.url), text);
} else {
  process.stdout.write(`${JSON.stringify({ columns, rows: Object.fromEntries(rows) })}\n`);
}

/** Rounded up, so that measuring again changes nothing in the file. */
function toHundreds(number) {
  return Math.ceil(number / 100) * 100;
}

/** Resolves to what a script prints, without what a test runner puts into the environment. */
async function run(flags, script) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env;
  const args = [...flags, fileURLToPath(script), ...process.argv.slice(2)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout);
}
