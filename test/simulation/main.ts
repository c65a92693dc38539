// `npm run proof -- simulate --seed 1 --runs 1000`: runs plans of consecutive seeds, and shrinks the first one that fails.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { CORE } from './core-kind.js';
import type { Kind, LoggedHistory, SeededPlan } from './kind.js';
import { PAGES } from './page-kind.js';
import { formatFailure, formatLog } from './report.js';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
    /** Number of threads. The result does not depend on it. */
    workers: { type: 'string', default: String(availableParallelism()) },
    /** Runs histories of customers at the pages of a link, not of hosts. */
    pages: { type: 'boolean', default: false },
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

async function run<P extends SeededPlan, H extends LoggedHistory>(kind: Kind<P, H>): Promise<void> {
  if (values.print) print(formatLog(await kind.runPlan(kind.createPlan(seed))).join('\n'));
  const onProgress = (histories: number) => {
    if (histories % 10_000 === 0) process.stderr.write(`${histories} histories\n`);
  };
  const { failure, histories, counts } = await simulate(kind, { seed, runs, workers, onProgress });
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  print(`${histories} histories from seed ${seed}: ${figures.join(', ')}.`);
  if (failure !== undefined) print(formatFailure(kind, failure));
  else if (histories >= 100 && (counts[kind.essential] ?? 0) < histories / 2)
    print(`Too few ${kind.essential}: the histories show nothing.`);
  else return print('All promises hold.');
  process.exitCode = 1;
}

await (values.pages ? run(PAGES) : run(CORE));
