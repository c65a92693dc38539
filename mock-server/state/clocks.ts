// The clocks of a mock: one for each client, and the default clock that new clients start with.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClaimlinkError } from '../../lib/index.js';
import type { Scope } from '../control.js';
import { isInClockRange, parseInstant } from '../moment.js';
import { invalidValue, problemAt } from '../problems.js';
import { createClock, type SavedClock } from './clock.js';
import type { Tenants } from './tenants.js';
import type { MockState } from './types.js';

/** The clocks, and the methods of the state that change them. */
export interface Clocks
  extends Pick<MockState, 'now' | 'runFor' | 'clock' | 'setClock' | 'advanceClock' | 'resetClock'> {
  readonly defaultClock: SavedClock;
  /** Returns the clock of a client; the default clock if there is no such client. */
  of(clientId: string | null | undefined): SavedClock;
}

/** Creates the clocks. `onChange` gets the client, or null for all. */
export function createClocks(
  systemNow: () => Date,
  tenants: Tenants,
  onChange: (clientId: string | null) => void,
): Clocks {
  const current = new AsyncLocalStorage<string | null>();
  const defaultClock = createClock(systemNow);
  const of = (clientId: string | null | undefined) => tenants.find(clientId)?.clock ?? defaultClock;

  /** Changes the selected clocks. Checks all of them first, so that an error changes none. */
  function changeClocks(
    scope: Scope,
    change: (clock: SavedClock) => void,
    check: (clock: SavedClock) => void = () => {},
  ) {
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
    now: () => of(current.getStore()).now(),
    runFor: (clientId, run) => current.run(clientId, run),
    clock({ clientId } = {}) {
      if (clientId !== undefined) tenants.need(clientId);
      return of(clientId).read();
    },
    setClock({ now, isFrozen }, scope = {}) {
      const moment = now === undefined ? undefined : parseInstant(now);
      if (now !== undefined && moment === undefined)
        throw invalidClock('now', 'must be a moment in the years 1980 to 9000');
      return changeClocks(scope, (clock) => {
        if (isFrozen === true) clock.freeze();
        if (isFrozen === false) clock.resume();
        if (moment !== undefined) clock.set(moment);
      });
    },
    advanceClock: (ms, scope = {}) =>
      changeClocks(
        scope,
        (clock) => clock.advance(ms),
        (clock) => {
          if (!isInClockRange(clock.now().getTime() + ms))
            throw invalidClock('ms', 'must lead to a moment in the years 1980 to 9000');
        },
      ),
    resetClock: (scope = {}) => changeClocks(scope, (clock) => clock.reset()),
  };
}

function invalidClock(member: 'now' | 'ms', detail: string): ClaimlinkError {
  return invalidValue('The clock', [problemAt(`/${member}`, 'value', detail)]);
}
