// `npm run proof -- soak --minutes 60 --seed 1`: mixed load on real parts, then what was lost, and how the processes grew.
import { parseArgs } from 'node:util';
import { LIMITS, measureGrowth } from './growth.js';
import { countAll, megabytes, soak } from './soak.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const [minutes = Number.NaN, seed = Number.NaN] = [values.minutes, values.seed].map(Number);
if (!(minutes > 0) || !Number.isSafeInteger(seed))
  throw new TypeError('--minutes must be a positive number, --seed a whole number.');

const print = (text: string) => void process.stdout.write(`${text}\n`);
const report = (text: string) => void process.stderr.write(`${text}\n`);
const teardowns: (() => unknown)[] = [];
let ending: Promise<void> | undefined;

/** Ends all processes, and deletes the folders. */
function end(code: number): Promise<void> {
  ending ??= tearDown().finally(() => process.exit(code));
  return ending;
}
async function tearDown() {
  for (let teardown = teardowns.pop(); teardown !== undefined; teardown = teardowns.pop()) await teardown();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(130));
process.on('uncaughtException', (error) => {
  // The load fails while its processes end.
  if (ending === undefined) report(error.stack ?? String(error));
  void end(1);
});

const scope = { teardown: (teardown: () => unknown) => void teardowns.push(teardown) };
const { statuses, counts, broken, samples } = await soak(scope, { minutes, seed, report });

print(
  `${countAll(statuses)} requests in ${minutes} minutes from seed ${seed}, by status: ${JSON.stringify(statuses)}`,
);
print(
  Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', '),
);
let isGood = true;
for (const [name, list] of Object.entries(broken)) {
  print(`${name}: ${list.length}`);
  if (list.length > 0) isGood = false;
  for (const each of list.slice(0, 5)) print(`  ${each}`);
}
for (const [name, list] of Object.entries(samples)) {
  print(`${name}, ${list.length} samples:`);
  for (const { measure, perHour, ratio, isTooMuch } of measureGrowth(list)) {
    const isMemory = measure === 'heap' || measure === 'rss';
    const slope = isMemory ? `${megabytes(perHour)} MB per hour` : `${perHour.toFixed(1)} per hour`;
    const verdict = isTooMuch ? `, GROWS by more than ${LIMITS[measure]}` : '';
    print(`  ${measure}: ${slope}, last/first ${ratio.toFixed(2)}${verdict}`);
    if (isTooMuch) isGood = false;
  }
}
print(isGood ? 'All promises hold.' : 'A promise does not hold.');
await end(isGood ? 0 : 1);
