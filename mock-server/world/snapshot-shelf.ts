// Snapshots under names, for those who are in another process than the mock.
import { ClaimlinkError } from '../../lib/index.js';
import type { MockControl, MockSnapshot, Scope } from '../control.js';

/** Snapshots under names. */
export interface SnapshotShelf {
  /** Oldest first. */
  names(): string[];
  /** Replaces one of the same name. @throws `request_invalid` for a bad name or too many, and as `MockControl.snapshot` */
  take(name: string, scope?: Scope): MockSnapshot;
  /** @throws as `MockControl.restore`, and `request_invalid` when there is none of that name */
  restore(name: string): void;
  /** false: there is none of that name. */
  forget(name: string): boolean;
}

/** What they share is held once, but what changes between them is held by each. */
const MAX_SNAPSHOTS = 100;

/** Makes an empty shelf. */
export function createSnapshotShelf(control: Pick<MockControl, 'snapshot' | 'restore'>): SnapshotShelf {
  const shelf = new Map<string, MockSnapshot>();

  return {
    names: () => [...shelf.keys()],
    take(name, scope) {
      if (!/^[\w.-]{1,100}$/.test(name))
        throw refused(
          'The name of a snapshot must be 1 to 100 letters, digits, dots, dashes and underscores.',
        );
      if (!shelf.has(name) && shelf.size >= MAX_SNAPSHOTS)
        throw refused(`There are ${MAX_SNAPSHOTS} snapshots already; delete one first.`);
      const snapshot = control.snapshot(scope);
      shelf.delete(name);
      shelf.set(name, snapshot);
      return snapshot;
    },
    restore(name) {
      const snapshot = shelf.get(name);
      if (snapshot === undefined) throw refused('There is no snapshot of this name.');
      control.restore(snapshot);
    },
    forget: (name) => shelf.delete(name),
  };
}

function refused(message: string): ClaimlinkError {
  const details = [{ parameter: 'name', rule: 'value' as const, detail: message }];
  return new ClaimlinkError('request_invalid', message, { details });
}
