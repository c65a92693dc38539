// Removes photos: those that a stored claim does not name, those of links that are gone, and what a process leaves that is killed.
import { CLAIM_MARK_ID, claimedIdsOf, markClaimed, readClaimMark } from './claimed-photos.js';
import { isSubmission } from './event-kind.js';
import { guardedStoreOf, type TimedPhotos } from './guarded-photo-store.js';
import type { GuardedStorage } from './guarded-storage.js';
import { isUsable, linkState } from './link-state.js';
import type { ResolvedOptions } from './options.js';
import type { PhotoLink } from './photo-store.js';
import type { StoredEvent } from './storage.js';
import type { Link, Session } from './types.js';

/** Number of links that one call of `deliverPending` compares. */
export const SWEEP_LIMIT = 100;
/** Number of links whose photos are compared or removed at the same time. */
const CONCURRENCY = 10;
/** Number of failures after which a sweep ends: the store or the storage does not answer. */
const MAX_FAILURES = 10;
/** How long the photos of an expired link stay: a claim may be on its way, and clocks of processes differ. */
const EXPIRED_MS = 3_600_000;
/** Number of sessions in a page, when the claim of a link is searched. */
const PAGE_SIZE = 1000;

/** The methods of the storage that tell what a link has become. */
export type PhotoRecords = Pick<GuardedStorage, 'findLink' | 'findSession' | 'listClientSessions'>;

/** Removes photos. */
export interface PhotoRemoval {
  /** Removes what an event says: what the claim does not name, or all photos of deleted links. Ignores other events. */
  removeAfter(event: StoredEvent): Promise<void>;
  /** Compares a link with the storage, and removes the photos that are not needed any more. */
  compare(link: PhotoLink): Promise<void>;
  /**
   * Compares the next links of the store, and begins again after the last one. Never rejects: `onFailure` gets the errors.
   * A call ignores a sweep that runs.
   */
  sweep(onFailure: (error: unknown) => void): Promise<void>;
}

/** Creates the removal. */
export function createPhotoRemoval(
  options: TimedPhotos & Pick<ResolvedOptions, 'now'>,
  storage: PhotoRecords,
): PhotoRemoval {
  const { photos, now } = options;
  const { bodyTimeoutSeconds } = photos;
  const store = guardedStoreOf(options);
  let position: PhotoLink | undefined;
  let isSweeping = false;

  const removeAll = async ({ clientId, linkId }: PhotoLink) => store.delete({ clientId, linkId });

  /** Removes the photos that the claim of a link does not name, and the marks of removed photos. */
  async function removeUnclaimed(link: PhotoLink, session: Session, keepsMark: boolean): Promise<void> {
    const claimed = claimedIdsOf(session);
    const isKept = (id: string) => claimed.has(id) || (keepsMark && id === CLAIM_MARK_ID);
    const ids = (await store.list(link)).map(({ photoId }) => photoId).filter((id) => !isKept(id));
    if (ids.length > 0) await store.delete({ ...link, photoIds: ids });
  }

  /** Removes what the claim does not name, and marks the rest. */
  async function keepClaimed(link: PhotoLink, session: Session): Promise<void> {
    await removeUnclaimed(link, session, false);
    if (claimedIdsOf(session).size === 0) return;
    const signal = AbortSignal.timeout(bodyTimeoutSeconds * 1000);
    await markClaimed(store, link, session.reference, signal);
  }

  /** Returns the claim that the photos of a link are marked with, if it still exists. */
  async function markedSession(link: PhotoLink): Promise<Session | undefined> {
    const reference = await readClaimMark(store, link);
    if (reference === undefined) return undefined;
    const session = await storage.findSession?.({ clientId: link.clientId, reference });
    return session?.link?.linkId === link.linkId ? session : undefined;
  }

  /** Searches the claims of deleted links without a mark, and removes the photos of those that have none. */
  async function compareUnmarked(clientId: string, links: readonly PhotoLink[]): Promise<void> {
    // Such a storage does not tell which claims exist. Its host removes the photos.
    if (storage.listClientSessions === undefined) return;
    const missing = new Map(links.map((link) => [link.linkId, link]));
    let cursor: string | undefined;
    for (;;) {
      const query = { clientId, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
      const page = await storage.listClientSessions(query);
      for (const session of page.sessions) {
        const link = missing.get(session.link?.linkId ?? '');
        if (link === undefined) continue;
        missing.delete(link.linkId);
        await keepClaimed(link, session);
      }
      if (!page.hasMore || missing.size === 0) break;
      cursor = page.nextCursor;
    }
    await inParallel([...missing.values()], removeAll);
  }

  /** Compares a link. Returns true if the storage has neither the link nor a claim that its photos are marked with. */
  async function isUnmarked(link: PhotoLink): Promise<boolean> {
    const { clientId, linkId } = link;
    const stored = await storage.findLink({ clientId, accessCodeHash: linkId });
    if (stored !== undefined && !isOver(stored.link, now())) return false;
    const session = stored === undefined ? await markedSession(link) : stored.session;
    if (session !== undefined) await removeUnclaimed(link, session, true);
    else if (stored !== undefined) await removeAll(link);
    else return true;
    return false;
  }

  async function sweepPage(onFailure: (error: unknown) => void): Promise<void> {
    const page = await store.links({ limit: SWEEP_LIMIT, ...(position && { after: position }) });
    position = page.length < SWEEP_LIMIT ? undefined : page.at(-1);
    const unmarked = new Map<string, PhotoLink[]>();
    let failures = 0;
    const check = async (link: PhotoLink) => {
      if (failures >= MAX_FAILURES) return;
      try {
        if (await isUnmarked(link))
          unmarked.set(link.clientId, [...(unmarked.get(link.clientId) ?? []), link]);
      } catch (error) {
        failures++;
        onFailure(error);
      }
    };
    await inParallel(page, check);
    for (const [clientId, links] of unmarked) await compareUnmarked(clientId, links);
  }

  return {
    async removeAfter(event) {
      const { clientId } = event;
      if (isSubmission(event)) {
        const linkId = event.session.link?.linkId;
        if (linkId !== undefined) await keepClaimed({ clientId, linkId }, event.session);
      } else if (event.type === 'data.deleted') {
        await inParallel(event.linkIds, (linkId) => removeAll({ clientId, linkId }));
      }
    },

    async compare(link) {
      if (await isUnmarked(link)) await compareUnmarked(link.clientId, [link]);
    },

    async sweep(onFailure) {
      if (isSweeping) return;
      isSweeping = true;
      await sweepPage(onFailure).catch(onFailure);
      isSweeping = false;
    },
  };
}

/** Returns whether a link takes no claim any more, in any process. */
function isOver(link: Link, at: Date): boolean {
  const state = linkState(link, at);
  if (state === 'expired') return !(link.expiresAt.getTime() + EXPIRED_MS > at.getTime());
  return !isUsable(state);
}

/** Calls a function for each value, some at the same time. Rejects with the first error. */
async function inParallel<T>(values: readonly T[], use: (value: T) => Promise<void>): Promise<void> {
  const rest = values.values();
  const work = async () => {
    for (const value of rest) await use(value);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
