// The faults of a mock: the methods that set them, and the decision what becomes of a request.
import { hash } from 'node:crypto';
import { deepFreeze } from '../../lib/core/plain-data.js';
import { controlError, invalidValue, problemAt } from '../control/errors.js';
import type {
  ActiveFault,
  AppliedFault,
  ClientSelection,
  Delay,
  Fault,
  LoggedRequest,
} from '../control/types.js';
import type { ClockAndFaults } from './client-records.js';
import type { Clients } from './clients.js';
import type { OnChange } from './event-bus.js';
import { toJson } from './json-pieces.js';
import { MIB } from './space.js';

export type FaultTarget = Pick<LoggedRequest, 'clientId' | 'userId' | 'route'>;

export type AskedFault = Pick<Fault, 'status' | 'delayMs'>;

export interface FaultDecision extends Pick<Fault, 'headers' | 'body' | 'bytesPerSecond' | 'afterBytes'> {
  applied: AppliedFault;
}

const MAX_FAULTS = 1000;
/** Of the faults of a client, as JSON. */
const MAX_BYTES = MIB;

/** Returns a function that gives a fault an id: one after those of the saved faults. */
export function createActivation(saved: readonly ActiveFault[]): (fault: Fault) => ActiveFault {
  let lastNumber = saved.map(faultNumber).reduce((a, b) => Math.max(a, b), 0);
  // A logged fault has an id already.
  return (fault) => deepFreeze({ ...structuredClone(fault), id: `fault-${++lastNumber}`, hits: 0 });
}

/** Creates the faults. In the functions, clientId null stands for those of all clients. */
export function createFaults(
  seed: number | string,
  { defaults, ...clients }: Pick<Clients, 'defaults' | 'find' | 'select'>,
  activate: (fault: Fault) => ActiveFault,
  onChange: OnChange,
) {
  function stateOf(clientId: string | null): Pick<ClockAndFaults, 'faults' | 'randomCount'> {
    if (clientId === null) return defaults;
    // A client may be removed during a request.
    return clients.find(clientId)?.clockAndFaults ?? { faults: [], randomCount: 0 };
  }

  function replace(clientId: string | null, faults: readonly ActiveFault[]): void {
    stateOf(clientId).faults = faults;
    onChange(clientId, 'faults');
  }

  function selectIds(selection: ClientSelection): (string | null)[] {
    const clientIds = clients.select(selection).map(({ clientId }) => clientId);
    return selection.clientId === undefined ? [null, ...clientIds] : clientIds;
  }

  /** Each client has numbers of its own: requests of other clients do not change them. */
  function randomFor(clientId: string | null): number {
    return randomAt(JSON.stringify(['faults', String(seed), clientId]), stateOf(clientId).randomCount++);
  }

  /** Counts a hit. Removes the fault after its last one. */
  function hit(fault: ActiveFault): void {
    const clientId = fault.clientId ?? null;
    const times = fault.times === undefined ? undefined : fault.times - 1;
    const next = { ...fault, hits: fault.hits + 1, ...(times !== undefined && { times }) };
    const { faults } = stateOf(clientId);
    replace(
      clientId,
      faults.flatMap((each) => (each !== fault ? [each] : times === 0 ? [] : [Object.freeze(next)])),
    );
  }

  /**
   * Sets all faults or none. Those without `clientId` apply to every client, and to requests of no client.
   * @throws `client_not_found`; `request_invalid` for too many
   */
  function add(faults: readonly Fault[]): readonly ActiveFault[] {
    const lists = new Map<string | null, ActiveFault[]>();
    const added = faults.map(activate);
    for (const fault of added) {
      const { clientId = null } = fault;
      if (clientId !== null) clients.select({ clientId });
      const list = lists.get(clientId) ?? [...stateOf(clientId).faults];
      list.push(fault);
      lists.set(clientId, list);
    }
    for (const list of lists.values()) assertSpace(list);
    for (const [clientId, list] of lists) replace(clientId, list);
    return added;
  }

  const methods = {
    addFault: (fault: Fault) => add([fault])[0] as ActiveFault,
    failNext({
      faults,
      ...fault
    }: Fault & { faults?: readonly Fault[] }): ActiveFault | readonly ActiveFault[] {
      const each: readonly Fault[] = faults ?? [{}];
      const added = add(each.map((one) => ({ ...one, ...fault, times: 1 })));
      return faults === undefined ? (added[0] as ActiveFault) : added;
    },
    /** With a client: the faults of that client, without those of all clients. */
    faults: (selection: ClientSelection = {}) =>
      selectIds(selection).flatMap((clientId) => stateOf(clientId).faults),
    /** @throws `fault_shared` for the id of a fault of all clients, if a client is selected */
    clearFaults({ id, ...selection }: ClientSelection & { id?: string } = {}): number {
      const isOfAll = defaults.faults.some((fault) => fault.id === id);
      if (selection.clientId !== undefined && isOfAll) throw controlError('fault_shared');
      let cleared = 0;
      for (const clientId of selectIds(selection)) {
        const { faults } = stateOf(clientId);
        const rest = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
        cleared += faults.length - rest.length;
        if (rest.length < faults.length) replace(clientId, rest);
      }
      return cleared;
    },
  };

  return {
    methods,
    /**
     * Decides what becomes of a request: delays and shares come from the seed. Counts hits. What the request asks
     * for comes first, then one fault with `times`: the earliest. Then come faults without, the latest first. The delay and
     * the outcome each come from the first that has one.
     */
    decideFault(target: FaultTarget, asked: AskedFault = {}): FaultDecision | undefined {
      const { clientId } = target;
      const candidates = (clientId === null ? [null] : [null, clientId])
        .flatMap((each) => stateOf(each).faults)
        .sort(byPrecedence);
      let delay = asked.delayMs;
      let outcome: Partial<Fault> | undefined = hasOutcome(asked) ? asked : undefined;
      let id: string | undefined;
      let hasCounted = false;
      for (const fault of candidates) {
        if (fault.times !== undefined && hasCounted) continue;
        const givesDelay = delay === undefined && fault.delayMs !== undefined;
        const givesOutcome = outcome === undefined && hasOutcome(fault);
        if (!(givesDelay || givesOutcome) || !isFor(fault, target)) continue;
        if (fault.rate !== undefined && randomFor(clientId) >= fault.rate) continue;
        if (givesDelay) delay = fault.delayMs;
        if (givesOutcome) outcome = fault;
        if (givesOutcome || id === undefined) id = fault.id;
        hasCounted ||= fault.times !== undefined;
        hit(fault);
      }
      if (delay === undefined && outcome === undefined) return undefined;
      const { status, effect, headers, body, bytesPerSecond, afterBytes } = outcome ?? {};
      const applied: AppliedFault = {
        ...(id !== undefined && { id }),
        ...(effect === undefined && outcome !== undefined && { status: status ?? 200 }),
        ...(effect !== undefined && { effect }),
        ...(delay !== undefined && { delayMs: pickDelay(delay, () => randomFor(clientId)) }),
      };
      return {
        applied,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
        ...(bytesPerSecond !== undefined && { bytesPerSecond }),
        ...(afterBytes !== undefined && { afterBytes }),
      };
    },
  };
}

