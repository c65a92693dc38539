// The data of the control interface. Its methods are in methods.ts.
import type { PhotoEntry, PhotoType } from '../../lib/core/photo-store.js';
import type { EventType, LinkState } from '../../lib/core/types.js';
import type { Client, LinkSummary, Problem } from '../../lib/index.js';
import type { FaultEffect, RouteName } from '../schemas/fault.js';

export type { ClientChange, EventType, LinkState } from '../../lib/core/types.js';
export type { FaultEffect, RouteName } from '../schemas/fault.js';

/** Selects one client. Without `clientId` a method applies to all clients. */
export interface ClientSelection {
  clientId?: string;
}

/** A client of the mock, with its settings. `assertClientSettings` checks the settings. */
export interface MockClientOptions extends Client {
  /** Value of the header x-api-key: 1 to 200 printable ASCII characters without spaces. Different for each client. */
  apiKey: string;
  /**
   * Control token for this client alone: the methods of the control API that it reaches apply to no other client.
   * 16 to 200 printable ASCII characters. Different for each client, and from the control token of the mock.
   */
  controlToken?: string;
}

/** A client of a running mock, with its API key. */
export interface MockClient extends Omit<MockClientOptions, 'controlToken'> {
  /** Users to start with, at most 100. Every other user id has sessions as well. */
  userIds: readonly string[];
  /** true: set by options, flags or a scenario. false: added while the mock runs. */
  isConfigured: boolean;
}

/** A client to add. A missing id or key is generated at random. The seeded data depends on the id. */
export type NewMockClient = Partial<MockClientOptions>;

/** Reading of a clock. */
export interface ClockReading {
  now: Date;
  /** A frozen clock does not advance until it is set, advanced or resumed. */
  isFrozen: boolean;
  /** Difference to the system clock in milliseconds. */
  offsetMs: number;
}

/** Milliseconds, 0 to 60_000, or an inclusive range: `200` or `'100-800'`. Each request gets a value from the range. */
export type Delay = number | `${number}-${number}`;

