// Limits of one run: a deployment may send anything, and a small compressed body may become very large.
import { RuleError } from './expect.js';
import type { SentRequest, TextResponse } from './response.js';

/** Maximum size of a response body in bytes, decoded. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Maximum size of all response bodies of a run in bytes, decoded. */
const MAX_RUN_BYTES = 512 * 1024 * 1024;
/** Maximum time of all responses and waits of a run in seconds. */
const MAX_RUN_SECONDS = 900;
/** Maximum number of retries of a request that was answered 429. */
const MAX_RETRIES = 5;
/** Maximum wait before a retry in seconds. */
const MAX_WAIT_SECONDS = 60;
/** Maximum levels of objects and arrays in a JSON body. The contract needs five. */
const MAX_LEVELS = 100;
/** Maximum number of values in a JSON body. A parsed `[]` takes much more memory than two characters. */
const MAX_VALUES = 1024 * 1024;

/** A response, or a request without one. */
type Exchange = { title: string; request: SentRequest } & Partial<TextResponse>;

/**
 * Returns the use of one run. A method that finds a limit exceeded ends the run: it throws a RuleError with `endsRun`.
 * @param wait waits for a number of seconds before a request is sent again
 */
export function createRunLimits(wait: (seconds: number) => Promise<void> = waitFor) {
  let bytes = 0;
  let seconds = 0;
  let end: RuleError | undefined;
  let pause: Promise<void> | undefined;

  function endRun(exchange: Exchange, actual: string, expected: string): never {
    end ??= new RuleError(exchange, actual, expected, { endsRun: true });
    throw end;
  }

  /** Adds the time of a response, or of a wait. */
  function addSeconds(exchange: Exchange, count: number): void {
    seconds += count;
    if (seconds > MAX_RUN_SECONDS)
      endRun(
        exchange,
        `more than ${MAX_RUN_SECONDS} seconds of responses and waits in this run`,
        'a faster deployment, or a higher rate limit',
      );
  }

  return {
    addSeconds,
    /** Returns the failure that ended the run, or undefined. */
    endedBy: () => end,
    /** Maximum size of the next body in bytes. */
    maxBodyBytes: () => Math.min(MAX_BODY_BYTES, MAX_RUN_BYTES - bytes),
    /** Adds a body. `size` is more than `maxBodyBytes()` if the body is not complete. */
    addBody(response: TextResponse, size: number): void {
      bytes += size;
      const check = (isExceeded: boolean, what: string, limit: string) => {
        const expected = `at most ${limit}; if this user has so many sessions, pass another --user-id`;
        if (isExceeded) endRun(response, `${what} of more than ${limit}`, expected);
      };
      check(size > MAX_BODY_BYTES, 'a decoded body', mebibytes(MAX_BODY_BYTES));
      check(bytes > MAX_RUN_BYTES, 'decoded bodies in this run', mebibytes(MAX_RUN_BYTES));
      const { levels, values } = sizeOfJson(response.body);
      if (levels > MAX_LEVELS)
        endRun(response, `JSON of more than ${MAX_LEVELS} levels`, 'JSON of a listing, a link or a problem');
      check(values > MAX_VALUES, 'JSON', `${MAX_VALUES} values`);
    },
    /** Resolves when no 429 asks the client to wait. Throws if the run has ended. */
    async beforeRequest(): Promise<void> {
      await pause;
      if (end) throw end;
    },
    /** Waits as long as a 429 asks for. Concurrent requests share one wait. */
    async waitAfter(response: TextResponse, retries: number): Promise<void> {
      const asked = retryAfterSeconds(response.headers.get('retry-after'));
      const waitSeconds = asked ?? 2 ** retries;
      if (retries === MAX_RETRIES || waitSeconds > MAX_WAIT_SECONDS)
        endRun(
          response,
          `429 after ${retries} retries, ${asked === undefined ? 'without Retry-After' : `Retry-After ${Math.ceil(asked)} seconds`}`,
          `another status after at most ${MAX_RETRIES} waits of ${MAX_WAIT_SECONDS} seconds; allow this client more requests`,
        );
      if (pause === undefined) {
        addSeconds(response, waitSeconds);
        pause = wait(waitSeconds).finally(() => {
          pause = undefined;
        });
      }
      await pause;
    },
  };
}

/** Counts levels and values of a JSON body up to their limits, without parsing it. Counts nothing in another body. */
function sizeOfJson(body: string): { levels: number; values: number } {
  let levels = 0;
  let values = 0;
  if (!/^\s*[[{]/.test(body)) return { levels, values };
  let isText = false;
  for (let index = 0; index < body.length && levels <= MAX_LEVELS && values <= MAX_VALUES; index++) {
    const character = body[index];
    if (character === '"') isText = !isText;
    else if (isText) index += character === '\\' ? 1 : 0;
    else if (character === ',') values++;
    else if (character === ']' || character === '}') levels--;
    else if (character === '[' || character === '{') {
      levels++;
      values++;
    }
  }
  return { levels, values };
}

function mebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}

/** Returns the seconds of a `Retry-After` header (RFC 9110, 10.2.3): a number or a date. Otherwise undefined. */
function retryAfterSeconds(value: string | null): number | undefined {
  const text = value ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function waitFor(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
