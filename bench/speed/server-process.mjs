// Starts one server as a process of its own, on a core of its own where that can be, and ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What every server gets: no NODE_OPTIONS, no settings of the one who runs this. */
const ENVIRONMENT = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' };

const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 3000;
/** How much of what a server prints is kept, to say why it failed. */
const KEPT_CHARACTERS = 2000;

export const isPinned = availableParallelism() > 1 && findProgram('taskset') !== undefined;

/** A command for one core: 0 is the servers', 1 the load's. As it is where there is no taskset, or one core only. */
export function pinned(core, command, args) {
  return isPinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
}

/**
 * Resolves to `{ pid, port, printed(), cpuMicroseconds(), isAlive(), stop() }` when the port is open.
 * `toArgs(port, folder)` is what follows `node`; it runs in `folder`; `environment` is added to the servers' own.
 * @throws a sentence with what it printed, when it ends before that or does not open its port in 60 s.
 */
export async function startServer({ name, toArgs, folder, environment = {} }, signal) {
  signal.throwIfAborted();
  const port = await findFreePort();
  const child = spawn(...pinned(0, process.execPath, toArgs(port, folder)), {
    cwd: folder,
    env: { ...ENVIRONMENT, ...environment },
    // Its input is a pipe that nothing goes through: it closes when this process ends.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-KEPT_CHARACTERS);
    });
  const exited = once(child, 'close').catch((error) => [error.message]);
  child.stdin.on('error', () => {});
  const server = {
    pid: child.pid,
    port,
    printed: () => printed,
    cpuMicroseconds: () => cpuMicroseconds(child.pid),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      if (child.pid === undefined) return;
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await exited;
      clearTimeout(killer);
    },
  };
  try {
    await waitForPort(server, name, signal);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function waitForPort(server, name, signal) {
  const end = performance.now() + START_TIMEOUT_MS;
  while (!(await isOpen(server.port))) {
    if (!server.isAlive()) throw new Error(`${name} ended before it listened: ${server.printed()}`);
    if (performance.now() > end) throw new Error(`${name} did not listen in time: ${server.printed()}`);
    await delay(20, undefined, { signal });
  }
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

/** A port that nothing listens on at the moment. */
export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Linux counts in ticks of 10 ms. */
const TICK_MICROSECONDS = 10_000;

/** The CPU time of a process so far, all its threads, user and system; undefined where there is no /proc. */
function cpuMicroseconds(pid) {
  try {
    // What follows the name, which may hold spaces: fields 3 and on; 14 and 15 are utime and stime.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
  } catch {
    return undefined;
  }
}

/** The path of a program, or undefined. */
export function findProgram(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file);
        return true;
      } catch {
        return false;
      }
    });
}
