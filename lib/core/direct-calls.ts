// The use cases of a link for a host that authenticates its callers itself: they find the client and the link first.
import { assertOptions } from './assert-options.js';
import type { GuardedStorage } from './guarded-storage.js';
import { findClient, type Service } from './service.js';
import type { CreatedLink, LinkOptions, LinkRequest, OpenLink, Submission } from './types.js';

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
   * @throws `link_not_found`, `link_expired`, `link_revoked`, `link_submitted`.
   */
  openLink(accessCode: string, token: string): Promise<OpenLink>;
  /**
   * Submits a claim, a `ClaimSubmission`. Unvalidated input is allowed. A repeated call returns the result of the first
   * one, with `repeated: true`, also after the end of the link. Its `unchanged` says whether this claim is the stored one.
   * @throws `link_not_found`, `link_expired`, `link_revoked`; `link_submitted` if the session of the first call was deleted;
   * `request_invalid` with the problems of the claim; `validation_unavailable` if `validateClaim` fails.
   */
  submitClaim(accessCode: string, token: string, claim: unknown): Promise<Submission>;
}

/** Creates the calls. */
export function createDirectCalls(service: Service, storage: GuardedStorage): DirectCalls {
  return {
    async createLink(clientId, request, options = {}) {
      const client = await findClient(storage, clientId);
      assertOptions(options, ['ttlSeconds', 'idempotencyKey']);
      return service.createLink(client, request, options);
    },

    openLink: async (accessCode, token) =>
      service.openLink(await service.verifyLink(accessCode, token, 'open'), true),

    submitClaim: async (accessCode, token, claim) =>
      service.submitClaim(await service.verifyLink(accessCode, token, 'submit'), claim),
  };
}
