// Starts the processes of the benchmark, each on a core of its own if possible, and ends all of them.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Environment of every process: NODE_OPTIONS or a compile cache of the shell would change the figures. */
export const ENVIRONMENT = Object.freeze({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_ENV: 'production',
});

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 3000;
/** The end of the output is enough to say why a process failed. */
const MAX_OUTPUT_CHARACTERS = 2000;
/** Linux counts CPU time in ticks of 10 ms. */
const TICK_MICROSECONDS = 10_000;

export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

const children = new Set();
// The last resort: a part that stops normally has already ended its processes.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The command that runs on one core. Core 0 is for the measured server, core 1 for the load and the database. */
export function pinned(core, command, args) {
  return isPinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
}

/** Starts a process. Returns `{ printed(), cpuMicroseconds(), rssBytes(), isAlive(), exited, stop() }`. */
export function startProcess(command, args, { folder, environment = {}, stopSignal = 'SIGTERM' } = {}) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...ENVIRONMENT, ...environment },
    // Standard input is a pipe without data. It closes when the benchmark ends, and the server ends with it.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.add(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-MAX_OUTPUT_CHARACTERS);
    });
  child.stdin.on('error', () => {});
  const exited = once(child, 'close')
    .catch((error) => {
      printed += error.message;
    })
    .finally(() => children.delete(child));
  return {
    printed: () => printed,
    cpuMicroseconds: () => readCpuMicroseconds(child.pid),
    familyCpuMicroseconds: () => readFamilyCpuMicroseconds(child.pid),
    rssBytes: () => readRssBytes(child.pid),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    exited,
    async stop(signal = stopSignal) {
      if (child.pid === undefined) return;
      child.kill(signal);
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(killer);
    },
  };
}

/**
 * Starts `{ name, toArgs(port, folder), environment }` with Node on core 0, and waits until its port is open.
 * @throws the output of the process if it ends early or does not listen within 60 s
 */
export async function startServer({ name, toArgs, environment }, { folder, signal }) {
  signal.throwIfAborted();
  const port = await findFreePort();
  const [command, args] = pinned(0, process.execPath, toArgs(port, folder));
  const server = startProcess(command, args, { folder, environment });
  try {
    await waitUntilReady(server, name, () => isOpen(port), signal);
    return { ...server, port };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Polls `isReady` until it resolves to true. */
export async function waitUntilReady(started, name, isReady, signal) {
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  while (!(await isReady())) {
    if (!started.isAlive()) throw new Error(`${name} ended before it was ready: ${started.printed()}`);
    if (timeout.aborted) throw new Error(`${name} was not ready in time: ${started.printed()}`);
    await delay(5, undefined, { signal });
  }
}

/** Runs Node to its end, and resolves to its standard output. */
export function runNode(args, options) {
  return runCommand([process.execPath, args], options);
}

/** Runs a command, `[program, arguments]`, to its end, and resolves to its standard output. */
export async function runCommand([command, args], { signal, folder }) {
  const options = { cwd: folder, env: ENVIRONMENT, signal, maxBuffer: 1e8 };
  return (await promisify(execFile)(command, args, options)).stdout;
}

/** Resolves to a port that no process uses at the moment. */
export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Returns user and system time of all threads. Only Linux tells. */
function readCpuMicroseconds(pid) {
  return readStat(pid).ownTicks * TICK_MICROSECONDS;
}

/** Returns the time of a process, of its children, and of those that have ended: PostgreSQL has one for each connection. */
function readFamilyCpuMicroseconds(pid) {
  const { ownTicks, endedTicks } = readStat(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter(({ parent }) => parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.ownTicks, ownTicks + endedTicks);
  return ticks * TICK_MICROSECONDS;
}

function readStat(pid) {
  try {
    // The process name may hold spaces, so count the fields behind it: ppid, utime, stime, cutime, cstime.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    return { parent: fields[1], ownTicks: fields[11] + fields[12], endedTicks: fields[13] + fields[14] };
  } catch {
    // It has ended meanwhile.
    return { parent: undefined, ownTicks: 0, endedTicks: 0 };
  }
}

function readRssBytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
}
