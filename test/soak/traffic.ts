// The requests of a soak: what came back, and a gate at which the load rests while samples are taken.
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../cluster/cluster.js';

/** A 5xx, or a request without a response. */
export interface Failure {
  /** In milliseconds of `performance.now()`. */
  at: number;
  /** A 503 with the code `storage_unavailable`, which is right while the database fails over. */
  isUnavailable: boolean;
  text: string;
}

export interface Traffic {
  statuses: Record<string, number>;
  failures: Failure[];
  /** Broken promises, in words. */
  problems: string[];
  /** Counts a response. A status below 500 that is not expected is a problem. */
  record(
    request: string,
    answer: Pick<Answer, 'status' | 'body'> | undefined,
    expected: readonly number[],
  ): void;
  /** Runs a task when the load does not rest. */
  pass<T>(task: () => Promise<T>): Promise<T>;
  /** Lets the load rest: runs a task while no other runs. */
  rest<T>(task: () => Promise<T>): Promise<T>;
  /** Repeats a task until the end, with pauses. An error is a problem. */
  repeat(name: string, pauseMs: number, task: () => Promise<void>): Promise<void>;
  stop(): void;
}

/** A task that takes longer is a problem: a response never came. The longest failover takes a few seconds. */
const TASK_LIMIT_MS = 120_000;

export function createTraffic(): Traffic {
  let running = 0;
  let isResting = false;
  let isOver = false;

  const traffic: Traffic = {
    statuses: {},
    failures: [],
    problems: [],
    record(request, answer, expected) {
      const status = answer?.status ?? 0;
      const name = status === 0 ? 'none' : String(status);
      traffic.statuses[name] = (traffic.statuses[name] ?? 0) + 1;
      const text = `${request}: ${status || 'no response'} ${answer?.body.slice(0, 300) ?? ''}`;
      const isUnavailable = status === 503 && (answer?.body.includes('"storage_unavailable"') ?? false);
      if (status === 0 || status >= 500)
        traffic.failures.push({ at: performance.now(), isUnavailable, text });
      else if (!expected.includes(status)) traffic.problems.push(text);
    },
    async pass(task) {
      while (isResting) await wait(20);
      running++;
      const ended = new AbortController();
      const late = wait(TASK_LIMIT_MS, undefined, { signal: ended.signal }).then(() => {
        throw new Error(`no end after ${TASK_LIMIT_MS / 1000} s`);
      });
      try {
        return await Promise.race([task(), late]);
      } finally {
        late.catch(() => {});
        ended.abort();
        running--;
      }
    },
    async rest(task) {
      isResting = true;
      while (running > 0) await wait(20);
      try {
        return await task();
      } finally {
        isResting = false;
      }
    },
    async repeat(name, pauseMs, task) {
      while (!isOver) {
        await traffic.pass(task).catch((error) => traffic.problems.push(`${name}: ${error?.stack ?? error}`));
        await wait(pauseMs);
      }
    },
    stop() {
      isOver = true;
    },
  };
  return traffic;
}
