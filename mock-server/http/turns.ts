// The turns of partners: a call that takes long is followed by a pause, in which the mock serves others.
import { controlError } from '../control/errors.js';

/** A shorter call is followed by none. */
const LONG_CALL_MS = 50;
/** Of each client. */
const MAX_WAITING = 50;

/** Starts a call when it is its turn. */
export type Turns = <T>(clientId: string, start: () => Promise<T>) => Promise<T>;

/**
 * Creates the turns. The calls of a client start one after another. After one whose synchronous part was long, the next one
 * starts twice that time later: so a client cannot keep the mock busy.
 */
export function createTurns(): Turns {
  const queues = new Map<string, { waiting: number; last: Promise<void> }>();
  return async (clientId, start) => {
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
    const startedAt = performance.now();
    const end = () => {
      pass();
      if (--queue.waiting === 0) queues.delete(clientId);
    };
    try {
      return start();
    } finally {
      const ms = performance.now() - startedAt;
      if (ms < LONG_CALL_MS) end();
      else setTimeout(end, 2 * ms);
    }
  };
}
