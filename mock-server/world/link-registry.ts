// What the mock knows of the links it minted: their URLs, and what has become of them.
import { ClaimlinkError, hashAccessCode, type Link, type Session } from '../../lib/index.js';
import type { LinkFilter, LinkState, MockLink } from '../control.js';
import type { LinkRecord } from './world-snapshot.js';

/** A link with its state, and what opens it. */
export interface RegisteredLink {
  link: Link;
  /** '' until it is signed. */
  url: string;
  /** Was let expire on purpose: this moment stands in the place of the link's own. */
  expiredAt?: Date;
  reference?: string;
  /** Which one of its user's links it is, from 1 on. */
  ordinal: number;
}

/** The links of one mock. */
export interface LinkRegistry {
  /** A link was stored; its URL comes with `signed`. */
  stored(link: Link): void;
  signed(accessCode: string, clientId: string, url: string): void;
  /** Its state changed. Unknown ones are ignored. */
  changed(id: { clientId: string; accessCodeHash: string }, change: Partial<Link>, session?: Session): void;
  /** The moment from which on it was let expire. */
  expiredAt(id: { clientId: string; accessCodeHash: string }): Date | undefined;
  expire(found: RegisteredLink, at: Date): MockLink;
  /** By URL or id. @throws `link_not_found` */
  find(link: string): RegisteredLink;
  list(filter?: LinkFilter): MockLink[];
  describe(found: RegisteredLink): MockLink;
  recordsOf(clientId: string): LinkRecord[];
  /** Replaces what is known of a client. */
  load(
    clientId: string,
    links: readonly { link: Link; session?: Session }[],
    records: readonly LinkRecord[],
  ): void;
  forget(clientId: string): void;
}

/** Of each client, so many links are known. */
const KEPT = 10_000;

/** Length of an id: 60 bits of the hash. */
const ID_LENGTH = 15;

/** Makes a registry. `onChange` is told of each link that is new or another than before. */
export function createLinkRegistry(
  nowOf: (clientId: string) => Date,
  onChange: (link: MockLink) => void,
): LinkRegistry {
  const byClient = new Map<string, Map<string, RegisteredLink>>();
  const counts = new Map<string, number>();

  function linksOf(clientId: string): Map<string, RegisteredLink> {
    const links = byClient.get(clientId) ?? new Map<string, RegisteredLink>();
    byClient.set(clientId, links);
    return links;
  }

  function put(entry: Omit<RegisteredLink, 'ordinal'>): void {
    const { clientId, userId, accessCodeHash } = entry.link;
    const links = linksOf(clientId);
    const owner = `${clientId}\0${userId}`;
    const ordinal = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, ordinal);
    links.set(accessCodeHash, { ...entry, ordinal });
    const [oldest] = links.keys();
    if (links.size > KEPT && oldest !== undefined) links.delete(oldest);
  }

  function forget(clientId: string): void {
    byClient.delete(clientId);
    for (const owner of counts.keys()) if (owner.startsWith(`${clientId}\0`)) counts.delete(owner);
  }

  function describe({ link, url, expiredAt, reference }: RegisteredLink): MockLink {
    const { openedAt, submittedAt, revokedAt } = link;
    return {
      id: link.accessCodeHash.slice(0, ID_LENGTH),
      clientId: link.clientId,
      userId: link.userId,
      url,
      state: stateOf(link, expiredAt, nowOf(link.clientId)),
      callbackUrl: link.callbackUrl,
      createdAt: link.createdAt,
      expiresAt: expiredAt ?? link.expiresAt,
      ...(openedAt && { openedAt }),
      ...(submittedAt && { submittedAt }),
      ...(revokedAt && { revokedAt }),
      ...(reference !== undefined && { reference }),
    };
  }

  return {
    stored: (link) => put({ link, url: '' }),
    signed(accessCode, clientId, url) {
      const entry = byClient.get(clientId)?.get(hashAccessCode(accessCode));
      if (entry === undefined) return;
      entry.url = url;
      onChange(describe(entry));
    },
    changed({ clientId, accessCodeHash }, change, session) {
      const entry = byClient.get(clientId)?.get(accessCodeHash);
      if (entry === undefined) return;
      // The first opening stays.
      entry.link = { ...change, ...entry.link };
      if (session) entry.reference = session.reference;
      onChange(describe(entry));
    },
    expiredAt: ({ clientId, accessCodeHash }) => byClient.get(clientId)?.get(accessCodeHash)?.expiredAt,
    expire(entry, at) {
      entry.expiredAt = at;
      const described = describe(entry);
      onChange(described);
      return described;
    },
    find(link) {
      const code = /\/verify\/([^/?#]+)(?:[?#]|$)/.exec(link)?.[1];
      const id = code === undefined ? link : hashAccessCode(code).slice(0, ID_LENGTH);
      for (const links of byClient.values()) {
        for (const [hash, entry] of links)
          if (hash.slice(0, ID_LENGTH) === id && entry.url !== '') return entry;
      }
      throw new ClaimlinkError(
        'link_not_found',
        'This mock minted no such link; name it by its URL, or by its id in the list of links.',
      );
    },
    list({ clientId, userId, state } = {}) {
      const maps = clientId === undefined ? [...byClient.values()] : [byClient.get(clientId) ?? new Map()];
      return maps
        .flatMap((links) => [...links.values()])
        .filter((entry) => entry.url !== '' && (userId === undefined || entry.link.userId === userId))
        .map(describe)
        .filter((link) => state === undefined || link.state === state)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    },
    describe,
    recordsOf: (clientId) =>
      [...(byClient.get(clientId)?.values() ?? [])].map(({ link, url, expiredAt }) => ({
        accessCodeHash: link.accessCodeHash,
        url,
        ...(expiredAt && { expiredAt }),
      })),
    load(clientId, links, records) {
      forget(clientId);
      const known = new Map(records.map((record) => [record.accessCodeHash, record]));
      for (const { link, session } of links) {
        const record = known.get(link.accessCodeHash);
        if (record === undefined) continue;
        const { url, expiredAt } = record;
        put({ link, url, ...(expiredAt && { expiredAt }), ...(session && { reference: session.reference }) });
      }
    },
    forget,
  };
}

function stateOf(link: Link, expiredAt: Date | undefined, now: Date): LinkState {
  if (link.submittedAt !== undefined) return 'submitted';
  if (link.revokedAt !== undefined) return 'revoked';
  if ((expiredAt ?? link.expiresAt) <= now) return 'expired';
  return link.openedAt === undefined ? 'created' : 'opened';
}
