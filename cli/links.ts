// claimlink links: lists, shows, revokes and unlocks the links of a database.
import type { Command } from 'commander';
import { hashAccessCode } from '../lib/core/credentials.js';
import { LINK_STATES } from '../lib/core/types.js';
import { parseUrl } from '../lib/core/url.js';
import type { LinkDetails, LinkFilter, LinkSummary } from '../lib/index.js';
import { type CommandIo, writeList } from './command-io.js';
import { withAdministration } from './database.js';
import { Flag, pick, UsageError } from './flags.js';
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

interface LinkFlags extends LinkFilter {
  clientId: string;
  json?: boolean;
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
    .addHelpText(
      'after',
      `
By user; of one user, the newest first.
Example: claimlink links list --client acme --state created`,
    )
    .action(async (flags: LinkFlags, command: Command) => {
      const { clientId } = flags;
      const filter = pick(flags, 'userId', 'state', 'limit', 'cursor');
      const page = await withAdministration(command, ({ listLinks }) => listLinks(clientId, filter));
      const rows = page.links.map((link) => linkToJson(clientId, link));
      writeList(io, flags, rows, ['linkId', 'userId', 'state', 'createdAt', 'expiresAt', 'reference']);
      writeNextPage(io, page.nextCursor);
    });

  links
    .command('show <link>')
    .description('show one link, without its prefilled data')
    .addOption(clientFlag('the client (default: the one of the URL; of an id, all clients)'))
    .addOption(jsonFlag())
    .addHelpText(
      'after',
      `
A link is its id, or its URL in quotes. The URL stays on this machine: only the
client of its token and the hash of its access code, which is the id, are looked
up and printed. For an id without --client, --json prints a list.
Example: claimlink links show 'https://claims.example.com/...'`,
    )
    .action(async (argument: string, flags: SearchFlags, command: Command) => {
      const { linkId, token } = readLink(argument);
      // As with --client: an error names this client.
      if (flags.clientId === undefined)
        command.setOptionValueWithSource('clientId', await clientOf(token), 'implied');
      await withAdministration(command, ({ findLink, findLinks }) =>
        writeFound(io, command.opts<SearchFlags>(), `link ${linkId}`, {
          async ofClient(clientId) {
            const link = await findLink(clientId, linkId);
            return link && detailsToJson(link);
          },
          ofAll: async () => (await findLinks(linkId)).map(detailsToJson),
        }),
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
    'Name the link by its id of 64 hexadecimal digits, which claimlink links list shows, or by its whole URL in quotes.',
  );
}

/** Returns the client that a token names, or undefined for a token in another form: its service has its own signer. */
async function clientOf(token: string | null | undefined): Promise<string | undefined> {
  if (token == null) return undefined;
  const { clientOfToken } = await import('../lib/core/link-signer.js');
  return clientOfToken(token);
}

/** Returns a link with its callback for JSON. */
function detailsToJson(link: LinkDetails) {
  const { clientId, callbackUrl, callbackOnSubmit } = link;
  return { ...linkToJson(clientId, link), callbackUrl, callbackOnSubmit };
}

/** Returns a link for JSON, without its prefilled data. */
function linkToJson(clientId: string, link: LinkSummary) {
  const { linkId, userId, state, createdAt, expiresAt } = link;
  const { openedAt = null, submittedAt = null, revokedAt = null, reference = null } = link;
  const times = { createdAt, expiresAt, openedAt, submittedAt, revokedAt };
  return { linkId, clientId, userId, state, ...times, reference };
}
