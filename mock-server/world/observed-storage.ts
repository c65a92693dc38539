// A storage decorator through which the mock sees what becomes of links and sessions, and lets links expire early.
import type { AdminStorage, LinkId, LinkWithClient, Session } from '../../lib/index.js';
import type { LinkRegistry } from './link-registry.js';

/** What an observed storage is made of. */
export interface ObservedStorageOptions {
  storage: AdminStorage;
  /** Is told of every link. */
  links: LinkRegistry;
  /** A claim was submitted. */
  onSubmission(clientId: string, userId: string, session: Session): void;
  /** Sessions were inserted otherwise. */
  onInsertion(clientId: string, userId: string): void;
  /** Resolves when everything up to now is where it outlives the process. A call is answered only then. */
  saved(): Promise<void> | undefined;
}

/** Wraps a storage. */
export function createObservedStorage(options: ObservedStorageOptions): AdminStorage {
  const { storage, links, saved } = options;

  async function findLink(id: LinkId): Promise<LinkWithClient | undefined> {
    const found = await storage.findLink(id);
    const expiredAt = links.expiredAt(id);
    return found && expiredAt ? { ...found, link: { ...found.link, expiresAt: expiredAt } } : found;
  }

  /** Whether it was let expire, on purpose, before this moment. */
  function isOver(id: LinkId, at: Date): boolean {
    const expiredAt = links.expiredAt(id);
    return expiredAt !== undefined && expiredAt <= at;
  }

  return {
    ...storage,
    async insertLink(link) {
      const isStored = await storage.insertLink(link);
      if (isStored) {
        links.stored(link);
        await saved();
      }
      return isStored;
    },
    findLink,
    async markLinkOpened(query) {
      await storage.markLinkOpened(query);
      links.changed(query, { openedAt: query.at });
      await saved();
    },
    async submitLink(submission) {
      const found = await findLink(submission);
      if (found?.session === undefined && isOver(submission, submission.at)) return { outcome: 'expired' };
      const result = await storage.submitLink(submission);
      if (found === undefined || result.outcome !== 'submitted') return result;
      const { clientId, userId } = found.link;
      links.changed(submission, { submittedAt: submission.at }, result.session);
      options.onSubmission(clientId, userId, result.session);
      await saved();
      return result;
    },
    async revokeLink(query) {
      if (isOver(query, query.at)) return false;
      const isRevoked = await storage.revokeLink(query);
      if (isRevoked) {
        links.changed(query, { revokedAt: query.at });
        await saved();
      }
      return isRevoked;
    },
    async insertSession(session) {
      await storage.insertSession(session);
      options.onInsertion(session.clientId, session.userId);
      await saved();
    },
  };
}
