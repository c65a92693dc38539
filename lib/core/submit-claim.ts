import { createClaimAcceptance } from './accept-claim.js';
import { callbackPolicy, callbackProblem, redirectTarget } from './callback-url.js';
import type { Delivery } from './delivery.js';
import { ClaimlinkError, invalidBody } from './errors.js';
import type { GuardedStorage } from './guarded-storage.js';
import type { Life } from './life.js';
import type { ResolvedOptions } from './options.js';
import type { PhotosOnUse } from './photos-on-use.js';
import { assertKnownSettings, type ProveRecipient, type ServiceProof } from './prove-recipient.js';
import type { LinkWithClient } from './storage.js';
import {
  isStoredClaim,
  mustAccept,
  noticeOf,
  type StoredClaim,
  toSessionLink,
  toStoredClaim,
} from './stored-claim.js';
import type { Link, Session, Submission } from './types.js';
import { UnusableLinkError } from './unusable-link.js';
import { idProblem } from './validators.js';

/** Number of references to try. If all are taken, the generator or the storage is broken. */
const MAX_ATTEMPTS = 3;

/** Creates the use case. */
export function createClaimSubmission(
  options: ResolvedOptions,
  storage: GuardedStorage,
  delivery: Delivery,
  life: Life,
  proveRecipient: ProveRecipient,
  photos: PhotosOnUse,
) {
  const { now } = options;
  const { assertTakesPhotos, acceptClaim } = createClaimAcceptance(options, photos);

  /**
   * Expects a link that can be submitted. The storage checks its state again.
   * @param body A claim. With `claimsAllPhotos`, a claim that names no photos has all photos of its link.
   */
  async function submitClaim(
    verified: LinkWithClient,
    body: unknown,
    proof: ServiceProof,
    claimsAllPhotos = false,
  ): Promise<Submission> {
    return photos.submitting(verified, () => submit(verified, body, proof, claimsAllPhotos));
  }

  async function submit(
    verified: LinkWithClient,
    body: unknown,
    proof: ServiceProof,
    claimsAllPhotos: boolean,
  ): Promise<Submission> {
    const { link, session: firstSession } = verified;
    const time = now();
    // A repeated submission gets the result of the first one, whatever its body contains.
    if (firstSession !== undefined) return repeatSubmission(verified, firstSession, body, time);
    const { client } = verified;
    assertKnownSettings(client);
    assertTakesPhotos(client);
    await proveRecipient(verified, proof);
    const mustAcceptNotice = mustAccept(verified);
    const { parsed, problems } = await acceptClaim(verified, body, time, {
      mustAcceptNotice,
      claimsAllPhotos,
    });
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
    const isAllowed = callbackProblem(link.callbackUrl, callbackPolicy(client, options)) === undefined;
    return {
      reference: session.reference,
      session,
      ...(isAllowed && { redirectUrl: redirectTarget(link.callbackUrl, session) }),
      callbackOnSubmit: link.callbackOnSubmit,
    };
  }

  return { submitClaim, describeSubmission };
}
