// Runs the plans of consecutive seeds until one breaks a promise, in this thread or in several.
import { startWorker } from '../worker-thread.js';
import { findViolation } from './checker.js';
import { createPlan } from './plan.js';
import { runPlan } from './run-plan.js';
import { type Failure, findFailure, shrink } from './shrink.js';

/** What was run. */
export interface Counts {
  histories: number;
  calls: number;
  attempts: number;
  crashes: number;
}

export interface Simulation {
  counts: Counts;
  /** The failure of the lowest seed, in its shortest form. */
  failure?: Failure;
}

/** Consecutive seeds. */
export interface Seeds {
  seed: number;
  runs: number;
}

/** What was run, up to the first seed that breaks a promise. */
export interface SeedsResult {
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
export async function simulate({
  seed,
  runs,
  workers = 1,
  onProgress,
}: SimulateOptions): Promise<Simulation> {
  const threads = Math.min(workers, Math.ceil(runs / SEEDS_PER_TASK));
  const file = new URL('worker.js', import.meta.url);
  const started = Array.from({ length: threads > 1 ? threads : 0 }, () =>
    startWorker<Seeds, SeedsResult>(file),
  );
  const runners = threads > 1 ? started.map(({ run }) => run) : [runSeeds];
  try {
    const { counts, failingSeed } = await runTasks({ seed, runs }, runners, onProgress);
    if (failingSeed === undefined) return { counts };
    const failure = await findFailure(createPlan(failingSeed));
    if (failure === undefined) throw new Error(`Seed ${failingSeed} does not fail again.`);
    return { counts, failure: await shrink(failure) };
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
  let histories = 0;
  const work = async (run: (task: Seeds) => Promise<SeedsResult>) => {
    // Tasks begin in the order of their seeds. So all seeds below a failure run.
    while (next < end) {
      const index = next++;
      const first = index * SEEDS_PER_TASK;
      const result = await run({ seed: seed + first, runs: Math.min(SEEDS_PER_TASK, runs - first) });
      results[index] = result;
      if (result.failingSeed !== undefined) end = Math.min(end, index + 1);
      histories += result.counts.histories;
      onProgress(histories);
    }
  };
  await Promise.all(runners.map(work));
  const counts = createCounts();
  for (const result of results.slice(0, end)) {
    counts.histories += result.counts.histories;
    counts.calls += result.counts.calls;
    counts.attempts += result.counts.attempts;
    counts.crashes += result.counts.crashes;
  }
  return { counts, failingSeed: results[end - 1]?.failingSeed };
}

/** Runs plans in this thread. */
export async function runSeeds({ seed, runs }: Seeds): Promise<SeedsResult> {
  const counts = createCounts();
  for (let current = seed; current < seed + runs; current++) {
    const history = await runPlan(createPlan(current));
    counts.histories++;
    counts.calls += history.operations.length;
    counts.attempts += history.attempts.length;
    counts.crashes += history.crashes;
    if (findViolation(history)) return { counts, failingSeed: current };
    // Signals and timers of the process get their turn.
    if (current % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { counts, failingSeed: undefined };
}

function createCounts(): Counts {
  return { histories: 0, calls: 0, attempts: 0, crashes: 0 };
}
