// claimlink links: lists, shows, revokes and unlocks the links of a database.
import type { Command } from 'commander';
import { hashAccessCode } from '../lib/core/credentials.js';
import { LINK_STATES } from '../lib/core/types.js';
import { parseUrl } from '../lib/core/url.js';
import type { Administration, LinkFilter, LinkHistory, LinkSummary, SessionRecord } from '../lib/index.js';
import { type CommandIo, cell, counted, recordText, writeList, writeRecords } from './command-io.js';
import { withAdministration } from './database.js';
import { Flag, pick, readText, UsageError } from './flags.js';
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
import { alignColumns } from './terminal-text.js';

interface ShowFlags extends SearchFlags {
  reference?: string;
}

interface LinkFlags extends LinkFilter {
  clientId: string;
  json?: boolean;
  history?: boolean;
}

export function addLinks(program: Command, io: CommandIo): Command {
  const links = addGroup(program, 'links', 'list, show, revoke and unlock links');

  const list = links
    .command('list')
    .description('list the links of a client')
    .addOption(requiredClient())
    .addOption(userFlag('only links of this user'))
    .addOption(new Flag('--state <state>', 'only links in this state').choices(LINK_STATES));
  addPaging(list)
    .option('--history', 'print each link with its history')
    .addHelpText(
      'after',
      `
By user; of one user, the newest first.
Example: claimlink links list --client acme --user user-1 --history`,
    )
    .action(async (flags: LinkFlags, command: Command) => {
      const { clientId } = flags;
      const filter = pick(flags, 'userId', 'state', 'limit', 'cursor');
      if (flags.history) {
        const { histories, nextCursor } = await withAdministration(command, async (administration) => {
          const page = await administration.listLinks(clientId, filter);
          const linkIds = page.links.map(({ linkId }) => linkId);
          return { ...page, histories: await historiesOf(administration, clientId, linkIds) };
        });
        writeRecords(io, flags, histories, historyText);
        writeNextPage(io, nextCursor);
        return;
      }
      const page = await withAdministration(command, ({ listLinks }) => listLinks(clientId, filter));
      const rows = page.links.map((link) => linkToJson(clientId, link));
      writeList(io, flags, rows, ['linkId', 'userId', 'state', 'createdAt', 'expiresAt', 'reference']);
      writeNextPage(io, page.nextCursor);
    });

  links
    .command('show [link]')
    .description('show one link with its history, without its prefilled data')
    .addOption(clientFlag('the client (default: the one of the URL; otherwise all clients)'))
    .option('--reference <text>', 'instead of a link: the session that it created', readText)
    .addOption(jsonFlag())
    .addHelpText(
      'after',
      `
A link is its id, or its URL in quotes. The URL stays on this machine: only the
client of its token and the hash of its access code, which is the id, are looked
up and printed. Without a client, --json prints a list.
Example: claimlink links show 'https://claims.example.com/...'`,
    )
    .action(async (argument: string | undefined, flags: ShowFlags, command: Command) => {
      const { reference } = flags;
      if ((argument === undefined) === (reference === undefined))
        throw new UsageError('Name the link: either its id or URL, or --reference <text>.');
      const { linkId, token } = argument === undefined ? {} : readLink(argument);
      // As with --client: an error names this client.
      if (flags.clientId === undefined)
        command.setOptionValueWithSource('clientId', await clientOf(token), 'implied');
      const subject = linkId === undefined ? `link of a session ${reference}` : `link ${linkId}`;
      await withAdministration(command, (administration) =>
        writeFound(
          io,
          command.opts<SearchFlags>(),
          subject,
          {
            async ofClient(clientId) {
              const id = linkId ?? linkOf(await administration.findSession(clientId, reference ?? ''));
              return id === undefined ? undefined : (await historiesOf(administration, clientId, [id]))[0];
            },
            async ofAll() {
              const links =
                linkId === undefined
                  ? (await administration.findSessions(reference ?? '')).map((session) => ({
                      clientId: session.clientId,
                      linkId: linkOf(session) ?? '',
                    }))
                  : await administration.findLinks(linkId);
              const histories = links.map((link) =>
                historiesOf(administration, link.clientId, [link.linkId]),
              );
              return (await Promise.all(histories)).flat();
            },
          },
          historyText,
        ),
      );
    });

  links
    .command('revoke <link>')
    .description('revoke a link')
    .addOption(requiredClient())
    .addHelpText(
      'after',
      `
A link is its id, or its URL in quotes.
Example: claimlink links revoke --client acme 'https://claims.example.com/...'`,
    )
    .action(async (argument: string, { clientId }: LinkFlags, command: Command) => {
      const { linkId } = readLink(argument);
      await withAdministration(command, async ({ findLink, revokeLink }) => {
        if (await revokeLink(clientId, linkId)) return;
        const { state } = needRecord(await findLink(clientId, linkId), `link ${linkId}`, clientId);
        throw new UsageError(`The link ${linkId} is ${state}, so it cannot be revoked.`);
      });
      io.stdout.write(`Revoked the link ${linkId}.\n`);
    });

  links
    .command('unlock <link>')
    .description('let the recipient of a locked link answer again')
    .addOption(requiredClient())
    .addHelpText(
      'after',
      `
A link locks after five wrong answers to its question. It then has five again.
A link is its id, or its URL in quotes.
Example: claimlink links unlock --client acme 'https://claims.example.com/...'`,
    )
    .action(async (argument: string, { clientId }: LinkFlags, command: Command) => {
      const { linkId } = readLink(argument);
      await withAdministration(command, async ({ findLink, unlockLink }) => {
        const { state } = needRecord(await findLink(clientId, linkId), `link ${linkId}`, clientId);
        if (state !== 'created' && state !== 'opened')
          throw new UsageError(`The link ${linkId} is ${state}, so unlocking it opens no form.`);
        await unlockLink(clientId, linkId);
      });
      io.stdout.write(`Unlocked the link ${linkId}.\n`);
    });
  return links;
}

