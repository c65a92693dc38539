// Which photos a stored claim names, and the mark beside them: its bytes are the reference of the claim. The row of a link may be
// deleted while its claim stays, and no storage finds a claim by its link.
import { hash } from 'node:crypto';
import type { PhotoLink, PhotoStore } from './photo-store.js';
import type { Session } from './types.js';

/** The id of the mark. No photo has it: that would be the SHA-256 of a text. */
export const CLAIM_MARK_ID = hash('sha256', 'claim', 'hex');

/** Maximum size of a reference in bytes. */
const MAX_REFERENCE_BYTES = 2048;

/** Returns the ids of the photos that a claim names. */
export function claimedIdsOf({ incident }: Pick<Session, 'incident'>): ReadonlySet<string> {
  return new Set(incident?.photos?.map(({ id }) => id));
}

/** Marks the photos of a link as those of a claim. */
export async function markClaimed(
  store: PhotoStore,
  { clientId, linkId }: PhotoLink,
  reference: string,
  signal: AbortSignal,
): Promise<void> {
  const bytes = Buffer.from(reference);
  const mark = { clientId, linkId, photoId: CLAIM_MARK_ID, type: 'image/jpeg' as const, size: bytes.length };
  await store.put(mark, once(bytes), { signal });
}

/** Returns the reference of the claim that the photos of a link are marked with. */
export async function readClaimMark(store: PhotoStore, link: PhotoLink): Promise<string | undefined> {
  const mark = await store.get({ ...link, photoId: CLAIM_MARK_ID });
  if (mark === undefined || mark.size > MAX_REFERENCE_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of mark.body) chunks.push(chunk);
  } catch (error) {
    // A deletion of the claim may have removed the mark meanwhile.
    if (await isStored(store, link)) throw error;
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

async function isStored(store: PhotoStore, link: PhotoLink): Promise<boolean> {
  return (await store.list(link)).some(({ photoId }) => photoId === CLAIM_MARK_ID);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
