// Faults: lists of them, and the decision what becomes of a request.
import type { ActiveFault, AppliedFault, Delay, Fault } from '../control.js';
import type { AskedFault, FaultDecision, FaultTarget } from './types.js';

/** The faults of one client, or those of all clients. */
export interface FaultList {
  add(fault: ActiveFault): void;
  list(): readonly ActiveFault[];
  /** Removes the fault with this id, or all. Returns their number. */
  clear(id?: string): number;
  /** Replaces all faults. */
  restore(faults: readonly ActiveFault[]): void;
  /** Counts a hit. Removes the fault after its last one. */
  hit(fault: ActiveFault): void;
}

/** Creates an empty list. `onChange` is called after faults were set, hit or cleared. */
export function createFaultList(onChange: () => void): FaultList {
  let faults: readonly ActiveFault[] = [];

  function replace(next: readonly ActiveFault[]): void {
    faults = next;
    onChange();
  }

  return {
    add: (fault) => replace([...faults, fault]),
    list: () => faults,
    clear(id) {
      const rest = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
      const cleared = faults.length - rest.length;
      if (cleared > 0) replace(rest);
      return cleared;
    },
    restore(saved) {
      faults = saved;
    },
    hit(fault) {
      const times = fault.times === undefined ? undefined : fault.times - 1;
      const next = Object.freeze({
        ...fault,
        hits: fault.hits + 1,
        ...(times !== undefined && { times }),
      });
      replace(faults.flatMap((each) => (each !== fault ? [each] : times === 0 ? [] : [next])));
    },
  };
}

/**
 * Decides what becomes of a request and counts the hits. What the request asks for comes first, then faults, the
 * latest first. The delay and the outcome each come from the first that has one.
 */
export function decideFault(
  lists: readonly FaultList[],
  target: FaultTarget,
  asked: AskedFault,
  random: () => number,
): FaultDecision | undefined {
  let delay = asked.delayMs;
  let outcome: Partial<Fault> | undefined = hasOutcome(asked) ? asked : undefined;
  let id: string | undefined;
  for (const { fault, list } of latestFirst(lists)) {
    const givesDelay = delay === undefined && fault.delayMs !== undefined;
    const givesOutcome = outcome === undefined && hasOutcome(fault);
    if (!(givesDelay || givesOutcome) || !isFor(fault, target)) continue;
    if (fault.rate !== undefined && random() >= fault.rate) continue;
    if (givesDelay) delay = fault.delayMs;
    if (givesOutcome) outcome = fault;
    if (givesOutcome || id === undefined) id = fault.id;
    list.hit(fault);
  }
  if (delay === undefined && outcome === undefined) return undefined;
  const { status, effect, headers, body } = outcome ?? {};
  const applied: AppliedFault = {
    ...(id !== undefined && { id }),
    ...(effect === undefined && outcome !== undefined && { status: status ?? 200 }),
    ...(effect !== undefined && { effect }),
    ...(delay !== undefined && { delayMs: drawDelay(delay, random) }),
  };
  return { applied, ...(headers && { headers }), ...(body !== undefined && { body }) };
}

function latestFirst(lists: readonly FaultList[]): { fault: ActiveFault; list: FaultList }[] {
  return lists
    .flatMap((list) => list.list().map((fault) => ({ fault, list })))
    .sort((a, b) => faultNumber(b.fault) - faultNumber(a.fault));
}

/** Ids are `fault-1`, `fault-2` and so on, over all lists. */
function faultNumber({ id }: ActiveFault): number {
  return Number(id.slice('fault-'.length));
}

function hasOutcome({ status, effect, body }: Partial<Fault>): boolean {
  return status !== undefined || effect !== undefined || body !== undefined;
}

/** The list already decides about the client. */
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
