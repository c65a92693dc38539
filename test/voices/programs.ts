// Programs with windows, on a display and a message bus of their own. A home folder in a temporary folder goes with them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';

/** A program on a shared machine may take this long until it does what a test waits for. */
const LIMIT_MS = 120_000;

export interface Desktop {
  /** Has the home folder, and a log of each program. */
  folder: string;
  /** The environment of programs that show windows on it. */
  env: Record<string, string>;
  /** Starts a program that ends with the test. */
  start(program: string, args?: readonly string[], moreEnv?: Record<string, string>): Promise<void>;
}

/** The packages of Debian 12 for a desktop; other programs need more. */
const DESKTOP_PACKAGES = {
  '/usr/bin/Xvfb': 'xvfb',
  '/usr/bin/dbus-run-session': 'dbus-daemon',
  '/usr/bin/openbox': 'openbox',
};

/** Programs that a test has started: the leaders of their process groups. An interrupted process runs no teardown. */
const leaders = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const leader of leaders) endGroup(leader);
  for (const folder of folders) removeFolder(folder);
});

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/**
 * Returns whether a desktop and other programs are installed. Without them, the test is skipped, and fails under CI=true.
 * `packages` names the package of each file.
 */
export function isInstalled(t: Test, name: string, packages: Readonly<Record<string, string>>): boolean {
  const missing = Object.entries({ ...DESKTOP_PACKAGES, ...packages })
    .filter(([path]) => !existsSync(path))
    .map(([, names]) => names);
  if (missing.length === 0) return true;
  const message = `${name} needs: apt-get install -y --no-install-recommends ${[...new Set(missing)].join(' ')}`;
  if (process.env['CI']) t.fail(message);
  else t.test(`skipped: ${message}`, { skip: true }, () => {});
  return false;
}

/** Waits until a function returns a value that is not `undefined`, `false` or empty. */
export async function poll<T>(what: string, read: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not in time: ${what}`);
    await setTimeout(50);
  }
}

/** Starts a display, a message bus and a window manager. */
export async function startDesktop(t: Pick<Test, 'teardown'>): Promise<Desktop> {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-desktop-'));
  folders.add(folder);
  t.teardown(() => {
    removeFolder(folder);
    folders.delete(folder);
  });
  const runtimeFolder = join(folder, 'run');
  await mkdir(runtimeFolder, { mode: 0o700 });
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: runtimeFolder,
    LANG: 'C.UTF-8',
    // No settings of the user, and no service that stores them.
    GSETTINGS_BACKEND: 'memory',
  };
  const readLine = async (program: string, output: Readable) => {
    let text = '';
    output.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    return (await poll(`the first line of ${program}`, () => /^(.+)\n/.exec(text)))[1] ?? '';
  };

  // It selects a free display, and says which.
  const display = await startGroup(t, folder, env, 'Xvfb', [
    ...['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
  ]);
  env['DISPLAY'] = `:${await readLine('Xvfb', display)}`;
  const bus = await startGroup(t, folder, env, 'dbus-run-session', [
    ...['--', 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS" >&3; exec sleep infinity'],
  ]);
  env['DBUS_SESSION_BUS_ADDRESS'] = await readLine('dbus-run-session', bus);
  const start: Desktop['start'] = async (program, args = [], moreEnv = {}) => {
    await startGroup(t, folder, { ...env, ...moreEnv }, program, args);
  };
  // Without one, no window takes the focus.
  await start('openbox');
  return { folder, env, start };
}

/** Runs a program, and ends its process group when the test process has ended: by a signal, it runs no code for that. */
const SUPERVISOR = `
exec 4<&0
"$0" "$@" 4<&- &
program=$!
{ cat <&4 >/dev/null; kill -KILL -$$; } &
wait $program`;

/** Starts a program in a process group of its own. Returns what it writes to file 3. */
async function startGroup(
  t: Pick<Test, 'teardown'>,
  folder: string,
  env: Record<string, string>,
  program: string,
  args: readonly string[],
): Promise<Readable> {
  const path = join(folder, `${basename(program)}.log`);
  const log = await open(path, 'a');
  const leader = spawn('sh', ['-c', SUPERVISOR, program, ...args], {
    env,
    detached: true,
    stdio: ['pipe', log.fd, log.fd, 'pipe'],
  });
  await log.close();
  const exited = once(leader, 'exit');
  leaders.add(leader);
  t.teardown(async () => {
    // A program that had ended before.
    const early = leader.exitCode ?? leader.signalCode;
    if (early !== null)
      process.stderr.write(`${program} ended with ${early}: ${await readFile(path, 'utf8')}\n`);
    endGroup(leader);
    await exited;
    leaders.delete(leader);
  });
  return leader.stdio[3] as Readable;
}
