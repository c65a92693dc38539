// Keeps a world in a file, in a form that people can read and edit.
import { ClaimlinkError } from '../../lib/index.js';
import { reasonOf } from './file-errors.js';
import { LockedError } from './file-lock.js';
import { createKeptFile, NotWrittenError, type ReplaceFile } from './kept-file.js';
import { type WorldFile, writeWorldFile } from './persist-format.js';
import { readWorldFile } from './persist-read.js';
import { readTextFile, refusal } from './world-file-text.js';

/** A file that a world is kept in. */
export interface PersistFile {
  /**
   * Takes the file, and reads it; undefined when there is none yet. To be called once, before the first `save`.
   * @throws `options_invalid` for a file that is damaged, out of reach or in use by another process. Such a file is
   * left as it is, and cannot be saved to.
   */
  load(): Promise<WorldFile | undefined>;
  /**
   * Resolves once a write that began after this call is on the disk. All calls during a write share the next one, for
   * which the last call's world is taken.
   * @throws `storage_unavailable` when the file cannot be written; the one before is still there, and the next call
   * tries again.
   */
  save(produce: () => WorldFile): Promise<void>;
  /** Waits for the writes under way, and gives the file up. */
  close(): Promise<void>;
}

/** How a persist file is written. */
export interface PersistFileOptions {
  /** Default: writes a temporary file beside it, and renames that. */
  write?: ReplaceFile;
}

/** Makes a persist file; nothing is touched before `load`. A symbolic link is followed. */
export function createPersistFile(path: string, { write }: PersistFileOptions = {}): PersistFile {
  const file = createKeptFile(path, write);

  async function take(): Promise<string> {
    try {
      return await file.take();
    } catch (error) {
      if (error instanceof LockedError) throw refusal('persistFile', [`${path} ${error.message}`], error);
      throw refusal('persistFile', [`${path} cannot be kept: its folder ${reasonOf(error)}`], error);
    }
  }

  return {
    async load() {
      const target = await take();
      try {
        const text = await readTextFile('persistFile', target);
        return text === undefined ? undefined : readWorldFile(text, path);
      } catch (error) {
        await file.release();
        throw error;
      }
    },

    async save(produce) {
      try {
        await file.write(() => writeWorldFile(produce()));
      } catch (error) {
        if (!(error instanceof NotWrittenError)) throw error;
        const { cause } = error;
        const reason = cause instanceof LockedError ? cause.message : reasonOf(cause);
        const message = `The world could not be saved: ${path} ${reason}.`;
        throw new ClaimlinkError('storage_unavailable', message, { cause });
      }
    },

    close: () => file.release(),
  };
}