/** A fault to set. It needs at least one of `status`, `effect`, `body`, `delayMs`. */
export interface Fault extends ClientSelection {
  /** Only requests of this user: the user of the path, of `config.currentUserId`, or of the link. */
  userId?: string;
  /** Default: every route of the service, not the webhook. */
  route?: RouteName;
  /** Respond with this status, 200 to 599, without effect. Not together with `effect`. */
  status?: number;
  /** Headers of the response with `status`. */
  headers?: Readonly<Record<string, string>>;
  /** Body of the response with `status`. An object or array is sent as JSON. Default: a problem with a fitting code. */
  body?: unknown;
  effect?: FaultEffect;
  /** With the effect `slow`: 1 to 10_000_000. Default: 1000. */
  bytesPerSecond?: number;
  /** With the effect `cut-upload`: bytes of the request body that arrive, 0 to 52_428_800. Default: 1000. */
  afterBytes?: number;
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

/** Effect of a fault on one request. `addFault` and `failNext` take it unchanged. */
export interface AppliedFault
  extends Pick<Fault, 'status' | 'headers' | 'body' | 'effect' | 'bytesPerSecond' | 'afterBytes'> {
  /** Absent: only a Prefer header asked for it. */
  id?: string;
  /** The delay of this request. */
  delayMs?: number;
}

/** Describes an applied fault, for a response header and for people: `status=503, delay=200`. */
export function describeFault({ status, effect, delayMs }: AppliedFault): string {
  return Object.entries({ status, effect, delay: delayMs })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(', ');
}

/** A body in the request log, with API keys, tokens and access codes replaced. */
export interface LoggedBody {
  /** At most 16 KiB. */
  text: string;
  /** Size of the whole body in bytes. */
  bytes: number;
  isTruncated: boolean;
  /** `text` parsed. Absent if it is not JSON, or has more than 100 levels. */
  json?: unknown;
}

/** A body that the log does not have. */
export interface LoggedUpload {
  /** The type of a photo by its first bytes. null: they are those of no photo. */
  type: PhotoType | null;
  /** Number of bytes that arrived. */
  bytes: number;
}

/** One request to the service, or one attempt to send the webhook. */
export interface LoggedRequest {
  /** Increases by one with each request. */
  id: number;
  /** Time of its arrival by the clock of its client. */
  time: Date;
  method: string;
  /** Path and query with access codes and tokens replaced. Of the webhook: its URL. */
  path: string;
  /** null: no route of the service. */
  route: RouteName | null;
  /** null: the request had no valid key or token. */
  clientId: string | null;
  /** User of the path, of `config.currentUserId`, or of the link. null: unknown, or the request had no valid key or token. */
  userId: string | null;
  /** The link of a request to one of its pages, if its token was valid. */
  linkId?: string;
  /** null: the connection ended without a response. */
  status: number | null;
  /** Code of an error response: distinguishes `api_key_missing` from `api_key_invalid`. */
  code?: string;
  /** Detail and problems of an error response. */
  detail?: string;
  problems?: readonly Problem[];
  durationMs: number;
  /** Lower-case names; credentials replaced. */
  headers: Readonly<Record<string, string>>;
  /** Headers that the service or a fault set, in the same form. Absent: the connection ended without a response. */
  responseHeaders?: Readonly<Record<string, string>>;
  requestBody?: LoggedBody;
  /** What arrived of a photo, or of a form with photos. Such a body is not in the log. */
  upload?: LoggedUpload;
  responseBody?: LoggedBody;
  fault?: AppliedFault;
}

/** Selects requests of the log. */
export interface RequestFilter extends ClientSelection {
  userId?: string;
  /** Only requests to the pages of this link. */
  linkId?: string;
  route?: RouteName;
  method?: string;
  /**
   * A status, a class of them such as `4xx`, or `failed`: a status of 400 or more, a connection that ended without a
   * response, a body that a fault broke, or an attempt to send the webhook that failed.
   */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx` | 'failed';
  /** Only requests with a greater id. */
  after?: number;
  /** Returns the last `limit` of them: 1 to 1000. Default: 100. */
  limit?: number;
}

/** A link that this mock created. */
export interface MockLink extends LinkSummary {
  clientId: string;
  /** Opens the widget. Secret. */
  url: string;
  callbackUrl: string;
  /** What its recipient has to answer. Absent if the client asks nothing. */
  recipientAnswer?: string;
}

/** A photo of a link. */
export interface MockPhoto extends Omit<PhotoEntry, 'photoId'> {
  /** The SHA-256 of its bytes, or a random one. */
  id: string;
  /** true: its bytes are gone. The service does not show it until it is sent again. */
  isMissing: boolean;
}

/** Selects links. */
export interface MockLinkFilter extends ClientSelection {
  userId?: string;
  state?: LinkState;
  /** Returns the newest `limit` of them: 1 to 1000. Default: 100. */
  limit?: number;
}

/** A snapshot: of one client, or of the whole mock (clientId null). */
export interface SnapshotInfo {
  name: string;
  clientId: string | null;
  takenAt: Date;
}

/** An event of the service, as `onEvent` gets it, without the claim of a submission. */
export interface LoggedEvent {
  /** Increases by one with each event. */
  id: number;
  /** The `id` of the event: the `webhook-id` of its requests. */
  eventId: string;
  type: EventType;
  /** When it happened, by the clock of its client. */
  at: Date;
  clientId: string;
  userId?: string;
  linkId?: string;
  /** Of `claim.submitted`: the session. */
  reference?: string;
  sequence?: number;
  expiresAt?: Date;
  why?: string;
  /** Of `data.deleted`. */
  linkIds?: readonly string[];
  references?: readonly string[];
}

/** Selects events of the service. */
export interface EventFilter extends ClientSelection {
  userId?: string;
  type?: EventType;
  linkId?: string;
  /** Only events with a greater id. */
  after?: number;
  /** Returns the last `limit` of them: 1 to 1000. Default: 100. */
  limit?: number;
}

/** Events of a mock, in order. A reader fetches what it needs: events say what changed. */
export type MockEvent =
  | { type: 'request'; clientId: string | null; request: LoggedRequest }
  | { type: 'link'; clientId: string; link: MockLink }
  /** An event of the service, of the kinds in the option `events`. */
  | { type: 'event'; clientId: string; event: LoggedEvent }
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
  clock: ClockReading;
  clients: readonly (MockClient & { clock: ClockReading; links: number; requests: number })[];
}
