// Snapshots by client and name.
import { parseId } from '../../lib/core/validators.js';
import type { Scope, SnapshotInfo } from '../control.js';
import { invalidValue, problemAt } from '../problems.js';
import type { NamedSnapshot } from './snapshot.js';

const MAX_SNAPSHOTS = 1000;

/** The snapshots of a mock. A snapshot of a client and one of the whole mock may have the same name. */
export interface SnapshotStore {
  all(): readonly NamedSnapshot[];
  /** Adds a snapshot or replaces the one of the same client and name. @throws `request_invalid` */
  put(snapshot: NamedSnapshot): SnapshotInfo;
  find(name: string, scope: Scope): NamedSnapshot | undefined;
  list(scope: Scope): SnapshotInfo[];
  delete(name: string, scope: Scope): boolean;
  /** Deletes the snapshots of a client. */
  forget(clientId: string): void;
}

/** Creates a store with saved snapshots. */
export function createSnapshotStore(saved: readonly NamedSnapshot[] = []): SnapshotStore {
  const snapshots = new Map(saved.map((snapshot) => [keyOf(snapshot.name, snapshot.clientId), snapshot]));

  return {
    all: () => [...snapshots.values()],
    put(snapshot) {
      const key = keyOf(snapshot.name, snapshot.clientId);
      if (!snapshots.has(key) && snapshots.size >= MAX_SNAPSHOTS)
        throw invalidValue('The snapshot', [
          problemAt('', 'value', `is one more than ${MAX_SNAPSHOTS}; delete some first`),
        ]);
      snapshots.set(key, snapshot);
      return describe(snapshot);
    },
    find: (name, { clientId = null }: { clientId?: string | null }) =>
      [...snapshots.values()].find((each) => each.name === name && each.clientId === clientId),
    list: (scope) =>
      [...snapshots.values()]
        .filter(({ clientId }) => scope.clientId === undefined || clientId === scope.clientId)
        .map(describe),
    delete: (name, { clientId }) => snapshots.delete(keyOf(name, clientId)),
    forget(clientId) {
      for (const [key, snapshot] of snapshots) if (snapshot.clientId === clientId) snapshots.delete(key);
    },
  };
}

/** @throws `request_invalid` for an invalid name */
function keyOf(name: string, clientId: string | null | undefined): string {
  return `${clientId ?? ''}\0${parseId(name, 'name')}`;
}

function describe({ name, clientId, takenAt }: NamedSnapshot): SnapshotInfo {
  return { name, clientId, takenAt };
}
