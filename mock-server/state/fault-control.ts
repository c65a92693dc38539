// The faults of a mock: those of each client, and those that all clients share.
import type { ActiveFault, Fault, Scope } from '../control.js';
import type { ResolvedMockOptions } from '../options.js';
import { invalidValue, problemAt } from '../problems.js';
import { checkWith } from '../scenario/schema-check.js';
import { randomAt } from '../seed/random.js';
import { createFaultList, decideFault, type FaultList } from './faults.js';
import { initialSharedFaults } from './initial.js';
import type { SharedSnapshot } from './snapshot.js';
import type { Tenants } from './tenants.js';
import type { MockState } from './types.js';

/** The shared faults, and the methods of the state for faults. */
export interface FaultControl extends Pick<MockState, 'addFault' | 'faults' | 'clearFaults' | 'decideFault'> {
  /** Gives a fault its id. */
  activate(fault: Fault): ActiveFault;
  /** Continues after the ids of saved faults. */
  reserveIds(faults: readonly ActiveFault[]): void;
  saveShared(): Omit<SharedSnapshot, 'clock'>;
  restoreShared(snapshot: Omit<SharedSnapshot, 'clock'>): void;
  /** Sets the initial shared faults. */
  resetShared(): void;
}

const MAX_FAULTS = 1000;

/** Creates the faults. `onChange` is called after shared faults changed. */
export function createFaultControl(
  options: ResolvedMockOptions,
  tenants: Tenants,
  onChange: () => void,
): FaultControl {
  const shared = createFaultList(onChange);
  let sharedDraws = 0;
  let lastNumber = 0;

  function activate(fault: Fault): ActiveFault {
    return Object.freeze({ id: `fault-${++lastNumber}`, ...structuredClone(fault), hits: 0 });
  }

  function listsOf(scope: Scope): FaultList[] {
    const lists = tenants.select(scope).map(({ faults }) => faults);
    return scope.clientId === undefined ? [shared, ...lists] : lists;
  }

  /** Each client has numbers of its own: requests of other clients do not change them. */
  function drawFor(clientId: string | null): number {
    const tenant = tenants.find(clientId);
    const index = tenant === undefined ? sharedDraws++ : tenant.draws++;
    return randomAt(JSON.stringify(['faults', String(options.seed), clientId]), index);
  }

  return {
    activate,
    reserveIds(faults) {
      for (const { id } of faults) lastNumber = Math.max(lastNumber, Number(id.slice('fault-'.length)));
    },
    saveShared: () => ({ faults: shared.list(), draws: sharedDraws }),
    restoreShared({ faults, draws }) {
      shared.restore(faults);
      sharedDraws = draws;
    },
    resetShared() {
      shared.restore(initialSharedFaults(options).map(activate));
      sharedDraws = 0;
    },

    addFault(fault) {
      const problems = checkWith('fault', fault);
      if (problems.length > 0) throw invalidValue('The fault', problems);
      const list = fault.clientId === undefined ? shared : tenants.need(fault.clientId).faults;
      if (list.list().length >= MAX_FAULTS)
        throw invalidValue('The fault', [
          problemAt('', 'value', `is one more than ${MAX_FAULTS}; clear some first`),
        ]);
      const active = activate(fault);
      list.add(active);
      return active;
    },
    faults: (scope = {}) => listsOf(scope).flatMap((list) => list.list()),
    clearFaults: ({ id, ...scope } = {}) =>
      listsOf(scope).reduce((cleared, list) => cleared + list.clear(id), 0),
    decideFault(target, asked = {}) {
      const own = tenants.find(target.clientId)?.faults;
      const lists = own === undefined ? [shared] : [shared, own];
      return decideFault(lists, target, asked, () => drawFor(target.clientId));
    },
  };
}
