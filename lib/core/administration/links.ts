// The use cases of links: list, find and revoke them.
import { assertOptions } from '../assert-options.js';
import { invalidParameter } from '../errors.js';
import { isSubmission } from '../event-kind.js';
import { createLife } from '../life.js';
import { linkState } from '../link-state.js';
import { findClient } from '../service.js';
import type { LinkRecord, LinkWithClient } from '../storage.js';
import { LINK_STATES, type Link, type LinkMoment, type LinkState, type PageRequest } from '../types.js';
import { parseId, parsePaging } from '../validators.js';
import {
  type AdministrationContext,
  byClient,
  recorded,
  recordsOf,
  searchOf,
  storageWith,
} from './context.js';

/** Number of events of a client in which the one of a link is looked for. */
const MAX_EVENTS = 1000;

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

/** An entry of the history of a link. It says what the recipient did, and has no answers. */
export interface LinkHistoryEntry {
  /**
   * What happened: `link.created`, `link.opened`, `claim.submitted`, the types of moments, and `claim.delivery_pending` or
   * `claim.delivery_failed` while the event of the submission is not delivered.
   */
  type:
    | 'link.created'
    | 'link.opened'
    | 'claim.submitted'
    | LinkMoment['type']
    | 'claim.delivery_pending'
    | 'claim.delivery_failed';
  /** When it happened. Of `claim.delivery_pending`: when the next attempt is due. */
  at: Date;
  /** Of `link.declined`: one of `DeclineReason`. Of a delivery: names and codes of the last error, never a message. */
  why?: string;
  /** Of `link.created`: id of the API key of the request. */
  apiKeyId?: string;
  /** Of `claim.repeated`: whether the claim equals the stored one. */
  unchanged?: boolean;
  /** Of a delivery: number of attempts that have begun. */
  attempts?: number;
}

/** One link with what became of it. */
export interface LinkHistory extends LinkDetails {
  /** By time. What a storage without `LifeStorage` does not know is missing. */
  history: readonly LinkHistoryEntry[];
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
  /**
   * Returns a link of this client with its history, by the `linkId` of `createLink`. Returns undefined if there is none. The
   * history belongs to the link and is deleted with it; the session remains. It needs a `Storage` only: a `LifeStorage`
   * and an `OutboxStorage` know more. @throws `client_not_found`.
   */
  linkHistory(clientId: string, linkId: string): Promise<LinkHistory | undefined>;
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

  /** Returns the delivery of a session whose event is among the first ones of its client that wait or have failed. */
  async function deliveryOf(clientId: string, reference: string): Promise<LinkHistoryEntry[]> {
    const events: LinkHistoryEntry[] = [];
    for (const state of ['pending', 'failed'] as const) {
      const query = { state, clientId, kind: 'submission', limit: MAX_EVENTS } as const;
      const stored = (await storage.listEvents?.(query)) ?? [];
      const ofSession = stored.filter((event) => isSubmission(event) && event.reference === reference);
      for (const { attempts, nextAttemptAt, failedAt = nextAttemptAt, reason } of ofSession)
        events.push({
          type: `claim.delivery_${state}`,
          at: failedAt,
          attempts,
          ...(reason !== undefined && { why: reason }),
        });
    }
    return events;
  }

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

    async linkHistory(clientId, linkId) {
      await findClient(storage, clientId);
      const id = { clientId, accessCodeHash: linkId };
      const stored = isLinkId(linkId) && (await storage.findLink(id));
      if (!stored) return undefined;
      const at = now();
      const moments = (await storage.listMoments?.(id)) ?? [];
      // What is left to do comes last: the next attempt of a delivery is later than all others.
      const history = [
        ...toEntries(stored.link, at, moments),
        ...(stored.session ? await deliveryOf(clientId, stored.session.reference) : []),
      ];
      return { ...toDetails(stored, at), history };
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

/** Returns the history of a link by time, without the delivery of its claim. */
export function toEntries(link: Link, at: Date, moments: readonly LinkMoment[]): LinkHistoryEntry[] {
  const has = (...types: LinkMoment['type'][]) => moments.some(({ type }) => types.includes(type));
  const { createdAt, createdBy, openedAt, submittedAt, revokedAt, expiresAt } = link;
  const isExpired = linkState(link, at) === 'expired' && !has('link.expired');
  const entries: LinkHistoryEntry[] = [
    { type: 'link.created', at: createdAt, ...(createdBy !== undefined && { apiKeyId: createdBy }) },
    ...(openedAt ? [{ type: 'link.opened' as const, at: openedAt }] : []),
    ...(submittedAt ? [{ type: 'claim.submitted' as const, at: submittedAt }] : []),
    ...(revokedAt && !has('link.revoked', 'link.declined')
      ? [{ type: 'link.revoked' as const, at: revokedAt }]
      : []),
    ...(isExpired ? [{ type: 'link.expired' as const, at: expiresAt }] : []),
    ...moments,
  ];
  return entries.toSorted((a, b) => a.at.getTime() - b.at.getTime());
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