/**
 * Reads the id of a link, or the URL of one. The URL contains the access code and the token, so nothing prints it, and the
 * database gets the id only.
 * @throws UsageError for another text
 */
function readLink(argument: string): { linkId: string; token?: string | null } {
  if (/^[0-9a-f]{64}$/.test(argument)) return { linkId: argument };
  const url = parseUrl(argument);
  const [, accessCode] = /\/verify\/([\w-]+)$/.exec(url?.pathname ?? '') ?? [];
  if (url && accessCode !== undefined)
    return { linkId: hashAccessCode(accessCode), token: url.searchParams.get('token') };
  throw new UsageError(
    'Name the link by its id of 64 hexadecimal digits, which claimlink links list shows, or by its whole URL in quotes. If you have the reference of a claim, claimlink links show --reference <text> shows its link.',
  );
}

/** Returns the client that a token names, or undefined for a token in another form: its service has its own signer. */
async function clientOf(token: string | null | undefined): Promise<string | undefined> {
  if (token == null) return undefined;
  const { clientOfToken } = await import('../lib/core/link-signer.js');
  return clientOfToken(token);
}

/** Returns the id of the link of a session. @throws UsageError if the session does not name it. */
function linkOf(session: SessionRecord | undefined): string | undefined {
  if (session === undefined) return undefined;
  const { reference, link: { linkId } = {} } = session;
  if (linkId !== undefined) return linkId;
  throw new UsageError(
    `The session ${reference} names no link: an older version stored it, or no link created it.`,
  );
}

/** Returns these links with their histories for JSON. Leaves out a link that was deleted. */
async function historiesOf(
  { linkHistory }: Administration,
  clientId: string,
  linkIds: readonly string[],
): Promise<HistoryJson[]> {
  const histories: HistoryJson[] = [];
  for (const linkId of linkIds) {
    const link = await linkHistory(clientId, linkId);
    if (link) histories.push(historyToJson(link));
  }
  return histories;
}

type HistoryJson = ReturnType<typeof historyToJson>;

/** Returns a link with its callback and its history for JSON. */
function historyToJson(link: LinkHistory) {
  const { clientId, callbackUrl, callbackOnSubmit, history } = link;
  return { ...linkToJson(clientId, link), callbackUrl, callbackOnSubmit, history };
}

/** Returns a link as a table, and a line for each entry of its history. */
function historyText({ history, ...link }: HistoryJson): string {
  const rows = history.map(({ type, at, apiKeyId, attempts, unchanged, why }) => [
    cell(at),
    type,
    [
      ...(apiKeyId === undefined ? [] : [`API key ${apiKeyId}`]),
      ...(type === 'claim.delivery_pending' ? ['next attempt'] : []),
      ...(attempts === undefined ? [] : [`after ${counted(attempts, 'attempt')}`]),
      ...(unchanged === undefined ? [] : [unchanged ? 'the same claim' : 'another claim, not stored']),
      ...(why === undefined ? [] : [why]),
    ].join(', '),
  ]);
  return `${recordText(link)}\nhistory\n${alignColumns(rows).replaceAll(/^/gm, '  ')}`;
}

/** Returns a link for JSON, without its prefilled data. */
function linkToJson(clientId: string, link: LinkSummary) {
  const { linkId, userId, state, createdAt, expiresAt } = link;
  const { openedAt = null, submittedAt = null, revokedAt = null, reference = null } = link;
  const times = { createdAt, expiresAt, openedAt, submittedAt, revokedAt };
  return { linkId, clientId, userId, state, ...times, reference };
}
