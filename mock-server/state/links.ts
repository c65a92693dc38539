// The methods that find, create and use links.
import {
  ClaimlinkError,
  isClaimlinkError,
  type LinkHistoryEntry,
  type LinkRequest,
} from '../../lib/index.js';
import { invalidValue } from '../control/errors.js';
import type { LinkSubmissionResult } from '../control/methods.js';
import type { MockLink, MockLinkFilter } from '../control/types.js';
import { DEFAULT_LIMIT } from '../schemas/defaults.js';
import type { Seeder } from '../seed/seed.js';
import type { Clients } from './clients.js';
import { createLinkPhotos, type LinkSelection, type LinkTarget, withPhotos } from './link-photos.js';

export function createLinks({ need, select }: Pick<Clients, 'need' | 'select'>, seeder: Seeder) {
  /** Finds a link of the selected clients. @throws `link_not_found` */
  function find({ link, ...selection }: LinkSelection): LinkTarget {
    for (const client of select(selection)) {
      const match = client.findLink(link);
      if (match === undefined) continue;
      const { pathname, searchParams } = new URL(match.url);
      const accessCode = pathname.slice(pathname.lastIndexOf('/') + 1);
      return { client, link: match, accessCode, token: searchParams.get('token') ?? '' };
    }
    throw new ClaimlinkError(
      'link_not_found',
      selection.clientId === undefined
        ? 'This mock has no such link; use its URL, or its linkId in the list of links.'
        : 'This client has no such link.',
    );
  }

  const linkPhotos = createLinkPhotos(find);

  /** Reads a link again, after a change. */
  const reread = ({ clientId, linkId }: MockLink): MockLink => find({ clientId, link: linkId }).link;

  /** Generates a claim with all photos of its link, and with one if the form requires it. */
  async function generateClaim(target: LinkTarget): Promise<unknown> {
    const { client, link } = target;
    const { clientId, linkId, userId } = link;
    const { form } = client.client.settings ?? {};
    const ordinal = client.ordinalOf(linkId);
    const claim = seeder.claimOf(clientId, userId, ordinal, { time: client.now(), ...(form && { form }) });
    return withPhotos(claim, await linkPhotos.claimed(target));
  }

  return {
    ...linkPhotos.methods,
    links: (filter: MockLinkFilter = {}): MockLink[] =>
      select(filter)
        .flatMap((client) => client.links(filter))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, filter.limit ?? DEFAULT_LIMIT),
    countLinks: (filter: MockLinkFilter = {}): number =>
      select(filter).reduce((sum, client) => sum + client.countLinks(filter), 0),
    async createLink({
      clientId,
      request,
      recipientAnswer,
    }: {
      clientId: string;
      request: LinkRequest;
      recipientAnswer?: string;
    }): Promise<MockLink> {
      const client = need(clientId);
      const { claimlink } = client.service;
      const { url, linkId } = await within('/request', () => claimlink.createLink(clientId, request));
      if (recipientAnswer !== undefined) client.setAnswer(linkId, recipientAnswer);
      return find({ clientId, link: url }).link;
    },
    async openLink(selection: LinkSelection): Promise<MockLink> {
      const { client, link, accessCode, token } = find(selection);
      await client.service.claimlink.openLink(accessCode, token, client.proofOf(link.linkId));
      return reread(link);
    },
    /** Without a claim one is generated. */
    async submitLink({
      claim,
      photos,
      ...selection
    }: LinkSelection & { claim?: unknown; photos?: readonly string[] }): Promise<LinkSubmissionResult> {
      const target = find(selection);
      const { client, link, accessCode, token } = target;
      const { linkId } = link;
      const added = await linkPhotos.addAll(target, photos);
      const submitted = claim === undefined ? await generateClaim(target) : withPhotos(claim, added);
      const submission = await within('/claim', () =>
        client.service.claimlink.submitClaim(accessCode, token, submitted, client.proofOf(linkId)),
      );
      const { session: _, callbackOnSubmit: __, ...result } = submission;
      return result;
    },
    expireLink(selection: LinkSelection): MockLink {
      const { client, link } = find(selection);
      client.expireLink(link.linkId);
      return reread(link);
    },
    async unlockLink(selection: LinkSelection): Promise<MockLink> {
      const { client, link } = find(selection);
      await client.service.claimlink.unlockLink(link.clientId, link.linkId);
      return reread(link);
    },
    async linkHistory(selection: LinkSelection): Promise<readonly LinkHistoryEntry[]> {
      const { client, link } = find(selection);
      const shown = await client.service.claimlink.linkHistory(link.clientId, link.linkId);
      return shown?.history ?? [];
    },
    /** @throws `link_submitted`, `link_expired` */
    async revokeLink(selection: LinkSelection): Promise<MockLink> {
      const { client, link } = find(selection);
      await client.service.claimlink.revokeLink(link.clientId, link.linkId);
      const revoked = reread(link);
      if (revoked.state === 'submitted' || revoked.state === 'expired')
        throw new ClaimlinkError(`link_${revoked.state}`);
      return revoked;
    },
  };
}

/** Runs a function whose input is a member of the input: pointers of its problems are below that member. */
async function within<T>(member: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'request_invalid' || !error.problems) throw error;
    const problems = error.problems.map((each) => ({ ...each, pointer: member + (each.pointer ?? '') }));
    throw invalidValue('The input', problems);
  }
}
