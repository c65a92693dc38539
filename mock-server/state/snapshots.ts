// The state of a mock as data: for reset, snapshots and the persist file.
import { createHash } from 'node:crypto';
import { parseId } from '../../lib/core/validators.js';
import { revive } from '../client/revive.js';
import type { Scope, SnapshotInfo } from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import { invalidMockOptions, invalidValue, persistError, problemAt } from '../problems.js';
import type { OnChange } from './events.js';
import type { ClientSnapshot, ScopeState, Tenants } from './tenants.js';

/** The whole mock, or (without `shared`) one client. */
export interface Snapshot {
  readonly clients: readonly ClientSnapshot[];
  /** The state that all clients share. */
  readonly shared?: Readonly<ScopeState>;
}

interface NamedSnapshot extends Readonly<SnapshotInfo> {
  readonly content: Snapshot;
}

/** What snapshots are taken of. */
interface SnapshotSource {
  take(scope: Scope): Snapshot;
  restore(snapshot: Snapshot): void;
  now(scope: Scope): Date;
  onChange: OnChange;
}

const MAX_SNAPSHOTS = 1000;

/** Creates the snapshots. One of a client and one of the whole mock may have the same name. */
export function createSnapshots(
  saved: readonly NamedSnapshot[],
  tenants: Tenants,
  { take, restore, now, onChange }: SnapshotSource,
) {
  const keyOf = (name: string, { clientId }: { clientId?: string | null }) => `${clientId ?? ''}\0${name}`;
  const named = new Map(saved.map((snapshot) => [keyOf(snapshot.name, snapshot), snapshot]));

  return {
    all: () => [...named.values()],
    /** Deletes the snapshots of a client. */
    forget(clientId: string) {
      for (const [key, snapshot] of named) if (snapshot.clientId === clientId) named.delete(key);
    },
    /** Replaces the snapshot of the same client and name. @throws `request_invalid` */
    takeSnapshot(name: string, scope: Scope = {}): SnapshotInfo {
      const content = take(scope);
      const key = keyOf(parseId(name, 'name'), scope);
      if (!named.has(key) && named.size >= MAX_SNAPSHOTS)
        throw invalidValue('The snapshot', [
          problemAt('', 'value', `is one more than ${MAX_SNAPSHOTS}; delete some first`),
        ]);
      const info = { name, clientId: scope.clientId ?? null, takenAt: now(scope) };
      named.set(key, { ...info, content });
      onChange(info.clientId, 'snapshots');
      return info;
    },
    /** Returns false for an unknown name. */
    restoreSnapshot(name: string, scope: Scope = {}): boolean {
      tenants.select(scope);
      const snapshot = named.get(keyOf(name, scope));
      if (snapshot === undefined) return false;
      restore(snapshot.content);
      onChange(snapshot.clientId, 'everything');
      return true;
    },
    snapshots(scope: Scope = {}): SnapshotInfo[] {
      tenants.select(scope);
      return [...named.values()]
        .filter(({ clientId }) => scope.clientId === undefined || scope.clientId === clientId)
        .map(({ content: _, ...info }) => info);
    },
    deleteSnapshot(name: string, scope: Scope = {}): boolean {
      tenants.select(scope);
      const isDeleted = named.delete(keyOf(parseId(name, 'name'), scope));
      if (isDeleted) onChange(scope.clientId ?? null, 'snapshots');
      return isDeleted;
    },
  };
}

export interface SavedState {
  readonly seed: string;
  readonly refDate: Date;
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
  const state = revive(file.state) as SavedState;
  const mustBe = (name: string, value: string) =>
    invalidMockOptions([problemAt(`/${name}`, 'value', `must be ${value}, as in the persist file`)]);
  const { seed, refDate } = options;
  if (state.seed !== String(seed)) throw mustBe('seed', state.seed);
  if (state.refDate.getTime() !== refDate.getTime()) throw mustBe('refDate', state.refDate.toISOString());
  return state;
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('base64url');
}
