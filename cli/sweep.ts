// claimlink sweep: deletes what the host no longer needs to keep.
import { type Command, InvalidArgumentError } from 'commander';
import type { Awaitable } from '../lib/core/types.js';
import { type CommandIo, counted } from './command-io.js';
import { withAdministration } from './database.js';
import { Flag } from './flags.js';

const PROGRESS_SECONDS = 10;

interface SweepFlags {
  /** true: without an age. */
  links?: Age | true;
  sessionsOlderThan?: Age;
}

export function addSweep(program: Command, io: CommandIo): Command {
  return program
    .command('sweep')
    .description('delete expired links, and old sessions if you say how old')
    .addOption(
      new Flag(
        '--links [age]',
        'delete links that expired this long ago, such as 30d (default: all expired links, unless another flag is given)',
        readAge,
      ),
    )
    .addOption(new Flag('--sessions-older-than <age>', 'delete sessions of this age, such as 3y', readAge))
    .addHelpText(
      'after',
      `
Always removes the prefilled data of expired links that it keeps. Ages: days, weeks,
months and years, such as 30d, 2w, 6m and 3y.
Example: claimlink sweep --links 30d --sessions-older-than 3y`,
    )
    .action((flags: SweepFlags, command: Command) => sweep(flags, command, io));
}

async function sweep(flags: SweepFlags, command: Command, io: CommandIo): Promise<void> {
  const { sessionsOlderThan, links = !sessionsOlderThan } = flags;
  const now = new Date();
  await withAdministration(command, async (administration) => {
    if (links) {
      const before = links === true ? now : earlier(now, links);
      const deleted = await withProgress(io, 'Deleting links', () =>
        administration.deleteExpiredLinks(before),
      );
      io.stdout.write(`Deleted ${counted(deleted, 'expired link')}.\n`);
    }
    const reduced = await withProgress(io, 'Removing data from links', () =>
      administration.reduceExpiredLinks(now),
    );
    if (reduced > 0) io.stdout.write(`Removed the prefilled data of ${counted(reduced, 'expired link')}.\n`);
    if (sessionsOlderThan !== undefined) {
      const before = earlier(now, sessionsOlderThan);
      const deleted = await withProgress(io, 'Deleting sessions', () =>
        administration.deleteSessions(before),
      );
      const day = before.toISOString().slice(0, 10);
      io.stdout.write(`Deleted ${counted(deleted, 'session')} from before ${day}.\n`);
    }
  });
}

/** Runs a step, and writes to stderr every ten seconds that it still runs. */
async function withProgress<T>({ stderr }: CommandIo, step: string, run: () => Awaitable<T>): Promise<T> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += PROGRESS_SECONDS;
    stderr.write(`${step} for ${seconds} s.\n`);
  }, PROGRESS_SECONDS * 1000);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}

/** A number of days, weeks, months or years. */
interface Age {
  count: number;
  unit: 'd' | 'w' | 'm' | 'y';
}

/** Reads an age: 30d, 2w, 6m, 3y. */
export function readAge(text: string): Age {
  const [, count, unit] = /^([1-9]\d{0,2})([dwmy])$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidArgumentError(
      'It must be 1 to 999 days, weeks, months or years, such as 30d, 2w, 6m or 3y.',
    );
  return { count: Number(count), unit: unit as Age['unit'] };
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
