// The clocks of a mock: one for each client, and the one that new clients begin with.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ClaimlinkError } from '../../lib/index.js';
import type { ClockReading, MockClock, Scope } from '../control.js';
import { type Clock, createClock } from './clock.js';
import type { ClockSetting } from './world-snapshot.js';

/** All clocks of a mock. */
export interface Clocks {
  /** To turn them. */
  readonly control: MockClock;
  /** The time of the client for which `runFor` runs at this moment; outside of it, that of the world. */
  now(): Date;
  /** The time of a client; null, and whoever is no client: that of the world. */
  nowOf(clientId: string | null): Date;
  /** Runs what `now` is to be a client's time for, up to the last of its promises. */
  runFor<T>(clientId: string | null, run: () => T): T;
  /** Gives a client a clock, set like the world's unless a setting is given. */
  add(clientId: string, setting?: ClockSetting): void;
  remove(clientId: string): void;
  settingOf(clientId: string): ClockSetting;
  /** Sets the world's own clock, and no client's. */
  setWorld(setting: ClockSetting): void;
  readonly worldSetting: ClockSetting;
}

/** What `set` takes as text. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

const EARLIEST = Date.UTC(1980, 0, 1);
const LATEST = Date.UTC(9001, 0, 1) - 1;

/** Makes them; `onChange` is told of every turn, with the client, or null when all were turned. */
export function createClocks(
  realNow: () => Date,
  onChange: (clientId: string | null, reading: ClockReading) => void,
): Clocks {
  const current = new AsyncLocalStorage<string | null>();
  const clocks = new Map<string, Clock>();
  let world = createClock(realNow);

  const clockOf = (clientId: string | null | undefined): Clock =>
    (typeof clientId === 'string' && clocks.get(clientId)) || world;

  function inScope({ clientId }: Scope = {}): Clock {
    if (clientId === undefined) return world;
    const clock = clocks.get(clientId);
    if (clock === undefined) throw new ClaimlinkError('client_not_found');
    return clock;
  }

  /** Turns one clock, or all. `check` looks at every one before any is turned. */
  function turn(scope: Scope | undefined, act: (clock: Clock) => void, check?: (clock: Clock) => void) {
    const clock = inScope(scope);
    const clientId = scope?.clientId ?? null;
    const all = clientId === null ? [world, ...clocks.values()] : [clock];
    if (check) for (const each of all) check(each);
    for (const each of all) act(each);
    const reading = clock.read();
    onChange(clientId, reading);
    return reading;
  }

  return {
    control: Object.freeze({
      now: (scope?: Scope) => inScope(scope).now(),
      read: (scope?: Scope) => inScope(scope).read(),
      set(moment: Date | string, scope?: Scope) {
        const problem = momentProblem(moment);
        if (problem !== undefined) throw invalidTurn('now', problem);
        const at = toDate(moment);
        return turn(scope, (clock) => clock.set(at));
      },
      advance: (ms: number, scope?: Scope) =>
        turn(
          scope,
          (clock) => clock.advance(ms),
          (clock) => {
            if (!isInRange(clock.now().getTime() + ms))
              throw invalidTurn('ms', 'must lead to a moment in the years 1980 to 9000');
          },
        ),
      freeze: (scope?: Scope) => turn(scope, (clock) => clock.freeze()),
      resume: (scope?: Scope) => turn(scope, (clock) => clock.resume()),
      reset: (scope?: Scope) => turn(scope, (clock) => clock.reset()),
    }),
    now: () => clockOf(current.getStore()).now(),
    nowOf: (clientId) => clockOf(clientId).now(),
    runFor: (clientId, run) => current.run(clientId, run),
    add: (clientId, setting = world.setting) => void clocks.set(clientId, createClock(realNow, setting)),
    remove: (clientId) => void clocks.delete(clientId),
    settingOf: (clientId) => clockOf(clientId).setting,
    setWorld(setting) {
      world = createClock(realNow, setting);
    },
    get worldSetting() {
      return world.setting;
    },
  };
}

/** What is wrong with a moment to set a clock to, in words; undefined: nothing. */
export function momentProblem(moment: unknown): string | undefined {
  const isMoment = moment instanceof Date || (typeof moment === 'string' && isIsoMoment(moment));
  return isMoment && isInRange(toDate(moment).getTime())
    ? undefined
    : 'must be a moment in the years 1980 to 9000, ISO 8601: 2030-01-31T12:00:00Z';
}

/** Whether it is ISO 8601 text, on a day that there is. */
function isIsoMoment(text: string): boolean {
  const [, day = ''] = ISO_8601.exec(text) ?? [];
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Text without a zone is UTC, as everywhere in the contract. */
function toDate(moment: Date | string): Date {
  if (moment instanceof Date) return moment;
  const isLocal = /T[\d:.]+$/.test(moment);
  return new Date(isLocal ? `${moment}Z` : moment);
}

function isInRange(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

function invalidTurn(member: 'now' | 'ms', detail: string): ClaimlinkError {
  return new ClaimlinkError('request_invalid', `The clock is not valid: ${member} ${detail}.`, {
    details: [{ pointer: `/${member}`, rule: 'value', detail }],
  });
}
