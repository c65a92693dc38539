// A case of a published suite, independent of the test runner.

/** One rule and its check, for any test runner: `test(name, run)`. */
export interface ConformanceCase {
  /** The rule as a sentence; unique within its suite. */
  name: string;
  /** Resolves if the rule holds. Rejects with a `node:assert` AssertionError if it does not. */
  run(): Promise<void>;
}
