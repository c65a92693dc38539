// What can be done to a running mock, as types: the same for tests in its process and for the control routes.
import type { ClaimSubmission, Session } from '../lib/index.js';
import type { MockClientOptions } from './options.js';
import type { ScenarioSession } from './scenario/scenario.js';

/** One client, or, without `clientId`, all of them. What one test worker does to its client, no other one notices. */
export interface Scope {
  clientId?: string;
}

/** A client of a running mock, with what a test needs to call the API. */
export interface MockClient {
  clientId: string;
  /** Send it as x-api-key. */
  apiKey: string;
  name?: string;
  callbackOrigins?: readonly string[];
  /** Users to begin with. Any other id works too: whoever is asked for gets sessions. */
  userIds: readonly string[];
}

/** A client to add. Whatever is left out is made up. */
export type NewMockClient = Partial<MockClientOptions>;

/** What a clock shows. */
export interface ClockReading {
  now: Date;
  /** A frozen clock stands still until it is set, advanced or resumed. */
  isFrozen: boolean;
  /** How far it is ahead of the real time (or of the option `now`), in milliseconds; negative: behind. */
  offsetMs: number;
}

/**
 * The clock under everything that the mock does: links expire by it, sessions and pages are dated by it. Each client
 * has its own; without a scope, all are turned.
 * @throws `client_not_found` for a scope that is none; `request_invalid` for a moment outside the years 1980 to 9000.
 */
export interface MockClock {
  /** Without a scope: the clock that new clients begin with. */
  now(scope?: Scope): Date;
  read(scope?: Scope): ClockReading;
  /** Sets it to a moment, a Date or ISO 8601 text; it stays frozen if it was. */
  set(moment: Date | string, scope?: Scope): ClockReading;
  /** Moves it by milliseconds; negative ones turn it back. */
  advance(ms: number, scope?: Scope): ClockReading;
  /** Stops it, where it is. */
  freeze(scope?: Scope): ClockReading;
  /** Lets a frozen clock go on from where it stands. */
  resume(scope?: Scope): ClockReading;
  /** Back to the real time. */
  reset(scope?: Scope): ClockReading;
}

/** The routes of the service, by the operationId of the OpenAPI document. */
export const ROUTE_NAMES = ['listSessions', 'createLink', 'openLink', 'submitClaim'] as const;

/** One of `ROUTE_NAMES`. */
export type RouteName = (typeof ROUTE_NAMES)[number];

/**
 * Ways to spoil an answer.
 * - `cut`: the connection ends without an answer, and nothing has been done.
 * - `lose`: the work is done, then the connection ends without an answer.
 * - `truncate`: the answer breaks off in the middle of its body.
 * - `malformed`: the whole answer comes, but its body is not what it says it is.
 */
export const FAULT_EFFECTS = ['cut', 'lose', 'truncate', 'malformed'] as const;

/** One of `FAULT_EFFECTS`. */
export type FaultEffect = (typeof FAULT_EFFECTS)[number];

/** A fault to set: which requests it is for, and what becomes of them. At least one of status, effect and delayMs. */
export interface Fault extends Scope {
  /** Default: every route of the service. */
  route?: RouteName;
  /** Answer with this status, 400 to 599, and do nothing. Not together with `effect`. */
  status?: number;
  effect?: FaultEffect;
  /** Wait before anything is done: milliseconds, 0 to 60_000, or a range of which each request draws one. */
  delayMs?: number | readonly [number, number];
  /** For how many requests, 1 to 1_000_000. Default: until it is cleared. */
  times?: number;
  /** For which share of the requests, 0 to 1, drawn from the seed. Default 1. */
  rate?: number;
}

/** A fault that is set. */
export interface ActiveFault extends Fault {
  id: string;
  /** How many requests it has been applied to. */
  hits: number;
}

/** What was done to one request on purpose. */
export interface AppliedFault {
  status?: number;
  effect?: FaultEffect;
  delayMs?: number;
}

/** One request to the service, once its answer was on its way. */
export interface JournalEntry {
  /** Grows by one with each request. */
  id: number;
  /** When it came, by the clock of its client. */
  time: Date;
  method: string;
  /** Path and query, access codes and tokens replaced. */
  path: string;
  /** null: no route of the service. */
  route: RouteName | null;
  clientId: string | null;
  /** null: the connection ended without an answer. */
  status: number | null;
  durationMs: number;
  /** Lower-case names; keys, cookies and credentials replaced. */
  headers: Readonly<Record<string, string>>;
  fault?: AppliedFault;
}

