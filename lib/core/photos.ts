// The use cases of photos: add one to a link, list, read and remove them.
import { randomBytes } from 'node:crypto';
import { createClaimPhotos, photoLinkOf } from './claim-photos.js';
import { CLAIM_MARK_ID } from './claimed-photos.js';
import { ClaimlinkError, invalidParameter } from './errors.js';
import { guardedStoreOf, type TimedPhotos } from './guarded-photo-store.js';
import { isUsable, linkState } from './link-state.js';
import type { ResolvedOptions } from './options.js';
import { createPhotoRemoval, type PhotoRecords } from './photo-removal.js';
import { photosOf } from './photo-settings.js';
import type { PhotoEntry, StoredPhoto } from './photo-store.js';
import { createPhotoUpload, dropBody, type PhotoUpload } from './photo-upload.js';
import { isRecord } from './plain-data.js';
import type { ProveRecipient, ServiceProof } from './prove-recipient.js';
import { markRemoved, presentPhotos } from './removed-photos.js';
import { createReport } from './report.js';
import type { LinkWithClient } from './storage.js';
import type { ClaimPhoto } from './types.js';
import { UnusableLinkError } from './unusable-link.js';

/** A photo that a host or a page sends. */
export interface SentPhoto {
  /** Number of bytes of the body. */
  size: number;
  /** The bytes. They are read as the store takes them. */
  body: AsyncIterable<Uint8Array>;
  /**
   * SHA-256 of the bytes in lower-case hex. A repetition is the same photo then, and other bytes are rejected. Default: a
   * random id.
   */
  photoId?: string;
}

const NOT_IN_CLAIM = 'This photo is not part of the claim: it arrived after the claim was submitted.';

/** Returns a photo of a submitted link that arrives again. @throws `link_submitted` if the claim does not name it. */
export function photoOfClaim(submitted: LinkWithClient, photoId: string): ClaimPhoto {
  const photo = submitted.session?.incident?.photos?.find(({ id }) => id === photoId);
  if (photo === undefined) throw new UnusableLinkError('link_submitted', submitted, NOT_IN_CLAIM);
  return photo;
}

/** Creates the use cases. Each of them expects a link that can be opened. */
/** The use cases. */
export type Photos = ReturnType<typeof createPhotos>;

/** Creates the use cases. Those of a photo expect a link that can be opened. */
export function createPhotos(
  options: TimedPhotos & Pick<ResolvedOptions, 'now' | 'onError'>,
  storage: PhotoRecords,
  proveRecipient: ProveRecipient,
) {
  const { photos: limits, now } = options;
  const store = guardedStoreOf(options);
  const upload = createPhotoUpload(store, limits);
  const removal = createPhotoRemoval(options, storage);
  const { untilSubmitted, ...ofClaims } = createClaimPhotos(store, createReport(options.onError));

  /**
   * Checks that a photo which has arrived is part of the claim, or can become one.
   * @throws `link_not_found` and the errors of a link that can no longer be used.
   */
  async function assertTaken(verified: LinkWithClient, { photoId }: PhotoEntry): Promise<void> {
    await untilSubmitted(verified);
    const { clientId, accessCodeHash } = verified.link;
    const current = await storage.findLink({ clientId, accessCodeHash });
    if (current === undefined) throw new ClaimlinkError('link_not_found');
    const state = linkState(current.link, now());
    if (isUsable(state)) return;
    if (state !== 'submitted') throw new UnusableLinkError(`link_${state}`, current);
    photoOfClaim(current, photoId);
  }

  /**
   * Adds a photo to a link. A photo of a link that was submitted, revoked or deleted meanwhile is removed again.
   * @throws the errors of a photo that is not taken, of a link that ended meanwhile, and of `openLink` about an answer.
   */
  async function addPhoto(
    verified: LinkWithClient,
    sent: SentPhoto & Pick<PhotoUpload, 'hasRandomId'>,
    proof: ServiceProof,
  ): Promise<PhotoEntry> {
    const { size, body, photoId, hasRandomId = photoId === undefined } = sent;
    assertBody(body);
    try {
      assertSize(size);
      if (photoId !== undefined) assertPhotoId(photoId);
      await proveRecipient(verified, proof);
    } catch (error) {
      await dropBody(body, limits);
      throw error;
    }
    const ids = { photoId: photoId ?? randomBytes(32).toString('hex'), hasRandomId };
    const form = photosOf(verified.client.settings);
    const photo = await upload({ ...photoLinkOf(verified), size, body, form, ...ids });
    try {
      await assertTaken(verified, photo);
    } catch (error) {
      // The next sweep removes what fails here.
      await removal.compare(photoLinkOf(verified)).catch(() => {});
      throw error;
    }
    return photo;
  }

  /** Returns the photos of a link. @throws the errors of `openLink` about an answer. */
  async function listPhotos(verified: LinkWithClient, proof: ServiceProof): Promise<readonly PhotoEntry[]> {
    await proveRecipient(verified, proof);
    return presentPhotos(await store.list(photoLinkOf(verified)));
  }

  /** Returns a photo of a link, or undefined. @throws the errors of `openLink` about an answer. */
  async function readPhoto(
    verified: LinkWithClient,
    photoId: string,
    proof: ServiceProof,
  ): Promise<StoredPhoto | undefined> {
    const photos = await listPhotos(verified, proof);
    if (!photos.some((photo) => photo.photoId === photoId)) return undefined;
    return store.get({ ...photoLinkOf(verified), photoId });
  }

  /** Removes a photo of a link. Ignores one that is not there. @throws the errors of `openLink` about an answer. */
  async function removePhoto(verified: LinkWithClient, photoId: string, proof: ServiceProof): Promise<void> {
    const photos = await listPhotos(verified, proof);
    if (!photos.some((photo) => photo.photoId === photoId)) return;
    const signal = AbortSignal.timeout(limits.bodyTimeoutSeconds * 1000);
    await markRemoved(store, { ...photoLinkOf(verified), photoId }, signal);
  }

  /** Returns a photo that the claim of a link names, or undefined. The caller has proved that it sent the claim. */
  async function readClaimedPhoto(
    verified: LinkWithClient,
    photoId: string,
  ): Promise<StoredPhoto | undefined> {
    const claimed = verified.session?.incident?.photos ?? [];
    if (!claimed.some(({ id }) => id === photoId)) return undefined;
    return store.get({ ...photoLinkOf(verified), photoId });
  }

  return { addPhoto, listPhotos, readPhoto, readClaimedPhoto, removePhoto, ...ofClaims };
}

function assertPhotoId(photoId: unknown): void {
  // The sender of a random id chooses it.
  if (photoId === CLAIM_MARK_ID)
    throw invalidParameter('photoId', 'value', 'must be another one: no photo has it');
  if (typeof photoId === 'string' && /^[0-9a-f]{64}$/.test(photoId)) return;
  throw invalidParameter('photoId', 'value', 'must be 64 lower-case hex digits');
}

function assertBody(body: unknown): void {
  if (isRecord(body) && Symbol.asyncIterator in body) return;
  throw invalidParameter('body', 'type', 'must be an AsyncIterable of bytes');
}

function assertSize(size: unknown): void {
  if (Number.isSafeInteger(size) && (size as number) >= 0) return;
  throw invalidParameter('size', 'value', 'must be the number of bytes of the photo');
}
