// docs/commands.md has every command, and every flag with its variables, default and description.
import t from 'tap';
import { CHECK_FLAGS } from '../../mock-server/cli/check-flags.js';
import {
  CLIENT_FLAGS,
  DATABASE_FLAGS,
  DELIVERY_FLAGS,
  KEY_FLAGS,
  MIGRATE_FLAGS,
  SWEEP_FLAGS,
  USER_FLAGS,
} from '../../mock-server/cli/database-flags.js';
import type { FlagSet } from '../../mock-server/cli/flags.js';
import { MOCK_FLAGS, OPENAPI_FLAGS } from '../../mock-server/cli/mock-flags.js';
import { readDocument } from './markdown.js';

const markdown = readDocument('docs/commands.md');

/** The flags of each command; the flags of the database have a table of their own. */
const TABLES: Readonly<Record<string, FlagSet>> = {
  mock: MOCK_FLAGS,
  openapi: OPENAPI_FLAGS,
  check: CHECK_FLAGS,
  'flags of the database': DATABASE_FLAGS,
  migrate: MIGRATE_FLAGS,
  sweep: SWEEP_FLAGS,
  'clients list, clients show': CLIENT_FLAGS.list,
  'clients add': CLIENT_FLAGS.add,
  'clients update': CLIENT_FLAGS.update,
  'clients remove': CLIENT_FLAGS.remove,
  'keys issue': KEY_FLAGS.issue,
  'keys list': KEY_FLAGS.list,
  'keys show': KEY_FLAGS.show,
  'keys update': KEY_FLAGS.update,
  'keys rotate': KEY_FLAGS.rotate,
  'users export': USER_FLAGS.export,
  'users delete': USER_FLAGS.delete,
  'deliveries list': DELIVERY_FLAGS.list,
  'deliveries retry': DELIVERY_FLAGS.retry,
};

/** Returns the cells of the table below a heading, without its head. */
function tableOf(heading: string): string[][] {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`, 2);
  const [before = ''] = section.split('\n## ', 1);
  const rows = before.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|')),
  );
}

for (const [heading, flags] of Object.entries(TABLES)) {
  t.test(`the table of ${heading}`, async (t) => {
    const isOfDatabase = (name: string) => flags !== DATABASE_FLAGS && name in DATABASE_FLAGS;
    const expected = Object.entries(flags)
      .filter(([name]) => !isOfDatabase(name))
      .map(([, { form, variables = [], default: preset = '', description }]) => [
        form,
        variables.join(', '),
        preset,
        description,
      ]);
    t.strictSame(tableOf(heading), expected);
  });
}
