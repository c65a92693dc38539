// The use cases: list sessions, create a link, open it, submit its claim.
import { isDeepStrictEqual } from 'node:util';
import { callbackProblem, redirectTarget } from './callback-url.js';
import { CODE_MEMBERS } from './claim-fields.js';
import { withoutInvisible } from './claim-rules.js';
import { knowsSettings } from './client-settings.js';
import { createAccessCode, hashAccessCode } from './credentials.js';
import type { Delivery } from './delivery.js';
import {
  asClaimlinkError,
  ClaimlinkError,
  invalidBody,
  invalidOption,
  invalidParameter,
  isClaimlinkError,
} from './errors.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import { createHostQuestion } from './host-question.js';
import { createIdempotency, type IdempotentRequest, type LinkSecrets } from './idempotency.js';
import { createLife } from './life.js';
import type { LinkSigner, LinkTokenClaims } from './link-signer.js';
import { isUsable, linkState } from './link-state.js';
import { type ResolvedOptions, ttlProblem } from './options.js';
import { deepFreeze } from './plain-data.js';
import { checkAnswer, RecipientCheckError, recipientQuestion } from './recipient-check.js';
import type { LinkWithClient, PresentedClient, Storage } from './storage.js';
import type {
  ClaimSubmission,
  Client,
  CreatedLink,
  DeclineReason,
  Link,
  LinkOptions,
  OpenLink,
  PageRequest,
  RecipientProof,
  SelectedPolicy,
  Session,
  SessionLink,
  SessionPage,
  Submission,
} from './types.js';
import { linkUrl, withoutAddedEnd } from './url.js';
import { createClaimCheck } from './validate-claim.js';
import {
  idempotencyKeyProblem,
  idProblem,
  parseClaimSubmission,
  parseId,
  parseLinkRequest,
  parsePaging,
  parseStatus,
} from './validators.js';

/** Number of random values to try. If all are taken, the generator or the storage is broken. */
const MAX_ATTEMPTS = 3;

const NEWER_SETTINGS =
  'The client has a setting that this version does not know. A process of the newer version takes the claim.';

/** What needs a `LifeStorage`, for messages. */
export const ALLOW_DECLINE = 'the client setting allowDecline';

/** What needs a `CheckStorage` and a signer with `derive`, for messages. */
export const RECIPIENT_CHECK = 'the client setting recipientCheck';

/** Checks that the pages can keep an answer. @throws `options_invalid` for a signer without `derive`. */
export function assertDerives({ derive }: Pick<LinkSigner, 'derive'>): void {
  if (derive !== undefined) return;
  const detail = `must have the method derive, which ${RECIPIENT_CHECK} needs; createLinkSigner has it`;
  throw invalidOption('/signer', 'combination', detail);
}

/**
 * Thrown for a link that exists but can no longer be used. Carries the link, so that a page can show its contact.
 * The link contains personal data. It is a private member, so that a host that logs the error does not log the link.
 */
export class UnusableLinkError extends ClaimlinkError {
  readonly #stored: LinkWithClient;

  constructor(code: 'link_expired' | 'link_revoked' | 'link_submitted', stored: LinkWithClient) {
    super(code);
    this.#stored = stored;
  }

  get stored(): LinkWithClient {
    return this.#stored;
  }
}

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

/** What proves the recipient of a link to the service: an answer, or that this browser has answered before. */
export interface ServiceProof extends RecipientProof {
  /** true: the caller has checked that the browser gave the right answer. */
  hasAnswered?: boolean;
}

/** The use cases. The caller has authenticated the client. */
export type Service = ReturnType<typeof createService>;

