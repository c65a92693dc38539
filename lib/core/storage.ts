// The storage port: interfaces that a host's storage implements, and the guarantees that claimlink relies on.
import type {
  ApiKey,
  Awaitable,
  Branding,
  Client,
  ClientSettings,
  DataDeletedEvent,
  LifeEventType,
  Link,
  LinkEvent,
  LinkMoment,
  LinkState,
  PageRequest,
  Session,
  SessionPage,
  SessionRecord,
} from './types.js';

/** The members of an API key that authentication needs: `id` is optional, for the history of links. A storage may return more. */
export type PresentedKey = Pick<ApiKey, 'clientId' | 'expiresAt' | 'revokedAt'> & Partial<Pick<ApiKey, 'id'>>;

/** The members of a client that a request with an API key needs. A storage may return more. */
export type PresentedClient = Pick<Client, 'clientId' | 'callbackOrigins'>;

/** The members of a session that a listing shows. A storage may return more. */
export type ListedSession = Pick<
  Session,
  'reference' | 'date' | 'camsReference' | 'status' | 'createdAt' | 'selectedPolicy'
>;

/** A page of a listing that `findCredentials` returns: the one of `listSessions`. */
export interface ListedPage extends Pick<SessionPage, 'nextCursor'> {
  sessions: readonly ListedSession[];
}

/** Selects the page of a listing in `findCredentials`. */
export interface Listing extends PageRequest {
  userId: string;
  limit: number;
  /** Time of the request, from claimlink's clock. */
  at: Date;
}

/** Result of `findCredentials`. */
export interface Credentials {
  /** The key with that hash. It may belong to another client, be expired or be revoked. */
  apiKey?: PresentedKey;
  /** The client with that id. May be absent if there is no key: the request is then rejected anyway. */
  client?: PresentedClient;
  /** The page of `listing`. Absent: claimlink calls `listSessions`. */
  page?: ListedPage;
}

/** A link with its client and, after the submission, its session. */
export interface LinkWithClient {
  link: Link;
  /** The client with all its settings, as `findClient` returns it. */
  client: Client;
  /** The session that the submission created. */
  session?: Session;
  /**
   * Number of the attempts that `takeAttempt` of a `CheckStorage` counts. Absent: none, or the storage does not tell. Then
   * the page of a locked link asks its question once more, before it says that the link is locked.
   */
  checkAttempts?: number;
}

/** Selects the sessions of a listing. */
export interface SessionQuery extends PageRequest {
  clientId: string;
  userId: string;
  limit: number;
}

/**
 * Identifies a link. The hash is unique in practice. The client id is included so that a storage that is partitioned
 * by client reads one partition only.
 */
export interface LinkRef {
  clientId: string;
  accessCodeHash: string;
}

/** A submission to store: the link to mark as submitted and the session to insert. */
export interface LinkSubmission extends LinkRef {
  /** Time of the submission, from claimlink's clock. */
  at: Date;
  session: Session;
  /** The event to record in the same transaction. Only an `OutboxStorage` gets one. */
  event?: NewEvent;
}

/** The event of a submission, before it is stored. */
export interface NewEvent {
  /** Stable and globally unique: receivers use it to ignore a repeated delivery. */
  id: string;
  /** Number of attempts to deliver it that have begun: 1 if the process that accepts the claim delivers it at once. */
  attempts: 0 | 1;
  /** Earliest time of the next attempt. */
  nextAttemptAt: Date;
}

/** Result of `submitLink`. */
export type SubmitOutcome =
  /** This call submitted the link and inserted the session. */
  | { outcome: 'submitted'; session: Session }
  /** An earlier call submitted the link. `session` is the session that it inserted. */
  | { outcome: 'already_submitted'; session: Session }
  /** The call changed nothing. */
  | { outcome: 'not_found' | 'expired' | 'revoked' | 'reference_taken' };

/**
 * The storage that the service needs at run time. A host implements it over its own tables.
 *
 * Every method:
 * - returns a value or a promise. It rejects only if the storage fails: the caller gets a 500, and `onError` gets the
 *   cause. It rejects with `storage_unavailable` if it is not available at the moment, or takes longer
 *   than `storageTimeoutSeconds`: the caller gets a 503;
 * - gets valid ids, dates in the years 1 to 9999, and text without NUL and lone surrogates: claimlink rejects other values
 *   of requests and of the host before it calls the storage;
 * - compares strings code unit by code unit, without case folding, trimming or Unicode normalisation;
 * - keeps dates with at least millisecond precision, and takes the time from its arguments, never from its own clock;
 * - returns values that neither the storage nor claimlink changes afterwards;
 * - sees every write that has been acknowledged to any caller (read your writes).
 *
 * `storageSuite` in `claimlink/testing` checks these rules.
 */
