// The links of one client: the link methods of its storage, and what the control API shows of them.
import { deepFreeze } from '../../lib/core/freeze.js';
import { endedConfig, isUsable, linkState } from '../../lib/core/link-state.js';
import { toSummary } from '../../lib/core/records.js';
import { hashAccessCode, type Link, type Session, type Storage } from '../../lib/index.js';
import type { LinkFilter, MockLink } from '../control.js';

/** A link with what only the mock knows of it. Immutable: each change replaces it. */
export interface StoredLink {
  readonly link: Link;
  /** '' until the link is signed. */
  readonly url: string;
  /** The session that the submission created. */
  readonly session?: Session;
}

const MAX_LINKS = 10_000;
export const DEFAULT_LIMIT = 100;

/** An id is 60 bits of the hash of the access code: unique among these links, and not secret. */
const ID_LENGTH = 15;

/**
 * Creates an empty store of at most 10,000 links: each link beyond that removes the oldest one. Every method is atomic,
 * because it is synchronous. `insertSession` returns false if the client already has a session with this reference.
 */
export function createLinkStore(
  now: () => Date,
  insertSession: (userId: string, session: Session) => boolean,
  onChange: (link: MockLink) => void,
) {
  /** By the hash of the access code, in the order of creation. */
  const links = new Map<string, StoredLink>();
  const get = (accessCodeHash: string) => links.get(accessCodeHash);

  function findById(id: string): StoredLink | undefined {
    for (const [accessCodeHash, entry] of links) if (idFrom(accessCodeHash) === id) return entry;
    return undefined;
  }

  function put(entry: StoredLink): void {
    links.set(entry.link.accessCodeHash, Object.freeze(entry));
    if (entry.url !== '') onChange(describe(entry));
  }

  function change(entry: StoredLink, members: Partial<Link>, session = entry.session): void {
    put({ ...entry, link: Object.freeze({ ...entry.link, ...members }), ...(session && { session }) });
  }

  function describe({ link, url, session }: StoredLink): MockLink {
    const record = { link, ...(session && { reference: session.reference }) };
    const { linkId, ...summary } = toSummary(record, now());
    return { id: idFrom(linkId), clientId: link.clientId, url, callbackUrl: link.callbackUrl, ...summary };
  }

  function* matching({ userId, state }: LinkFilter): Generator<StoredLink> {
    const time = now();
    for (const entry of links.values()) {
      if (entry.url === '') continue;
      if (userId !== undefined && entry.link.userId !== userId) continue;
      if (state === undefined || linkState(entry.link, time) === state) yield entry;
    }
  }

  const storage = {
    insertLink(link) {
      if (links.has(link.accessCodeHash)) return false;
      put({ link: deepFreeze(structuredClone(link)), url: '' });
      const [oldest] = links.keys();
      if (links.size > MAX_LINKS && oldest !== undefined) links.delete(oldest);
      return true;
    },
    markLinkOpened({ accessCodeHash, at }) {
      const entry = get(accessCodeHash);
      if (entry && entry.link.openedAt === undefined) change(entry, { openedAt: at });
    },
    submitLink({ accessCodeHash, at, session }) {
      const entry = get(accessCodeHash);
      if (entry === undefined) return { outcome: 'not_found' };
      if (entry.session !== undefined) return { outcome: 'already_submitted', session: entry.session };
      const state = linkState(entry.link, at);
      if (state === 'revoked' || state === 'expired') return { outcome: state };
      const stored = deepFreeze(structuredClone(session));
      if (!insertSession(entry.link.userId, stored)) return { outcome: 'reference_taken' };
      change(entry, { submittedAt: at, config: endedConfig(entry.link.config) }, stored);
      return { outcome: 'submitted', session: stored };
    },
    revokeLink({ accessCodeHash, at }) {
      const entry = get(accessCodeHash);
      if (entry === undefined || !isUsable(linkState(entry.link, at))) return false;
      change(entry, { revokedAt: at, config: endedConfig(entry.link.config) });
      return true;
    },
    deleteExpiredLinks(before) {
      const expired = [...links].filter(([, { link }]) => link.expiresAt < before);
      for (const [accessCodeHash] of expired) links.delete(accessCodeHash);
      return expired.length;
    },
  } satisfies Partial<Storage>;

  return {
    ...storage,
    get,
    /** Returns all links, oldest first. */
    save: (): readonly StoredLink[] => [...links.values()],
    /** Replaces all links. */
    restore(stored: readonly StoredLink[]) {
      links.clear();
      for (const entry of stored) links.set(entry.link.accessCodeHash, entry);
    },
    /** Remembers the URL of a new link. */
    setUrl(accessCodeHash: string, url: string) {
      const entry = get(accessCodeHash);
      if (entry !== undefined) put({ ...entry, url });
    },

    /** Returns a link by its URL or id. */
    find(link: string): MockLink | undefined {
      const code = /\/verify\/([^/?#]+)(?:[?#]|$)/.exec(link)?.[1];
      const entry = code === undefined ? findById(link) : get(hashAccessCode(code));
      return entry === undefined || entry.url === '' ? undefined : describe(entry);
    },
    /** Returns the newest `limit` links, newest first. */
    list: (filter: LinkFilter, limit: number): MockLink[] =>
      [...matching(filter)].slice(-limit).reverse().map(describe),
    count: (filter: LinkFilter = {}) => [...matching(filter)].length,
    /** Lets a link expire now. */
    expire(id: string): void {
      const entry = findById(id);
      const expiresAt = now();
      if (entry !== undefined && entry.link.expiresAt > expiresAt) change(entry, { expiresAt });
    },
    /** Returns which of its user's links it is, from 1. Feeds `seeder.claimOf`. */
    ordinalOf(id: string): number {
      const entry = findById(id);
      const ofUser = [...links.values()].filter(({ link }) => link.userId === entry?.link.userId);
      return entry === undefined ? 0 : ofUser.indexOf(entry) + 1;
    },
  };
}

function idFrom(accessCodeHash: string): string {
  return accessCodeHash.slice(0, ID_LENGTH);
}
