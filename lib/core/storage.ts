// The storage port: what claimlink needs to keep, and what it relies on. Types and their contract, no code.
import type { ApiKey, Awaitable, Client, Link, PageRequest, Session, SessionPage } from './types.js';

/** What of a presented API key decides whether it lets a request in. A storage may give more of it. */
export type PresentedKey = Pick<ApiKey, 'clientId' | 'expiresAt' | 'revokedAt'>;

/** What is known about a presented API key and the client in the URL: both, either or none. */
export interface Credentials {
  /** The key with that hash, of whatever client, expired and revoked ones too. */
  apiKey?: PresentedKey;
  /** The client with that id. */
  client?: Client;
}

/** A link together with its client and, once it is submitted, its session. */
export interface LinkWithClient {
  link: Link;
  client: Client;
  /** The session that the submission inserted. */
  session?: Session;
}

/** Which sessions to list. */
export interface SessionQuery extends PageRequest {
  clientId: string;
  userId: string;
  limit: number;
}

/**
 * What a link is found by. The hash alone is unique for all practical purposes; the client is named as well so that
 * a storage that is partitioned by client asks one partition only.
 */
export interface LinkId {
  clientId: string;
  accessCodeHash: string;
}

/** A submission to store: the link to consume and the session to insert. */
export interface LinkSubmission extends LinkId {
  /** The moment of the submission, from claimlink's clock. */
  at: Date;
  session: Session;
}

/** What a submission came to. */
export type SubmitOutcome =
  /** This very call consumed the link and inserted the session. */
  | { outcome: 'submitted'; session: Session }
  /** An earlier call did; `session` is what that one inserted. */
  | { outcome: 'already_submitted'; session: Session }
  /** Nothing was changed, because: */
  | { outcome: 'not_found' | 'expired' | 'revoked' | 'reference_taken' };

/**
 * What the service needs at run time, over whatever tables a host has.
 *
 * For every method:
 * - it may answer with a value or a promise; it rejects only when the storage itself is broken, which the caller
 *   sees as a 500 and `onError` with its cause; or with `storage_unavailable`, a 503, when it is out of reach for now;
 * - ids and text hold no NUL and no lone surrogates: claimlink refuses them before it calls;
 * - strings are compared code unit by code unit: no case folding, no trimming, no Unicode normalisation;
 * - dates keep at least milliseconds; time is always given, never asked of a clock of the storage's own;
 * - what it returns is never changed afterwards, neither by the storage nor by claimlink;
 * - what one caller was told is visible to every later call of every caller (read your writes).
 *
 * `storageSuite` in `claimlink/testing` checks all of it.
 */
export interface Storage {
  /** Finds an API key by its hash and a client by its id, in one go. Unknown ones are absent, not an error. */
  findCredentials(query: { apiKeyHash: string; clientId: string }): Awaitable<Credentials>;

  /** Finds a client by its id; `undefined` when there is none. */
  findClient(clientId: string): Awaitable<Client | undefined>;

  /**
   * One page of a user's sessions: newest `createdAt` first, then `reference` ascending.
   * `nextCursor` is present exactly when more follows. Following it while sessions are inserted or deleted returns
   * no session twice and skips none that was there all the time.
   * Throws `request_invalid` for a cursor that this storage did not make (`decodeCursor` does).
   */
  listSessions(query: SessionQuery): Awaitable<SessionPage>;

  /**
   * Inserts a link; `true` when it is stored. `false`, and nothing changed, when the client has that hash already:
   * of concurrent callers with one hash exactly one gets `true`.
   */
  insertLink(link: Link): Awaitable<boolean>;

  /** Finds a link of this client, in whatever state, the client, and the session. `undefined` when link or client is gone. */
  findLink(id: LinkId): Awaitable<LinkWithClient | undefined>;

  /** Sets `openedAt` unless it is set: the first opening stays. Unknown links are ignored. */
  markLinkOpened(query: LinkId & { at: Date }): Awaitable<void>;

  /**
   * Consumes the link and inserts the session for the link's client and user, atomically: both or neither.
   * Of any number of concurrent calls for one link, in any number of processes, exactly one gets `submitted`; all
   * others, and all later ones, get `already_submitted` with that one's session.
   * A link is submittable while `at` is before `expiresAt`, it is not revoked and not submitted. A submitted link
   * stays `already_submitted`, even when it is past its expiry.
   * `reference_taken`: the client has a session of that reference already; the link stays usable.
   */
  submitLink(submission: LinkSubmission): Awaitable<SubmitOutcome>;

  /**
   * Revokes a usable link of this client: `true` exactly when this call did it. `false` for links that are unknown,
   * another client's, submitted, expired at `at`, or revoked before. Against a concurrent submission one side wins:
   * either the link is revoked and no session exists, or the reverse.
   */
  revokeLink(query: LinkId & { at: Date }): Awaitable<boolean>;

  /** Deletes links whose `expiresAt` is before the given moment, in whatever state; sessions stay. Resolves to how many. */
  deleteExpiredLinks(before: Date): Awaitable<number>;

  /** Releases what the storage itself opened. Not called by claimlink. */
  close?(): Awaitable<void>;
}

/** A session to provision, with its owner. */
export interface SessionRecord extends Session {
  clientId: string;
  userId: string;
}

/** A storage that can also be provisioned: the built-in ones, the mock's, the command line's. */
export interface AdminStorage extends Storage {
  /**
   * Adds a client. Throws `already_exists` for a taken id, `request_invalid` for an id that no client can have
   * (`assertClientId`) or for callback origins that are none (`assertCallbackOrigins`).
   */
  insertClient(client: Client): Awaitable<void>;

  /** Adds an API key. Throws `already_exists` for a taken id or hash, `client_not_found` without its client. */
  insertApiKey(apiKey: ApiKey): Awaitable<void>;

  /** The client's keys, oldest first; never another client's. */
  listApiKeys(clientId: string): Awaitable<readonly ApiKey[]>;

  /** Revokes a key from the given moment on: `true` exactly when this call did it. */
  revokeApiKey(id: string, at: Date): Awaitable<boolean>;

  /** Adds a session. Throws `already_exists` for a reference taken within the client, `client_not_found` without it. */
  insertSession(session: SessionRecord): Awaitable<void>;
}