/** Creates the use cases. */
export function createService(options: ResolvedOptions, storage: GuardedStorage, delivery: Delivery) {
  const { signer, publicUrl, now } = options;
  const checkClaim = createClaimCheck(options);
  const idempotency = createIdempotency(options, storage);
  const life = createLife(storage, now, delivery.startLifeDelivery);
  const host = createHostQuestion(options.checkRecipient);

  async function createLink(
    client: PresentedClient,
    body: unknown,
    linkOptions: LinkOptions & Pick<Link, 'createdBy'> = {},
  ): Promise<CreatedLink> {
    const { ttlSeconds = options.linkTtlSeconds, idempotencyKey, createdBy } = linkOptions;
    const { clientId } = client;
    const problem = ttlProblem(ttlSeconds);
    if (problem !== undefined) throw invalidParameter('ttlSeconds', 'value', problem);
    const keyProblem = idempotencyKey === undefined ? undefined : idempotencyKeyProblem(idempotencyKey);
    if (keyProblem !== undefined)
      throw invalidParameter('idempotencyKey', keyProblem.rule, keyProblem.detail);
    const request = parseLinkRequest(body, {
      callbackProblem: (callbackUrl) => callbackProblem(callbackUrl, callbackPolicy(client)),
      stepKeys: options.stepKeys,
    });
    const once =
      idempotencyKey === undefined
        ? undefined
        : idempotency.identify({ clientId, idempotencyKey, request, ttlSeconds: linkOptions.ttlSeconds });
    // A link under another key of the ring does not prevent the insertion.
    const earlier = once && once.keyMacs.length > 1 ? await repeatLink(clientId, once) : undefined;
    if (earlier !== undefined) return earlier;
    const createdAt = new Date(now());
    // A token counts in whole seconds. Link and token must expire at the same time.
    const issuedAt = new Date(Math.floor(createdAt.getTime() / 1000) * 1000);
    const expiresAt = new Date(issuedAt.getTime() + ttlSeconds * 1000);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const accessCode = createAccessCode();
      const linkId = hashAccessCode(accessCode);
      // Frozen, so that a storage in memory may keep it without a copy.
      const link: Link = deepFreeze({
        accessCodeHash: linkId,
        clientId,
        // 42 and "42" identify the same user.
        userId: String(request.config.currentUserId),
        callbackUrl: request.callbackUrl,
        callbackOnSubmit: request.callbackOnSubmit ?? false,
        config: request.config,
        createdAt,
        expiresAt,
        ...(createdBy !== undefined && { createdBy }),
      });
      if (once === undefined) {
        if (!(await storage.insertLink(link))) continue;
        const token = signer.sign({ accessCode, clientId, issuedAt, expiresAt });
        return { url: urlOf({ accessCode, token }), linkId, expiresAt };
      }
      const secrets = { accessCode, token: signer.sign({ accessCode, clientId, issuedAt, expiresAt }) };
      if (await once.storage.insertLinkOnce(link, once.seal(secrets)))
        return { url: urlOf(secrets), linkId, expiresAt };
      const first = await repeatLink(clientId, once);
      if (first !== undefined) return first;
    }
    throw new Error(`The storage reports ${MAX_ATTEMPTS} random access codes in a row as taken.`);
  }

  /** Returns the link that an earlier request with the Idempotency-Key created, or undefined. */
  async function repeatLink(clientId: string, once: IdempotentRequest): Promise<CreatedLink | undefined> {
    const stored = await once.storage.findIdempotentLink({ clientId, keyMacs: once.keyMacs });
    if (stored === undefined) return undefined;
    return { url: urlOf(once.open(stored)), linkId: stored.accessCodeHash, expiresAt: stored.expiresAt };
  }

  function urlOf({ accessCode, token }: LinkSecrets): string {
    return linkUrl(publicUrl, accessCode, token);
  }

  function callbackPolicy(client: PresentedClient) {
    return {
      callbackOrigins: client.callbackOrigins,
      allowLoopbackCallbacks: options.allowLoopbackCallbacks,
    };
  }

  /** Returns the claims also of a token that has expired: the state of its link decides what the user learns. */
  function verifyToken(
    token: string,
    time: Date,
    accessCode: string,
  ): { claims: LinkTokenClaims; isExpired: boolean } {
    try {
      return { claims: signer.verify(token, time, accessCode), isExpired: false };
    } catch (error) {
      if (asClaimlinkError(error).code !== 'link_expired') throw error;
      return { claims: signer.verify(token, new Date(0), accessCode), isExpired: true };
    }
  }

  /** Verifies a token as given, and then once without what a mail program added to its end. */
  function verifyGivenToken(token: string, time: Date, accessCode: string) {
    try {
      return verifyToken(token, time, accessCode);
    } catch (error) {
      const shortened = withoutAddedEnd(token);
      if (asClaimlinkError(error).code !== 'link_not_found' || shortened === token) throw error;
      return verifyToken(shortened, time, accessCode);
    }
  }

  /**
   * Finds the link of an access code and its token, for a purpose that it can be used for. A submitted link with its
   * session can be submitted again, also after its end: the submission then has the result of the first one.
   */
  async function verifyLink(
    accessCode: unknown,
    token: unknown,
    purpose: 'open' | 'submit',
  ): Promise<LinkWithClient> {
    if (typeof accessCode !== 'string' || typeof token !== 'string') {
      throw new ClaimlinkError('link_not_found');
    }
    const time = now();
    // Forged tokens are rejected here, before the storage is called.
    const { claims, isExpired } = verifyGivenToken(token, time, accessCode);
    const code = isExpired ? 'link_expired' : 'link_not_found';
    if (claims.accessCode !== accessCode) throw new ClaimlinkError(code);
    const stored = await storage.findLink({
      clientId: claims.clientId,
      accessCodeHash: hashAccessCode(accessCode),
    });
    if (stored === undefined) throw new ClaimlinkError(code);
    if (purpose === 'submit' && stored.session !== undefined) return stored;
    const state = linkState(stored.link, time);
    if (!isUsable(state)) throw new UnusableLinkError(`link_${state}`, stored);
    if (isExpired) throw new UnusableLinkError('link_expired', stored);
    return stored;
  }

  /**
   * Lets only the recipient of a link pass, if its client says so. Returns whether the prefill may be shown.
   * @throws RecipientCheckError, `link_locked`; `options_invalid` if the storage cannot count attempts;
   * `settings_unknown` for a check that this version does not know; `recipient_check_unavailable` if the host does not answer.
   */
  async function proveRecipient(verified: LinkWithClient, proof: ServiceProof): Promise<boolean> {
    if (verified.client.settings?.recipientCheck === undefined) return true;
    if (!knowsSettings(verified.client)) throw new ClaimlinkError('settings_unknown', NEWER_SETTINGS);
    const attempts = implementing(storage, 'CheckStorage', RECIPIENT_CHECK);
    const question = recipientQuestion(verified);
    if (question === undefined) return false;
    if (question.asked.question) host.assertPresent();
    if (proof.hasAnswered === true) return true;
    const { link, client } = verified;
    const calls = {
      isLocked: () => life.isLocked(link),
      isRight: (answer: string) => host.isRight({ link: describeLink(verified, now()), client, answer }),
      forgives: () => host.forgives(link.accessCodeHash),
    };
    try {
      await checkAnswer(attempts, verified, question, proof.recipientAnswer, calls);
    } catch (error) {
      const isLocked =
        error instanceof RecipientCheckError
          ? error.attemptsLeft === 0
          : isClaimlinkError(error) && error.code === 'link_locked';
      if (isLocked) await life.lock(link);
      throw error;
    }
    return true;
  }

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

  /** Returns what a page and `validateClaim` get of a link at this time. */
  function describeLink({ link, client }: LinkWithClient, time: Date): OpenLink {
    const { name, locale, branding, frameAncestors, settings } = client;
    return {
      linkId: link.accessCodeHash,
      clientId: link.clientId,
      ...(name !== undefined && { clientName: name }),
      userId: link.userId,
      callbackUrl: link.callbackUrl,
      callbackOnSubmit: link.callbackOnSubmit,
      config: link.config,
      openedAt: link.openedAt ?? time,
      expiresAt: link.expiresAt,
      ...(locale !== undefined && { locale }),
      ...(branding && { branding }),
      ...(frameAncestors && { frameAncestors }),
      ...(settings && { settings }),
    };
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
    implementing(storage, 'LifeStorage', ALLOW_DECLINE);
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

  /** Expects a link that can be submitted. The storage checks its state again. */
  async function submitClaim(
    verified: LinkWithClient,
    body: unknown,
    proof: ServiceProof,
  ): Promise<Submission> {
    const { link, session: firstSession } = verified;
    const time = now();
    // A repeated submission gets the result of the first one, whatever its body contains.
    if (firstSession !== undefined) return repeatSubmission(verified, firstSession, body, time);
    const { client } = verified;
    if (!knowsSettings(client)) throw new ClaimlinkError('settings_unknown', NEWER_SETTINGS);
    await proveRecipient(verified, proof);
    const mustAcceptNotice = mustAccept(verified);
    const parsed = parseClaimSubmission(body, time, client.settings?.form, mustAcceptNotice);
    const problems = (await checkClaim?.(parsed, describeLink(verified, time))) ?? [];
    if (problems.length > 0) {
      // A concurrent submission may have been stored during the check. Then this one is a repetition.
      const { clientId, accessCodeHash } = link;
      const current = await storage.findLink({ clientId, accessCodeHash });
      if (current?.session) return repeatSubmission(current, current.session, body, time);
      throw invalidBody(problems);
    }
    const claim = toStoredClaim(parsed, link.userId);
    const event = delivery.newEvent();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const result = await storage.submitLink({
        clientId: link.clientId,
        accessCodeHash: link.accessCodeHash,
        at: time,
        session: await createSession(link, time, { ...claim, ...noticeOf(link, time, mustAcceptNotice) }),
        ...(event && { event }),
      });
      switch (result.outcome) {
        case 'submitted':
          delivery.startDelivery(link, result.session, event);
          return { ...describeSubmission(verified, result.session), repeated: false };
        case 'already_submitted':
          return repeatSubmission(verified, result.session, body, time);
        case 'expired':
        case 'revoked':
          throw new UnusableLinkError(`link_${result.outcome}`, verified);
        case 'not_found':
          throw new ClaimlinkError('link_not_found');
        case 'reference_taken':
          continue;
      }
    }
    throw new Error(`The storage reports ${MAX_ATTEMPTS} references of newReference in a row as taken.`);
  }

  /** Returns the result of the first submission. Says whether this claim is the one that it stored. */
  async function repeatSubmission(
    verified: LinkWithClient,
    session: Session,
    body: unknown,
    time: Date,
  ): Promise<Submission> {
    const unchanged = isStoredClaim(session, body, verified, time);
    // The user gets the result of the stored claim, whatever becomes of the history.
    await life.repeat(verified.link, unchanged).catch(() => {});
    return { ...describeSubmission(verified, session), repeated: true, unchanged };
  }

  async function createSession(
    link: Link,
    time: Date,
    claim: StoredClaim & Pick<Session, 'notice'>,
  ): Promise<Session> {
    return {
      reference: await createReference('session'),
      date: time,
      camsReference: await createReference('cams'),
      status: 'submitted',
      createdAt: link.openedAt ?? time,
      ...claim,
      link: toSessionLink(link),
    };
  }

  /** Checks the host's reference before it is stored: an invalid one would break every listing and redirect. */
  async function createReference(kind: 'session' | 'cams'): Promise<string> {
    const reference: unknown = await options.newReference(kind);
    const problem = typeof reference === 'string' ? idProblem(reference)?.detail : 'must be a string';
    if (problem === undefined) return reference as string;
    throw new TypeError(`newReference('${kind}') returned an invalid reference: it ${problem}.`);
  }

  /** Returns what a page tells of a submission that is stored. */
  function describeSubmission(
    { link, client }: LinkWithClient,
    session: Session,
  ): Omit<Submission, 'repeated' | 'unchanged'> {
    const isAllowed = callbackProblem(link.callbackUrl, callbackPolicy(client)) === undefined;
    return {
      reference: session.reference,
      session,
      ...(isAllowed && { redirectUrl: redirectTarget(link.callbackUrl, session) }),
      callbackOnSubmit: link.callbackOnSubmit,
    };
  }

  return {
    supportsIdempotency: idempotency.isSupported,
    createLink,
    verifyLink,
    answerQuestion,
    openLink,
    startLink,
    declineLink,
    offersRenewal,
    requestRenewal,
    submitClaim,
    describeSubmission,
  };
}