/** @throws `request_invalid` if the faults of a client are too many or too large */
function assertSpace(faults: readonly ActiveFault[]): void {
  const isTooLong = faults.length > MAX_FAULTS;
  if (!isTooLong && toJson(faults).length <= MAX_BYTES) return;
  const limit = isTooLong ? `${MAX_FAULTS} faults` : `${MAX_BYTES / MIB} MiB of faults`;
  throw invalidValue('The fault', [problemAt('', 'value', `is one more than ${limit}; clear some first`)]);
}

/** Faults with `times` come first, in the order in which they were set. Of the others, the latest one comes first. */
function byPrecedence(a: ActiveFault, b: ActiveFault): number {
  const isCounted = a.times !== undefined;
  if (isCounted !== (b.times !== undefined)) return isCounted ? -1 : 1;
  return isCounted ? faultNumber(a) - faultNumber(b) : faultNumber(b) - faultNumber(a);
}

/** Ids are `fault-1`, `fault-2` and so on, over all clients. */
function faultNumber({ id }: ActiveFault): number {
  return Number(id.slice('fault-'.length));
}

function hasOutcome({ status, effect, body }: Partial<Fault>): boolean {
  return status !== undefined || effect !== undefined || body !== undefined;
}

/** Does not compare the client: only faults of the client are candidates. */
function isFor(fault: Fault, { userId, route }: FaultTarget): boolean {
  return (
    (fault.userId === undefined || fault.userId === userId) &&
    // Attempts to send the webhook run beside requests: they must not use up a fault of the next request.
    (fault.route === route || (fault.route === undefined && route !== 'claimSubmitted'))
  );
}

function pickDelay(delay: Delay, random: () => number): number {
  if (typeof delay === 'number') return delay;
  const [least = 0, most = least] = delay.split('-').map(Number);
  return least + Math.floor(random() * (most - least + 1));
}

/**
 * Returns the `index`-th number of a stream, in [0, 1). The same seed gives the same numbers on every machine.
 * Not for secrets.
 */
export function randomAt(seed: string, index: number): number {
  return Number.parseInt(hash('sha256', JSON.stringify([seed, index]), 'hex').slice(0, 13), 16) / 2 ** 52;
}
