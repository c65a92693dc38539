// A file that one process keeps: atomic writes, one at a time, each for all who wait.
import { open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from './file-errors.js';
import { type FileLock, isProcess, LockedError, lockFile } from './file-lock.js';

/** A file that one process keeps. Imports nothing of the service: it is about files alone. */
export interface KeptFile {
  /**
   * Locks the file, and removes what killed processes left beside it. Resolves to its path, links followed.
   * @throws `LockedError`; what the file system throws, such as ENOENT for a folder that is not there.
   */
  take(): Promise<string>;
  /**
   * Resolves once a write that began after this call is on the disk. All calls during a write share the next one, for
   * which the last call's text is taken.
   * @throws `NotWrittenError`, and the file is as it was before; what `produce` throws.
   */
  write(produce: () => string): Promise<void>;
  /** Waits for the writes under way, and gives the file up. */
  release(): Promise<void>;
}

/** Replaces a file by one of this text: all or nothing. */
export type ReplaceFile = (path: string, text: string) => Promise<void>;

/** A write that failed; the cause is what the file system reports, or a `LockedError`. */
export class NotWrittenError extends Error {}

/** Calls of `write` that share one write. */
interface Batch {
  produce: () => string;
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Makes a kept file; nothing is touched before it is taken. */
export function createKeptFile(path: string, replace: ReplaceFile = replaceFile): KeptFile {
  let taken: { target: string; lock: FileLock } | undefined;
  let waiting: Batch | undefined;
  let writing: Promise<void> | undefined;

  async function writeNow(produce: () => string): Promise<void> {
    if (taken === undefined) throw new Error('The file was not loaded, or is closed already.');
    const { target, lock } = taken;
    const text = produce();
    try {
      if (!(await lock.isHeld()))
        throw new LockedError(`is in use by somebody else: ${target}.lock was deleted or replaced`);
      await replace(target, text);
    } catch (error) {
      throw new NotWrittenError('The file was not written.', { cause: error });
    }
  }

  function writeNext(): void {
    if (writing !== undefined || waiting === undefined) return;
    const { produce, resolve: done, reject } = waiting;
    waiting = undefined;
    writing = writeNow(produce)
      .then(done, reject)
      .then(() => {
        writing = undefined;
        writeNext();
      });
  }

  return {
    async take() {
      const target = await targetOf(path);
      const lock = await lockFile(target, () => temporaryName(target));
      try {
        await removeLeftovers(target);
      } catch (error) {
        await lock.release();
        throw error;
      }
      taken = { target, lock };
      return target;
    },

    write(produce) {
      waiting ??= createBatch(produce);
      waiting.produce = produce;
      const { promise } = waiting;
      writeNext();
      return promise;
    },

    async release() {
      while (writing !== undefined) await writing;
      const { lock } = taken ?? {};
      taken = undefined;
      await lock?.release();
    },
  };
}

function createBatch(produce: () => string): Batch {
  let settle: Pick<Batch, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { produce, promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}

/** The file itself, where the path is that of a link to it: the link is to stay. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return join(await realpath(dirname(resolve(path))), basename(path));
  }
}

let counter = 0;

/** In the same folder, so that renaming is atomic. */
function temporaryName(target: string): string {
  counter++;
  return `${target}.${process.pid}.${counter}.tmp`;
}

/** What processes that were killed have left behind. Those that live may be writing. */
async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) && /^(\d+)\.\d+\.tmp$/.exec(name.slice(prefix.length))?.[1];
    // A process with our id is gone: the file is ours, and we have not written yet.
    if (pid && (Number(pid) === process.pid || !isProcess(Number(pid))))
      await rm(join(folder, name), { force: true });
  }
}

/** Readable for its owner only: it holds keys, links and what signs them. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Without this a renamed file may be lost when the power fails. Some systems do not let folders be synced. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'].includes(codeOf(error))) throw error;
  }
}
