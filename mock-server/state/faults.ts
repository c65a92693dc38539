// The faults of a mock, and the decision what becomes of a request.
import type { ActiveFault, AppliedFault, Delay, Fault, LoggedRequest, Scope } from '../control.js';
import { invalidValue, problemAt } from '../problems.js';
import { checkWith } from '../scenario/schema-check.js';
import { randomAt } from '../seed/random.js';
import type { OnChange } from './events.js';
import type { ScopeState, Tenants } from './tenants.js';

/** The request that faults match. */
export type FaultTarget = Pick<LoggedRequest, 'clientId' | 'userId' | 'route'>;

/** Members of a fault that a request can ask for. */
export type AskedFault = Pick<Fault, 'status' | 'effect' | 'delayMs'>;

/** The faults to apply to one request. */
export interface FaultDecision extends Pick<Fault, 'headers' | 'body'> {
  /** For the request log. */
  applied: AppliedFault;
}

const MAX_FAULTS = 1000;

/** Creates the faults. `shared` has those without `clientId`. */
export function createFaults(
  seed: number | string,
  tenants: Tenants,
  shared: ScopeState,
  onChange: OnChange,
) {
  let lastNumber = 0;

  /** Returns the state of a client; null: the shared one. */
  function stateOf(owner: string | null): Pick<ScopeState, 'faults' | 'draws'> {
    if (owner === null) return shared;
    // A client may be removed during a request.
    return tenants.find(owner)?.own ?? { faults: [], draws: 0 };
  }

  function replace(owner: string | null, faults: readonly ActiveFault[]): void {
    stateOf(owner).faults = faults;
    onChange(owner, 'faults');
  }

  function ownersOf(scope: Scope): (string | null)[] {
    const clientIds = tenants.select(scope).map(({ client }) => client.clientId);
    return scope.clientId === undefined ? [null, ...clientIds] : clientIds;
  }

  /** Each client has numbers of its own: requests of other clients do not change them. */
  function drawFor(owner: string | null): number {
    return randomAt(JSON.stringify(['faults', String(seed), owner]), stateOf(owner).draws++);
  }

  /** Counts a hit. Removes the fault after its last one. */
  function hit(fault: ActiveFault): void {
    const owner = fault.clientId ?? null;
    const times = fault.times === undefined ? undefined : fault.times - 1;
    const next = { ...fault, hits: fault.hits + 1, ...(times !== undefined && { times }) };
    const { faults } = stateOf(owner);
    replace(
      owner,
      faults.flatMap((each) => (each !== fault ? [each] : times === 0 ? [] : [Object.freeze(next)])),
    );
  }

  /** Gives a fault its id. */
  function activate(fault: Fault): ActiveFault {
    return Object.freeze({ id: `fault-${++lastNumber}`, ...structuredClone(fault), hits: 0 });
  }

  return {
    activate,
    /** Continues after the ids of saved faults. */
    reserveIds(faults: readonly ActiveFault[]) {
      for (const fault of faults) lastNumber = Math.max(lastNumber, faultNumber(fault));
    },

    /** A fault without `clientId` applies to every client, and to requests of no client. @throws `request_invalid` */
    addFault(fault: Fault): ActiveFault {
      const problems = checkWith('fault', fault);
      if (problems.length > 0) throw invalidValue('The fault', problems);
      const owner = fault.clientId === undefined ? null : tenants.need(fault.clientId).client.clientId;
      const { faults } = stateOf(owner);
      if (faults.length >= MAX_FAULTS)
        throw invalidValue('The fault', [
          problemAt('', 'value', `is one more than ${MAX_FAULTS}; clear some first`),
        ]);
      const active = activate(fault);
      replace(owner, [...faults, active]);
      return active;
    },
    /** With a scope: the faults of that client, without the shared ones. */
    faults: (scope: Scope = {}) => ownersOf(scope).flatMap((owner) => stateOf(owner).faults),
    clearFaults({ id, ...scope }: Scope & { id?: string } = {}): number {
      let cleared = 0;
      for (const owner of ownersOf(scope)) {
        const { faults } = stateOf(owner);
        const rest = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
        cleared += faults.length - rest.length;
        if (rest.length < faults.length) replace(owner, rest);
      }
      return cleared;
    },

    /**
     * Decides what becomes of a request, draws delays and shares from the seed, and counts hits. What the request asks
     * for comes first, then faults, the latest first. The delay and the outcome each come from the first that has one.
     */
    decideFault(target: FaultTarget, asked: AskedFault = {}): FaultDecision | undefined {
      const { clientId } = target;
      const candidates = (clientId === null ? [null] : [null, clientId])
        .flatMap((owner) => stateOf(owner).faults)
        .sort((a, b) => faultNumber(b) - faultNumber(a));
      let delay = asked.delayMs;
      let outcome: Partial<Fault> | undefined = hasOutcome(asked) ? asked : undefined;
      let id: string | undefined;
      for (const fault of candidates) {
        const givesDelay = delay === undefined && fault.delayMs !== undefined;
        const givesOutcome = outcome === undefined && hasOutcome(fault);
        if (!(givesDelay || givesOutcome) || !isFor(fault, target)) continue;
        if (fault.rate !== undefined && drawFor(clientId) >= fault.rate) continue;
        if (givesDelay) delay = fault.delayMs;
        if (givesOutcome) outcome = fault;
        if (givesOutcome || id === undefined) id = fault.id;
        hit(fault);
      }
      if (delay === undefined && outcome === undefined) return undefined;
      const { status, effect, headers, body } = outcome ?? {};
      const applied: AppliedFault = {
        ...(id !== undefined && { id }),
        ...(effect === undefined && outcome !== undefined && { status: status ?? 200 }),
        ...(effect !== undefined && { effect }),
        ...(delay !== undefined && { delayMs: drawDelay(delay, () => drawFor(clientId)) }),
      };
      return { applied, ...(headers && { headers }), ...(body !== undefined && { body }) };
    },
  };
}

/** Ids are `fault-1`, `fault-2` and so on, over all clients. */
function faultNumber({ id }: ActiveFault): number {
  return Number(id.slice('fault-'.length));
}

function hasOutcome({ status, effect, body }: Partial<Fault>): boolean {
  return status !== undefined || effect !== undefined || body !== undefined;
}

/** The owner of the fault already decides about the client. */
function isFor(fault: Fault, { userId, route }: FaultTarget): boolean {
  return (
    (fault.userId === undefined || fault.userId === userId) &&
    (fault.route === undefined || fault.route === route)
  );
}

function drawDelay(delay: Delay, random: () => number): number {
  if (typeof delay === 'number') return delay;
  const [least = 0, most = least] = delay.split('-').map(Number);
  return least + Math.floor(random() * (most - least + 1));
}
