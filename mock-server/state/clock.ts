// A clock that follows the system clock with an offset, or is frozen.
import type { ClockReading } from '../control.js';

/** Setting of a clock. */
export interface ClockSetting {
  /** Difference to the system clock in milliseconds. */
  offsetMs: number;
  /** Time of a frozen clock. */
  frozenAt?: number;
}

export type Clock = ReturnType<typeof createClock>;

/** Creates a clock over the system clock. */
export function createClock(systemNow: () => Date) {
  let setting: ClockSetting = { offsetMs: 0 };
  const systemTime = () => systemNow().getTime();
  const timeAt = (system: number) => setting.frozenAt ?? system + setting.offsetMs;

  return {
    now: () => new Date(timeAt(systemTime())),
    read(): ClockReading {
      const system = systemTime();
      const now = timeAt(system);
      return { now: new Date(now), isFrozen: setting.frozenAt !== undefined, offsetMs: now - system };
    },
    set(moment: Date) {
      const time = moment.getTime();
      if (setting.frozenAt === undefined) setting = { offsetMs: time - systemTime() };
      else setting = { ...setting, frozenAt: time };
    },
    advance(ms: number) {
      const { offsetMs, frozenAt } = setting;
      setting = frozenAt === undefined ? { offsetMs: offsetMs + ms } : { offsetMs, frozenAt: frozenAt + ms };
    },
    freeze() {
      setting = { ...setting, frozenAt: timeAt(systemTime()) };
    },
    resume() {
      if (setting.frozenAt !== undefined) setting = { offsetMs: setting.frozenAt - systemTime() };
    },
    get setting() {
      return setting;
    },
    restore(saved: ClockSetting) {
      setting = saved;
    },
  };
}
