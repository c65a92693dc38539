// The state of clients as data: for reset, snapshots and the persist file.
import { createHash } from 'node:crypto';
import type { Link, Session, SessionRecord } from '../../lib/index.js';
import type { ActiveFault, ClientSettings, MockClientOptions } from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import { invalidMockOptions, persistError, problemAt } from '../problems.js';
import type { ClockSetting } from './clock.js';
import type { StoredLink } from './links.js';

/** One client with its state. Immutable: it shares its parts with the running mock. */
export interface ClientSnapshot {
  readonly client: MockClientOptions;
  /** The settings, if they were changed while the mock runs. */
  readonly settings?: ClientSettings;
  /** Users who have exactly the sessions in `sessions`. All others have seeded sessions as well. */
  readonly exactUsers: readonly string[];
  readonly sessions: readonly SessionRecord[];
  readonly links: readonly StoredLink[];
  readonly clock: ClockSetting;
  readonly faults: readonly ActiveFault[];
  /** Random numbers that faults have drawn. */
  readonly draws: number;
}

/** What all clients share. */
export type SharedSnapshot = Pick<ClientSnapshot, 'clock' | 'faults' | 'draws'>;

/** The whole mock, or (without `shared`) one client. */
export interface Snapshot {
  readonly clients: readonly ClientSnapshot[];
  readonly shared?: SharedSnapshot;
}

/** A snapshot with its name. */
export interface NamedSnapshot {
  readonly name: string;
  /** null: of the whole mock. */
  readonly clientId: string | null;
  readonly takenAt: Date;
  readonly content: Snapshot;
}

/** The content of a persist file. */
export interface SavedState {
  readonly seed: string;
  readonly refDate: string;
  /** Signs the links: base64url. */
  readonly secret: string;
  readonly current: Snapshot;
  readonly snapshots: readonly NamedSnapshot[];
}

const FORMAT = 'claimlink-mock-state';
const VERSION = 2;

/** Writes a state as JSON, with its version and a checksum. */
export function stringifyState(state: SavedState): string {
  const json = JSON.stringify(state);
  return `{"format":"${FORMAT}","version":${VERSION},"checksum":"${checksum(json)}","state":${json}}\n`;
}

/**
 * Reads the text of a persist file.
 * @throws `options_invalid` for a text that is damaged, or of another seed or reference date
 */
export function readState(options: ResolvedMockOptions, path: string, text: string): SavedState {
  let state: SavedState;
  try {
    state = parseState(text);
  } catch (error) {
    throw persistError(`${path} ${error instanceof Error ? error.message : ''}`, error);
  }
  const mustBe = (name: string, value: string) =>
    invalidMockOptions([problemAt(`/${name}`, 'value', `must be ${value}, as in the persist file`)]);
  if (state.seed !== String(options.seed)) throw mustBe('seed', state.seed);
  if (state.refDate !== options.refDate.toISOString()) throw mustBe('refDate', state.refDate);
  return state;
}

/**
 * Parses what `stringifyState` wrote.
 * @throws an Error whose message ends a sentence that starts with the path of the file
 */
function parseState(text: string): SavedState {
  let file: { format?: unknown; version?: unknown; checksum?: unknown; state?: unknown };
  try {
    file = Object(JSON.parse(text));
  } catch {
    throw new Error('is not JSON');
  }
  if (file.format !== FORMAT) throw new Error('is not a persist file of the mock');
  if (file.version !== VERSION)
    throw new Error(`has version ${Number(file.version)}; this claimlink reads version ${VERSION}`);
  // Every later check would only find what an edit or a damaged disk has changed.
  if (file.checksum !== checksum(JSON.stringify(file.state))) throw new Error('is damaged or was edited');
  return reviveState(file.state as Jsonified<SavedState>);
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('base64url');
}

/** A value after JSON: dates are text. */
type Jsonified<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Jsonified<Item>[]
    : T extends object
      ? { [K in keyof T]: Jsonified<T[K]> }
      : T;

function reviveState(state: Jsonified<SavedState>): SavedState {
  return {
    ...(state as unknown as SavedState),
    current: reviveSnapshot(state.current),
    snapshots: state.snapshots.map((snapshot) => ({
      ...snapshot,
      takenAt: new Date(snapshot.takenAt),
      content: reviveSnapshot(snapshot.content),
    })),
  };
}

function reviveSnapshot(snapshot: Jsonified<Snapshot>): Snapshot {
  const clients = snapshot.clients.map((client) => ({
    ...(client as unknown as ClientSnapshot),
    sessions: client.sessions.map((session) => reviveSession<SessionRecord>(session)),
    links: client.links.map(({ link, url, session }) => ({
      link: reviveLink(link),
      url,
      ...(session && { session: reviveSession<Session>(session) }),
    })),
  }));
  return { ...(snapshot as unknown as Snapshot), clients };
}

function reviveSession<S extends Session>(session: Jsonified<S>): S {
  const { date, createdAt } = session as unknown as Jsonified<Session>;
  return { ...(session as unknown as S), date: new Date(date), createdAt: new Date(createdAt) };
}

function reviveLink(link: Jsonified<Link>): Link {
  const { openedAt, submittedAt, revokedAt } = link;
  return {
    ...(link as unknown as Link),
    createdAt: new Date(link.createdAt),
    expiresAt: new Date(link.expiresAt),
    ...(openedAt && { openedAt: new Date(openedAt) }),
    ...(submittedAt && { submittedAt: new Date(submittedAt) }),
    ...(revokedAt && { revokedAt: new Date(revokedAt) }),
  };
}
