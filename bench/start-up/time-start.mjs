// Times one start of a server, from the spawn to its first right answer, and ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../speed/server-process.mjs';

/** What every server gets: no NODE_OPTIONS, no compile cache, no settings of the one who runs this. */
export const ENVIRONMENT = Object.freeze({ PATH: process.env.PATH, HOME: process.env.HOME });

/** A connection is tried so often, whichever server it is. */
const POLL_MS = 5;

const TIMEOUT_MS = 60_000;

/** How much of what a server prints is kept, to say why it did not start. */
const KEPT_CHARACTERS = 2000;

const PATH = '/demo/sessions/user-1';
const HEADERS = { 'x-api-key': 'clk_test_demo', 'content-type': 'application/json' };

/**
 * Resolves to the milliseconds from the spawn to the end of the first 200, once the process has ended.
 * @throws a sentence, when it does not answer in 60 s, ends before it does, answers wrongly, or `signal` aborts.
 */
export async function timeStart({ name, toArgs, isRight }, signal) {
  signal.throwIfAborted();
  const port = await findFreePort();
  const start = performance.now();
  const child = spawn(process.execPath, toArgs(port), {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-KEPT_CHARACTERS);
    });
  const ended = new AbortController();
  exited.then(
    ([code, by]) => ended.abort(new Error(`${name} ended with ${code ?? by} before it answered: ${printed}`)),
    (error) => ended.abort(new Error(`${name} could not be started: ${error.message}`)),
  );
  const tooLate = AbortSignal.timeout(TIMEOUT_MS);
  const stop = AbortSignal.any([signal, ended.signal, tooLate]);
  try {
    const { body, at } = await pollFor200(port, stop);
    if (!isRight(toJson(body)))
      throw new Error(`${name} answered 200, but not with a listing: ${body.slice(0, KEPT_CHARACTERS)}`);
    return at - start;
  } catch (error) {
    if (tooLate.aborted) throw new Error(`${name} gave no 200 in ${TIMEOUT_MS / 1000} s: ${printed}`);
    throw stop.aborted ? stop.reason : error;
  } finally {
    // Nothing of it is kept, so nothing has to be asked of it; and a clean end may take seconds.
    if (child.pid !== undefined) {
      child.kill('SIGKILL');
      await exited;
    }
  }
}

/** Each try is a new connection, POLL_MS after the one before began, or at once when that one took longer. */
async function pollFor200(port, signal) {
  for (;;) {
    const tried = performance.now();
    const answer = await ask(port, signal).catch((error) => {
      signal.throwIfAborted();
      return error;
    });
    if (answer.status === 200) return answer;
    await delay(Math.max(0, POLL_MS - (performance.now() - tried)), undefined, { signal });
  }
}

/** Resolves to `{ status, body, at }`, `at` being when the body was complete. */
function ask(port, signal) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: PATH, headers: HEADERS, agent: false, signal };
    request(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, body, at: performance.now() }));
    })
      .on('error', reject)
      .end();
  });
}

function toJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
