// The state of a mock as data: for reset, snapshots and the persist file.
import { createHash } from 'node:crypto';
import { parseId } from '../../lib/core/validators.js';
import { withDates } from '../client/revive.js';
import type { Scope, SnapshotInfo } from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import { invalidMockOptions, invalidValue, persistError, problemAt } from '../problems.js';
import type { ClientSnapshot, FaultState } from './tenants.js';

/** The whole mock, or (without `shared`) one client. */
export interface Snapshot {
  readonly clients: readonly ClientSnapshot[];
  /** The state that all clients share. */
  readonly shared?: Pick<ClientSnapshot, 'clock' | keyof FaultState>;
}

export interface NamedSnapshot extends Readonly<SnapshotInfo> {
  readonly content: Snapshot;
}

const MAX_SNAPSHOTS = 1000;

/** Creates a store. A snapshot of a client and one of the whole mock may have the same name. */
export function createSnapshotStore(saved: readonly NamedSnapshot[] = []) {
  const keyOf = (name: string, { clientId }: { clientId?: string | null }) => `${clientId ?? ''}\0${name}`;
  const describe = ({ content: _, ...info }: NamedSnapshot): SnapshotInfo => info;
  const snapshots = new Map(saved.map((snapshot) => [keyOf(snapshot.name, snapshot), snapshot]));

  return {
    all: () => [...snapshots.values()],
    /** Adds a snapshot or replaces the one of the same client and name. @throws `request_invalid` */
    put(snapshot: NamedSnapshot): SnapshotInfo {
      const key = keyOf(parseId(snapshot.name, 'name'), snapshot);
      if (!snapshots.has(key) && snapshots.size >= MAX_SNAPSHOTS)
        throw invalidValue('The snapshot', [
          problemAt('', 'value', `is one more than ${MAX_SNAPSHOTS}; delete some first`),
        ]);
      snapshots.set(key, snapshot);
      return describe(snapshot);
    },
    find: (name: string, scope: Scope) => snapshots.get(keyOf(name, scope)),
    list: ({ clientId }: Scope) =>
      [...snapshots.values()]
        .filter((snapshot) => clientId === undefined || snapshot.clientId === clientId)
        .map(describe),
    delete: (name: string, scope: Scope) => snapshots.delete(keyOf(parseId(name, 'name'), scope)),
    /** Deletes the snapshots of a client. */
    forget(clientId: string) {
      for (const [key, snapshot] of snapshots) if (snapshot.clientId === clientId) snapshots.delete(key);
    },
  };
}

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
  let file: { format?: unknown; version?: unknown; checksum?: unknown; state?: unknown };
  try {
    file = Object(JSON.parse(text));
  } catch (error) {
    throw persistError(`${path} is not JSON`, error);
  }
  if (file.format !== FORMAT) throw persistError(`${path} is not a persist file of the mock`);
  if (file.version !== VERSION)
    throw persistError(
      `${path} has version ${Number(file.version)}; this claimlink reads version ${VERSION}`,
    );
  // Every later check would only find what an edit or a damaged disk has changed.
  if (file.checksum !== checksum(JSON.stringify(file.state)))
    throw persistError(`${path} is damaged or was edited`);
  const state = file.state as SavedState;
  const mustBe = (name: string, value: string) =>
    invalidMockOptions([problemAt(`/${name}`, 'value', `must be ${value}, as in the persist file`)]);
  if (state.seed !== String(options.seed)) throw mustBe('seed', state.seed);
  if (state.refDate !== options.refDate.toISOString()) throw mustBe('refDate', state.refDate);
  return {
    ...state,
    current: reviveSnapshot(state.current),
    snapshots: state.snapshots.map((named) => ({
      ...withDates(named, ['takenAt']),
      content: reviveSnapshot(named.content),
    })),
  };
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('base64url');
}

/** Turns the moments of JSON into Dates. */
function reviveSnapshot(snapshot: Snapshot): Snapshot {
  const clients = snapshot.clients.map((client) => ({
    ...client,
    sessions: client.sessions.map((session) => withDates(session, ['date', 'createdAt'])),
    links: client.links.map(({ link, session, ...stored }) => ({
      ...stored,
      link: withDates(link, ['createdAt', 'expiresAt', 'openedAt', 'submittedAt', 'revokedAt']),
      ...(session && { session: withDates(session, ['date', 'createdAt']) }),
    })),
  }));
  return { ...snapshot, clients };
}
