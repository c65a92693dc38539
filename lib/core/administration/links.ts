// The use cases of links: list, find and revoke them.
import { assertOptions } from '../assert-options.js';
import { invalidParameter } from '../errors.js';
import { createLife } from '../life.js';
import { linkState } from '../link-state.js';
import { findClient } from '../service.js';
import type { LinkRecord, LinkWithClient } from '../storage.js';
import { LINK_STATES, type LinkState, type PageRequest } from '../types.js';
import { parseId, parsePaging } from '../validators.js';
import { type AdministrationContext, byClient, recorded, recordsOf, searchOf, storageWith } from './context.js';

/** A link in a list, without its access code and configuration. */
export interface LinkSummary {
  /** Identifies the link in `findLink` and `revokeLink`. Not secret: it opens nothing. */
  linkId: string;
  userId: string;
  state: LinkState;
  createdAt: Date;
  expiresAt: Date;
  openedAt?: Date;
  submittedAt?: Date;
  revokedAt?: Date;
  /** Reference of the session that the submission created. */
  reference?: string;
}

/** One link, without its access code and configuration. */
export interface LinkDetails extends LinkSummary {
  clientId: string;
  callbackUrl: string;
  callbackOnSubmit: boolean;
}

/** Selects links of a client. */
export interface LinkFilter extends Pick<PageRequest, 'limit' | 'cursor'> {
  /** Default: the links of all users. */
  userId?: string;
  /** Default: links in any state. */
  state?: LinkState;
}

/** One page of the links of a client. */
export interface LinkPage {
  /** By user id; of one user, the newest first. */
  links: readonly LinkSummary[];
  /** Present if more links follow. */
  nextCursor?: string;
}

/**
 * Lists, finds and revokes links. Every method throws `request_invalid` or `uri_too_long` for invalid arguments, and
 * `options_invalid` for a storage that lacks its interface: `findLink` and `revokeLink` need a `Storage`, `findLinks`
 * needs a `SearchStorage`, `unlockLink` a `CheckStorage`, and the others need a `RecordStorage`.
 */
export interface LinkAdministration {
  /** Returns one page of the links of this client. @throws `client_not_found`. */
  listLinks(clientId: string, filter?: LinkFilter): Promise<LinkPage>;
  /**
   * Returns a link of this client, by the `linkId` of `createLink`. Returns undefined if there is none.
   * @throws `client_not_found`.
   */
  findLink(clientId: string, linkId: string): Promise<LinkDetails | undefined>;
  /** Returns the links of all clients with this `linkId`, by client id. In practice there is at most one. */
  findLinks(linkId: string): Promise<readonly LinkDetails[]>;
  /** Revokes a usable link of this client, by the `linkId` of `createLink`. Returns false if there is no such link. */
  revokeLink(clientId: string, linkId: string): Promise<boolean>;
  /**
   * Lets the recipient of a link answer its question again, after too many wrong answers. It needs the `linkId` of `createLink`
   * and a `CheckStorage`. Returns false if this client has no such link.
   */
  unlockLink(clientId: string, linkId: string): Promise<boolean>;
  /** Revokes all usable links of this client, or of one of its users. Returns their number. @throws `client_not_found`. */
  revokeLinks(clientId: string, filter?: { userId?: string }): Promise<number>;
}

/** Creates the use cases of links. */
export function createLinkAdministration(context: AdministrationContext): LinkAdministration {
  const { storage, now, maxPageSize } = context;
  const life = createLife(storage, now);
  return {
    async listLinks(clientId, filter = {}) {
      assertOptions(filter, ['userId', 'state', 'limit', 'cursor']);
      const { userId, state } = filter;
      const paging = parsePaging(filter, maxPageSize);
      if (state !== undefined && !LINK_STATES.includes(state)) {
        throw invalidParameter('state', 'value', `must be one of: ${LINK_STATES.join(', ')}`);
      }
      const at = now();
      const records = await recordsOf(context, clientId);
      const { links, nextCursor } = await records.listLinks({
        clientId,
        ...(userId !== undefined && { userId: parseId(userId, 'userId') }),
        ...(state !== undefined && { state }),
        at,
        ...paging,
      });
      return {
        links: links.map((record) => toSummary(record, at)),
        ...(nextCursor !== undefined && { nextCursor }),
      };
    },

    async findLink(clientId, linkId) {
      await findClient(storage, clientId);
      const stored = isLinkId(linkId) && (await storage.findLink({ clientId, accessCodeHash: linkId }));
      return stored ? toDetails(stored, now()) : undefined;
    },

    async findLinks(linkId) {
      const search = searchOf(context);
      const links = isLinkId(linkId) ? await search.findLinks({ accessCodeHash: linkId }) : [];
      const at = now();
      return byClient(links.map((stored) => toDetails(stored, at)));
    },

    async revokeLink(client, linkId) {
      const clientId = parseId(client, 'clientId');
      const query = { clientId, accessCodeHash: linkId, at: now() };
      return isLinkId(linkId) && recorded(context, storage.revokeLink(query));
    },

    async unlockLink(client, linkId) {
      const clientId = parseId(client, 'clientId');
      const attempts = storageWith(context, 'CheckStorage');
      const link = { clientId, accessCodeHash: linkId };
      if (!isLinkId(linkId) || !(await attempts.unlockLink(link))) return false;
      await life.unlock(link);
      return true;
    },

    async revokeLinks(clientId, filter = {}) {
      assertOptions(filter, ['userId']);
      const { userId } = filter;
      const records = await recordsOf(context, clientId);
      const owner = userId === undefined ? { clientId } : { clientId, userId: parseId(userId, 'userId') };
      return recorded(context, records.revokeLinks({ ...owner, at: now() }));
    },
  };
}

function isLinkId(linkId: unknown): boolean {
  return typeof linkId === 'string' && /^[0-9a-f]{64}$/.test(linkId);
}

/** Returns a link as lists show it at this time. */
export function toSummary({ link, reference }: LinkRecord, at: Date): LinkSummary {
  const { accessCodeHash, userId, createdAt, expiresAt, openedAt, submittedAt, revokedAt } = link;
  return {
    linkId: accessCodeHash,
    userId,
    state: linkState(link, at),
    createdAt,
    expiresAt,
    ...(openedAt && { openedAt }),
    ...(submittedAt && { submittedAt }),
    ...(revokedAt && { revokedAt }),
    ...(reference !== undefined && { reference }),
  };
}

function toDetails({ link, session }: LinkWithClient, at: Date): LinkDetails {
  const { clientId, callbackUrl, callbackOnSubmit } = link;
  const record = { link, ...(session && { reference: session.reference }) };
  return { clientId, ...toSummary(record, at), callbackUrl, callbackOnSubmit };
}
