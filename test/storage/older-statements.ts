// The statements of 0.2.0 that end links and that delete. They use the two tables of events, which are views now.
import { readFile } from 'node:fs/promises';
import { tableNames } from '../../lib/storage/postgres/statements/tables.js';
import { createStatements } from '../../lib/storage/postgres/statements.js';
import { REPOSITORY } from '../repository.js';

type Query = (text: string, params?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

/** Its statements, by their names in `createStatements`. */
const RECORDED: Readonly<Record<string, string>> = JSON.parse(
  await readFile(new URL('test/storage/statements-0.2.0.json', REPOSITORY), 'utf8'),
);
const current = createStatements(tableNames({}));
const STATEMENTS: Readonly<Record<string, unknown>> = {
  ...current,
  addMoment: current.addMoment(false),
  addMomentAndRevoke: current.addMoment(true),
};
const OLDER = new Map(Object.entries(RECORDED).map(([name, text]) => [STATEMENTS[name], text]));

/** Returns a `query` for a storage of this code, which then submits, ends links and deletes as a process of 0.2.0 does. */
export function olderStatements(query: Query): Query {
  return async (text, params) => {
    const older = OLDER.get(text);
    for (;;) {
      const result = await query(older ?? text, params);
      // Its deletions take turns: one that had no turn is repeated.
      if (result.rows[0]?.['turns'] !== 0) return result;
    }
  };
}
