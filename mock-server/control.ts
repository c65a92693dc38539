// The control interface of a mock: one set of methods for tests in its process and for tests in other processes.
import type {
  Branding,
  ClaimSubmission,
  Client,
  ErrorDetail,
  LinkRequest,
  LinkSummary,
  Session,
  Submission,
} from '../lib/index.js';
import type { ScenarioSession } from './scenario/session.js';

/** Selects one client. Without `clientId` a method applies to all clients. */
export interface Scope {
  clientId?: string;
}

/** A client of the mock, with its settings. `assertClientSettings` checks the settings. */
export interface MockClientOptions extends Client {
  /** Value of the header x-api-key: 1 to 200 printable ASCII characters without spaces. Different for each client. */
  apiKey: string;
}

/** The settings of a client, which can be changed while the mock runs. */
export type ClientSettings = Omit<Client, 'clientId'>;

/** A change of settings, as a JSON Merge Patch (RFC 7396): members that are missing stay, null removes a member. */
export interface ClientChange extends Removable<Omit<ClientSettings, 'branding'>> {
  branding?: Removable<Branding> | null;
}

/** Members that may be missing or null. */
export type Removable<T> = { [K in keyof T]?: T[K] | null };

/** A client of a running mock, with its API key. */
export interface MockClient extends MockClientOptions {
  /** Users to start with, at most 100. Every other user id has sessions as well. */
  userIds: readonly string[];
  /** Number of users to start with. */
  userCount: number;
  /** true: set by options, flags or a scenario. false: added while the mock runs. */
  isConfigured: boolean;
}

/** A client to add. A missing id or key is generated. */
export type NewMockClient = Partial<MockClientOptions>;

/** Reading of a clock. */
export interface ClockReading {
  now: Date;
  /** A frozen clock does not advance until it is set, advanced or resumed. */
  isFrozen: boolean;
  /** Difference to the system clock in milliseconds. */
  offsetMs: number;
}

/** Routes of the service: the operationIds of its OpenAPI document. */
export const ROUTE_NAMES = ['listSessions', 'createLink', 'openLink', 'submitClaim'] as const;
/** A route of the service, by its operationId. */
export type RouteName = (typeof ROUTE_NAMES)[number];

/**
 * What a fault does to the response, apart from `status`.
 * - `reset-before`: the connection is reset; the request has no effect.
 * - `reset-after`: the request takes effect, then the connection is reset.
 * - `truncate`: the response ends in the middle of its body.
 * - `malformed`: the body does not have the announced format.
 */
export const FAULT_EFFECTS = ['reset-before', 'reset-after', 'truncate', 'malformed'] as const;
/** Effect of a fault on the response, apart from `status`. */
export type FaultEffect = (typeof FAULT_EFFECTS)[number];

/** Milliseconds, 0 to 60_000, or an inclusive range: `200` or `'100-800'`. Each request gets a value from the range. */
export type Delay = number | `${number}-${number}`;

/** A fault to set. It needs at least one of `status`, `effect`, `body`, `delayMs`. */
export interface Fault extends Scope {
  /** Only requests of this user: the user of the path, of `config.currentUserId`, or of the link. */
  userId?: string;
  /** Default: every route of the service. */
  route?: RouteName;
  /** Respond with this status, 200 to 599, without effect. Not together with `effect`. */
  status?: number;
  /** Headers of the response with `status`. */
  headers?: Readonly<Record<string, string>>;
  /** Body of the response with `status`. An object or array is sent as JSON. Default: a problem with a fitting code. */
  body?: unknown;
  effect?: FaultEffect;
  delayMs?: Delay;
  /** Number of requests, 1 to 1_000_000. Default: until it is cleared. */
  times?: number;
  /** Share of the matching requests, 0 to 1, chosen by the seed. Default: 1. */
  rate?: number;
}

/** A fault that is set. */
export interface ActiveFault extends Fault {
  id: string;
  /** Number of requests that it has affected. */
  hits: number;
}

/** Effect of a fault on one request. */
export interface AppliedFault {
  /** Absent: the request asked for it with a Prefer header. */
  id?: string;
  status?: number;
  effect?: FaultEffect;
  delayMs?: number;
}

/** A body in the request log, with API keys, tokens and access codes replaced. */
export interface LoggedBody {
  /** At most 16 KiB. */
  text: string;
  /** Size of the whole body in bytes. */
  bytes: number;
  isTruncated: boolean;
}

