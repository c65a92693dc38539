// The use cases of a link for a host that authenticates its callers itself: they find the client and the link first.
import { assertOptions, type OptionChecks } from './assert-options.js';
import type { GuardedStorage } from './guarded-storage.js';
import type { PhotoEntry, StoredPhoto } from './photo-store.js';
import type { SentPhoto } from './photos.js';
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
   * Submits a claim, a `ClaimSubmission`. Unvalidated input is allowed. It has the photos that it names. A repeated call returns the result of the first
   * one, with `repeated: true`, also after the end of the link. Its `unchanged` says whether this claim is the stored one.
   * @throws `link_not_found`, `link_expired`, `link_revoked`; `link_submitted` if the session of the first call was deleted;
   * `request_invalid` with the problems of the claim; `settings_unknown` for a client whose setting this process does not know, or
   * that asks for photos without the option `photos`; `validation_unavailable` if `validateClaim` fails;
   * the errors of `openLink` about an answer. A repeated call needs no answer.
   */
  submitClaim(accessCode: string, token: string, claim: unknown, proof?: RecipientProof): Promise<Submission>;
  /**
   * Adds a photo to a link that can be opened: a JPEG, PNG or WebP, or HEIC if the client accepts it. The store gets the bytes as they arrive. A photo that the
   * link has already is the same one. If the photo is rejected, the rest of its body is read and dropped.
   * @throws `options_invalid` without the option `photos`; the errors of `openLink`, also if the link ends meanwhile;
   * `content_type_unsupported` for other data; `body_too_large`; `photo_limit_reached`, also for a client that takes no photos; `too_many_requests` for more uploads at
   * the same time than `photos.maxUploads`; `request_timeout`; `request_invalid` if `photoId` is not the SHA-256 of the bytes.
   */
  addPhoto(accessCode: string, token: string, photo: SentPhoto, proof?: RecipientProof): Promise<PhotoEntry>;
  /** Returns the photos of a link that can be opened, in any order. @throws the errors of `openLink`. */
  listPhotos(accessCode: string, token: string, proof?: RecipientProof): Promise<readonly PhotoEntry[]>;
  /** Returns a photo of a link that can be opened, or undefined if the link does not have it. @throws the errors of `openLink`. */
  readPhoto(
    accessCode: string,
    token: string,
    photoId: string,
    proof?: RecipientProof,
  ): Promise<StoredPhoto | undefined>;
  /** Removes a photo of a link that can be opened. Ignores one that is not there. @throws the errors of `openLink`. */
  removePhoto(accessCode: string, token: string, photoId: string, proof?: RecipientProof): Promise<void>;
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

    async addPhoto(accessCode, token, photo, proof = {}) {
      const verified = await service.verifyLink(accessCode, token, 'open');
      assertOptions(photo, ['size', 'body', 'photoId'], { required: ['size', 'body'] });
      return service.photos.addPhoto(verified, photo, proofOf(proof));
    },

    async listPhotos(accessCode, token, proof = {}) {
      const verified = await service.verifyLink(accessCode, token, 'open');
      return service.photos.listPhotos(verified, proofOf(proof));
    },

    async readPhoto(accessCode, token, photoId, proof = {}) {
      const verified = await service.verifyLink(accessCode, token, 'open');
      return service.photos.readPhoto(verified, photoId, proofOf(proof));
    },

    async removePhoto(accessCode, token, photoId, proof = {}) {
      const verified = await service.verifyLink(accessCode, token, 'open');
      return service.photos.removePhoto(verified, photoId, proofOf(proof));
    },
  };
}