export interface Storage {
  /**
   * Finds an API key by its hash, and a client by its id. A member is absent if there is no match.
   *
   * With `listing`, the storage may return the page of this client and user as well, which saves the call of `listSessions`.
   * It reads sessions only if the key belongs to the client and, at `listing.at`, is neither expired nor revoked; claimlink
   * checks the key again. It returns no page for a cursor that it did not create. A storage may ignore `listing`.
   */
  findCredentials(query: { apiKeyHash: string; clientId: string; listing?: Listing }): Awaitable<Credentials>;

  /** Finds a client by its id, with all its settings. Returns `undefined` if there is no such client. */
  findClient(clientId: string): Awaitable<Client | undefined>;

  /**
   * Returns one page of a user's sessions: newest `createdAt` first, then `reference` ascending.
   * `nextCursor` is present if and only if more sessions follow. A reader that follows the cursors while sessions are
   * inserted or deleted gets no session twice, and gets every session that existed the whole time.
   * Throws `request_invalid` for a cursor that this storage did not create, as `decodeCursor` does.
   */
  listSessions(query: SessionQuery): Awaitable<SessionPage>;

  /**
   * Inserts a link and returns `true`. Returns `false` and changes nothing if the client already has a link with
   * that hash. Of concurrent callers with the same hash, exactly one gets `true`. The service has found the client
   * before. If the client was deleted since, the storage inserts the link, which nothing finds, and returns `true`, or
   * it throws `client_not_found`.
   */
  insertLink(link: Link): Awaitable<boolean>;

  /** Finds a link in any state, its client and its session. Returns `undefined` if the link or the client does not exist. */
  findLink(id: LinkRef): Awaitable<LinkWithClient | undefined>;

  /** Sets `openedAt` if it is not set yet. Ignores unknown links. */
  markLinkOpened(query: LinkRef & { at: Date }): Awaitable<void>;

  /**
   * Marks the link as submitted and inserts the session for the link's client and user, atomically.
   * Of concurrent calls for one link, in any number of processes, exactly one gets `submitted`. All others, and all
   * later calls, get `already_submitted` with the session of that call.
   * A link that is both revoked and expired may have either outcome.
   *
   * A link can be submitted while `at` is before `expiresAt` and the link is neither revoked nor submitted. A submitted
   * link stays `already_submitted` after its expiry.
   * The submission removes all members of the link's `config` except `contact` and `currentUserId`: they are personal
   * data that no page needs any more.
   * `reference_taken`: the client already has a session with that reference. The link stays usable.
   * `not_found`: the link or its client does not exist, or the session of a submitted link was deleted.
   * `session.link` has the `linkId` and the `extra` of the link, and `session.notice` its privacy policy: store them with
   * the session.
   */
  submitLink(submission: LinkSubmission): Awaitable<SubmitOutcome>;

  /**
   * Revokes a usable link of this client and returns `true`. Returns `false` for a link that is unknown, belongs to
   * another client, is submitted, is expired at `at`, or was revoked before. Of a concurrent revocation and submission
   * exactly one succeeds. Reduces `config` as `submitLink` does.
   */
  revokeLink(query: LinkRef & { at: Date }): Awaitable<boolean>;

  /**
   * Deletes links in any state whose `expiresAt` is before the given time, and returns their number. Keeps sessions.
   * `at`: time of the call, for the events of a `LifeStorage`.
   */
  deleteExpiredLinks(before: Date, at?: Date): Awaitable<number>;

  /** Closes the resources that the storage opened. claimlink does not call it. */
  close?(): Awaitable<void>;
}

/** Identifies a session. */
export interface SessionKey {
  clientId: string;
  reference: string;
}

/** Identifies a stored event. */
export interface EventKey {
  clientId: string;
  id: string;
  /**
   * The session of a submission. Other events have none. Each session has at most one event. After a session was deleted, a
   * later one may have its reference, and an event with another `id`.
   */
  reference?: string;
}

