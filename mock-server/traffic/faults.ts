// The faults that are set, and what becomes of a request by them.

import type { ActiveFault, AppliedFault, Fault, FaultEffect, RouteName, Scope } from '../control.js';
import { assertMembers, checkClientId, invalidMembers, type MemberCheck } from './check-members.js';
import { assertFault } from './faults-check.js';

/** A delay in milliseconds, or a range of which each request draws one, both ends included. */
export type Delay = number | readonly [number, number];

/** What holds for every request besides the faults that are set: `--latency` and `--error-rate`. */
export interface BaseFaults {
  delayMs?: Delay;
  /** Share of the requests that are answered with 500: 0 to 1. */
  errorRate?: number;
}

/** What one request asks for itself. */
export interface AskedFault {
  status?: number;
  effect?: FaultEffect;
  delayMs?: Delay;
}

/** What a request is to the faults. */
export interface FaultTarget {
  clientId: string | null;
  /** null: no route of the service. */
  route: RouteName | null;
}

/** Which faults to clear. */
export type FaultSelection = Scope & { id?: string };

/** Options of `createFaults`. */
export interface FaultsOptions {
  /** Numbers in [0, 1), drawn for a client, so that what one client does changes nothing for another. */
  random: (clientId: string | null) => number;
  /** Checked already. */
  base?: BaseFaults;
  /** Called after faults were set, applied or cleared: of one client, or (null) of all. */
  onChange?: (clientId: string | null) => void;
}

/** The faults of one mock. */
export interface Faults {
  /** @throws `request_invalid` with every problem, and when 1000 are set already. */
  add(fault: Fault): ActiveFault;
  /** In the order they were set. With a scope: those set for that client, without those set for all. */
  list(scope?: Scope): readonly ActiveFault[];
  /** Clears those that `list` shows for the scope, or the one with the id, or all. Returns how many there were. */
  clear(which?: FaultSelection): number;
  /**
   * What is to be done to a request, and counts it; delays are drawn. What it asks for itself comes first, then the
   * faults, the latest first, then `base`; delay and outcome (status or effect) each come from the first that has one.
   */
  decide(request: FaultTarget, asked?: AskedFault): AppliedFault | undefined;
  readonly base: Readonly<BaseFaults>;
}

/** Most faults set at a time. */
const MAX_FAULTS = 1000;

const BASE_ERROR_STATUS = 500;

const SCOPE_CHECKS = { clientId: checkClientId };
const checkId: MemberCheck = (value) =>
  typeof value === 'string' ? undefined : 'must be the id of a fault, a string';
const SELECTION_CHECKS = { ...SCOPE_CHECKS, id: checkId };

/** Makes the faults of one mock; none is set. */
export function createFaults({ random, base = {}, onChange = () => {} }: FaultsOptions): Faults {
  let faults: ActiveFault[] = [];
  let lastNumber = 0;
  const frozenBase = Object.freeze({ ...base });

  function hits(rate: number | undefined, { clientId }: FaultTarget): boolean {
    return rate === undefined || random(clientId) < rate;
  }

  function draw(delay: Delay, { clientId }: FaultTarget): number {
    if (typeof delay === 'number') return delay;
    const [least, most] = delay;
    return least + Math.floor(random(clientId) * (most - least + 1));
  }

  /** The faults that act on the request, the latest first; what is given already, no fault gives. */
  function findActing(request: FaultTarget, given: AskedFault): ActiveFault[] {
    if (faults.length === 0) return [];
    let hasDelay = given.delayMs !== undefined;
    let hasOutcome = hasOutcomeOf(given);
    const acting: ActiveFault[] = [];
    for (const fault of faults.toReversed()) {
      const adds = (!hasDelay && fault.delayMs !== undefined) || (!hasOutcome && hasOutcomeOf(fault));
      if (!adds || !isFor(fault, request) || !hits(fault.rate, request)) continue;
      acting.push(fault);
      hasDelay ||= fault.delayMs !== undefined;
      hasOutcome ||= hasOutcomeOf(fault);
    }
    return acting;
  }

  function countHits(acting: readonly ActiveFault[]): void {
    for (const fault of acting) {
      fault.hits++;
      if (fault.times !== undefined) fault.times--;
    }
    if (acting.some(({ times }) => times === 0)) faults = faults.filter(({ times }) => times !== 0);
    for (const clientId of new Set(acting.map((fault) => fault.clientId ?? null))) onChange(clientId);
  }

  return {
    add(fault) {
      assertFault(fault);
      if (faults.length >= MAX_FAULTS) {
        const detail = `cannot be set: there are ${MAX_FAULTS} already; clear some first`;
        throw invalidMembers('The fault', [{ pointer: '', rule: 'value', detail }]);
      }
      lastNumber++;
      const active: ActiveFault = { id: `fault-${lastNumber}`, ...withoutUndefined(fault), hits: 0 };
      const { delayMs } = active;
      if (typeof delayMs === 'object') active.delayMs = Object.freeze([delayMs[0], delayMs[1]] as const);
      faults.push(active);
      const copy = copyOf(active);
      onChange(active.clientId ?? null);
      return copy;
    },

    list(scope = {}) {
      assertMembers(scope, SCOPE_CHECKS, 'The scope', 'a scope');
      return faults.filter((fault) => isSelected(fault, scope)).map(copyOf);
    },

    clear(which = {}) {
      assertMembers(which, SELECTION_CHECKS, 'The selection of faults', 'a selection of faults');
      const cleared = faults.filter((fault) => isSelected(fault, which));
      if (cleared.length === 0) return 0;
      const gone = new Set(cleared);
      faults = faults.filter((fault) => !gone.has(fault));
      const scopes = new Set(cleared.map(({ clientId }) => clientId ?? null));
      onChange(scopes.size === 1 ? ([...scopes][0] ?? null) : null);
      return cleared.length;
    },

    decide(request, asked = {}) {
      const acting = findActing(request, asked);
      const outcome = [asked, ...acting].find(hasOutcomeOf) ?? drawBaseError(request);
      const delay = [asked, ...acting, frozenBase].find(({ delayMs }) => delayMs !== undefined)?.delayMs;
      const { status, effect } = outcome;
      const applied: AppliedFault = {
        ...(status !== undefined && { status }),
        ...(effect !== undefined && { effect }),
        ...(delay !== undefined && { delayMs: draw(delay, request) }),
      };
      if (acting.length > 0) countHits(acting);
      return Object.keys(applied).length > 0 ? Object.freeze(applied) : undefined;
    },

    get base() {
      return frozenBase;
    },
  };

  function drawBaseError(request: FaultTarget): AskedFault {
    const { errorRate = 0 } = frozenBase;
    return errorRate > 0 && hits(errorRate, request) ? { status: BASE_ERROR_STATUS } : {};
  }
}

function hasOutcomeOf({ status, effect }: AskedFault): boolean {
  return status !== undefined || effect !== undefined;
}

function isFor(fault: Fault, { clientId, route }: FaultTarget): boolean {
  return (
    (fault.clientId === undefined || fault.clientId === clientId) &&
    (fault.route === undefined || fault.route === route)
  );
}

function isSelected(fault: ActiveFault, { clientId, id }: FaultSelection): boolean {
  return (clientId === undefined || fault.clientId === clientId) && (id === undefined || fault.id === id);
}

/** What a caller gets is not what is counted with. */
function copyOf(fault: ActiveFault): ActiveFault {
  return Object.freeze({ ...fault });
}

function withoutUndefined(fault: Fault): Fault {
  return Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined)) as Fault;
}
