// The whole listings that were asked for last, so that an unchanged one is the same object, whose JSON is remembered.
import type { Session, SessionPage } from '../core/types.js';

/** Listings that fit into one page. */
export interface PageCache {
  /** The page of all sessions of an owner, frozen; the same one until `forget`. */
  pageOf(owner: string, sessions: readonly Session[]): SessionPage;
  /** The owner's sessions have changed. */
  forget(owner: string): void;
}

/** Sessions in all pages together: what is remembered of them takes some 50 MB at most. */
const MAX_SESSIONS = 100_000;

/** Makes an empty cache. The pages that were made first go first. */
export function createPageCache(): PageCache {
  const pages = new Map<string, SessionPage>();
  let held = 0;

  function forget(owner: string): void {
    const page = pages.get(owner);
    if (page === undefined) return;
    held -= page.sessions.length;
    pages.delete(owner);
  }

  return {
    pageOf(owner, sessions) {
      const known = pages.get(owner);
      if (known !== undefined) return known;
      const page = Object.freeze({ sessions: Object.freeze([...sessions]) });
      pages.set(owner, page);
      held += sessions.length;
      for (const oldest of pages.keys()) {
        if (held <= MAX_SESSIONS) break;
        forget(oldest);
      }
      return page;
    },
    forget,
  };
}