/** The stored state of a delivery. */
export interface DeliveryState {
  /** Number of attempts to deliver the event that have begun. */
  attempts: number;
  /** Earliest time of the next attempt. While an attempt runs: end of its lease. */
  nextAttemptAt: Date;
  /** When claimlink stopped trying. Absent while the event is pending. */
  failedAt?: Date;
  /**
   * Why the last failed attempt failed: names and codes of the error and its causes, never a message. At most 200
   * UTF-16 code units. Absent before the first failure.
   */
  reason?: string;
}

/** The stored event of a submission, without its session. */
export interface EventRecord extends DeliveryState, SessionKey {
  id: string;
  /** May be absent: an event without a type is that of a submission. */
  type?: 'claim.submitted';
}

/** The event of a submission with its session. */
export interface StoredSubmission extends EventRecord {
  userId: string;
  /** The current session, with later changes of `updateSession`. */
  session: Session;
}

/** An event that a `LifeStorage` records, without its attempts. */
export type LifeEvent = Omit<LinkEvent, 'attempt'> | Omit<DataDeletedEvent, 'attempt'>;

/** An event of a link or of a deletion, with the state of its delivery. */
export type StoredLifeEvent = LifeEvent & DeliveryState;

/** An event that is not delivered yet. */
export type StoredEvent = StoredSubmission | StoredLifeEvent;

/** `submission`: the events of the type `claim.submitted`; `life`: all others, which a `LifeStorage` records. */
export type EventKind = 'submission' | 'life';

/**
 * A storage that keeps events until they are delivered (the "transactional outbox" pattern). `submitLink` records the `event`
 * of its argument in the same transaction as the session. Deleting a session deletes its event. `onSubmit` and
 * `recordSubmissions` need it. A storage that also implements `LifeStorage` keeps the events of links and of deletions in the
 * same way; the `kind` of a call selects some of them. A storage of submissions alone may ignore it.
 */
export interface OutboxStorage {
  /**
   * Leases up to `limit` pending events whose `nextAttemptAt` is not after `at`, the earliest first: adds one to
   * their `attempts` and sets `nextAttemptAt` to `leaseUntil`. Returns them after the change. Concurrent callers, in
   * any number of processes, get different events and do not wait for each other. An empty list means that no event is
   * due: `deliverPending` then ends.
   */
  leaseEvents(query: {
    at: Date;
    leaseUntil: Date;
    limit: number;
    /** Default: the events of both kinds. */
    kind?: EventKind;
  }): Awaitable<readonly StoredEvent[]>;

  /**
   * Deletes a delivered event. Ignores an unknown one: it was delivered before, or the event of the session has another `id`.
   */
  settleEvent(key: EventKey): Awaitable<void>;

  /**
   * Records that an attempt failed: sets `nextAttemptAt` and `reason`, and `failedAt` if there will be no further attempt.
   * Changes nothing if the event is unknown, as for `settleEvent`, or has another number of `attempts`: its lease has
   * ended, and another process has leased it.
   */
  postponeEvent(failure: FailedAttempt): Awaitable<void>;

  /** Counts the events of all clients: of each state up to `limit`, so that a backlog does not make the call slow. */
  countEvents(query: {
    limit: number;
    /** Default: the events of both kinds. */
    kind?: EventKind;
  }): Awaitable<EventCounts>;

  /** Returns pending events by `nextAttemptAt`, or failed ones by `failedAt`, the earliest first. `limit`: 1 .. 1000. */
  listEvents(query: EventQuery): Awaitable<readonly StoredEvent[]>;

  /**
   * Makes failed events pending again: `attempts` 0, due at `at`. Keeps their `reason`. Selects all failed events, those of
   * a client, or the one of a session. Returns their number.
   */
  retryEvents(query: { clientId?: string; reference?: string; at: Date }): Awaitable<number>;
}

/** An attempt that failed. `attempts` is the number of the event when the attempt began. */
export interface FailedAttempt extends EventKey, DeliveryState {
  reason: string;
}

/** Number of events, at most the `limit` of the call. */
export interface EventCounts {
  /** Not delivered yet. */
  pending: number;
  /** Not delivered: no further attempt follows. */
  failed: number;
}

/** Selects events. */
export interface EventQuery {
  state: 'pending' | 'failed';
  /** Default: the events of all clients. */
  clientId?: string;
  /** Default: the events of both kinds. */
  kind?: EventKind;
  limit: number;
}