/** One request to the service. */
export interface LoggedRequest {
  /** Increases by one with each request. */
  id: number;
  /** Time of its arrival by the clock of its client. */
  time: Date;
  method: string;
  /** Path and query with access codes and tokens replaced. */
  path: string;
  /** null: no route of the service. */
  route: RouteName | null;
  /** null: the request had no valid key or token. */
  clientId: string | null;
  /** User of the path, of `config.currentUserId`, or of the link. null: unknown. */
  userId: string | null;
  /** null: the connection ended without a response. */
  status: number | null;
  /** Code of an error response: distinguishes `api_key_missing` from `api_key_invalid`. */
  code?: string;
  /** Detail and problems of an error response. */
  detail?: string;
  problems?: readonly ErrorDetail[];
  durationMs: number;
  /** Lower-case names; credentials replaced. */
  headers: Readonly<Record<string, string>>;
  requestBody?: LoggedBody;
  responseBody?: LoggedBody;
  fault?: AppliedFault;
}

/** Selects requests of the log. */
export interface RequestFilter extends Scope {
  userId?: string;
  route?: RouteName;
  method?: string;
  /** A status or a class of them: `4xx`. */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx`;
  /** Only requests with a greater id. */
  after?: number;
  /** Returns the last `limit` of them: 1 to 1000. Default: 100. */
  limit?: number;
}

/** States of a link. A link is usable while it is created or opened. */
export const LINK_STATES = ['created', 'opened', 'submitted', 'expired', 'revoked'] as const;
/** State of a link at the time of its client's clock. */
export type LinkState = (typeof LINK_STATES)[number];

/** A link that this mock created. */
export interface MockLink extends Omit<LinkSummary, 'linkId'> {
  /** Identifies the link in this interface. Not secret. */
  id: string;
  clientId: string;
  /** Opens the widget. Secret. */
  url: string;
  callbackUrl: string;
}

/** Selects links. */
export interface LinkFilter extends Scope {
  userId?: string;
  state?: LinkState;
  /** Returns the newest `limit` of them: 1 to 1000. Default: 100. */
  limit?: number;
}

/** Result of `submitLink`. */
export type LinkSubmissionResult = Pick<Submission, 'reference' | 'redirectUrl' | 'repeated'>;

/** A snapshot: of one client, or of the whole mock (clientId null). */
export interface SnapshotInfo {
  name: string;
  clientId: string | null;
  takenAt: Date;
}

/** Events of a mock, in order. A reader fetches what it needs: events say what changed. */
export type MockEvent =
  | { type: 'request'; clientId: string | null; request: LoggedRequest }
  | { type: 'link'; clientId: string; link: MockLink }
  /** A submission, or a change through this interface, changed the sessions of a user. */
  | { type: 'sessions'; clientId: string; userId: string }
  /** Clock, faults, snapshots, clients or the log changed. clientId null: for all clients. */
  | {
      type: 'changed';
      clientId: string | null;
      part: 'clock' | 'faults' | 'snapshots' | 'clients' | 'requests' | 'everything';
    };

/** State of the mock, for people and scripts. */
export interface MockStateReport {
  publicUrl: string;
  seed: number | string;
  refDate: Date;
  isPersistent: boolean;
  clock: ClockReading;
  clients: readonly (MockClient & { clock: ClockReading; links: number; requests: number })[];
}

/**
 * The methods of a running mock. `startMockServer`, `createMockFetch` and `connectMock` return an object with these
 * methods; so does `createTenant`, whose methods apply to its client only.
 * Rejections are `MockControlError`s with `status`, `code`, `message` and `details`.
 */
export interface MockControl {
  /** Returns the seed, the clock and the clients with their counts. */
  state(): Promise<MockStateReport>;
  /** Returns the clients with their API keys. The first one is the default client. */
  clients(): Promise<readonly MockClient[]>;
  /** Adds a client. Rejects with status 409 if its id exists. */
  addClient(client?: NewMockClient): Promise<MockClient>;
  /** Changes settings of a client: name, callback origins, locale, brand, frame ancestors. A reset restores them. */
  updateClient(clientId: string, change: ClientChange): Promise<MockClient>;
  /** Removes a client that was added while the mock runs. Returns false for any other. */
  removeClient(clientId: string): Promise<boolean>;
  /** Adds a client and returns the methods of this interface for it alone. */
  createTenant(client?: NewMockClient): Promise<MockTenant>;
  /** Returns the methods of this interface for one existing client. */
  tenant(clientId: string): Promise<MockTenant>;

  /** Restores the initial state: sessions, links, clock, faults, request log. Without scope, added clients are removed. */
  reset(scope?: Scope): Promise<void>;
  /** Takes a snapshot; replaces one of the same client and name. Contains all of `ClientState` but the request log. */
  snapshot(name: string, scope?: Scope): Promise<SnapshotInfo>;
  /** Restores a snapshot. Rejects with status 404 if the client has none of this name. */
  restore(name: string, scope?: Scope): Promise<void>;
  /** Returns the snapshots of the scope. */
  snapshots(scope?: Scope): Promise<readonly SnapshotInfo[]>;
  /** Deletes a snapshot. Returns false if there is none of this name. */
  deleteSnapshot(name: string, scope?: Scope): Promise<boolean>;

  /** Returns all sessions of a user, with everything that is stored. */
  sessions(clientId: string, userId: string): Promise<readonly Session[]>;
  /** Replaces the sessions of a user: exactly these, none generated. */
  setSessions(
    clientId: string,
    userId: string,
    sessions: readonly ScenarioSession[],
  ): Promise<readonly Session[]>;
  /** Adds a session to a user. The seed supplies the members that are missing. */
  addSession(clientId: string, userId: string, session: ScenarioSession): Promise<Session>;

  /** Reads the clock. */
  clock(scope?: Scope): Promise<ClockReading>;
  /** Sets the clock, freezes it, or lets it go on. */
  setClock(change: { now?: Date | string; isFrozen?: boolean }, scope?: Scope): Promise<ClockReading>;
  /** Advances the clock by milliseconds. */
  advanceClock(ms: number, scope?: Scope): Promise<ClockReading>;
  /** Lets the clock follow the system clock again. */
  resetClock(scope?: Scope): Promise<ClockReading>;

  /** Sets a fault. A later fault takes precedence over an earlier one. */
  addFault(fault: Fault): Promise<ActiveFault>;
  /** Like `addFault` with `times: 1`. */
  failNext(fault: Fault): Promise<ActiveFault>;
  /** Returns the faults that are set. With a client: the faults of this client. */
  faults(scope?: Scope): Promise<readonly ActiveFault[]>;
  /**
   * Removes one fault or those of the scope, including initial ones. Returns their number. With a client, faults of all
   * clients stay; rejects with `fault_shared` for the id of one.
   */
  clearFaults(selection?: Scope & { id?: string }): Promise<number>;

  /** Returns logged requests, oldest first. */
  requests(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
  /** Exact number of matching requests since the log was cleared, including those that the log no longer holds. With `after` it counts held requests only. */
  countRequests(filter?: Omit<RequestFilter, 'limit'>): Promise<number>;
  /** Resolves to the matching requests once there are `count` (default 1). Rejects after `timeoutMs` (default 5000). */
  waitForRequests(
    filter?: RequestFilter & { count?: number; timeoutMs?: number },
  ): Promise<readonly LoggedRequest[]>;
  /** Clears the request log. Returns the number of removed requests. */
  clearRequests(scope?: Scope): Promise<number>;

  /** Returns links, newest first. */
  links(filter?: LinkFilter): Promise<readonly MockLink[]>;
  /** Returns the exact number of matching links. */
  countLinks(filter?: Omit<LinkFilter, 'limit'>): Promise<number>;
  /** Creates a link as the API does. */
  createLink(clientId: string, request: LinkRequest): Promise<MockLink>;
  /** Opens a link as a browser does. By URL or id, like the methods below. */
  openLink(link: string): Promise<MockLink>;
  /** Submits a link. Without a claim one is generated. */
  submitLink(link: string, claim?: ClaimSubmission): Promise<LinkSubmissionResult>;
  /** Lets a link expire now. */
  expireLink(link: string): Promise<MockLink>;
  /** Revokes a link. Rejects with status 410 if it is submitted or expired. */
  revokeLink(link: string): Promise<MockLink>;

  /**
   * Calls back with every event until the returned function is called. Resolves when the subscription is active.
   * `onClose` is called once if the server ends the subscription: the mock closed, or the reader was too slow.
   */
  subscribe(
    listener: (event: MockEvent) => void,
    options?: Scope & { onClose?: () => void },
  ): Promise<() => void>;
}

/** The methods of `MockControl` for one client: `clientId` is fixed. */
export interface MockTenant
  extends Omit<
    MockControl,
    | 'state'
    | 'clients'
    | 'addClient'
    | 'updateClient'
    | 'removeClient'
    | 'createTenant'
    | 'tenant'
    | 'sessions'
    | 'setSessions'
    | 'addSession'
    | 'createLink'
  > {
  readonly clientId: string;
  readonly apiKey: string;
  /** Returns all sessions of a user, with everything that is stored. */
  sessions(userId: string): Promise<readonly Session[]>;
  /** Replaces the sessions of a user: exactly these, none generated. */
  setSessions(userId: string, sessions: readonly ScenarioSession[]): Promise<readonly Session[]>;
  /** Adds a session to a user. The seed supplies the members that are missing. */
  addSession(userId: string, session: ScenarioSession): Promise<Session>;
  /** Creates a link as the API does. */
  createLink(request: LinkRequest): Promise<MockLink>;
  /** Changes settings of the client. */
  update(change: ClientChange): Promise<MockClient>;
  /** Removes the client. */
  remove(): Promise<void>;
  /** Removes the client at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}
