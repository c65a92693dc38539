// The photos of a claim: those that its link has when the claim is stored.
import { visibleText } from './claim-rules.js';
import { isStorableText } from './cursor.js';
import { photosOf } from './photo-settings.js';
import type { PhotoLink, PhotoStore } from './photo-store.js';
import { isRecord } from './plain-data.js';
import { presentPhotos } from './removed-photos.js';
import type { Report } from './report.js';
import { MAX_PHOTO_NAME } from './schemas.js';
import type { LinkWithClient } from './storage.js';
import type { ClaimPhoto } from './types.js';
import type { PhotoRules } from './validators.js';

/** Returns the link of photos. The store gets the hash of the access code, as storages do. */
export function photoLinkOf({ link }: Pick<LinkWithClient, 'link'>): PhotoLink {
  return { clientId: link.clientId, linkId: link.accessCodeHash };
}

/** Creates the use cases. */
export function createClaimPhotos(store: PhotoStore, report: Report) {
  /** The submissions of links that run in this process. */
  const running = new Map<string, Set<Promise<unknown>>>();

  function keyOf(verified: LinkWithClient): string {
    return JSON.stringify(Object.values(photoLinkOf(verified)));
  }

  /** Returns the photos of a link as a claim has them, in the order of their ids. */
  async function takenBy(verified: LinkWithClient): Promise<readonly ClaimPhoto[]> {
    return presentPhotos(await store.list(photoLinkOf(verified)))
      .map(({ photoId, type, size }) => ({ id: photoId, type, size }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns the photos that the form of a link shows, or undefined if it takes none. A store that fails prevents no form. */
  async function shownOn(verified: LinkWithClient): Promise<readonly ClaimPhoto[] | undefined> {
    if (photosOf(verified.client.settings).need === 'hidden') return undefined;
    try {
      return await takenBy(verified);
    } catch (error) {
      report(error, undefined);
      return undefined;
    }
  }

  /**
   * Returns what a claim may say of photos.
   * @param claimsAll Whether a claim that names no list has all photos of its link.
   */
  async function rulesFor(verified: LinkWithClient, body: unknown, claimsAll: boolean): Promise<PhotoRules> {
    const { need } = photosOf(verified.client.settings);
    const isForm = claimsAll && need !== 'hidden';
    const taken = isForm || namesPhotos(body) ? await takenBy(verified) : [];
    return {
      taken: isForm ? withNames(taken, isRecord(body) && body['photoNames']) : taken,
      isRequired: need === 'required',
      claimsAll: isForm,
    };
  }

  /** Runs the submission of a link. Uploads to it that end meanwhile wait for its result. */
  async function submitting<T>(verified: LinkWithClient, submit: () => Promise<T>): Promise<T> {
    const key = keyOf(verified);
    const submissions = running.get(key) ?? new Set();
    running.set(key, submissions);
    const submission = submit();
    submissions.add(submission);
    try {
      return await submission;
    } finally {
      submissions.delete(submission);
      if (submissions.size === 0) running.delete(key);
    }
  }

  /** Waits for the submissions of a link that run in this process. */
  async function untilSubmitted(verified: LinkWithClient): Promise<void> {
    await Promise.allSettled(running.get(keyOf(verified)) ?? []);
  }

  return { shownOn, rulesFor, submitting, untilSubmitted };
}

function incidentOf(body: unknown): Readonly<Record<string, unknown>> {
  const incident = isRecord(body) ? body['incident'] : undefined;
  return isRecord(incident) ? incident : {};
}

function namesPhotos(body: unknown): boolean {
  const named = incidentOf(body)['photos'];
  return Array.isArray(named) && named.length > 0;
}

/** Returns photos with the names that a form says, by their ids. A name that cannot be stored is left out: the photo counts. */
function withNames(photos: readonly ClaimPhoto[], names: unknown): readonly ClaimPhoto[] {
  return photos.map((photo) => {
    const name: unknown = isRecord(names) && Object.hasOwn(names, photo.id) ? names[photo.id] : undefined;
    const isName = typeof name === 'string' && name.length <= MAX_PHOTO_NAME && isStorableText(name);
    return isName && visibleText(name) !== '' ? { ...photo, name } : photo;
  });
}
