// `npm run simulate -- --seed 1 --runs 1000`: runs plans of consecutive seeds, and shrinks the first one that fails.
import { parseArgs } from 'node:util';
import { formatFailure } from './report.js';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
    /** Prints the history of the first seed. */
    print: { type: 'boolean', default: false },
  },
});
const [seed, runs] = [values.seed, values.runs].map(Number);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(runs))
  throw new TypeError('--seed and --runs must be whole numbers.');

const print = (text: string) => void process.stdout.write(`${text}\n`);
const { failure, counts, lines } = await simulate(Number(seed), Number(runs), (done) => {
  process.stderr.write(`${done} histories\n`);
});
if (values.print) print(lines.join('\n'));
print(
  `${counts.histories} histories from seed ${seed}: ${counts.calls} calls, ${counts.attempts} deliveries, ${counts.crashes} crashes.`,
);
if (failure === undefined) {
  print('All promises hold.');
} else {
  print(formatFailure(failure));
  process.exitCode = 1;
}
