// Keeps the seeds of the users who were asked for last, and forgets the others: they can be made up again.

/** What is kept of a user. */
interface Weighed {
  sessions: readonly unknown[];
}

/** The users who were asked for last. */
export interface SeedCache<T extends Weighed> {
  /** The user's seeds, made up unless they are kept: once, however many ask at the same time. */
  get(clientId: string, userId: string): Promise<T | undefined>;
  forget(clientId: string, userId: string): void;
}

interface Entry<T> {
  user: Promise<T | undefined>;
  sessions: number;
}

/**
 * Makes a cache of at most so many users, and at most so many sessions of all of them. What `derive` rejects with, and
 * `undefined`, goes to those who asked, and is not kept.
 */
export function createSeedCache<T extends Weighed>(
  derive: (clientId: string, userId: string) => Promise<T | undefined>,
  { maxUsers, maxSessions }: { maxUsers: number; maxSessions: number },
): SeedCache<T> {
  // The one who was asked for last is the last one.
  const entries = new Map<string, Entry<T>>();
  let sessions = 0;

  function drop(owner: string, entry: Entry<T>): void {
    if (entries.get(owner) !== entry) return;
    entries.delete(owner);
    sessions -= entry.sessions;
  }

  function shrink(): void {
    for (const [owner, entry] of entries) {
      if (entries.size <= maxUsers && sessions <= maxSessions) return;
      drop(owner, entry);
    }
  }

  function add(owner: string, user: Promise<T | undefined>): void {
    const entry: Entry<T> = { user, sessions: 0 };
    entries.set(owner, entry);
    shrink();
    user.then(
      (found) => {
        if (found === undefined) return drop(owner, entry);
        if (entries.get(owner) !== entry) return;
        entry.sessions = found.sessions.length;
        sessions += entry.sessions;
        shrink();
      },
      () => drop(owner, entry),
    );
  }

  return {
    get(clientId, userId) {
      const owner = ownerOf(clientId, userId);
      const entry = entries.get(owner);
      if (entry !== undefined) {
        entries.delete(owner);
        entries.set(owner, entry);
        return entry.user;
      }
      const user = derive(clientId, userId);
      add(owner, user);
      return user;
    },

    forget(clientId, userId) {
      const owner = ownerOf(clientId, userId);
      const entry = entries.get(owner);
      if (entry !== undefined) drop(owner, entry);
    },
  };
}

/** Ids hold no control characters, so NUL keeps ("a", "bc") and ("ab", "c") apart. */
function ownerOf(clientId: string, userId: string): string {
  return `${clientId}\0${userId}`;
}
