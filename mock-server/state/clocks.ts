// The clocks of a mock: one for each client, and the default clock that new clients start with.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClockReading, Scope } from '../control.js';
import { isInClockRange, parseInstant } from '../moment.js';
import { invalidValue, problemAt } from '../problems.js';
import { type Clock, createClock } from './clock.js';
import type { Tenants } from './tenants.js';

/** Creates the clocks. `onChange` gets the client, or null for all. */
export function createClocks(
  systemNow: () => Date,
  tenants: Tenants,
  onChange: (clientId: string | null) => void,
) {
  const current = new AsyncLocalStorage<string | null>();
  const defaultClock = createClock(systemNow);
  /** Returns the clock of a client; the default clock if there is no such client. */
  const of = (clientId: string | null | undefined) => tenants.find(clientId)?.clock ?? defaultClock;

  /** Changes the selected clocks. Checks all of them first, so that an error changes none. */
  function changeClocks(
    scope: Scope,
    change: (clock: Clock) => void,
    check: (clock: Clock) => void = () => {},
  ): ClockReading {
    const clocks = tenants.select(scope).map(({ clock }) => clock);
    if (scope.clientId === undefined) clocks.unshift(defaultClock);
    clocks.forEach(check);
    clocks.forEach(change);
    onChange(scope.clientId ?? null);
    return of(scope.clientId).read();
  }

  return {
    defaultClock,
    of,
    /** Time of the client that `runFor` runs for; otherwise of the default clock. */
    now: () => of(current.getStore()).now(),
    runFor: <T>(clientId: string | null, run: () => T): T => current.run(clientId, run),
    clock({ clientId }: Scope = {}): ClockReading {
      if (clientId !== undefined) tenants.need(clientId);
      return of(clientId).read();
    },
    setClock({ now, isFrozen }: { now?: Date | string; isFrozen?: boolean }, scope: Scope = {}) {
      const moment = now === undefined ? undefined : parseInstant(now);
      if (now !== undefined && moment === undefined)
        throw invalidClock('now', 'must be a moment in the years 1980 to 9000');
      return changeClocks(scope, (clock) => {
        if (isFrozen === true) clock.freeze();
        if (isFrozen === false) clock.resume();
        if (moment !== undefined) clock.set(moment);
      });
    },
    advanceClock: (ms: number, scope: Scope = {}) =>
      changeClocks(
        scope,
        (clock) => clock.advance(ms),
        (clock) => {
          if (!isInClockRange(clock.now().getTime() + ms))
            throw invalidClock('ms', 'must lead to a moment in the years 1980 to 9000');
        },
      ),
    resetClock: (scope: Scope = {}) => changeClocks(scope, (clock) => clock.restore({ offsetMs: 0 })),
  };
}

function invalidClock(member: 'now' | 'ms', detail: string) {
  return invalidValue('The clock', [problemAt(`/${member}`, 'value', detail)]);
}
