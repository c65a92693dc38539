// The state of a mock: one ClientState per client, and what all clients share. It knows nothing of HTTP.
import type { LinkSigner, SessionRecord, Storage } from '../../lib/index.js';
import type {
  ActiveFault,
  AppliedFault,
  ClientChange,
  ClockReading,
  Fault,
  LinkFilter,
  LoggedRequest,
  MockClient,
  MockEvent,
  MockLink,
  NewMockClient,
  RequestFilter,
  RouteName,
  Scope,
  SnapshotInfo,
} from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import type { ScenarioSession } from '../scenario/scenario.js';
import type { Seeder } from '../seed/seed.js';

/** A clock that can be set, advanced and frozen. */
export interface Clock {
  now(): Date;
  read(): ClockReading;
  set(moment: Date): void;
  advance(ms: number): void;
  freeze(): void;
  resume(): void;
  /** Follows the system clock again. */
  reset(): void;
}

/** The links of one client, at most 10,000: each link beyond that removes the oldest one. */
export interface Links {
  /** Returns a link by its URL or id. */
  find(link: string): MockLink | undefined;
  /** Returns links, newest first; `limit` defaults to 100. Ignores `clientId`. */
  list(filter?: LinkFilter): MockLink[];
  count(filter?: Omit<LinkFilter, 'limit'>): number;
  /** Lets the link expire now. Returns undefined for an unknown id. */
  expire(id: string): MockLink | undefined;
  /** Which of its user's links it is, from 1. Feeds `seeder.claimOf`. */
  ordinalOf(id: string): number;
}

/** Storage of all clients, with their seeded sessions. */
export interface ClientStorage extends Storage {
  /** @throws `already_exists` for a reference that the client has already */
  insertSession(session: SessionRecord): Promise<void>;
}

/** Everything that belongs to one client, except for its part of the request log. */
export interface ClientState {
  readonly client: MockClient;
  readonly links: Links;
  readonly clock: Clock;
}

/**
 * The request log: the last 1,000 requests of each client, at most 32 MiB in all, and exact counts beyond. After 50,000
 * combinations of user, route, method and status, removed requests of other users count without their user.
 */
export interface RequestLog {
  /** Adds a request and emits its event. `clientId` is null unless the request had a valid key or token. */
  add(request: NewLoggedRequest): LoggedRequest;
  /** Returns the last `limit` (default 100) matching requests, oldest first. */
  list(filter?: RequestFilter): readonly LoggedRequest[];
  /** Counts matching requests, including those that the log no longer holds. With `after`: held ones only. */
  count(filter?: Omit<RequestFilter, 'limit'>): number;
  /** @throws WaitTimeoutError after `timeoutMs`; the reason of the signal when it is aborted */
  wait(
    filter?: RequestFilter & { count?: number; timeoutMs?: number },
    signal?: AbortSignal,
  ): Promise<readonly LoggedRequest[]>;
  /** Forgets the requests of one client, or all, and their counts. Returns how many requests were counted. */
  clear(scope?: Scope): number;
}

/** A request to log. `time`: when it arrived; default: now, by the clock of its client. */
export type NewLoggedRequest = Omit<LoggedRequest, 'id' | 'time'> & { time?: Date };

/** What a request is to the faults. `clientId` is null unless the request had a valid key or token. */
export interface FaultTarget {
  clientId: string | null;
  userId: string | null;
  route: RouteName | null;
}

/** Members of a fault that a request can ask for. */
export type AskedFault = Pick<Fault, 'status' | 'effect' | 'delayMs'>;

/** What is to be done to one request. */
export interface FaultDecision {
  /** For the request log. */
  applied: AppliedFault;
  /** Headers and body of the response with `applied.status`. */
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Events in order. */
export interface EventBus {
  emit(event: MockEvent): void;
  /** Returns a function that ends the subscription. `onClose` is called when the mock closes. */
  subscribe(listener: (event: MockEvent) => void, onClose?: () => void): () => void;
}

/** Everything that a running mock knows. Methods throw ClaimlinkErrors: `client_not_found` for an unknown client. */
export interface MockState {
  readonly options: ResolvedMockOptions;
  readonly publicUrl: string;
  readonly seeder: Seeder;
  /** Signs and verifies links, and remembers the URL of each link that it signs. For `createClaimlink`. */
  readonly signer: LinkSigner;
  /** Hands each call to the storage of its client. For `createClaimlink`. */
  readonly storage: ClientStorage;
  readonly requests: RequestLog;
  readonly events: EventBus;

  clients(): readonly MockClient[];
  clientStates(): readonly ClientState[];
  clientState(clientId: string): ClientState | undefined;
  /** Like `clientState`, but throws `client_not_found`. */
  needClient(clientId: string): ClientState;
  /** @throws `already_exists`, `request_invalid` */
  addClient(client?: NewMockClient): MockClient;
  /** @throws `request_invalid` */
  updateClient(clientId: string, change: ClientChange): MockClient;
  /** Returns false for a configured or an unknown client. */
  removeClient(clientId: string): boolean;

  /** Time of the client that `runFor` runs for; otherwise of the default clock. */
  now(): Date;
  runFor<T>(clientId: string | null, run: () => T): T;
  /** Without scope these methods apply to all clocks, and to the clock of clients to come. */
  clock(scope?: Scope): ClockReading;
  setClock(change: { now?: Date | string; isFrozen?: boolean }, scope?: Scope): ClockReading;
  advanceClock(ms: number, scope?: Scope): ClockReading;
  resetClock(scope?: Scope): ClockReading;

  /** Replaces the sessions of a user. Members that a session leaves out come from the seed. @throws `request_invalid` */
  setSessions(clientId: string, userId: string, sessions: readonly ScenarioSession[]): void;
  /** Adds a session and returns its reference. @throws `request_invalid`, `already_exists` */
  addSession(clientId: string, userId: string, session: ScenarioSession): string;

  /** A fault without `clientId` applies to every client, and to requests of no client. @throws `request_invalid` */
  addFault(fault: Fault): ActiveFault;
  /** With a scope: the faults of that client, without the shared ones. */
  faults(scope?: Scope): readonly ActiveFault[];
  clearFaults(selection?: Scope & { id?: string }): number;
  /**
   * Decides what becomes of a request, draws delays and shares from the seed, and counts hits. What the request asks
   * for itself comes first, then faults, the latest first; the delay and the outcome each come from the first that has one.
   */
  decideFault(target: FaultTarget, asked?: AskedFault): FaultDecision | undefined;

  /** Finds a link of any client by its URL or id. @throws `link_not_found` */
  findLink(link: string): { client: ClientState; link: MockLink };
  links(filter?: LinkFilter): readonly MockLink[];
  countLinks(filter?: Omit<LinkFilter, 'limit'>): number;

  reset(scope?: Scope): void;
  takeSnapshot(name: string, scope?: Scope): SnapshotInfo;
  /** Returns false for an unknown name. */
  restoreSnapshot(name: string, scope?: Scope): boolean;
  snapshots(scope?: Scope): readonly SnapshotInfo[];
  deleteSnapshot(name: string, scope?: Scope): boolean;

  /**
   * Resolves when every change up to now is on disk; immediately without a persist file. Rejects if the write failed.
   * Await it before the response to every request that may have changed the state, then what is acknowledged is saved.
   */
  saved(): Promise<void>;
  /** Ends subscriptions and waits, writes what is not saved yet, and releases the persist file. */
  close(): Promise<void>;
}
