// Runs the plans of consecutive seeds until one breaks a promise.
import { findViolation } from './checker.js';
import { createPlan } from './plan.js';
import { runPlan } from './run-plan.js';
import { type Failure, shrink } from './shrink.js';

/** What was run. */
export interface Counts {
  histories: number;
  calls: number;
  attempts: number;
  crashes: number;
}

export interface Simulation {
  counts: Counts;
  /** The first failure, in its shortest form. */
  failure?: Failure;
  /** History of the first seed, for people. */
  lines: readonly string[];
}

/** Runs `runs` plans, from this seed on. `onProgress` gets their number every 10,000. */
export async function simulate(
  seed: number,
  runs: number,
  onProgress: (histories: number) => void = () => {},
): Promise<Simulation> {
  const counts = { histories: 0, calls: 0, attempts: 0, crashes: 0 };
  let lines: readonly string[] = [];
  for (let run = 0; run < runs; run++) {
    const plan = createPlan(seed + run);
    const history = await runPlan(plan);
    if (run === 0) lines = history.lines;
    counts.histories++;
    counts.calls += history.operations.length;
    counts.attempts += history.attempts.length;
    counts.crashes += history.lines.filter((line) => line.endsWith(' crashes')).length;
    const violation = findViolation(history);
    if (violation) return { counts, lines, failure: await shrink({ plan, history, violation }) };
    // Signals and timers of the process get their turn.
    if (run % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    if (counts.histories % 10_000 === 0) onProgress(counts.histories);
  }
  return { counts, lines };
}
