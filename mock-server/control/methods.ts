// The methods of the control interface: one table. HTTP routes, their document and the typed client are made of it.
import type {
  ClaimSubmission,
  LinkHistoryEntry,
  LinkRequest,
  Session,
  SessionChanges,
  Submission,
} from '../../lib/index.js';
import {
  eventFilter,
  inputs,
  linkFilter,
  listOf,
  members,
  requestFilter,
  results,
  selectionSchema,
} from '../schemas/control.js';
import { closed } from '../schemas/parts.js';
import type { MockSession, Scenario, ScenarioSession } from './scenario.js';
import type {
  ActiveFault,
  ClientChange,
  ClientSelection,
  ClockReading,
  EventFilter,
  Fault,
  LoggedEvent,
  LoggedRequest,
  MockClient,
  MockEvent,
  MockLink,
  MockLinkFilter,
  MockPhoto,
  MockStateReport,
  NewMockClient,
  RequestFilter,
  SnapshotInfo,
} from './types.js';

/** A photo: its bytes, or a text with them in base64 or as a data URL. */
export type PhotoInput = Uint8Array | string;

/** Result of `submitLink`. */
export type LinkSubmissionResult = Pick<Submission, 'reference' | 'redirectUrl' | 'repeated' | 'unchanged'>;

/** The methods that a mock has for all clients or for one, and that a client has for itself. */
export interface SharedControl {
  /**
   * Restores the initial state: sessions, links, clock, faults, request log. Without a client, added clients are removed.
   * Ends the requests and the attempts to send the webhook that wait.
   */
  reset(selection?: ClientSelection): Promise<void>;
  /** Takes a snapshot; replaces one of the same client and name. It contains everything but the request log. */
  snapshot(name: string, selection?: ClientSelection): Promise<SnapshotInfo>;
  /** Restores a snapshot, and ends what waits, as `reset` does. Rejects with status 404 if the client has none of this name. */
  restore(name: string, selection?: ClientSelection): Promise<void>;
  /** Returns the snapshots of the client, or all. */
  snapshots(selection?: ClientSelection): Promise<readonly SnapshotInfo[]>;
  /** Deletes a snapshot. Returns false if there is none of this name. */
  deleteSnapshot(name: string, selection?: ClientSelection): Promise<boolean>;

  /**
   * Returns the state as a scenario, which starts an equal mock with the same seed and reference date. It has API keys.
   * Links get new URLs. Snapshots, the request log and the clock of new clients are not in it.
   */
  scenario(selection?: ClientSelection): Promise<Scenario>;

  /** Reads the clock. */
  clock(selection?: ClientSelection): Promise<ClockReading>;
  /** Sets the clock, freezes it, or lets it go on. */
  setClock(
    change: { now?: Date | string; isFrozen?: boolean },
    selection?: ClientSelection,
  ): Promise<ClockReading>;
  /** Advances the clock by milliseconds. */
  advanceClock(ms: number, selection?: ClientSelection): Promise<ClockReading>;
  /** Lets the clock follow the system clock again. */
  resetClock(selection?: ClientSelection): Promise<ClockReading>;

  /** Sets a fault. Faults with `times` apply one after another. Of the others, a later one takes precedence. */
  addFault(fault: Fault): Promise<ActiveFault>;
  /** Like `addFault` with `times: 1`. */
  failNext(fault: Fault): Promise<ActiveFault>;
  /** Sets a fault for each of the next requests, in the order of the list. */
  failNext(faults: readonly Fault[]): Promise<readonly ActiveFault[]>;
  /** Sets one fault, or a list of them. */
  failNext(faults: Fault | readonly Fault[]): Promise<ActiveFault | readonly ActiveFault[]>;
  /** Returns the faults that are set. With a client: the faults of this client. */
  faults(selection?: ClientSelection): Promise<readonly ActiveFault[]>;
  /**
   * Removes one fault, those of a client, or all, including initial ones. Returns their number. With a client, faults of
   * all clients stay; rejects with `fault_shared` for the id of one.
   */
  clearFaults(selection?: ClientSelection & { id?: string }): Promise<number>;

