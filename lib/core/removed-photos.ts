// Photos that their sender has removed. A store has a marker beside such a photo: its bytes stay until the claim is stored, since
// a claim that is on its way may name it.
import { hash } from 'node:crypto';
import { CLAIM_MARK_ID } from './claimed-photos.js';
import type { PhotoEntry, PhotoRef, PhotoStore } from './photo-store.js';

/** Returns the id of the marker of a photo: an entry of its own, without bytes. Every photo has bytes. */
export function markerIdOf(photoId: string): string {
  return hash('sha256', `removed ${photoId}`, 'hex');
}

/** Returns the photos of a list that their sender has not removed. */
export function presentPhotos(entries: readonly PhotoEntry[]): PhotoEntry[] {
  const markers = new Set(entries.filter(({ size }) => size === 0).map(({ photoId }) => photoId));
  return entries.filter(
    ({ photoId, size }) => size > 0 && photoId !== CLAIM_MARK_ID && !markers.has(markerIdOf(photoId)),
  );
}

/** Marks a photo as removed. */
export async function markRemoved(
  store: PhotoStore,
  { clientId, linkId, photoId }: PhotoRef,
  signal: AbortSignal,
): Promise<void> {
  const marker = { clientId, linkId, photoId: markerIdOf(photoId), type: 'image/jpeg' as const, size: 0 };
  await store.put(marker, noBytes(), { signal });
}

/** Takes the mark of a photo away. */
export async function unmarkRemoved(store: PhotoStore, { clientId, linkId, photoId }: PhotoRef) {
  await store.delete({ clientId, linkId, photoIds: [markerIdOf(photoId)] });
}

async function* noBytes(): AsyncGenerator<Uint8Array, void, undefined> {}
