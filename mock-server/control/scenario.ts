// The types of scenarios: a hand-written state of a mock. Their JSON Schemas are in schemas/scenario.ts and schemas/session.ts.
import type { LinkMoment, LinkState } from '../../lib/core/types.js';
import type {
  Incident,
  JsonObject,
  Session,
  SessionChanges,
  SessionLink,
  SessionNotice,
  WidgetConfig,
} from '../../lib/index.js';
import type { Fault, MockClientOptions } from './types.js';

/** Makes all members optional, at every depth. The items of a list stay complete. */
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** A change of a session that is made later by the clock of its client. It has `status`, `camsReference` or both. */
export interface LaterChange extends SessionChanges {
  /**
   * Time since the session was set: by the start of the mock, a reset, `setSessions` or `addSession`. A number and
   * `milliseconds`, `seconds`, `minutes`, `hours` or `days`: `2 days`.
   */
  after: string;
}

/** A session of the mock, with everything that is stored. */
export interface MockSession extends Session {
  /** Changes that are still to come. `after` counts from now. */
  later?: readonly LaterChange[];
}

/**
 * A session in the shape of the documented listing, so that a response can be pasted in. All members are optional: the
 * seed gives those that are missing. A contact in `linkedContacts` is complete.
 */
export interface ScenarioSession
  extends DeepPartial<Omit<Session, 'date' | 'createdAt' | 'incident' | 'extra' | 'link' | 'notice'>> {
  /** Not in the listing. */
  incident?: Incident;
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
  date?: string;
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
  createdAt?: string;
  /** `extra` of the claim: any JSON object up to 16 KiB. Not in the listing. */
  extra?: JsonObject;
  /** The link that created the session, as the mock returns it. Not in the listing. */
  link?: SessionLink;
  /** The privacy policy that the submission was made with. Not in the listing. */
  notice?: ScenarioNotice;
  /** Changes that are made later by the clock of the client. Not in the listing. */
  later?: readonly LaterChange[];
}

/** The privacy policy of a submission. */
export interface ScenarioNotice extends Omit<SessionNotice, 'at'> {
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. Default: `date` of the session. */
  at?: string;
}

/** A user that the client lists by name. Other users have seeded sessions as well. */
export interface ScenarioUser {
  userId: string;
  /** All sessions of the user. Absent: seeded sessions. */
  sessions?: readonly ScenarioSession[];
}

/** A link that exists from the start. The seed gives what is missing. */
export interface ScenarioLink {
  userId: string;
  /** Default: created. A submitted link adds a session to its user. */
  state?: LinkState;
  config?: Omit<Partial<WidgetConfig>, 'contact' | 'currentUserId'> & {
    contact?: Partial<WidgetConfig['contact']>;
  };
  callbackUrl?: string;
  callbackOnSubmit?: boolean;
  /**
   * The right answer to the question of the client, for settings whose `recipientCheck` is a question: 1 to 1,000 UTF-16 code
   * units. Default: `answer`, or `1990-01-31` for a date.
   */
  recipientAnswer?: string;
  /**
   * Photos of the link, at most 50: data URLs. `loadScenario` also takes names of files, relative to the folder of the scenario.
   * A submitted link has them in its claim.
   */
  photos?: readonly string[];
  /**
   * Session of a submitted link: one of its user's `sessions`; a new one if the user has none of these. Default: a new one
   * with a seeded reference.
   */
  reference?: string;
  /**
   * Moments, UTC. Default: up to an hour before the clock, so that they fit the state. A link with `createdAt` may have a
   * `callbackUrl` that `callbackOrigins` no longer lists.
   */
  createdAt?: string;
  expiresAt?: string;
  openedAt?: string;
  submittedAt?: string;
  revokedAt?: string;
  /** What became of the link beside its state, in this order. Default of `at`: a minute after the one before. */
  moments?: readonly ScenarioMoment[];
}

/** A moment of a link, as `linkHistory` shows it. A link that is declined has the state revoked. */
export interface ScenarioMoment extends Omit<LinkMoment, 'at'> {
  at?: string;
}

/** The clock of a client. */
export interface ScenarioClock {
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. Default: the system clock. */
  now?: string;
  /** Default: false. */
  isFrozen?: boolean;
}

/** A client with its data. */
export interface ScenarioClient extends MockClientOptions {
  users?: readonly ScenarioUser[];
  links?: readonly ScenarioLink[];
  clock?: ScenarioClock;
  faults?: readonly Omit<Fault, 'clientId'>[];
}

/** The clients of a mock and their data. */
export interface Scenario {
  /** Tells editors where the schema is. */
  $schema?: string;
  clients: readonly ScenarioClient[];
  /** Faults of all clients. */
  faults?: readonly Omit<Fault, 'clientId'>[];
}
