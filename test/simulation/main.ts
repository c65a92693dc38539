// `npm run simulate -- --seed 1 --runs 1000`: runs plans of consecutive seeds, and shrinks the first one that fails.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { formatLog } from './history.js';
import { createPlan } from './plan.js';
import { formatFailure } from './report.js';
import { runPlan } from './run-plan.js';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
    /** Number of threads. The result does not depend on it. */
    workers: { type: 'string', default: String(availableParallelism()) },
    /** Prints the history of the first seed. */
    print: { type: 'boolean', default: false },
  },
});
const [seed, runs, workers] = [values.seed, values.runs, values.workers].map(Number) as [
  number,
  number,
  number,
];
if (![seed, runs, workers].every(Number.isSafeInteger) || runs < 1 || workers < 1)
  throw new TypeError('--seed, --runs and --workers must be whole numbers, --runs and --workers at least 1.');

const print = (text: string) => void process.stdout.write(`${text}\n`);
if (values.print) print(formatLog(await runPlan(createPlan(seed))).join('\n'));
const onProgress = (histories: number) => {
  if (histories % 10_000 === 0) process.stderr.write(`${histories} histories\n`);
};
const { failure, counts } = await simulate({ seed, runs, workers, onProgress });
print(
  `${counts.histories} histories from seed ${seed}: ${counts.calls} calls, ${counts.attempts} deliveries, ${counts.crashes} crashes.`,
);
if (failure === undefined && counts.histories >= 100 && counts.attempts < counts.histories / 2) {
  print('Too few deliveries: the histories show nothing.');
  process.exitCode = 1;
} else if (failure === undefined) {
  print('All promises hold.');
} else {
  print(formatFailure(failure));
  process.exitCode = 1;
}
