// claimlink sessions: lists, shows and changes the sessions of a database.
import type { Command } from 'commander';
import type { ClientSessionFilter, SessionChanges, SessionRecord } from '../lib/index.js';
import { type CommandIo, writeList } from './command-io.js';
import { withAdministration } from './database.js';
import { Flag, pick, readMoment, readText, UsageError } from './flags.js';
import {
  addGroup,
  addPaging,
  clientFlag,
  jsonFlag,
  needRecord,
  requiredClient,
  type SearchFlags,
  userFlag,
  writeFound,
  writeNextPage,
} from './service-commands.js';
import { addSessionPhotos } from './session-photos.js';

const COLUMNS = ['reference', 'userId', 'status', 'camsReference', 'date'] as const;

interface SessionFlags extends SessionChanges, ClientSessionFilter {
  clientId: string;
  userId?: string;
  json?: boolean;
}

export function addSessions(program: Command, io: CommandIo): Command {
  const sessions = addGroup(program, 'sessions', 'list, show and update sessions');

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
      const { records, nextCursor } = await readPage(flags, command);
      writeList(io, flags, records.map(toSummary), COLUMNS);
      writeNextPage(io, nextCursor);
    });

  sessions
    .command('show <reference>')
    .description('show one session with its claim, by the reference that the user has')
    .addOption(clientFlag('the client (default: all clients)'))
    .addOption(jsonFlag())
    .addHelpText(
      'after',
      `
Prints personal data. A reference is unique within its client: without --client,
it prints each match, and --json prints a list.
Example: claimlink sessions show S-8K2M9P4T6W1X3Z5B`,
    )
    .action((reference: string, flags: SearchFlags, command: Command) =>
      withAdministration(command, ({ findSession, findSessions }) =>
        writeFound(io, flags, `session ${reference}`, {
          ofClient: (clientId) => findSession(clientId, reference),
          ofAll: () => findSessions(reference),
        }),
      ),
    );

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
      const session = await withAdministration(command, ({ updateSession }) =>
        updateSession(clientId, reference, changes),
      );
      needRecord(session, `session ${reference}`, clientId);
      io.stdout.write(`Updated the session ${reference} of ${clientId}.\n`);
    });
  addSessionPhotos(sessions, io);
  return sessions;
}

/** Lists the sessions of a user, or those of a client in the order of their submission. */
async function readPage(
  flags: SessionFlags,
  command: Command,
): Promise<{ records: readonly SessionRecord[]; nextCursor: string | undefined }> {
  const { clientId, userId } = flags;
  return withAdministration(command, async ({ listClientSessions, listSessions }) => {
    if (userId === undefined) {
      const all = await listClientSessions(clientId, pick(flags, 'since', 'limit', 'cursor'));
      return { records: all.sessions, nextCursor: all.hasMore ? all.nextCursor : undefined };
    }
    const page = await listSessions(clientId, userId, pick(flags, 'limit', 'cursor'));
    return {
      records: page.sessions.map((session) => ({ clientId, userId, ...session })),
      nextCursor: page.nextCursor,
    };
  });
}

/** Returns a session without its policy, incident and extra data. */
function toSummary({ reference, clientId, userId, status, camsReference, date, createdAt }: SessionRecord) {
  return { reference, clientId, userId, status, camsReference, date, createdAt };
}
