// A virtual clock with a scheduler. Timers, random values and the monotonic clock of the process come from it while it runs.
// Errors have no stack traces during a run: a history does not have them, and they take time.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import type { Random } from './random.js';

/** On whose behalf code runs. Each continuation has the context of the code that waited. */
export interface Context {
  /** true after a crash: the continuations never run. */
  process: { isDead: boolean };
  /** Decides how long storage calls take and which of them fail, and gives the values of `node:crypto`. */
  random: Random;
}

interface Entry {
  time: number;
  order: number;
  run: () => void;
  context: Context | undefined;
  isCancelled: boolean;
}

export type VirtualTime = ReturnType<typeof createVirtualTime>;

/** The run that is active: one at a time. */
let active: VirtualTime | undefined;

/** Creates a scheduler at time 0. */
export function createVirtualTime() {
  let now = 0;
  let order = 0;
  let context: Context | undefined;
  /** The latest entry first. */
  const entries: Entry[] = [];

  /** Runs a function after some milliseconds, unless the process of its context has crashed. */
  function schedule(delayMs: number, run: () => void, owner: Context | undefined = context): Entry {
    const entry = { time: now + delayMs, order: order++, run, context: owner, isCancelled: false };
    let index = entries.length;
    // Of two entries at the same time, the earlier one runs first.
    while (index > 0 && (entries[index - 1]?.time ?? 0) <= entry.time) index--;
    entries.splice(index, 0, entry);
    return entry;
  }

  /** Runs what is scheduled until nothing is left. */
  async function run(): Promise<void> {
    active = virtualTime;
    replaceGlobals();
    try {
      // The loop must run in a microtask: a callback of nextTick then waits until no microtask is left.
      await undefined;
      for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
        if (entry.isCancelled || entry.context?.process.isDead) continue;
        now = entry.time;
        context = entry.context;
        entry.run();
        await new Promise<void>(nextTick);
      }
    } finally {
      context = undefined;
      restoreGlobals();
      active = undefined;
    }
  }

  const virtualTime = {
    schedule,
    run,
    get now() {
      return now;
    },
    get context() {
      return context;
    },
  };
  return virtualTime;
}

const { nextTick } = process;
const { setTimeout: systemTimeout, clearTimeout: systemClear } = globalThis;
const systemNow = performance.now;
const { randomBytes, randomInt, randomUUID } = crypto;
const systemTraceLimit = Error.stackTraceLimit;

function replaceGlobals(): void {
  globalThis.setTimeout = ((run: () => void, delayMs: number) =>
    active?.schedule(delayMs, run)) as unknown as typeof systemTimeout;
  globalThis.clearTimeout = ((entry: Entry | undefined) => {
    if (entry) entry.isCancelled = true;
  }) as typeof systemClear;
  performance.now = () => active?.now ?? 0;
  Error.stackTraceLimit = 0;
}

function restoreGlobals(): void {
  globalThis.setTimeout = systemTimeout;
  globalThis.clearTimeout = systemClear;
  performance.now = systemNow;
  Error.stackTraceLimit = systemTraceLimit;
}

// Named imports of other modules see these functions. Without an active run they are the original ones.
Object.assign(crypto, {
  randomBytes: (size: number) => active?.context?.random.bytes(size) ?? randomBytes(size),
  randomInt: (min: number, max: number) => {
    const bytes = active?.context?.random.bytes(4);
    return bytes === undefined ? randomInt(min, max) : min + (bytes.readUInt32BE() % (max - min));
  },
  randomUUID: () => {
    const hex = active?.context?.random.bytes(16).toString('hex');
    if (hex === undefined) return randomUUID();
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  },
});
syncBuiltinESMExports();
