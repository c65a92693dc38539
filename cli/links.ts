// claimlink links: lists, shows and revokes the links of a database.
import type { Command } from 'commander';
import { hashAccessCode } from '../lib/core/credentials.js';
import type { GuardedStorage } from '../lib/core/guarded-storage.js';
import { linkState } from '../lib/core/link-state.js';
import type { LinkFilter } from '../lib/core/records.js';
import { LINK_STATES } from '../lib/core/types.js';
import { parseUrl } from '../lib/core/url.js';
import type { LinkSummary, LinkWithClient } from '../lib/index.js';
import { type CommandIo, writeList, writeRecord } from './command-io.js';
import { withStorage } from './database.js';
import { Flag, pick, UsageError } from './flags.js';
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

interface LinkFlags extends LinkFilter {
  clientId: string;
  json?: boolean;
}

export function addLinks(links: Command, io: CommandIo): void {
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
      const page = await withRecords(command, ({ listLinks }) => listLinks(clientId, filter));
      const rows = page.links.map((link) => linkToJson(clientId, link));
      writeList(io, flags, rows, ['linkId', 'userId', 'state', 'createdAt', 'expiresAt', 'reference']);
      writeNextPage(io, page.nextCursor);
    });

  links
    .command('show <link>')
    .description('show one link, without its prefilled data')
    .addOption(requiredClient())
    .addOption(jsonFlag())
    .addHelpText(
      'after',
      `
A link is its id, or its URL in quotes. The URL stays on this machine: only the
hash of its access code, which is the id, is looked up and printed.`,
    )
    .action(async (argument: string, flags: LinkFlags, command: Command) => {
      const linkId = toLinkId(argument);
      const { toSummary } = await import('../lib/core/records.js');
      const { link, session } = await withStorage(command, 'Storage', (storage) =>
        findLink(storage, flags.clientId, linkId),
      );
      const summary = toSummary({ link, ...(session && { reference: session.reference }) }, new Date());
      const { callbackUrl, callbackOnSubmit } = link;
      writeRecord(io, flags, { ...linkToJson(link.clientId, summary), callbackUrl, callbackOnSubmit });
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
      const linkId = toLinkId(argument);
      await withStorage(command, 'Storage', async (storage) => {
        const at = new Date();
        if (await storage.revokeLink({ clientId, accessCodeHash: linkId, at })) return;
        const { link } = await findLink(storage, clientId, linkId);
        throw new UsageError(`The link ${linkId} is ${linkState(link, at)}, so it cannot be revoked.`);
      });
      io.stdout.write(`Revoked the link ${linkId}.\n`);
    });
}

/**
 * Returns the id of a link, or of the link with this URL. The URL contains the access code, so nothing prints it, and the
 * database gets the id only.
 * @throws UsageError for another text
 */
function toLinkId(argument: string): string {
  if (/^[0-9a-f]{64}$/.test(argument)) return argument;
  const [, accessCode] = /\/verify\/([\w-]+)$/.exec(parseUrl(argument)?.pathname ?? '') ?? [];
  if (accessCode !== undefined) return hashAccessCode(accessCode);
  throw new UsageError(
    'Name the link by its id of 64 hexadecimal digits, which claimlink links list shows, or by its whole URL in quotes.',
  );
}

async function findLink(
  storage: GuardedStorage,
  clientId: string,
  accessCodeHash: string,
): Promise<LinkWithClient> {
  await needClient(storage, clientId);
  const link = await storage.findLink({ clientId, accessCodeHash });
  return needRecord(link, `link ${accessCodeHash}`, clientId);
}

/** Returns a link for JSON, without its prefilled data. */
function linkToJson(clientId: string, link: LinkSummary) {
  const { linkId, userId, state, createdAt, expiresAt } = link;
  const { openedAt = null, submittedAt = null, revokedAt = null, reference = null } = link;
  const times = { createdAt, expiresAt, openedAt, submittedAt, revokedAt };
  return { linkId, clientId, userId, state, ...times, reference };
}