/** Selects links of a client. */
export interface LinkQuery {
  clientId: string;
  userId?: string;
  state?: LinkState;
  /** Decides which links are expired. */
  at: Date;
  limit: number;
  cursor?: string;
}

/** A link with the reference of the session that its submission created. */
export interface LinkRecord {
  link: Link;
  reference?: string;
}

/** One page of the links of a client. */
export interface LinkRecordPage {
  /** By user id; of one user, newest `createdAt` first, then by `accessCodeHash`. */
  links: readonly LinkRecord[];
  /** Present if more links follow. */
  nextCursor?: string;
}

/** Selects sessions of a client in the order of their submission. */
export interface ClientSessionQuery {
  clientId: string;
  /** Omits sessions whose `date` is before this time. */
  since?: Date;
  limit: number;
  cursor?: string;
}

/** Sessions of a client in the order of their submission. */
export interface ClientSessionPage {
  sessions: readonly SessionRecord[];
  /** Continues after the last session of this page, now or later. Absent if the page is empty and the query had no cursor. */
  nextCursor?: string;
  /** true if more sessions follow at once. */
  hasMore: boolean;
}

/** Number of records that `deleteUser` deleted. */
export interface DeletedRecords {
  sessions: number;
  links: number;
  /** Events that were not delivered yet. */
  events: number;
}

/** A storage whose links and sessions can be searched, changed and deleted. */
export interface RecordStorage {
  /** Finds a session of a client with its user. Returns `undefined` for an unknown session. */
  findSession(key: { clientId: string; reference: string }): Awaitable<SessionRecord | undefined>;

  /** Changes members of a session and returns it. Returns `undefined` for an unknown session. */
  updateSession(
    change: SessionKey & { status?: string; camsReference?: string },
  ): Awaitable<Session | undefined>;

  /**
   * Returns one page of links. A reader that follows the cursors gets no link twice, and gets every link that existed
   * the whole time. Throws `request_invalid` for a cursor that this storage did not create.
   */
  listLinks(query: LinkQuery): Awaitable<LinkRecordPage>;

  /** Revokes all usable links of a client, or of one of its users, as `revokeLink` does. Returns their number. */
  revokeLinks(query: { clientId: string; userId?: string; at: Date }): Awaitable<number>;

  /**
   * Returns one page of a client's sessions in the order in which their submissions were committed. A reader that
   * follows the cursors gets every session once, also while others submit. A session without a submission in this order
   * (by `insertSession`, or from an older version of the storage) comes by `date`, or in the order of insertion.
   * Throws `request_invalid` for a cursor that this storage did not create.
   */
  listClientSessions(query: ClientSessionQuery): Awaitable<ClientSessionPage>;

  /**
   * Deletes the links, sessions and pending events of a user. This includes submissions that are committed during the
   * call, if their link existed when the call began.
   */
  deleteUser(query: { clientId: string; userId: string; at?: Date }): Awaitable<DeletedRecords>;

  /**
   * Deletes the sessions of all clients whose `date` is before the given time, and their events. Returns their number.
   * The link of a deleted session stays submitted and has no session. A later session of another user with the same
   * reference is not the session of that link.
   */
  deleteSessions(before: Date, at?: Date): Awaitable<number>;

  /**
   * Reduces the `config` of the links whose `expiresAt` is before the given time, as `submitLink` does. Returns the
   * number of links that it changed.
   */
  reduceExpiredLinks(before: Date): Awaitable<number>;
}

/**
 * What the row of a link keeps of the request that created it with an Idempotency-Key. All three are texts of base64url,
 * and secret: they are no part of `Link`, and only `findIdempotentLink` returns them.
 */
export interface LinkIdempotency {
  /** Identifies client and Idempotency-Key: 43 characters. Unique within the client. */
  keyMac: string;
  /** Identifies the request: 43 characters. */
  requestMac: string;
  /** The encrypted access code with its token: at most 8,192 characters. */
  sealed: string;
}

/** A link that was created with an Idempotency-Key. */
export interface IdempotentLink extends LinkIdempotency, Pick<Link, 'accessCodeHash' | 'expiresAt'> {}

/**
 * A storage that creates one link for an Idempotency-Key, however often the request is repeated. What it keeps for this
 * ends with the row of the link: nothing else changes or removes it.
 */
