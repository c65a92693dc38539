// The use cases of a link for a host that authenticates its callers itself: they find the client and the link first.
import { assertOptions, type OptionChecks } from './assert-options.js';
import type { GuardedStorage } from './guarded-storage.js';
import { findClient, type Service } from './service.js';
import type { CreatedLink, LinkOptions, LinkRequest, OpenLink, RecipientProof, Submission } from './types.js';

/** The use cases of a link, without HTTP. */
export interface DirectCalls {
  /**
   * Creates a link. Contract: POST /:clientId/link.
   * @throws `client_not_found`; `request_invalid` with the problems of the request or of an option; `request_invalid`
   * or `uri_too_long` for an invalid `clientId`; with `idempotencyKey` also `idempotency_key_reused` if the client has a
   * link of another request with this key, and `options_invalid` if signer or storage do not support it.
   */
  createLink(clientId: string, request: LinkRequest, options?: LinkOptions): Promise<CreatedLink>;
  /**
   * Returns what a page needs to show the widget. The first call marks the link as opened. Never consumes the link.
   * With the client setting `recipientCheck`, it needs the answer of the recipient. Each call with an answer compares it.
   * @throws `link_not_found`, `link_expired`, `link_revoked`, `link_submitted`; `recipient_check_required` without an answer,
   * whose `problems` name the member of the prefill to ask for, or `/recipientAnswer` for the question of the client;
   * `recipient_check_failed` for a wrong answer; `link_locked` after five of them, also without an answer if `findLink` of the
   * storage returns `checkAttempts`; `recipient_check_unavailable` if `checkRecipient` fails or is missing.
   */
  openLink(accessCode: string, token: string, proof?: RecipientProof): Promise<OpenLink>;
  /**
   * Submits a claim, a `ClaimSubmission`. Unvalidated input is allowed. A repeated call returns the result of the first
   * one, with `repeated: true`, also after the end of the link. Its `unchanged` says whether this claim is the stored one.
   * @throws `link_not_found`, `link_expired`, `link_revoked`; `link_submitted` if the session of the first call was deleted;
   * `request_invalid` with the problems of the claim; `validation_unavailable` if `validateClaim` fails;
   * the errors of `openLink` about an answer. A repeated call needs no answer.
   */
  submitClaim(accessCode: string, token: string, claim: unknown, proof?: RecipientProof): Promise<Submission>;
}

const PROOF: OptionChecks<RecipientProof> = {
  recipientAnswer: (value) => (typeof value === 'string' ? undefined : 'must be a text'),
};

/** Checks the proof of a host. @throws `options_invalid` */
function proofOf(proof: RecipientProof): RecipientProof {
  assertOptions(proof, PROOF);
  const { recipientAnswer } = proof;
  return recipientAnswer === undefined ? {} : { recipientAnswer };
}

/** Creates the calls. */
export function createDirectCalls(service: Service, storage: GuardedStorage): DirectCalls {
  return {
    async createLink(clientId, request, options = {}) {
      const client = await findClient(storage, clientId);
      assertOptions(options, ['ttlSeconds', 'idempotencyKey']);
      return service.createLink(client, request, options);
    },

    async openLink(accessCode, token, proof = {}) {
      const verified = await service.verifyLink(accessCode, token, 'open');
      return service.openLink(verified, true, proofOf(proof));
    },

    async submitClaim(accessCode, token, claim, proof = {}) {
      const verified = await service.verifyLink(accessCode, token, 'submit');
      return service.submitClaim(verified, claim, proofOf(proof));
    },
  };
}
