// What becomes of photos with the events of their links. Each handler may run again for the same event, with the same result.

/** The kinds of events that `createOnEvent` handles: the option `events`. */
export const EVENTS = ['claim.submitted', 'link.declined', 'link.expired', 'link.revoked', 'data.deleted'];

// #region events
export function createOnEvent({ store, log }) {
  return async (event) => {
    if (event.type === 'claim.submitted') {
      // The browser names them, so the claim gets only those that were uploaded with its link.
      const { photos } = event.session.extra ?? {};
      const hashes = Array.isArray(photos) ? photos : [];
      const count = await store.claim(event.linkId, hashes);
      log(`claim ${event.session.reference} was submitted, ${count} of ${hashes.length} photos`);
    } else if (event.type === 'data.deleted') {
      // Links whose claim is deleted, and deleted links without a claim. A link may be named twice.
      for (const linkId of event.linkIds) await store.delete(linkId);
      log(`photos of ${event.linkIds.length} links are deleted`);
    } else {
      await store.discard(event.linkId); // the link has ended without a claim
    }
  };
}
// #endregion
