// claimlink deliveries: lists the events that are not delivered yet, and repeats failed ones.
import type { Command } from 'commander';
import type { Administration } from '../lib/core/administration/index.js';
import { isClaimlinkError } from '../lib/core/errors.js';
import type { EventQuery, StoredEvent, StoredLifeEvent } from '../lib/index.js';
import { type CommandIo, writeList } from './command-io.js';
import { withAdministration } from './database.js';
import { Flag, pick, readText, UsageError } from './flags.js';
import { addGroup, clientFlag, jsonFlag, limitFlag } from './service-commands.js';

const COLUMNS = [
  'clientId',
  'type',
  'reference',
  'id',
  'attempts',
  'nextAttemptAt',
  'failedAt',
  'reason',
] as const;

interface DeliveryFlags extends EventQuery {
  reference?: string;
  all?: boolean;
  json?: boolean;
}

export function addDeliveries(program: Command, io: CommandIo): Command {
  const deliveries = addGroup(program, 'deliveries', 'list and repeat deliveries of events');
  const client = clientFlag('only deliveries of this client');

  deliveries
    .command('list')
    .description('list the events that are not delivered')
    .addOption(
      new Flag('--state <state>', 'state of the deliveries').choices(['pending', 'failed']).default('failed'),
    )
    .addOption(client)
    .addOption(limitFlag())
    .addOption(jsonFlag())
    .action(async (flags: DeliveryFlags, command: Command) => {
      const { MAX_EVENT_COUNT } = await import('../lib/core/delivery.js');
      const filter = pick(flags, 'state', 'limit', 'clientId');
      const { events, counts } = await withAdministration(command, async (administration) => ({
        events: [
          ...(await administration.listEvents(filter)).map(submissionToJson),
          ...(await listLifeEvents(administration, filter)).map(lifeEventToJson),
        ],
        counts: await administration.countEvents(),
      }));
      const toText = (count: number) => (count < MAX_EVENT_COUNT ? String(count) : `${count} or more`);
      writeList(io, flags, events.toSorted(byTime).slice(0, flags.limit), COLUMNS);
      io.stderr.write(`In all: ${toText(counts.failed)} failed, ${toText(counts.pending)} pending.\n`);
    });

  deliveries
    .command('retry')
    .description('make failed deliveries due again')
    .addOption(client)
    .option('--reference <text>', 'reference of the session', readText)
    .addOption(new Flag('--all', 'repeat all failed deliveries').conflicts('reference'))
    .addHelpText('after', '\nExample: claimlink deliveries retry --client acme --all')
    .action(async (flags: DeliveryFlags, command: Command) => {
      const { reference, all } = flags;
      if (reference === undefined && !all)
        throw new UsageError('Name what to repeat: either --reference <text> or --all.');
      const retried = await withAdministration(command, ({ retryEvents }) =>
        retryEvents(pick(flags, 'clientId', 'reference')),
      );
      if (retried === 0 && reference !== undefined)
        throw new UsageError(`There is no failed delivery with the reference ${reference}.`);
      const count = `${retried} ${retried === 1 ? 'delivery is' : 'deliveries are'}`;
      io.stdout.write(`${count} due again. deliverPending of your service repeats them.\n`);
    });
  return deliveries;
}

/** Returns the events of links and of deletions: none for a storage that has none. */
async function listLifeEvents({ listLifeEvents }: Administration, filter: EventQuery) {
  try {
    return await listLifeEvents(filter);
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'options_invalid') return [];
    throw error;
  }
}

/** Returns the event of a submission without its session and its user, which are personal data. */
function submissionToJson({ reference, session, ...stored }: StoredEvent) {
  return toJson(stored, { type: 'claim.submitted', reference, linkId: session.link?.linkId ?? null });
}

/** Returns the event of a link or of a deletion without its user. */
function lifeEventToJson({ event, ...stored }: StoredLifeEvent) {
  const { id, type, clientId } = event;
  const linkId = 'linkId' in event ? event.linkId : null;
  return toJson({ ...stored, id, clientId }, { type, reference: null, linkId });
}

function toJson(
  {
    id,
    clientId,
    attempts,
    nextAttemptAt,
    failedAt,
    reason,
  }: Omit<StoredEvent, 'session' | 'userId' | 'reference'>,
  subject: { type: string; reference: string | null; linkId: string | null },
) {
  const times = { nextAttemptAt: failedAt ? null : nextAttemptAt, failedAt: failedAt ?? null };
  return { id, clientId, ...subject, attempts, ...times, reason: reason ?? null };
}

/** The earliest first, as each list is. */
function byTime(a: ReturnType<typeof toJson>, b: ReturnType<typeof toJson>): number {
  const time = ({ nextAttemptAt, failedAt }: typeof a) =>
    (failedAt ?? nextAttemptAt ?? new Date(0)).getTime();
  return time(a) - time(b);
}
