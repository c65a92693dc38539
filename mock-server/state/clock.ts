// A clock that follows the system clock with an offset, or is frozen.
import type { Clock } from './types.js';

/** What a clock is set to. */
export interface ClockSetting {
  /** Difference to the system clock in milliseconds. */
  offsetMs: number;
  /** Time of a frozen clock. */
  frozenAt?: number;
}

/** A clock whose setting can be saved and restored. */
export interface SavedClock extends Clock {
  readonly setting: ClockSetting;
  restore(setting: ClockSetting): void;
}

/** Creates a clock over the system clock. */
export function createClock(systemNow: () => Date): SavedClock {
  let offset = 0;
  let frozenAt: number | undefined;

  const time = (system: number) => frozenAt ?? system + offset;

  return {
    now: () => new Date(time(systemNow().getTime())),
    read() {
      const system = systemNow().getTime();
      const now = time(system);
      return { now: new Date(now), isFrozen: frozenAt !== undefined, offsetMs: now - system };
    },
    set(moment) {
      if (frozenAt === undefined) offset = moment.getTime() - systemNow().getTime();
      else frozenAt = moment.getTime();
    },
    advance(ms) {
      if (frozenAt === undefined) offset += ms;
      else frozenAt += ms;
    },
    freeze() {
      frozenAt = time(systemNow().getTime());
    },
    resume() {
      if (frozenAt !== undefined) offset = frozenAt - systemNow().getTime();
      frozenAt = undefined;
    },
    reset() {
      offset = 0;
      frozenAt = undefined;
    },
    get setting() {
      return { offsetMs: offset, ...(frozenAt !== undefined && { frozenAt }) };
    },
    restore(setting) {
      offset = setting.offsetMs;
      frozenAt = setting.frozenAt;
    },
  };
}
