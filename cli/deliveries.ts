// claimlink deliveries: lists the events that are not delivered yet, and repeats failed ones.
import type { Command } from 'commander';
import type { EventQuery, ListedEvent } from '../lib/index.js';
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
        events: await administration.listEvents(filter),
        counts: await administration.countEvents(),
      }));
      const toText = (count: number) => (count < MAX_EVENT_COUNT ? String(count) : `${count} or more`);
      writeList(io, flags, events.map(toJson), COLUMNS);
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

/** Returns an event without its session and its user, which are personal data. */
function toJson(event: ListedEvent) {
  const { id, type, clientId, attempts, nextAttemptAt, failedAt, reason } = event;
  const isSubmission = event.type === 'claim.submitted';
  const reference = isSubmission ? event.reference : null;
  const linkId = isSubmission ? event.session.link?.linkId : 'linkId' in event ? event.linkId : null;
  const times = { nextAttemptAt: failedAt ? null : nextAttemptAt, failedAt: failedAt ?? null };
  return {
    id,
    clientId,
    type,
    reference,
    linkId: linkId ?? null,
    attempts,
    ...times,
    reason: reason ?? null,
  };
}
