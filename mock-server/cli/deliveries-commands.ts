// claimlink deliveries: lists the submissions that are not delivered yet, and repeats failed ones.
import { MAX_EVENT_COUNT } from '../../lib/core/delivery.js';
import type { EventQuery, StoredEvent } from '../../lib/index.js';
import { alignColumns, printable } from '../terminal.js';
import { type CommandGroup, writeResult } from './command-io.js';
import { withStorage } from './database.js';
import type { DELIVERY_FLAGS } from './database-flags.js';
import { UsageError } from './flags.js';
import { minute } from './keys-commands.js';

const DEFAULT_LIMIT = 100;

export const deliveries: CommandGroup<typeof DELIVERY_FLAGS> = {
  async list(context) {
    const { flags, io } = context;
    const { state = 'failed', client: clientId, limit = DEFAULT_LIMIT } = flags.values;
    const query: EventQuery = { state, limit, ...(clientId !== undefined && { clientId }) };
    const { events, counts } = await withStorage(flags, async (storage) => ({
      events: await storage.listEvents(query),
      counts: await storage.countEvents({ limit: MAX_EVENT_COUNT }),
    }));
    writeResult(context, events.map(eventToJson), eventTable(events));
    io.stderr.write(`In all: ${toText(counts.failed)} failed, ${toText(counts.pending)} pending.\n`);
  },

  async retry({ flags, io }) {
    const { client: clientId, reference, all } = flags.values;
    if ((reference === undefined) === (all === undefined))
      throw new UsageError('Name what to repeat: either --reference <text> or --all.');
    const query = {
      ...(clientId !== undefined && { clientId }),
      ...(reference !== undefined && { reference }),
    };
    const retried = await withStorage(flags, (storage) => storage.retryEvents({ ...query, at: new Date() }));
    if (retried === 0 && reference !== undefined)
      throw new UsageError(`There is no failed delivery with the reference ${printable(reference)}.`);
    const count = `${retried} ${retried === 1 ? 'delivery is' : 'deliveries are'}`;
    io.stdout.write(`${count} due again. deliverPending of your service repeats them.\n`);
  },
};

function toText(count: number): string {
  return count < MAX_EVENT_COUNT ? String(count) : `${count} or more`;
}

/** Returns an event without its session and its user, which are personal data. */
function eventToJson({ id, clientId, reference, attempts, nextAttemptAt, failedAt }: StoredEvent) {
  const times = { nextAttemptAt: failedAt ? null : nextAttemptAt, failedAt: failedAt ?? null };
  return { id, clientId, reference, attempts, ...times };
}

function eventTable(events: readonly StoredEvent[]): string {
  const rows = events.map((event) => {
    const { id, clientId, reference, attempts, nextAttemptAt, failedAt } = eventToJson(event);
    const times = [nextAttemptAt, failedAt].map((time) => minute(time ?? undefined));
    return [...[clientId, reference, id].map(printable), String(attempts), ...times];
  });
  return alignColumns([['client', 'reference', 'event id', 'attempts', 'next attempt', 'failed'], ...rows]);
}
