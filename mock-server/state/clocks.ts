// The clocks of a mock: one for each client, and the default clock that new clients start with.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClockReading, Scope } from '../control.js';
import { isInClockRange, parseInstant } from '../moment.js';
import { invalidValue, problemAt } from '../problems.js';
import { type ClockSetting, readClock } from './clock.js';
import type { OnChange } from './events.js';
import type { ScopeState, Tenants } from './tenants.js';

/** Creates the clocks. `shared` has the default clock. */
export function createClocks(
  systemNow: () => Date,
  tenants: Tenants,
  shared: ScopeState,
  onChange: OnChange,
) {
  const current = new AsyncLocalStorage<string | null>();
  /** Reads the clock of a client; the default clock if there is no such client. */
  const read = (clientId: string | null | undefined) =>
    readClock((tenants.find(clientId)?.own ?? shared).clock, systemNow());

  /** Changes the selected clocks. Computes all settings first, so that an error changes none. */
  function changeClocks(scope: Scope, change: (reading: ClockReading) => ClockSetting): ClockReading {
    const states = tenants.select(scope).map(({ own }) => own);
    if (scope.clientId === undefined) states.unshift(shared);
    const changes = states.map((state) => ({ state, clock: change(readClock(state.clock, systemNow())) }));
    for (const { state, clock } of changes) state.clock = clock;
    onChange(scope.clientId ?? null, 'clock');
    return read(scope.clientId);
  }

  return {
    /** Time of the client that `runFor` runs for; otherwise of the default clock. */
    now: () => read(current.getStore()).now,
    runFor: <T>(clientId: string | null, run: () => T): T => current.run(clientId, run),
    clock({ clientId }: Scope = {}): ClockReading {
      if (clientId !== undefined) tenants.need(clientId);
      return read(clientId);
    },
    setClock({ now, isFrozen }: { now?: Date | string; isFrozen?: boolean }, scope: Scope = {}) {
      const moment = now === undefined ? undefined : parseInstant(now);
      if (now !== undefined && moment === undefined)
        throw invalidClock('now', 'must be a moment in the years 1980 to 9000');
      return changeClocks(scope, (reading) =>
        settingAt(reading, moment ?? reading.now, isFrozen ?? reading.isFrozen),
      );
    },
    advanceClock: (ms: number, scope: Scope = {}) =>
      changeClocks(scope, (reading) => {
        const time = new Date(reading.now.getTime() + ms);
        if (!isInClockRange(time.getTime()))
          throw invalidClock('ms', 'must lead to a moment in the years 1980 to 9000');
        return settingAt(reading, time, reading.isFrozen);
      }),
    resetClock: (scope: Scope = {}) => changeClocks(scope, () => ({ offsetMs: 0 })),
  };
}

/** Returns the setting of a clock that is to show this time now. */
function settingAt({ now, offsetMs }: ClockReading, time: Date, isFrozen: boolean): ClockSetting {
  return {
    offsetMs: offsetMs + time.getTime() - now.getTime(),
    ...(isFrozen && { frozenAt: time.getTime() }),
  };
}

function invalidClock(member: 'now' | 'ms', detail: string) {
  return invalidValue('The clock', [problemAt(`/${member}`, 'value', detail)]);
}
