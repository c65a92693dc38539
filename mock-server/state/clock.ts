// Clocks that follow the system clock with an offset, or are frozen; and the methods that read and set them.
import { invalidValue, problemAt } from '../control/errors.js';
import type { ClientSelection, ClockReading } from '../control/types.js';
import { isInClockRange, parseInstant } from '../schemas/moment.js';

/** Setting of a clock. Immutable: each change replaces it. */
export interface ClockSetting {
  readonly offsetMs: number;
  readonly frozenAt?: number;
}

export function readClock({ offsetMs, frozenAt }: ClockSetting, systemNow: Date): ClockReading {
  const systemTime = systemNow.getTime();
  const time = frozenAt ?? systemTime + offsetMs;
  return { now: new Date(time), isFrozen: frozenAt !== undefined, offsetMs: time - systemTime };
}

/** The clocks of a mock. */
interface Clocks {
  /** The clock of clients to come. */
  defaults: { clock: ClockSetting };
  /** Returns the selected client, or all. @throws `client_not_found` */
  select(selection: ClientSelection): readonly { clockAndFaults: { clock: ClockSetting } }[];
}

/** Creates the methods. Without a client, they apply to all clocks, and to the clock of clients to come. */
export function createClock(
  { defaults, select }: Clocks,
  systemNow: () => Date,
  onSet: (selection: ClientSelection) => void,
) {
  const clocks = (selection: ClientSelection) => [
    ...(selection.clientId === undefined ? [defaults] : []),
    ...select(selection).map(({ clockAndFaults }) => clockAndFaults),
  ];

  function clock(selection: ClientSelection = {}): ClockReading {
    const [{ clock } = defaults] = selection.clientId === undefined ? [] : clocks(selection);
    return readClock(clock, systemNow());
  }

  /** Changes each clock by its reading. Computes all settings first, so that an error changes none. */
  function set(selection: ClientSelection, change: (reading: ClockReading) => ClockSetting): ClockReading {
    const states = clocks(selection);
    const settings = states.map((state) => change(readClock(state.clock, systemNow())));
    for (const [index, state] of states.entries()) state.clock = settings[index] ?? state.clock;
    onSet(selection);
    return clock(selection);
  }

  return {
    clock,
    /** Sets, freezes or resumes. @throws `request_invalid` */
    setClock({ now, isFrozen, ...selection }: ClientSelection & { now?: Date | string; isFrozen?: boolean }) {
      const moment = now === undefined ? undefined : parseInstant(now);
      if (now !== undefined && moment === undefined)
        throw invalidClock('now', 'must be a moment in the years 1980 to 9000');
      return set(selection, (reading) =>
        settingAt(reading, moment ?? reading.now, isFrozen ?? reading.isFrozen),
      );
    },
    /** @throws `request_invalid` if one of the clocks cannot show the time */
    advanceClock: ({ ms, ...selection }: ClientSelection & { ms: number }) =>
      set(selection, (reading) => {
        const time = new Date(reading.now.getTime() + ms);
        if (!isInClockRange(time.getTime()))
          throw invalidClock('ms', 'must lead to a moment in the years 1980 to 9000');
        return settingAt(reading, time, reading.isFrozen);
      }),
    resetClock: (selection: ClientSelection = {}) => set(selection, () => ({ offsetMs: 0 })),
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
