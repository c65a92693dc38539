// The turns of partners: a call that takes long is followed by a pause, in which the mock serves others.
import { setImmediate } from 'node:timers';
import { controlError } from '../control/errors.js';

/** A shorter call is followed by none. */
const LONG_CALL_MS = 50;
/** Of each client. */
const MAX_WAITING = 50;

/** A call: its result, and the text of its response. */
export interface Call<T> {
  start(): Promise<T>;
  write(result: T): string | undefined;
}

/** Makes a call when it is its turn, and returns the text. Rejects with the reason of the signal if it is aborted before. */
export type Turns = <T>(clientId: string, call: Call<T>, signal: AbortSignal) => Promise<string | undefined>;

/**
 * Creates the turns. The calls of a client are made one after another. After one whose work was long, the next one starts twice
 * that time later: so a client cannot keep the mock busy.
 */
export function createTurns(): Turns {
  const queues = new Map<string, { waiting: number; last: Promise<void> }>();
  return async (clientId, { start, write }, signal) => {
    const queue = queues.get(clientId) ?? { waiting: 0, last: Promise.resolve() };
    if (queue.waiting >= MAX_WAITING) throw controlError('too_many_calls');
    queue.waiting++;
    queues.set(clientId, queue);
    let pass = () => {};
    const { last } = queue;
    queue.last = new Promise((resolve) => {
      pass = resolve;
    });
    await last;
    let workMs = 0;
    /** Does the part of a call during which the mock cannot serve others. */
    function work<R>(part: () => R): R {
      const startedAt = performance.now();
      try {
        return part();
      } finally {
        workMs += performance.now() - startedAt;
      }
    }
    try {
      signal.throwIfAborted();
      const result = await work(start);
      return work(() => write(result));
    } finally {
      const end = () => {
        pass();
        if (--queue.waiting === 0) queues.delete(clientId);
      };
      // Others come first also after a short call: many of them in a row would be a long one.
      if (workMs < LONG_CALL_MS) setImmediate(end);
      else setTimeout(end, 2 * workMs);
    }
  };
}
