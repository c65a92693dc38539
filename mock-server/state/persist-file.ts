// A file that one process keeps up to date: locked, and replaced atomically.
import fs, { mkdir, type NoParamCallback, rmSync, writeFile } from 'node:fs';
import { readdir, readFile, readlink, realpath, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { type Awaitable, isClaimlinkError } from '../../lib/index.js';
import { persistError } from '../control/errors.js';
import { errorCode, fileProblem } from '../scenario/file-problem.js';

/** A file that this process has locked. */
export interface PersistFile {
  /** Its text when it was opened; undefined if it did not exist. */
  readonly text: string | undefined;
  /** Marks the file as out of date. */
  changed(): void;
  /**
   * Resolves when the file has every change up to now. Callers share one write, which gets its content from `produce`.
   * Rejects if the write failed; the file then is as before, and the next call tries again.
   */
  save(produce: () => Awaitable<string | Buffer>): Promise<void>;
  /** Releases the lock. The file is not written any more. */
  release(): Promise<void>;
}

/** How to take a lock. Times are in milliseconds. */
export interface LockOptions {
  /** A lock without a heartbeat for this time belongs to a process that was killed. Default 10_000. */
  staleMs?: number;
  /** Interval of the heartbeat. Default 2000. */
  heartbeatMs?: number;
  /** How long to wait for the lock. Default 14_000. */
  waitMs?: number;
  /** Called once if the lock is not free, before the wait. */
  onWait?: (text: string) => void;
}

const POLL_MS = 100;

/**
 * Opens a file and locks it. The lock of a process of this machine that has ended is taken over at once. For another one it
 * waits until its heartbeat shows that its process runs, or until it is stale.
 * @throws `options_invalid` if the file cannot be read or written, or if another process has the lock
 */
export async function openPersistFile(path: string, options: LockOptions = {}): Promise<PersistFile> {
  let target: string;
  let text: string | undefined;
  let compromised: Error | undefined;
  let unlock = async () => {};
  try {
    // Without symbolic links. The file itself need not exist.
    target = (await ifExists(realpath(path))) ?? join(await realpath(dirname(resolve(path))), basename(path));
    unlock = await lock(path, target, options, (error) => {
      compromised = error;
    });
    await removeLeftovers(target);
    text = await ifExists(readFile(target, 'utf8'));
  } catch (error) {
    await unlock();
    if (isClaimlinkError(error)) throw error;
    const missing = errorCode(error) === 'ENOENT' ? 'the folder of ' : '';
    throw persistError(`${missing}${path} ${fileProblem(error)}`, error);
  }

  let changes = 0;
  let savedChanges = 0;
  let writing: Promise<void> | undefined;

  async function write(produce: () => Awaitable<string | Buffer>): Promise<void> {
    if (compromised !== undefined)
      throw new Error(`${path} is no longer locked by this process, so changes are not saved.`, {
        cause: compromised,
      });
    const included = changes;
    const content = await produce();
    try {
      await replaceFile(target, content);
    } catch (error) {
      throw new Error(`${path} ${fileProblem(error)}, so changes are not saved.`, { cause: error });
    }
    savedChanges = included;
  }

  return {
    text,
    changed: () => void changes++,
    async save(produce) {
      const needed = changes;
      while (savedChanges < needed) {
        // A write that started before the change may not include it: the loop then starts another one.
        writing ??= write(produce).finally(() => {
          writing = undefined;
        });
        await writing;
      }
    },
    async release() {
      compromised = new Error('The lock was released.');
      await writing?.catch(() => {});
      // Rejects if the lock is lost already.
      await unlock().catch(() => {});
    },
  };
}

/** Resolves to undefined if there is no such file. */
async function ifExists<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Takes the lock: a folder with a file whose name is that of its owner. A lock whose heartbeat moves belongs to a process
 * that runs: waiting would not help. The lock of a killed process is taken over.
 */
async function lock(
  path: string,
  target: string,
  { staleMs = 10_000, heartbeatMs = 2000, waitMs = 14_000, onWait = () => {} }: LockOptions,
  onCompromised: (error: Error) => void,
): Promise<() => Promise<void>> {
  const lockPath = `${target}.lock`;
  const machine = await machineName();
  const deadline = performance.now() + waitMs;
  let firstHeartbeat: number | undefined;
  for (;;) {
    try {
      return await lockfile.lock(target, {
        realpath: false,
        lockfilePath: lockPath,
        stale: staleMs,
        update: heartbeatMs,
        onCompromised,
        fs: {
          ...fs,
          // Only its owner may read it.
          mkdir: (folder: string, done: NoParamCallback) =>
            mkdir(folder, { mode: 0o700 }, (error) =>
              error ? done(error) : writeFile(join(folder, `${process.pid}@${machine}`), '', done),
            ),
          rmdir: (folder: string, done: NoParamCallback) => fs.rm(folder, { recursive: true }, done),
          rmdirSync: (folder: string) => rmSync(folder, { recursive: true }),
        },
      });
    } catch (error) {
      if (errorCode(error) !== 'ELOCKED') throw error;
    }
    const [owner = ''] = (await ifExists(readdir(lockPath))) ?? [];
    const [pid = '', ownerMachine] = owner.split('@');
    if (ownerMachine === machine && !(await isRunning(Number(pid)))) {
      // Of several processes, one removes the name of the owner: the others do not remove the lock that it then takes.
      await ifExists(unlink(join(lockPath, owner)).then(() => rmdir(lockPath)));
      continue;
    }
    const heartbeat = (await ifExists(stat(lockPath)))?.mtimeMs;
    const inUse = `${path} is in use by ${owner === '' ? 'another mock' : `the mock of process ${pid}`}`;
    if (firstHeartbeat === undefined && heartbeat !== undefined) {
      onWait(`${inUse}. The mock waits up to ${Math.ceil(waitMs / 1000)} seconds, in case that was killed.`);
    }
    firstHeartbeat ??= heartbeat;
    const isAlive = heartbeat !== undefined && heartbeat !== firstHeartbeat;
    if (isAlive || performance.now() > deadline)
      throw persistError(
        `${inUse}; give each mock a file of its own, or delete ${path}.lock if that mock does not run`,
      );
    await sleep(POLL_MS);
  }
}

/** Returns a name of this machine, and on Linux of this container: process ids are unique there. */
async function machineName(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return encodeURIComponent(`${hostname()} ${namespace}`);
}

/** Returns whether a process runs. One that has ended, and whose parent has not noticed it, does not (Linux). */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(status);
}

/** End of the name of a file that is not complete yet. */
const NEW = '.claimlink-new';

/**
 * Replaces a file in one step and keeps its owner. write-file-atomic names its temporary file `<file>.<number>`, which may
 * be the name of a backup as well. It therefore writes a file with a name of the mock.
 */
async function replaceFile(target: string, content: string | Buffer): Promise<void> {
  const { uid, gid } = (await ifExists(stat(target))) ?? {};
  const chown = uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
  await writeFileAtomic(target + NEW, content, { mode: 0o600, ...(chown && { chown }) });
  await rename(target + NEW, target);
}

/** Removes the files that a killed process did not complete, and no other files. */
async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = basename(target) + NEW;
  for (const name of await readdir(folder)) {
    const isLeftover = name.startsWith(prefix) && /^(?:\.\d{1,10})?$/.test(name.slice(prefix.length));
    if (isLeftover) await rm(join(folder, name), { force: true });
  }
}
