// claimlink sessions: lists, shows and changes the sessions of a database.
import type { Command } from 'commander';
import type { ClientSessionFilter, SessionChanges } from '../lib/core/records.js';
import type { SessionRecord } from '../lib/index.js';
import { type CommandIo, writeList, writeRecord } from './command-io.js';
import { Flag, pick, readMoment, readText, UsageError } from './flags.js';
import {
  addPaging,
  jsonFlag,
  needClient,
  needRecord,
  requiredClient,
  userFlag,
  withRecords,
  writeNextPage,
} from './use-cases.js';

const COLUMNS = ['reference', 'userId', 'status', 'camsReference', 'date'] as const;

interface SessionFlags extends SessionChanges, ClientSessionFilter {
  clientId: string;
  userId?: string;
  json?: boolean;
}

export function addSessions(sessions: Command, io: CommandIo): void {
  const list = sessions
    .command('list')
    .description('list the sessions of a client')
    .addOption(requiredClient())
    .addOption(userFlag('only sessions of this user, the newest first'))
    .addOption(
      new Flag(
        '--since <date>',
        'only sessions submitted since then, such as 2026-01-31',
        readMoment,
      ).conflicts('userId'),
    );
  addPaging(list)
    .addHelpText(
      'after',
      `
In the order of their submission.
Example: claimlink sessions list --client acme --since 2026-01-31`,
    )
    .action(async (flags: SessionFlags, command: Command) => {
      const { records, nextCursor } = await listSessions(flags, command);
      writeList(io, flags, records.map(toSummary), COLUMNS);
      writeNextPage(io, nextCursor);
    });

  sessions
    .command('show <reference>')
    .description('show one session with its claim, by the reference that the user has')
    .addOption(requiredClient())
    .addOption(jsonFlag())
    .addHelpText(
      'after',
      `
Prints personal data. A reference is unique within its client.
Example: claimlink sessions show --client acme S-8K2M9P4T6W1X3Z5B`,
    )
    .action(async (reference: string, flags: SessionFlags, command: Command) => {
      const { clientId } = flags;
      const session = await withRecords(command, ({ findSession }) => findSession(clientId, reference));
      writeRecord(io, flags, needRecord(session, `session ${reference}`, clientId));
    });

  sessions
    .command('update <reference>')
    .description('change the status or the CAMS reference of a session')
    .addOption(requiredClient())
    .option('--status <text>', 'new status', readText)
    .option('--cams-reference <text>', 'new reference in the claims system', readText)
    .addHelpText(
      'after',
      '\nExample: claimlink sessions update --client acme S-8K2M9P4T6W1X3Z5B --status accepted',
    )
    .action(async (reference: string, flags: SessionFlags, command: Command) => {
      const changes = pick(flags, 'status', 'camsReference');
      if (Object.keys(changes).length === 0)
        throw new UsageError('Name what to change: --status or --cams-reference.');
      const { clientId } = flags;
      const session = await withRecords(command, ({ updateSession }) =>
        updateSession(clientId, reference, changes),
      );
      needRecord(session, `session ${reference}`, clientId);
      io.stdout.write(`Updated the session ${reference} of ${clientId}.\n`);
    });
}

/** Lists the sessions of a user, or those of a client in the order of their submission. */
async function listSessions(
  flags: SessionFlags,
  command: Command,
): Promise<{ records: readonly SessionRecord[]; nextCursor: string | undefined }> {
  const { clientId, userId, limit = 100 } = flags;
  const { parseId } = await import('../lib/core/validators.js');
  return withRecords(command, async ({ listClientSessions }, storage) => {
    if (userId === undefined) {
      const all = await listClientSessions(clientId, pick(flags, 'since', 'limit', 'cursor'));
      return { records: all.sessions, nextCursor: all.hasMore ? all.nextCursor : undefined };
    }
    await needClient(storage, clientId);
    const user = { clientId, userId: parseId(userId, 'userId') };
    const page = await storage.listSessions({ ...user, ...pick(flags, 'cursor'), limit });
    return {
      records: page.sessions.map((session) => ({ ...user, ...session })),
      nextCursor: page.nextCursor,
    };
  });
}

/** Returns a session without its policy, incident and extra data. */
function toSummary({ reference, clientId, userId, status, camsReference, date, createdAt }: SessionRecord) {
  return { reference, clientId, userId, status, camsReference, date, createdAt };
}
