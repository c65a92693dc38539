// A clock that follows the system clock with an offset, or is frozen.
import type { ClockReading } from '../control.js';

/** Setting of a clock. Immutable: each change replaces it. */
export interface ClockSetting {
  /** Difference to the system clock in milliseconds. */
  readonly offsetMs: number;
  /** Time of a frozen clock. */
  readonly frozenAt?: number;
}

/** Reads a clock at a time of the system clock. */
export function readClock({ offsetMs, frozenAt }: ClockSetting, systemNow: Date): ClockReading {
  const systemTime = systemNow.getTime();
  const time = frozenAt ?? systemTime + offsetMs;
  return { now: new Date(time), isFrozen: frozenAt !== undefined, offsetMs: time - systemTime };
}