/** Returns what a session keeps of the link that created it. `config` loses its `extra` with the submission. */
export function toSessionLink({ accessCodeHash, config: { extra } }: Link): SessionLink {
  return { linkId: accessCodeHash, ...(extra && { extra }) };
}

/** Returns whether a claim must confirm the privacy policy: the client asks for it, and the link names one. */
function mustAccept({ link, client }: LinkWithClient): boolean {
  return client.settings?.form?.noticeConfirmation === true && link.config.privacyPolicyUrl !== undefined;
}

/** Returns the notice of a session that is submitted at this time. `config` loses the URL with the submission. */
export function noticeOf(
  { config: { privacyPolicyUrl: url } }: Link,
  at: Date,
  isAccepted = false,
): Pick<Session, 'notice'> {
  return url === undefined ? {} : { notice: { url, at, ...(isAccepted && { accepted: true }) } };
}

/** The members of a session that hold the claim. */
type StoredClaim = Pick<Session, 'selectedPolicy' | 'incident' | 'extra'>;

function toStoredClaim({ policy, incident, extra }: ClaimSubmission, userId: string): StoredClaim {
  return {
    selectedPolicy: toSelectedPolicy(policy, userId),
    ...(incident && { incident }),
    ...(extra && { extra }),
  };
}

/** Returns whether a claim is the one that a session holds. A claim that is not valid is another one. */
function isStoredClaim(
  { selectedPolicy, incident, extra }: Session,
  body: unknown,
  { client, link }: LinkWithClient,
  time: Date,
): boolean {
  try {
    const claim = toStoredClaim(parseClaimSubmission(body, time, client.settings?.form), link.userId);
    return isDeepStrictEqual(asJson(claim), asJson({ selectedPolicy, incident, extra }));
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'request_invalid') return false;
    throw error;
  }
}

