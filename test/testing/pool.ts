// A storage over a pool of connections, as a database has one.
import { setImmediate } from 'node:timers/promises';

/** Number of turns of the event loop until the first connection is open. Each further one takes as much longer. */
const OPENING_TURNS = 10;

/** Returns a storage whose calls wait for a connection each. The pool opens a connection when a call needs one more. */
export function pooled<S extends object>(storage: S, size: number): S {
  const waiting: (() => void)[] = [];
  let idle = 0;
  let opened = 0;

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else idle++;
  }

  async function open(): Promise<void> {
    for (let turn = ++opened * OPENING_TURNS; turn > 0; turn--) await setImmediate();
    release();
  }

  async function acquire(): Promise<void> {
    if (idle > 0) {
      idle--;
      return;
    }
    if (opened < size) void open();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  const methods = Object.entries<(...args: unknown[]) => unknown>({ ...storage } as never);
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await acquire();
        try {
          return await method(...args);
        } finally {
          release();
        }
      },
    ]),
  ) as S;
}
