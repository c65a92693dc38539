// What every benchmark here does around its work: signals, the temporary folder, the machine, the flags.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Calls `main({ folder, signal, defer })` and ends everything that it deferred, last first, whatever happens. A
 * signal aborts `signal` and becomes the exit code.
 */
export async function runBenchmark(name, main) {
  const abort = new AbortController();
  const { signal } = abort;
  for (const [event, code] of Object.entries(SIGNALS))
    process.on(event, () => {
      process.exitCode = code;
      abort.abort(new Error(`stopped by ${event}`));
    });
  const deferred = [];
  const folder = await mkdtemp(join(tmpdir(), `claimlink-${name}-`));
  deferred.push(() => rm(folder, { recursive: true, force: true }));
  try {
    await main({ folder, signal, defer: (end) => deferred.push(end) });
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    console.error(`${name}: ${reason.message}`);
    process.exitCode ??= 1;
  } finally {
    for (const end of deferred.reverse()) await end();
  }
}

/** What the figures depend on. */
export function describeMachine(more) {
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    loadBefore: Number(loadavg()[0].toFixed(2)),
    node: process.version,
    ...more,
  };
}

/** The flags of the command line; prints the usage and ends for `--help` (0) and for what it does not know (2). */
export function readFlags(usage, options) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', default: false } } });
    if (!values.help) return values;
    console.log(usage);
  } catch (error) {
    refuse(usage, error.message);
  }
  process.exit(0);
}

export function toCount(usage, flag, text, least) {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= least
    ? number
    : refuse(usage, `--${flag}: ${text} is no whole number from ${least}`);
}

/** The items whose ids a flag names; all of them when it names none. */
export function toChoice(usage, flag, text, items) {
  if (text === undefined) return items;
  return text.split(',').map((id) => {
    const found = items.find((item) => item.id === id);
    return found ?? refuse(usage, `--${flag}: ${id} is none of ${items.map((item) => item.id).join(', ')}`);
  });
}

/** Says what is wrong with the command line, and ends with 2. */
export function refuse(usage, sentence) {
  console.error(`${sentence}\n${usage}`);
  process.exit(2);
}

const started = performance.now();

/** A line on a terminal, and nothing in a file. */
export function progress(message) {
  if (!process.stderr.isTTY) return;
  const elapsed = Math.round((performance.now() - started) / 1000);
  process.stderr.write(message === '' ? '\r\x1b[K' : `\r\x1b[K${elapsed} s  ${message}`);
}
