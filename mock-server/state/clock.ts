// A clock that follows the system clock with an offset, or is frozen.

import { invalidValue, problemAt } from '../control/errors.js';
import type { ClockReading } from '../control/types.js';
import { isInClockRange, parseInstant } from '../schemas/moment.js';

/** Setting of a clock. Immutable: each change replaces it. */
export interface ClockSetting {
  readonly offsetMs: number;
  readonly frozenAt?: number;
}

/** Computes the next setting of a clock from its reading. */
export type ClockChange = (reading: ClockReading) => ClockSetting;

export function readClock({ offsetMs, frozenAt }: ClockSetting, systemNow: Date): ClockReading {
  const systemTime = systemNow.getTime();
  const time = frozenAt ?? systemTime + offsetMs;
  return { now: new Date(time), isFrozen: frozenAt !== undefined, offsetMs: time - systemTime };
}

/** Sets, freezes or resumes a clock. @throws `request_invalid` */
export function setting({ now, isFrozen }: { now?: Date | string; isFrozen?: boolean }): ClockChange {
  const moment = now === undefined ? undefined : parseInstant(now);
  if (now !== undefined && moment === undefined)
    throw invalidClock('now', 'must be a moment in the years 1980 to 9000');
  return (reading) => settingAt(reading, moment ?? reading.now, isFrozen ?? reading.isFrozen);
}

/** Advances a clock. The change throws `request_invalid` if no clock can show the time. */
export function advancing(ms: number): ClockChange {
  return (reading) => {
    const time = new Date(reading.now.getTime() + ms);
    if (!isInClockRange(time.getTime()))
      throw invalidClock('ms', 'must lead to a moment in the years 1980 to 9000');
    return settingAt(reading, time, reading.isFrozen);
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
