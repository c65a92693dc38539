// The use cases: list sessions, create a link, open it, submit its claim.
import { createLinkCreation } from './create-link.js';
import type { Delivery } from './delivery.js';
import { describeLink } from './describe-link.js';
import { ClaimlinkError, invalidBody } from './errors.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import { createLife } from './life.js';
import { isUsable, linkState } from './link-state.js';
import type { ResolvedOptions } from './options.js';
import { photosOnUse } from './photos-on-use.js';
import { createProveRecipient, type ServiceProof } from './prove-recipient.js';
import { settingCause } from './settings.js';
import type { LinkWithClient, PresentedClient, Storage } from './storage.js';
import { createClaimSubmission } from './submit-claim.js';
import type { Client, DeclineReason, OpenLink, PageRequest, SessionPage } from './types.js';
import { UnusableLinkError } from './unusable-link.js';
import { parseId, parsePaging, parseStatus } from './validators.js';
import { createLinkVerification } from './verify-link.js';

/** Returns a client. @throws `client_not_found`; `request_invalid` or `uri_too_long` for an invalid id. */
export async function findClient(
  storage: Pick<GuardedStorage, 'findClient'>,
  clientId: string,
): Promise<Client> {
  const client = await storage.findClient(parseId(clientId, 'clientId'));
  if (client === undefined) throw new ClaimlinkError('client_not_found');
  return client;
}

/** Returns one page of a user's sessions. Expects a `userId` that `parseId` accepted. */
export async function listSessions(
  { storage, maxPageSize }: { storage: Pick<Storage, 'listSessions'>; maxPageSize: number },
  { clientId }: PresentedClient,
  userId: string,
  page: PageRequest = {},
): Promise<SessionPage> {
  return storage.listSessions({ clientId, userId, ...parsePage(page, maxPageSize) });
}

/** Parses the page of a listing that a request asks for. @throws `request_invalid` */
export function parsePage(page: PageRequest, maxPageSize: number) {
  const { status } = page;
  return {
    ...parsePaging(page, maxPageSize),
    ...(status !== undefined && { status: parseStatus(status) }),
  };
}

/** The use cases. The caller has authenticated the client. */
export type Service = ReturnType<typeof createService>;

/** Creates the use cases. */
export function createService(options: ResolvedOptions, storage: GuardedStorage, delivery: Delivery) {
  const { now } = options;
  const life = createLife(storage, now, delivery.startLifeDelivery);
  const proveRecipient = createProveRecipient(options, storage, life);
  const photos = photosOnUse(options, storage, proveRecipient);

  /** Checks an answer to the question of a link, if it has one. @throws the errors of `openLink`. */
  async function answerQuestion(verified: LinkWithClient, recipientAnswer: string): Promise<void> {
    await proveRecipient(verified, { recipientAnswer });
  }

  /**
   * Expects a link that can be opened.
   * @throws RecipientCheckError, `link_locked`; `options_invalid` if the storage cannot count attempts.
   */
  async function openLink(
    verified: LinkWithClient,
    markOpened: boolean,
    proof: ServiceProof,
  ): Promise<OpenLink> {
    const isShown = await proveRecipient(verified, proof);
    const { clientId, accessCodeHash, openedAt } = verified.link;
    const time = now();
    if (markOpened && openedAt === undefined) {
      await storage.markLinkOpened({ clientId, accessCodeHash, at: time });
    }
    const link = describeLink(verified, time);
    if (isShown) return link;
    const { policy: _, ...config } = link.config;
    return { ...link, config };
  }

  /** Records that a person fills in the form, if the host wants to know it. Expects a link that can be opened. */
  async function startLink(verified: LinkWithClient, proof: ServiceProof): Promise<void> {
    if (!options.events.includes('link.started')) return;
    await proveRecipient(verified, proof);
    await life.start(verified.link);
  }

  /**
   * Revokes the link of a recipient who does not report the claim. Expects a link that can be opened. Asks no question:
   * the wrong person cannot answer it.
   * @throws `request_invalid` unless the client has `allowDecline`; `options_invalid` for a storage without `LifeStorage`;
   * the errors of a link that ended meanwhile.
   */
  async function declineLink(verified: LinkWithClient, why: DeclineReason): Promise<void> {
    if (verified.client.settings?.allowDecline !== true) {
      const detail = 'is not offered by the client: its setting allowDecline is not true';
      throw invalidBody([{ pointer: '/action', rule: 'choice', detail }]);
    }
    implementing(storage, 'LifeStorage', settingCause('allowDecline'));
    const { clientId, accessCodeHash } = verified.link;
    if (await life.decline(verified.link, why)) return;
    const current = await storage.findLink({ clientId, accessCodeHash });
    if (current === undefined) throw new ClaimlinkError('link_not_found');
    const state = linkState(current.link, now());
    if (isUsable(state)) throw new ClaimlinkError('storage_unavailable');
    throw new UnusableLinkError(`link_${state}`, current);
  }

  /** Whether the page of an expired link offers to ask for another one. */
  const offersRenewal = options.events.includes('link.renewal_requested');

  /** Records that the person at an expired link asks for another one, if the host wants to know it. */
  async function requestRenewal({ link }: LinkWithClient): Promise<void> {
    if (offersRenewal && linkState(link, now()) === 'expired') await life.requestRenewal(link);
  }

  return {
    ...createLinkCreation(options, storage),
    verifyLink: createLinkVerification(options, storage),
    answerQuestion,
    openLink,
    startLink,
    declineLink,
    offersRenewal,
    requestRenewal,
    ...createClaimSubmission(options, storage, delivery, life, proveRecipient, photos),
    photos,
  };
}
