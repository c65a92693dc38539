// The history of a run: what the callers asked for and got, and what `onSubmit` got.
import type { LifeEvent } from '../../lib/core/storage.js';
import type { LifeEventType, LinkMoment } from '../../lib/core/types.js';
import type { LoggedHistory } from './kind.js';
import type { Answer } from './plan.js';

/** A call of the service by an actor. Times are milliseconds since the start of the run. */
export interface Operation {
  id: number;
  actor: string;
  process: string;
  /** Whether its storage calls may fail. */
  hasFaults: boolean;
  /** What was asked for, with what the actor knew. */
  call: Call;
  startedAt: number;
  /** Absent if the process crashed before the end. */
  endedAt?: number;
  /** Earliest and latest time of the clock of the process during the call. */
  clock: { from: number; to: number };
  /** The code of the error. */
  error?: string;
  /** What the call returned. */
  result?: unknown;
}

export type Call =
  | { kind: 'create'; link: string; client: string; user: string; keyName: string }
  | { kind: 'open' | 'submit'; link: string; answer?: Answer }
  | { kind: 'start' | 'decline' | 'renew'; link: string }
  | { kind: 'revoke' | 'revokeAsOther' | 'forge' | 'expire' | 'unlock'; link: string }
  | { kind: 'update'; link: string; client: string; reference: string; status: string }
  /** `owner` is the client of the key. */
  | { kind: 'list'; client: string; user: string; owner: string; keyName: string }
  | { kind: 'follow'; client: string; reader: string }
  | { kind: 'deleteUser' | 'revokeAll'; client: string; user: string }
  | { kind: 'sweep' | 'reduceLinks' | 'purge'; before: number }
  | { kind: 'deliver' }
  | { kind: 'rotateKey' | 'revokeKey'; client: string; keyName: string };

/** Result of `create`. */
export interface CreateResult {
  linkId: string;
  token: string;
  expiresAt: number;
}

/** Result of `submit`. */
export interface SubmitResult {
  reference: string;
  repeated: boolean;
}

/** A session as a reader sees it. `label` is `client/user/link`, from the claim that was submitted. */
export interface SeenSession {
  reference: string;
  status: string;
  label: string;
}

/** A call of `onSubmit`. */
export interface Attempt {
  eventId: string;
  attempt: number;
  client: string;
  reference: string;
  label: string;
  process: string;
  startedAt: number;
  /** Whether the session was in the storage when the call began. */
  isCommitted: boolean;
  outcome: 'handled' | 'failed' | 'never ended';
  endedAt?: number;
}

/** A call of `onEvent` with an event of a link or of a deletion. */
export interface Told {
  event: LifeEvent;
  attempt: number;
  startedAt: number;
  outcome: 'handled' | 'failed' | 'never ended';
  endedAt?: number;
}

/** What the storage holds at the end, when every call has ended and all events are delivered. */
export interface FinalState {
  /** By `client/user`. */
  listings: Readonly<Record<string, readonly SeenSession[]>>;
  /** By client: what a new reader of `listClientSessions` gets. */
  clientSessions: Readonly<Record<string, readonly SeenSession[]>>;
  /** By `client/reader`: what the reader got in all, to the end. */
  readers: Readonly<Record<string, readonly SeenSession[]>>;
  links: readonly FinalLink[];
  undelivered: number;
}

/** A link at the end. */
export interface FinalLink {
  client: string;
  user: string;
  linkId: string;
  state: string;
  reference?: string;
  /** Whether it has the data that prefills the form. */
  hasPrefill: boolean;
  expiresAt: number;
  moments: readonly LinkMoment[];
}

export interface History extends LoggedHistory {
  operations: readonly Operation[];
  attempts: readonly Attempt[];
  told: readonly Told[];
  /** The events that the host chose beside submissions. */
  chosen: readonly LifeEventType[];
  final: FinalState;
  /** false for the mock, which has no `onSubmit`. */
  delivers: boolean;
  /** false if the clock of a process jumped: then processes disagree about the end of a lease. */
  clocksAgree: boolean;
  /** Seconds for which a process may use credentials that it looked up. */
  cacheSeconds: number;
  /** Whether the signing keys were rotated. */
  hasRotated: boolean;
  /** Number of crashes, with those of `rotateSigningKeys`. */
  crashes: number;
}