/**
 * Returns plain objects without undefined members, as JSON has them. A storage may return others. Older versions stored the
 * invisible characters of codes.
 */
function asJson({ selectedPolicy, incident, extra }: Partial<Record<keyof StoredClaim, unknown>>): unknown {
  const cleaned = (name: string, member: unknown) =>
    CODE_MEMBERS.has(name) && typeof member === 'string' ? withoutInvisible(member) || undefined : member;
  return JSON.parse(
    JSON.stringify([JSON.parse(JSON.stringify({ selectedPolicy, incident }, cleaned)), extra]),
  );
}

/** Returns the policy of a claim as the session of this user has it. What the user left out is an empty text. */
export function toSelectedPolicy(policy: ClaimSubmission['policy'], userId: string): SelectedPolicy {
  const { number = '', provider = '', validFrom = '', validTo = '', linkedContacts = [] } = policy;
  const { firstName = '', lastName = '', id = userId, phone = '', email = '' } = policy.holder ?? {};
  return {
    number,
    provider,
    holder: { firstName, lastName, id, phone, email },
    validFrom,
    validTo,
    linkedContacts: linkedContacts.map((contact) => ({ ...contact, email: contact.email ?? '' })),
    vehicle: { licensePlate: policy.vehicle?.licensePlate ?? '' },
  };
}