  /** Returns logged requests, oldest first. */
  requests(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
  /** Number of matching requests that the log holds: at most 1,000 of each client. */
  countRequests(filter?: Omit<RequestFilter, 'limit'>): Promise<number>;
  /**
   * Resolves to the matching requests once the log holds `count` of them: 1 to 1000, default 1. Rejects after
   * `timeoutMs`: 1 to 60_000, default 5000. Rejects with status 429 if the client has 50 waits already.
   */
  waitForRequests(
    filter?: RequestFilter & { count?: number; timeoutMs?: number },
  ): Promise<readonly LoggedRequest[]>;
  /** Clears the request log. Returns the number of removed requests. */
  clearRequests(selection?: ClientSelection): Promise<number>;

  /** Returns links, newest first. */
  links(filter?: MockLinkFilter): Promise<readonly MockLink[]>;
  /** Returns the exact number of matching links. */
  countLinks(filter?: Omit<MockLinkFilter, 'limit'>): Promise<number>;
  /** Opens a link as a browser does. By its URL or `linkId`, like the methods below. */
  openLink(link: string): Promise<MockLink>;
  /**
   * Submits a link, with the photos that the claim names. `photos` are added to the link and to the claim. Without a claim one
   * is generated, with all photos of the link.
   */
  submitLink(
    link: string,
    claim?: ClaimSubmission,
    options?: { photos?: readonly PhotoInput[] },
  ): Promise<LinkSubmissionResult>;
  /** Submits a link with a generated claim and photos. */
  submitLink(link: string, options: { photos: readonly PhotoInput[] }): Promise<LinkSubmissionResult>;
  /** Returns the photos of a link: before the claim all of them, afterwards those that it names. */
  photos(link: string): Promise<readonly MockPhoto[]>;
  /** Adds a photo to a link, as its form does. Without a photo one is generated. */
  addPhoto(link: string, photo?: PhotoInput): Promise<MockPhoto>;
  /** Lets a link expire now. */
  expireLink(link: string): Promise<MockLink>;
  /** Revokes a link. Rejects with status 410 if it is submitted or expired. */
  revokeLink(link: string): Promise<MockLink>;
  /** Lets the recipient of a link answer its question again. */
  unlockLink(link: string): Promise<MockLink>;
  /** Returns what became of a link, by time. */
  linkHistory(link: string): Promise<readonly LinkHistoryEntry[]>;

  /** Returns events of the service, of the kinds in the option `events`, oldest first: the last 1,000 of each client. */
  serviceEvents(filter?: EventFilter): Promise<readonly LoggedEvent[]>;
  /**
   * Resolves to the matching events once there are `count` of them: 1 to 1000, default 1. Rejects after `timeoutMs`: 1 to
   * 60_000, default 5000. Rejects with status 429 if the client has 50 waits already.
   */
  waitForEvents(
    filter?: EventFilter & { count?: number; timeoutMs?: number },
  ): Promise<readonly LoggedEvent[]>;

  /**
   * Calls back with every event until the returned function is called. Resolves when the subscription is active.
   * `onClose` is called once if the server ends the subscription: the mock closed, or the reader was too slow.
   */
  subscribe(
    listener: (event: MockEvent) => void,
    options?: ClientSelection & { onClose?: () => void },
  ): Promise<() => void>;
}

/** The methods that a mock has for one client, whose id comes first, and that a client has for itself. */
export interface DataControl<Client extends readonly string[]> {
  /** Returns all sessions of a user, with everything that is stored. */
  sessions(...args: [...Client, userId: string]): Promise<readonly MockSession[]>;
  /**
   * Replaces the sessions of a user: exactly these, none generated. Those without `createdAt` and `date` keep their order:
   * the first one is the newest.
   */
  setSessions(
    ...args: [...Client, userId: string, sessions: readonly (ScenarioSession | MockSession)[]]
  ): Promise<readonly MockSession[]>;
  /** Adds a session to a user. The seed supplies the members that are missing. */
  addSession(...args: [...Client, userId: string, session: ScenarioSession]): Promise<Session>;
  /**
   * Changes the status or the CAMS reference of a session. Finds seeded sessions of the users to start with, and of users
   * whose sessions were read; rejects with status 404 if it finds none.
   */
  updateSession(...args: [...Client, reference: string, change: SessionChanges]): Promise<Session>;
  /**
   * Creates a link as the API does. `recipientAnswer` is the right answer to the question of the client, as in a scenario.
   */
  createLink(
    ...args: [...Client, request: LinkRequest, options?: { recipientAnswer?: string }]
  ): Promise<MockLink>;
}

/**
 * The methods of a running mock. `startMockServer`, `createMockFetch` and `connectMock` return an object with these
 * methods. Rejections are `MockControlError`s with `status`, `code`, `message` and `problems`.
 */
export interface MockControl extends SharedControl, DataControl<[clientId: string]> {
  /**
   * Starts anew with a scenario, as if the mock had been started with it: added clients and the request log are gone.
   * Ends what waits, as `reset` does. A reset restores the scenario.
   */
  setScenario(scenario: Scenario): Promise<void>;
  /** Returns the seed, the clock and the clients with their counts. */
  state(selection?: ClientSelection): Promise<MockStateReport>;
  /** Returns the clients with their API keys. The first one is the default client. */
  clients(): Promise<readonly MockClient[]>;
  /** Adds a client and returns the methods for it alone. Rejects with status 409 if its id exists. */
  addClient(client?: NewMockClient): Promise<MockClientControl>;
  /** Returns the methods for one existing client. */
  client(clientId: string): Promise<MockClientControl>;
  /** Changes settings of a client: name, callback origins, locale, brand, frame ancestors. A reset restores them. */
  updateClient(clientId: string, change: ClientChange): Promise<MockClient>;
  /** Removes a client that was added while the mock runs. Returns false for any other. */
  removeClient(clientId: string): Promise<boolean>;
}

/** The methods of one client: `clientId` is fixed. */
export interface MockClientControl extends SharedControl, DataControl<[]> {
  readonly clientId: string;
  readonly apiKey: string;
  /** Changes settings of the client. */
  update(change: ClientChange): Promise<MockClient>;
  /** Removes the client. Rejects with status 403 if the control token is that of the client: `reset` starts anew. */
  remove(): Promise<void>;
  /** Removes the client at the end of an `await using` block. With the control token of the client, it stays. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Name of a method of the table. */
export type MethodName = Exclude<keyof MockControl, 'subscribe' | 'client'>;

/** What a method resolves to before the typed client adds methods to it. */
type Result<N extends MethodName> =
  MockClientControl extends Awaited<ReturnType<MockControl[N]>>
    ? MockClient
    : Awaited<ReturnType<MockControl[N]>>;

/** One method of the control interface. */
export interface Method {
  summary: string;
  /** JSON Schema of the input: one object. */
  input: { properties: Readonly<Record<string, object>>; required?: readonly string[] };
  /**
   * The members of the input that are arguments of their own, in order. Further arguments are objects whose members are
   * input. Default: the required members.
   */
  parameters?: readonly string[];
  /** true: changes nothing, so GET works as well. */
  isRead?: true;
  /**
   * true: only the control token of the mock reaches it. That of a client reaches all other methods with `clientId`, which
   * is then this client.
   */
  isForMock?: true;
  /** true: holds the connection of its caller. */
  isWait?: true;
  /** JSON Schema of the result, with the format `date-time` for Dates. Absent: no result. */
  output?: object;
  /** Default: 64 KiB. */
  bodyLimitBytes?: number;
}

/**
 * The methods as a mock has them. Each gets its input as one object, which was checked with its schema. `signal` is aborted
 * when the caller is gone or the mock closes.
 */
export type MockMethods = {
  // biome-ignore lint/suspicious/noExplicitAny: the schema has checked it
  readonly [N in MethodName]: (input: any, signal: AbortSignal) => Result<N> | Promise<Result<N>>;
};

const { clientId, userId, name, link, limit, reference } = members;
const oneOrAll = selectionSchema;
const selected = selectionSchema.properties;
const oneSnapshot = closed({ name, ...selected }, ['name']);
const oneLink = closed({ link, ...selected }, ['link']);

/** A photo of 10 MiB in base64. */
const PHOTO_BODY_BYTES = 16 * 1024 * 1024;

/** The methods by their names. A new method is its signature above, one entry here, and a function in state. */
export const METHODS: { readonly [N in MethodName]: Method } = {
  state: {
    summary: 'Returns seed, clock, and the client or all clients with their keys, users and counts.',
    isRead: true,
    input: oneOrAll,
    output: results.state,
  },
  clients: {
    summary: 'Lists the clients with their API keys.',
    isRead: true,
    input: closed({}),
    output: listOf(results.client),
  },
  addClient: {
    summary: 'Adds a client. Generates missing members.',
    isForMock: true,
    input: inputs.newClient,
    output: results.client,
  },
  updateClient: {
    summary: 'Changes settings of a client. Members that are missing stay, null removes a member.',
    input: inputs.clientChange,
    output: results.client,
  },
  removeClient: {
    summary: 'Removes a client that was added while the mock runs. Returns false for any other.',
    isForMock: true,
    input: closed({ clientId }, ['clientId']),
    output: results.boolean,
  },

  reset: {
    summary: 'Restores the initial state. Without a client, removes added clients as well.',
    input: oneOrAll,
  },
  snapshot: {
    summary: 'Takes a snapshot of the client, or of everything. Replaces one of the same client and name.',
    input: oneSnapshot,
    output: results.snapshot,
  },
  restore: {
    summary: 'Restores a snapshot of the client, or of everything.',
    input: oneSnapshot,
  },
  snapshots: {
    summary: 'Lists snapshots.',
    isRead: true,
    input: oneOrAll,
    output: listOf(results.snapshot),
  },
  deleteSnapshot: {
    summary:
      'Deletes a snapshot of the client, or of everything. Returns false if there is none of this name.',
    input: oneSnapshot,
    output: results.boolean,
  },

  scenario: {
    summary: 'Exports the state of the client, or of everything, as a scenario file.',
    isRead: true,
    input: oneOrAll,
    output: results.scenario,
  },

  setScenario: {
    summary: 'Starts anew with a scenario. Removes added clients and the request log.',
    input: closed({ scenario: members.scenario }, ['scenario']),
    bodyLimitBytes: 16 * 1024 * 1024,
  },

  sessions: {
    summary: 'Lists all sessions of a user, with everything that is stored.',
    isRead: true,
    input: closed({ clientId, userId }, ['clientId', 'userId']),
    output: listOf(results.session),
  },
  setSessions: {
    summary: 'Replaces the sessions of a user, in the form of a scenario: exactly these, none generated.',
    input: closed({ clientId, userId, sessions: members.sessions }, ['clientId', 'userId', 'sessions']),
    output: listOf(results.session),
    // 1000 seeded sessions have 600 KiB.
    bodyLimitBytes: 4 * 1024 * 1024,
  },
  addSession: {
    summary: 'Adds a session to a user, in the form of a scenario.',
    input: closed({ clientId, userId, session: members.session }, ['clientId', 'userId', 'session']),
    output: results.session,
  },
  updateSession: {
    summary: 'Changes the status or the CAMS reference of a session.',
    input: closed({ clientId, reference, change: members.sessionChange }, [
      'clientId',
      'reference',
      'change',
    ]),
    output: results.session,
  },

  clock: {
    summary: 'Reads the clock.',
    isRead: true,
    input: oneOrAll,
    output: results.clock,
  },
  setClock: {
    summary: 'Sets, freezes or resumes the clock.',
    input: inputs.clockChange,
    output: results.clock,
  },
  advanceClock: {
    summary: 'Advances the clock.',
    input: closed({ ms: members.milliseconds, ...selected }, ['ms']),
    output: results.clock,
  },
  resetClock: {
    summary: 'Lets the clock follow the system clock again.',
    input: oneOrAll,
    output: results.clock,
  },

  faults: {
    summary: 'Lists the faults that are set. With a client: its own.',
    isRead: true,
    input: oneOrAll,
    output: listOf(results.fault),
  },
  addFault: {
    summary: 'Sets a fault. Without clientId it applies to every client.',
    input: inputs.fault,
    output: results.fault,
  },
  failNext: {
    summary: 'Sets a fault for the next matching request, or each of `faults` for one request.',
    input: inputs.nextFaults,
    output: { anyOf: [results.fault, listOf(results.fault)] },
  },
  clearFaults: {
    summary: 'Removes one fault, the faults of the client, or all. Returns their number.',
    input: closed({ id: members.faultId, ...selected }),
    output: results.count,
  },

  requests: {
    summary: 'Lists logged requests, oldest first: the last `limit` of them.',
    isRead: true,
    input: closed({ ...requestFilter, limit }),
    output: listOf(results.loggedRequest),
  },
  countRequests: {
    summary: 'Counts the requests that the log holds.',
    isRead: true,
    input: closed(requestFilter),
    output: results.count,
  },
  waitForRequests: {
    summary:
      'Responds with the requests as soon as there are `count`; 504 after `timeoutMs`, 429 beyond 50 waits of a client.',
    isRead: true,
    isWait: true,
    input: closed({ ...requestFilter, limit, count: members.count, timeoutMs: members.timeoutMs }),
    output: listOf(results.loggedRequest),
  },
  clearRequests: {
    summary: 'Clears the request log of the client, or all of it. Returns the number of removed requests.',
    input: oneOrAll,
    output: results.count,
  },

  links: {
    summary: 'Lists links with their URLs, newest first.',
    isRead: true,
    input: closed({ ...linkFilter, limit }),
    output: listOf(results.link),
  },
  countLinks: {
    summary: 'Counts links.',
    isRead: true,
    input: closed(linkFilter),
    output: results.count,
  },
  createLink: {
    summary: 'Creates a link as the API does.',
    input: closed({ clientId, request: members.request, recipientAnswer: members.recipientAnswer }, [
      'clientId',
      'request',
    ]),
    output: results.link,
  },
  openLink: {
    summary: 'Opens a link as a browser does.',
    input: oneLink,
    output: results.link,
  },
  submitLink: {
    summary: 'Submits a link, with photos. Without a claim one is generated.',
    parameters: ['link', 'claim'],
    input: closed({ link, claim: members.claim, photos: members.photos, ...selected }, ['link']),
    output: results.linkSubmission,
    bodyLimitBytes: PHOTO_BODY_BYTES,
  },
  photos: {
    summary: 'Lists the photos of a link.',
    isRead: true,
    input: oneLink,
    output: listOf(results.photo),
  },
  addPhoto: {
    summary: 'Adds a photo to a link, as its form does. Without a photo one is generated.',
    parameters: ['link', 'photo'],
    input: closed({ link, photo: members.photo, ...selected }, ['link']),
    output: results.photo,
    bodyLimitBytes: PHOTO_BODY_BYTES,
  },
  expireLink: {
    summary: 'Lets a link expire now.',
    input: oneLink,
    output: results.link,
  },
  revokeLink: {
    summary: 'Revokes a link. A link that is submitted or expired is a 410.',
    input: oneLink,
    output: results.link,
  },
  unlockLink: {
    summary: 'Lets the recipient of a link answer its question again.',
    input: oneLink,
    output: results.link,
  },
  linkHistory: {
    summary: 'Lists what became of a link, by time.',
    isRead: true,
    input: oneLink,
    output: listOf(results.historyEntry),
  },

  serviceEvents: {
    summary: 'Lists events of the service, of the kinds in the option `events`, oldest first.',
    isRead: true,
    input: closed({ ...eventFilter, limit }),
    output: listOf(results.loggedEvent),
  },
  waitForEvents: {
    summary:
      'Responds with the events as soon as there are `count`; 504 after `timeoutMs`, 429 beyond 50 waits of a client.',
    isRead: true,
    isWait: true,
    input: closed({ ...eventFilter, limit, count: members.count, timeoutMs: members.timeoutMs }),
    output: listOf(results.loggedEvent),
  },
};
