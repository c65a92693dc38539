// Runs the cases of a suite to the end.
import type { SuiteResult } from '../runtimes/runtimes.js';

interface Case {
  name: string;
  run(): Promise<unknown>;
}

/** Runs all cases, also after one that fails. */
export async function runCases(cases: readonly Case[]): Promise<SuiteResult> {
  const failed: { name: string; message: string }[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      failed.push({ name, message: String(error) });
    }
  }
  return { total: cases.length, failed };
}

/** Runs all cases, and returns the names of those that fail. */
export async function failedCases(cases: readonly Case[]): Promise<string[]> {
  const { failed } = await runCases(cases);
  return failed.map(({ name }) => name);
}
