// A file that one process keeps up to date: locked, and replaced atomically.
import fs, { mkdir, type NoParamCallback } from 'node:fs';
import { readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { isClaimlinkError } from '../../lib/index.js';
import { persistError } from '../problems.js';
import { errorCode, fileProblem } from '../scenario/file-problem.js';

/** A file that this process has locked. */
export interface PersistFile {
  /** Its text when it was opened; undefined if it did not exist. */
  readonly text: string | undefined;
  /** Marks the file as out of date. */
  changed(): void;
  /**
   * Resolves when the file has every change up to now. Callers share one write, which gets its text from `produce`.
   * Rejects if the write failed; the file then is as before, and the next call tries again.
   */
  save(produce: () => string): Promise<void>;
  /** Releases the lock. The file is not written any more. */
  release(): Promise<void>;
}

/** Times in milliseconds. */
export interface LockTimes {
  /** A lock without a heartbeat for this time belongs to a process that was killed. Default 10_000. */
  staleMs?: number;
  /** Interval of the heartbeat. Default 2000. */
  heartbeatMs?: number;
  /** How long to wait for the lock. Default 14_000. */
  waitMs?: number;
}

const POLL_MS = 100;

/**
 * Opens a file and locks it. Waits for the lock of a process that was killed.
 * @throws `options_invalid` if the file cannot be read or written, or if another process has the lock
 */
export async function openPersistFile(path: string, times: LockTimes = {}): Promise<PersistFile> {
  let target: string;
  let text: string | undefined;
  let compromised: Error | undefined;
  let unlock = async () => {};
  try {
    // Without symbolic links. The file itself need not exist.
    target = (await ifExists(realpath(path))) ?? join(await realpath(dirname(resolve(path))), basename(path));
    unlock = await lock(path, target, times, (error) => {
      compromised = error;
    });
    await removeLeftovers(target);
    text = await ifExists(readFile(target, 'utf8'));
  } catch (error) {
    await unlock();
    throw isClaimlinkError(error) ? error : persistError(`${path} ${fileProblem(error)}`, error);
  }

  let changes = 0;
  let savedChanges = 0;
  let writing: Promise<void> | undefined;

  async function write(produce: () => string): Promise<void> {
    if (compromised !== undefined)
      throw new Error(`${path} is no longer locked by this process, so changes are not saved.`, {
        cause: compromised,
      });
    const included = changes;
    try {
      await replaceFile(target, produce());
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
 * Takes the lock. A lock whose heartbeat moves belongs to a process that runs: waiting would not help.
 * The lock of a killed process becomes stale and is taken over.
 */
async function lock(
  path: string,
  target: string,
  { staleMs = 10_000, heartbeatMs = 2000, waitMs = 14_000 }: LockTimes,
  onCompromised: (error: Error) => void,
): Promise<() => Promise<void>> {
  const lockPath = `${target}.lock`;
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
        // The lock is a folder. Only its owner may read it.
        fs: { ...fs, mkdir: (path: string, done: NoParamCallback) => mkdir(path, { mode: 0o700 }, done) },
      });
    } catch (error) {
      if (errorCode(error) !== 'ELOCKED') throw error;
    }
    const heartbeat = (await ifExists(stat(lockPath)))?.mtimeMs;
    firstHeartbeat ??= heartbeat;
    const isAlive = heartbeat !== undefined && heartbeat !== firstHeartbeat;
    if (isAlive || performance.now() > deadline)
      throw persistError(
        `${path} is in use by another mock; give each mock a file of its own, or delete ${path}.lock if there is none`,
      );
    await sleep(POLL_MS);
  }
}

/** End of the name of a file that is not complete yet. */
const NEW = '.claimlink-new';

/**
 * Replaces a file in one step and keeps its owner. write-file-atomic names its temporary file `<file>.<number>`, which may
 * be the name of a backup as well. It therefore writes a file with a name of the mock.
 */
async function replaceFile(target: string, text: string): Promise<void> {
  const { uid, gid } = (await ifExists(stat(target))) ?? {};
  const chown = uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
  await writeFileAtomic(target + NEW, text, { mode: 0o600, ...(chown && { chown }) });
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
