// The storage of a client's service: its memory storage, with what a mock does beside it.
import { isUsable, linkState } from '../../lib/core/link-state.js';
import type { MemoryStorage } from '../../lib/index.js';
import type { ClientLinks } from './client-links.js';
import type { ClientRecords } from './client-records.js';
import type { ClientSeed } from './client-seed.js';
import { sizeOfValue } from './json-pieces.js';
import { markChanges } from './mark-changes.js';
import type { Space } from './space.js';

/** Creates a storage that fills in the seed, limits the space and reports what it changes. */
export function createClientStorage(
  records: ClientRecords,
  seed: ClientSeed,
  links: ClientLinks,
  space: Space,
) {
  const { clientId, memory } = records;
  // Nothing in a mock shows when its API key was last used.
  const { recordKeyUse: _, ...withoutKeyUse } = memory;

  const overlay = {
    ...withoutKeyUse,
    listSessions(query) {
      records.applyDue();
      seed.fill(query.userId);
      return memory.listSessions(query);
    },
    insertLink(link) {
      links.reserve(sizeOfValue(link));
      return memory.insertLink(link);
    },
    insertLinkOnce(link, idempotency) {
      const { accessCodeHash } = link;
      // The token is signed before the insertion: the URL is that of a link only afterwards.
      const url = records.data.urls.get(accessCodeHash);
      records.data.urls.delete(accessCodeHash);
      if (memory.findIdempotentLink({ clientId, keyMacs: [idempotency.keyMac] })) return false;
      links.reserve(sizeOfValue(link) + sizeOfValue(idempotency));
      const isInserted = memory.insertLinkOnce(link, idempotency);
      if (isInserted && url !== undefined) {
        records.data.urls.set(accessCodeHash, url);
        links.emitLink(accessCodeHash);
      }
      return isInserted;
    },
    findLink(id) {
      records.applyDue();
      return memory.findLink(id);
    },
    markLinkOpened(query) {
      memory.markLinkOpened(query);
      links.emitLink(query.accessCodeHash);
    },
    submitLink(submission) {
      const { link } = memory.findLink(submission) ?? {};
      const userId = link?.userId;
      if (userId !== undefined) seed.fill(userId);
      if (link !== undefined && isUsable(linkState(link, submission.at)))
        // The state has the session twice: its link has it as well.
        space.reserve(2 * sizeOfValue(submission) + seed.bytesToStore(link.userId));
      const result = memory.submitLink(submission);
      if (userId !== undefined && result.outcome === 'submitted') {
        seed.store(userId);
        links.emitLink(submission.accessCodeHash);
        records.emit({ type: 'sessions', clientId, userId });
      }
      return result;
    },
    revokeLink(query) {
      const isRevoked = memory.revokeLink(query);
      if (isRevoked) links.emitLink(query.accessCodeHash);
      return isRevoked;
    },
    addMoment(query) {
      const isAdded = memory.addMoment(query);
      if (isAdded) links.emitLink(query.accessCodeHash);
      return isAdded;
    },
  } satisfies Partial<MemoryStorage>;
  return markChanges(overlay, records.changed);
}