export interface IdempotencyStorage {
  /**
   * Inserts a link as `insertLink` does, with these values. Returns `false` and changes nothing if the client already has a
   * link with that hash or with that `keyMac`. Of concurrent callers with the same `keyMac`, in any number of processes,
   * exactly one gets `true`, and `findIdempotentLink` of each other one then finds the link.
   */
  insertLinkOnce(link: Link, idempotency: LinkIdempotency): Awaitable<boolean>;

  /**
   * Finds the link of this client with one of these `keyMacs`, in any state. If there are several, it returns the one whose
   * `keyMac` comes first in the list. Returns `undefined` if there is none.
   */
  findIdempotentLink(query: {
    clientId: string;
    /** 1 or more: one for each signing key. */
    keyMacs: readonly string[];
  }): Awaitable<IdempotentLink | undefined>;
}

/** A storage that finds sessions and links whose client is not known. */
export interface SearchStorage {
  /**
   * Returns the sessions of all clients with this reference, in any order, as `findSession` does. Returns an empty list if
   * there is none.
   */
  findSessions(query: { reference: string }): Awaitable<readonly SessionRecord[]>;

  /**
   * Returns the links of all clients with this hash, in any order, each with its client and its session, as `findLink`
   * does. Returns an empty list if there is none.
   */
  findLinks(query: { accessCodeHash: string }): Awaitable<readonly LinkWithClient[]>;
}

/** A storage that counts the answers of recipients. The client setting `recipientCheck` needs it. */
export interface CheckStorage {
  /**
   * Reserves an attempt to answer the question of a link, before the answer is compared: adds one to the attempts of the link
   * and returns their new number. Returns `undefined` and changes nothing if the link has `limit` attempts or more, or does
   * not exist. Of concurrent calls, in any number of processes, each gets another number. A new link has no attempts.
   */
  takeAttempt(query: LinkRef & { limit: number }): Awaitable<number | undefined>;

  /**
   * Returns the attempt of a right answer: subtracts one from the attempts of the link, never below 0. Ignores a link that
   * does not exist.
   */
  returnAttempt(link: LinkRef): Awaitable<void>;

  /** Sets the attempts of a link in any state to 0 and returns `true`. Returns `false` if there is no such link. */
  unlockLink(link: LinkRef): Awaitable<boolean>;
}

/** Which events a `LifeStorage` records. */
export interface EventChoice {
  types: readonly LifeEventType[];
  /** How long before the end of a link `link.expiring` is due, in seconds. */
  expiryNoticeSeconds: number;
}

/**
 * A storage that keeps the moments of links, and records the events that the host chose, which its `OutboxStorage` keeps until
 * they are delivered. The option `events` needs both for every type but `claim.submitted`, and `linkHistory` shows the moments.
 *
 * A moment belongs to its link and is deleted with it. Each moment whose type is chosen is also an event, recorded in the
 * same transaction: its `sequence` is the position of the moment, from 1. It is due at the time of the moment. These calls
 * record as well, in their transaction, in every process and whatever its options:
 * - `revokeLink` and `revokeLinks`: the moment `link.revoked` of each link that they revoke;
 * - with `at`, if `data.deleted` is chosen, `deleteUser`, `deleteSessions`, `deleteExpiredLinks` and `deleteClient`: an
 *   event for each 500 records of a client, as `toDeletedEvents` returns them: each deleted session with its link, and each
 *   deleted link whose session is not there. `deleteUser` and `deleteClient` delete the events of the user and of the client
 *   before, but those of `data.deleted`;
 * - `insertLink` and `insertLinkOnce`: when the link is due, as `noticeTime` returns it. A submission and a revocation end
 *   that.
 */
export interface LifeStorage {
  /**
   * Replaces the choice. It begins with no type. Links that exist already get no `link.expiring` and `link.expired`.
   * May return the choice that it replaced: then a service warns if that was another one.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is allowed
  chooseEvents(choice: EventChoice): Awaitable<EventChoice | void>;

  /**
   * Adds a moment to a link in any state, if it becomes the one at this position: a concurrent call may have added another
   * one. With `revoke`, it also revokes the link as `revokeLink` does, and adds nothing unless the link can be revoked.
   * Returns whether it added the moment.
   */
  addMoment(query: LinkRef & { moment: LinkMoment; sequence: number; revoke?: boolean }): Awaitable<boolean>;

  /** Returns the moments of a link in their order. Returns `undefined` if there is no such link. */
  listMoments(link: LinkRef): Awaitable<readonly LinkMoment[] | undefined>;

