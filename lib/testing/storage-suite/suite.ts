// The conformance suite for storages: every sentence of the port's contract (lib/core/storage.ts) as a case.
import type { AdminStorage } from '../../core/storage.js';
import type { Awaitable } from '../../core/types.js';
import { clientCases } from './clients.js';
import { linkCases } from './links.js';
import { listingCases } from './listing.js';
import { pagingCases } from './paging.js';
import { raceCases } from './races.js';
import type { StorageCase } from './samples.js';
import { stringCases } from './strings.js';
import { submissionCases } from './submissions.js';

/** One rule and its proof, for any test runner: `test(name, run)`. */
export interface ConformanceCase {
  /** The rule, in words; unique within its suite. */
  name: string;
  /** Resolves when the rule holds; rejects with a `node:assert` AssertionError when it does not. */
  run(): Promise<void>;
}

const CASES: readonly StorageCase[] = [
  ...clientCases,
  ...listingCases,
  ...pagingCases,
  ...linkCases,
  ...submissionCases,
  ...raceCases,
  ...stringCases,
];

/**
 * The cases that every storage must pass. Each makes its own storage, which must be empty, and closes it if it has
 * `close`; cases may run in any order, and at the same time if their storages share nothing.
 *
 * ```ts
 * for (const { name, run } of storageSuite(() => createMyStorage())) test(name, run);
 * ```
 */
export function storageSuite(createStorage: () => Awaitable<AdminStorage>): ConformanceCase[] {
  return CASES.map(({ name, check }) => ({
    name,
    async run() {
      const storage = await createStorage();
      try {
        await check(storage);
      } finally {
        await storage.close?.();
      }
    },
  }));
}
