// The links of one client: the link methods of its storage, and what the control API shows of them.
import { deepFreeze } from '../../lib/core/freeze.js';
import { endedConfig, linkState } from '../../lib/core/link-state.js';
import { hashAccessCode, type Link, type Session, type Storage } from '../../lib/index.js';
import type { LinkFilter, MockLink } from '../control.js';
import type { Links } from './types.js';

/** A link with what only the mock knows of it. Immutable: each change replaces it. */
export interface StoredLink {
  readonly link: Link;
  /** '' until the link is signed. */
  readonly url: string;
  /** The session that the submission created. */
  readonly session?: Session;
}

type LinkMethods = Pick<
  Storage,
  'insertLink' | 'markLinkOpened' | 'submitLink' | 'revokeLink' | 'deleteExpiredLinks'
>;

/** Links as the storage of a client uses them. Every method is atomic, because it is synchronous. */
export interface LinkStore extends Links, LinkMethods {
  get(accessCodeHash: string): StoredLink | undefined;
  /** Remembers the URL of a new link. */
  setUrl(accessCodeHash: string, url: string): void;
  /** All links, oldest first. */
  readonly stored: readonly StoredLink[];
  /** Replaces all links. */
  restore(links: readonly StoredLink[]): void;
}

/** Options of `createLinkStore`. */
export interface LinkStoreOptions {
  now(): Date;
  /** Returns false if the client already has a session with this reference. */
  insertSession(userId: string, session: Session): boolean;
  /** Called after a link was created or changed. */
  onChange(link: MockLink): void;
}

const MAX_LINKS = 10_000;
const DEFAULT_LIMIT = 100;

/** An id is 60 bits of the hash of the access code: unique among these links, and not secret. */
const ID_LENGTH = 15;

/** Creates an empty store. */
export function createLinkStore({ now, insertSession, onChange }: LinkStoreOptions): LinkStore {
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
    const { openedAt, submittedAt, revokedAt } = link;
    return {
      id: idFrom(link.accessCodeHash),
      clientId: link.clientId,
      userId: link.userId,
      url,
      state: linkState(link, now()),
      callbackUrl: link.callbackUrl,
      createdAt: link.createdAt,
      expiresAt: link.expiresAt,
      ...(openedAt && { openedAt }),
      ...(submittedAt && { submittedAt }),
      ...(revokedAt && { revokedAt }),
      ...(session && { reference: session.reference }),
    };
  }

  function* matching({ userId, state }: LinkFilter): Generator<StoredLink> {
    const time = now();
    for (const entry of links.values()) {
      if (entry.url === '') continue;
      if (userId !== undefined && entry.link.userId !== userId) continue;
      if (state === undefined || linkState(entry.link, time) === state) yield entry;
    }
  }

  return {
    get,
    get stored() {
      return [...links.values()];
    },
    restore(stored) {
      links.clear();
      for (const entry of stored) links.set(entry.link.accessCodeHash, entry);
    },
    setUrl(accessCodeHash, url) {
      const entry = get(accessCodeHash);
      if (entry !== undefined) put({ ...entry, url });
    },

    find(link) {
      const code = /\/verify\/([^/?#]+)(?:[?#]|$)/.exec(link)?.[1];
      const entry = code === undefined ? findById(link) : get(hashAccessCode(code));
      return entry === undefined || entry.url === '' ? undefined : describe(entry);
    },
    list(filter = {}) {
      const { limit = DEFAULT_LIMIT } = filter;
      return [...matching(filter)].slice(-limit).reverse().map(describe);
    },
    count(filter = {}) {
      let count = 0;
      for (const _ of matching(filter)) count++;
      return count;
    },
    expire(id) {
      const entry = findById(id);
      if (entry === undefined) return undefined;
      const time = now();
      if (entry.link.expiresAt > time) change(entry, { expiresAt: time });
      return describe(get(entry.link.accessCodeHash) ?? entry);
    },
    ordinalOf(id) {
      const entry = findById(id);
      let ordinal = 0;
      for (const { link } of links.values()) {
        if (link.userId === entry?.link.userId) ordinal++;
        if (link === entry?.link) break;
      }
      return ordinal;
    },

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
      if (entry.link.revokedAt !== undefined) return { outcome: 'revoked' };
      if (entry.link.expiresAt <= at) return { outcome: 'expired' };
      const stored = deepFreeze(structuredClone(session));
      if (!insertSession(entry.link.userId, stored)) return { outcome: 'reference_taken' };
      change(entry, { submittedAt: at, config: endedConfig(entry.link.config) }, stored);
      return { outcome: 'submitted', session: stored };
    },
    revokeLink({ accessCodeHash, at }) {
      const entry = get(accessCodeHash);
      if (entry === undefined || linkState(entry.link, at) === 'submitted') return false;
      if (entry.link.revokedAt !== undefined || entry.link.expiresAt <= at) return false;
      change(entry, { revokedAt: at, config: endedConfig(entry.link.config) });
      return true;
    },
    deleteExpiredLinks(before) {
      const expired = [...links].filter(([, { link }]) => link.expiresAt < before);
      for (const [accessCodeHash] of expired) links.delete(accessCodeHash);
      return expired.length;
    },
  };
}

function idFrom(accessCodeHash: string): string {
  return accessCodeHash.slice(0, ID_LENGTH);
}