/** Which entries of the journal. */
export interface JournalFilter extends Scope {
  route?: RouteName;
  method?: string;
  /** A status, or a class of them: `4xx`. */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx`;
  /** Only entries whose id is greater. */
  after?: number;
}

/** What has become of a link. */
export type LinkState = 'created' | 'opened' | 'submitted' | 'expired' | 'revoked';

/** A link that this mock minted. */
export interface MockLink {
  /** Names it in the control routes; not secret. */
  id: string;
  clientId: string;
  userId: string;
  /** Opens the widget: a secret. */
  url: string;
  state: LinkState;
  callbackUrl: string;
  createdAt: Date;
  expiresAt: Date;
  openedAt?: Date;
  submittedAt?: Date;
  revokedAt?: Date;
  /** The session that its submission made. */
  reference?: string;
}

/** Which links. */
export interface LinkFilter extends Scope {
  userId?: string;
  state?: LinkState;
}

/** What the submission of a link came to. */
export interface LinkSubmissionResult {
  reference: string;
  /** Where the user's browser would go next. */
  redirectUrl?: string;
  /** true when the claim was in already, and nothing was made. */
  repeated: boolean;
}

/** What happens in a mock, as it happens. */
export type MockEvent =
  | { type: 'request'; clientId: string | null; request: JournalEntry }
  | { type: 'link'; clientId: string; link: MockLink }
  | { type: 'session'; clientId: string; userId: string; reference: string }
  /** Sessions were set, not submitted: what was known of the user is out of date. */
  | { type: 'sessions'; clientId: string; userId: string }
  /** clientId null: every client. The same for `faults`, `journal` and `reset`. */
  | { type: 'clock'; clientId: string | null; clock: ClockReading }
  | { type: 'faults'; clientId: string | null; faults: readonly ActiveFault[] }
  /** The journal was cleared. */
  | { type: 'journal'; clientId: string | null }
  /** Reset or restored: whatever was known is out of date. */
  | { type: 'reset'; clientId: string | null }
  | { type: 'clients'; clientId: string | null };

/** A world at a moment, or one client of it. Opaque: to be given to `restore` of the same mock, as often as wanted. */
export interface MockSnapshot {
  readonly clientId: string | null;
  readonly takenAt: Date;
}

/** Everything that can be done to a running mock. */
export interface MockControl {
  /** Configured and added ones. */
  readonly clients: readonly MockClient[];
  /**
   * Adds a client with its key, its own clock and its own data: a fresh tenant for one test.
   * @throws `request_invalid` for bad members, `already_exists` for a taken id or key.
   */
  addClient(client?: NewMockClient): Promise<MockClient>;
  /** Removes a client that was added, and all it has; false when there is none. Configured ones stay. */
  removeClient(clientId: string): boolean;

  /**
   * Back to how it began: sessions, links, clocks, faults, journal; added clients go. With a scope, that client only,
   * which stays in any case.
   * @throws `request_invalid` for a world that lives in a database.
   */
  reset(scope?: Scope): void;
  /**
   * The world as it is: clients, sessions, links, clocks; not faults and journal.
   * @throws as `reset`
   */
  snapshot(scope?: Scope): MockSnapshot;
  /** @throws as `reset`, and `client_not_found` when the one client of the snapshot is gone. */
  restore(snapshot: MockSnapshot): void;

  /** A user's sessions, newest first: seeded, set and submitted ones. */
  sessions(clientId: string, userId: string): Promise<readonly Session[]>;
  /**
   * Gives a user exactly these sessions, none of them made up.
   * @throws `request_invalid` with every problem, `already_exists` for a reference of another user's, and as `reset`.
   */
  setSessions(clientId: string, userId: string, sessions: readonly ScenarioSession[]): void;
  /** Adds one session to what the user has. @throws `request_invalid`, `already_exists`. */
  addSession(clientId: string, userId: string, session: ScenarioSession): Promise<void>;

  readonly clock: MockClock;

  /** Sets a fault; of several that match a request, the latest one counts, delays and spoiled answers apart. */
  addFault(fault: Fault): ActiveFault;
  /** As `addFault`, for the next request only unless `times` says otherwise. */
  failNext(fault: Fault): ActiveFault;
  faults(scope?: Scope): readonly ActiveFault[];
  /** Clears one fault, or those of a client, or all. Returns how many there were. */
  clearFaults(which?: Scope & { id?: string }): number;

  /** Requests since the journal was cleared, oldest first; the last 1000 are kept. */
  requests(filter?: JournalFilter): readonly JournalEntry[];
  /**
   * Resolves to the matching requests as soon as there are `count` of them since the journal was cleared. Default 1.
   * @throws an Error that says how many came within `timeoutMs`, default 5000.
   */
  waitForRequests(
    filter?: JournalFilter & { count?: number; timeoutMs?: number },
  ): Promise<readonly JournalEntry[]>;
  /** Forgets them. Returns how many there were. */
  clearRequests(scope?: Scope): number;

  /** Links that this mock minted, oldest first; of each client the last 10,000 are kept. */
  links(filter?: LinkFilter): readonly MockLink[];
  /** Opens a link, as a browser would. By URL or id, like all below. @throws `link_not_found`, `link_expired`, … */
  openLink(link: string): Promise<MockLink>;
  /** Submits a link, with a claim that is made up unless one is given. @throws as `Claimlink.submitClaim` */
  submitLink(link: string, claim?: ClaimSubmission): Promise<LinkSubmissionResult>;
  /**
   * Lets a link expire now: from then on that is its end, by the clock of its client. One that has expired stays as it is.
   * @throws `link_not_found`; `link_submitted`, `link_revoked` for one that is over.
   */
  expireLink(link: string): MockLink;
  /** Withdraws a link. @throws as `expireLink`, and `link_expired`. */
  revokeLink(link: string): Promise<MockLink>;

  /** Calls back with everything that happens, in order, until the returned function is called. */
  subscribe(listener: (event: MockEvent) => void): () => void;
}
