// claimlink sweep: deletes what the host no longer needs to keep.
import type { PostgresDatabase } from '../../lib/storage/postgres/index.js';
import type { CommandContext } from './command-io.js';
import { withStorage } from './database.js';
import type { SWEEP_FLAGS } from './database-flags.js';
import type { Age } from './flag-readers.js';

/** Rows between two lines of progress. */
const PROGRESS_ROWS = 50_000;

export async function runSweep({ flags, io }: CommandContext<typeof SWEEP_FLAGS>): Promise<void> {
  const { sessionsOlderThan, links = sessionsOlderThan ? undefined : 'now' } = flags.values;
  const now = new Date();
  let progress = '';
  let rows = 0;

  /** Counts the rows of all statements: those of a sweep return one for each row that they change. */
  function watch(database: PostgresDatabase): PostgresDatabase {
    return {
      async query(text, params) {
        const result = await database.query(text, params);
        const before = Math.floor(rows / PROGRESS_ROWS);
        rows += result.rows.length;
        if (Math.floor(rows / PROGRESS_ROWS) > before) io.stderr.write(`${progress}: ${rows} so far.\n`);
        return result;
      },
    };
  }

  function begin(text: string): void {
    progress = text;
    rows = 0;
  }

  await withStorage(
    flags,
    async (storage) => {
      if (links !== undefined) {
        const before = links === 'now' ? now : earlier(now, links);
        begin('Deleting links');
        const deleted = await storage.deleteExpiredLinks(before);
        io.stdout.write(`Deleted ${plural(deleted, 'expired link')}.\n`);
      }
      begin('Removing data from links');
      const reduced = await storage.dropLinkData(now);
      if (reduced > 0) io.stdout.write(`Removed the prefilled data of ${plural(reduced, 'expired link')}.\n`);
      if (sessionsOlderThan !== undefined) {
        const before = earlier(now, sessionsOlderThan);
        begin('Deleting sessions');
        const deleted = await storage.deleteSessions(before);
        const day = before.toISOString().slice(0, 10);
        io.stdout.write(`Deleted ${plural(deleted, 'session')} from before ${day}.\n`);
      }
    },
    watch,
  );
}

/** Returns the time that is this age before, by the UTC calendar: one month before 31 March is the end of February. */
export function earlier(now: Date, { count, unit }: Age): Date {
  const time = new Date(now);
  if (unit === 'd' || unit === 'w') {
    time.setUTCDate(time.getUTCDate() - count * (unit === 'w' ? 7 : 1));
    return time;
  }
  time.setUTCMonth(time.getUTCMonth() - count * (unit === 'y' ? 12 : 1));
  // Date continues in the next month if the month is shorter. Day 0 is the last day of the month before.
  if (time.getUTCDate() !== now.getUTCDate()) time.setUTCDate(0);
  return time;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