  /**
   * Adds the moments `link.expiring` and `link.expired` of up to `limit` links that are due at `at`, as `dueMoment`
   * returns them, each once in any number of processes. Returns the number of links that were due: fewer than `limit`
   * mean that no other link is due.
   */
  addDueMoments(query: { at: Date; limit: number }): Awaitable<number>;
}

/** A storage that keeps when each API key was last used. */
export interface KeyUseStorage {
  /**
   * Sets `lastUsedAt` of the key with this hash to `at`, a full hour, unless it is set to that time or a later one. Changes
   * nothing else of the key, which may be in any state. Ignores an unknown key. No request waits for the call: a failure is
   * ignored.
   */
  recordKeyUse(use: { apiKeyHash: string; at: Date }): Awaitable<void>;
}

/** The name of a setting of a client, or of a member of its `branding` or `settings`. */
export type ClientMember =
  | Exclude<keyof Client, 'clientId'>
  | `branding.${keyof Branding}`
  | `settings.${keyof ClientSettings}`;

/** A change that names each setting which it sets or removes: one or more, and none twice. */
export interface NamedChange {
  clientId: string;
  /** The settings to set. `branding` and `settings` have the members to set: one or more. */
  set: Omit<Client, 'clientId'>;
  /** The settings to remove: `name`, `branding`, `branding.logoUrl`. */
  remove: readonly ClientMember[];
}

/**
 * A storage that changes some settings of a client. `updateClient` of the service needs it to be safe among processes. For a
 * storage without it, the service reads the client and replaces it, one change after another: two processes that do this at the
 * same time can undo each other's change.
 */
export interface ClientStorage {
  /**
   * Sets and removes what the change names, and returns `true`. Every other setting stays, also each other member of
   * `branding` and `settings`, known or unknown to this version. Lists and `settings.form` are replaced as a whole. `branding`
   * or `settings` is removed with its last member. Returns `false` for an unknown client. Of concurrent calls, in any number
   * of processes, none undoes what another one sets or removes. `changedClient` returns the client after a change.
   */
  changeClient(change: NamedChange): Awaitable<boolean>;
}

/**
 * A storage that can also be provisioned with clients, keys and sessions. The built-in storages implement it. It stores
 * what it gets: the service validates ids and settings, in `addClient` and its siblings.
 */
export interface AdminStorage extends Storage {
  /**
   * Adds a client. Throws `already_exists` for a taken id. Stores `settings` as JSON, unchanged, with the members that
   * this version does not know: a later version then needs no migration. Without `settings`, the defaults apply.
   */
  insertClient(client: Client): Awaitable<void>;

  /** Returns all clients, in any order. */
  listClients(): Awaitable<readonly Client[]>;

  /**
   * Replaces all settings of a client and returns `true`. A member that is absent is removed, also one of `settings`: unlike
   * `updateClient` of the service, which changes what it names.
   * Returns `false` for an unknown client.
   */
  updateClient(client: Client): Awaitable<boolean>;

  /**
   * Deletes a client with its API keys, links and sessions and returns `true`. Returns `false` for an unknown client.
   * What submissions and `insertApiKey` insert at the same time is deleted as well. A link that is inserted at the same
   * time may stay. Without the client nothing finds it.
   */
  deleteClient(clientId: string, at?: Date): Awaitable<boolean>;

  /** Adds an API key. Throws `already_exists` for a taken id or hash, `client_not_found` for an unknown client. */
  insertApiKey(apiKey: ApiKey): Awaitable<void>;

  /** Returns the keys of this client, oldest first. */
  listApiKeys(clientId: string): Awaitable<readonly ApiKey[]>;

  /** Revokes a key from the given time on and returns `true`. Returns `false` if the key is unknown or already revoked. */
  revokeApiKey(id: string, at: Date): Awaitable<boolean>;

  /** Finds a key by its id, in any state. Returns `undefined` if there is no such key. */
  findApiKey(id: string): Awaitable<ApiKey | undefined>;

  /**
   * Sets the expiry of a key and returns `true`. Without `expiresAt` the key does not expire. Returns `false` and changes
   * nothing if the key is unknown or revoked. An expired key with a later expiry works again.
   */
  updateApiKey(id: string, settings: Pick<ApiKey, 'expiresAt'>): Awaitable<boolean>;

  /**
   * Adds a session. Throws `already_exists` for a reference that the client has already, `client_not_found` for an unknown
   * client.
   */
  insertSession(session: SessionRecord): Awaitable<void>;
}
