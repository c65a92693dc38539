// Runs the plans of consecutive seeds until one breaks a promise, in this thread or in several.
import { startWorker } from '../worker-thread.js';
import {
  type Counts,
  type Failure,
  findFailure,
  type Kind,
  type LoggedHistory,
  type SeededPlan,
} from './kind.js';
import { shrink } from './shrink.js';

export interface Simulation<P extends SeededPlan, H extends LoggedHistory> {
  histories: number;
  /** What was run. */
  counts: Counts;
  /** The failure of the lowest seed, in its shortest form. */
  failure?: Failure<P, H>;
}

/** Consecutive seeds. */
export interface Seeds {
  seed: number;
  runs: number;
}

/** Seeds for a thread. */
export interface SeedsTask extends Seeds {
  kind: Kind<SeededPlan, LoggedHistory>['name'];
}

/** What was run, up to the first seed that breaks a promise. */
export interface SeedsResult {
  histories: number;
  counts: Counts;
  failingSeed: number | undefined;
}

export interface SimulateOptions extends Seeds {
  /** Number of threads. The result is the same for each number. */
  workers?: number;
  /** Gets the number of histories now and then. */
  onProgress?: (histories: number) => void;
}

/** Seeds that a thread gets at once. */
const SEEDS_PER_TASK = 500;

/** Runs `runs` plans, from this seed on. */
export async function simulate<P extends SeededPlan, H extends LoggedHistory>(
  kind: Kind<P, H>,
  { seed, runs, workers = 1, onProgress }: SimulateOptions,
): Promise<Simulation<P, H>> {
  const threads = Math.min(workers, Math.ceil(runs / SEEDS_PER_TASK));
  const file = new URL('worker.js', import.meta.url);
  const started = Array.from({ length: threads > 1 ? threads : 0 }, () =>
    startWorker<SeedsTask, SeedsResult>(file),
  );
  const runners =
    threads > 1
      ? started.map(
          ({ run }) =>
            (seeds: Seeds) =>
              run({ kind: kind.name, ...seeds }),
        )
      : [(seeds: Seeds) => runSeeds(kind, seeds)];
  try {
    const { failingSeed, ...run } = await runTasks({ seed, runs }, runners, onProgress);
    if (failingSeed === undefined) return run;
    const find = (plan: P) => findFailure(kind, plan);
    const failure = await find(kind.createPlan(failingSeed));
    if (failure === undefined) throw new Error(`Seed ${failingSeed} does not fail again.`);
    return { ...run, failure: await shrink(failure, { find, simplifications: kind.simplifications }) };
  } finally {
    await Promise.all(started.map(({ stop }) => stop()));
  }
}

/** Shares the seeds between runners. The result does not depend on their number. */
export async function runTasks(
  { seed, runs }: Seeds,
  runners: readonly ((task: Seeds) => Promise<SeedsResult>)[],
  onProgress: (histories: number) => void = () => {},
): Promise<SeedsResult> {
  const results: SeedsResult[] = [];
  let next = 0;
  let end = Math.ceil(runs / SEEDS_PER_TASK);
  let finished = 0;
  const work = async (run: (task: Seeds) => Promise<SeedsResult>) => {
    // Tasks begin in the order of their seeds. So all seeds below a failure run.
    while (next < end) {
      const index = next++;
      const first = index * SEEDS_PER_TASK;
      const result = await run({ seed: seed + first, runs: Math.min(SEEDS_PER_TASK, runs - first) });
      results[index] = result;
      if (result.failingSeed !== undefined) end = Math.min(end, index + 1);
      finished += result.histories;
      onProgress(finished);
    }
  };
  await Promise.all(runners.map(work));
  let histories = 0;
  let counts: Counts = {};
  for (const result of results.slice(0, end)) {
    histories += result.histories;
    counts = sum(counts, result.counts);
  }
  return { histories, counts, failingSeed: results[end - 1]?.failingSeed };
}

/** Runs plans in this thread. */
export async function runSeeds<P extends SeededPlan, H extends LoggedHistory>(
  { createPlan, runPlan, findViolation, count }: Kind<P, H>,
  { seed, runs }: Seeds,
): Promise<SeedsResult> {
  let histories = 0;
  let counts: Counts = {};
  for (let current = seed; current < seed + runs; current++) {
    const history = await runPlan(createPlan(current));
    histories++;
    counts = sum(counts, count(history));
    if (findViolation(history)) return { histories, counts, failingSeed: current };
    // Signals and timers of the process get their turn.
    if (current % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { histories, counts, failingSeed: undefined };
}

function sum(a: Counts, b: Counts): Counts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
