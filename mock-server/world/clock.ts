// One virtual clock: ahead of or behind the real time, or frozen.
import type { ClockReading } from '../control.js';
import type { ClockSetting } from './world-snapshot.js';

/** A clock that can be turned. */
export interface Clock {
  now(): Date;
  read(): ClockReading;
  set(moment: Date): void;
  advance(ms: number): void;
  freeze(): void;
  resume(): void;
  /** Back to the real time. */
  reset(): void;
  /** What it is set to; may be given to `createClock` later. */
  readonly setting: ClockSetting;
}

/** Makes a clock over the real time. */
export function createClock(
  realNow: () => Date,
  { offsetMs, frozenAt }: ClockSetting = { offsetMs: 0 },
): Clock {
  let offset = offsetMs;
  let frozen = frozenAt?.getTime();

  // The real time goes on between two looks at it: each action takes one.
  const time = () => frozen ?? realNow().getTime() + offset;

  return {
    now: () => new Date(time()),
    read() {
      const real = realNow().getTime();
      const now = frozen ?? real + offset;
      return { now: new Date(now), isFrozen: frozen !== undefined, offsetMs: now - real };
    },
    set(moment) {
      if (frozen === undefined) offset = moment.getTime() - realNow().getTime();
      else frozen = moment.getTime();
    },
    advance(ms) {
      if (frozen === undefined) offset += ms;
      else frozen += ms;
    },
    freeze() {
      frozen = time();
    },
    resume() {
      if (frozen !== undefined) offset = frozen - realNow().getTime();
      frozen = undefined;
    },
    reset() {
      offset = 0;
      frozen = undefined;
    },
    get setting() {
      return { offsetMs: offset, ...(frozen !== undefined && { frozenAt: new Date(frozen) }) };
    },
  };
}
