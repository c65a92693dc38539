// What requests may cost, in counted work, and what of a measurement is more or less than that.
import { readFileSync } from 'node:fs';
import { REPOSITORY } from '../repository.js';

/** Numbers by row and column; a row may have fewer columns than there are. */
export interface Work {
  columns: readonly string[];
  rows: Readonly<Record<string, readonly number[]>>;
}

/**
 * Which part more a column may be. Calls are the same everywhere; what V8 allocates for the same code differs by some
 * 7% between Node 20, 22 and 24.
 */
const TOLERANCES: Readonly<Record<string, number>> = { bytes: 0.15 };

/** The budget as it is written down. */
export function readBudget(): Work {
  return JSON.parse(readFileSync(new URL('test/performance/budget.json', REPOSITORY), 'utf8')) as Work;
}

/** Names of all figures of `measured` that are over the budget, with both: `link: 3 urls, budget 2`. */
export function overBudget(budget: Work, measured: Work): string[] {
  return compare(budget, measured, (is, may, tolerance) => is > may * (1 + tolerance));
}

/** Those that are so far under it that the budget would let them come back. */
export function underBudget(budget: Work, measured: Work): string[] {
  return compare(budget, measured, (is, may, tolerance) => is < may * (1 - tolerance));
}

function compare(
  budget: Work,
  measured: Work,
  tells: (is: number, may: number, tolerance: number) => boolean,
): string[] {
  return Object.entries(measured.rows).flatMap(([row, numbers]) =>
    measured.columns.flatMap((column, index) => {
      const is = numbers[index];
      const may = budget.rows[row]?.[budget.columns.indexOf(column)] ?? 0;
      if (is === undefined || !tells(is, may, TOLERANCES[column] ?? 0)) return [];
      return [`${row}: ${is} ${column}, budget ${may}`];
    }),
  );
}
