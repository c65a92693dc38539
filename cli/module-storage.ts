// The storage of a host for the commands: the default export of a module. Its export `photos` is the store of photos.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { missingMethods } from '../lib/core/assert-options.js';
import type { HostStorage } from '../lib/core/guarded-storage.js';
import { PHOTO_STORE_METHODS } from '../lib/core/photo-options.js';
import type { PhotoStore } from '../lib/core/photo-store.js';
import { fileProblem } from '../mock-server/scenario/file-problem.js';
import type { CommandDatabase } from './command-database.js';
import { hostReason } from './database-errors.js';
import { UsageError } from './flags.js';
import { withoutCredentials } from './secrets.js';

/**
 * Returns a database whose module is loaded with the first call.
 * @param isVerbose whether an error of the module shows its message
 */
export function openModule(file: string, name: string, isVerbose: boolean): CommandDatabase {
  let storage: HostStorage | undefined;
  const rejectMigration = () => {
    throw new UsageError(
      `The host creates and updates the tables of ${name} itself. claimlink migrate needs --database.`,
    );
  };
  return {
    migrationSql: rejectMigration,
    migrate: rejectMigration,
    async openStorage() {
      storage = await loadStorage(file, name, isVerbose);
      return storage;
    },
    openPhotos: () => loadPhotos(file, name, isVerbose),
    close: async () => storage?.close?.(),
  };
}

async function loadStorage(file: string, name: string, isVerbose: boolean): Promise<HostStorage> {
  const value = await loadExport(file, name, isVerbose, 'default');
  if (typeof value === 'object' && value !== null) return value as HostStorage;
  throw new UsageError(
    `${subjectOf(file, name)} needs a default export: a storage, or a function that returns one.`,
  );
}

async function loadPhotos(file: string, name: string, isVerbose: boolean): Promise<PhotoStore> {
  const value = await loadExport(file, name, isVerbose, 'photos');
  if (missingMethods(value, PHOTO_STORE_METHODS).length === 0) return value as PhotoStore;
  throw new UsageError(
    `${subjectOf(file, name)} needs an export photos: a store of photos, or a function that returns one. Or name --photos folder:PATH.`,
  );
}

/** Returns an export of a module. A function is called. */
async function loadExport(file: string, name: string, isVerbose: boolean, key: string): Promise<unknown> {
  const path = resolve(file);
  const subject = subjectOf(file, name);
  await stat(path).catch((error: unknown) => {
    throw new UsageError(`${subject} ${fileProblem(error)}.`);
  });
  return callExport(path, key).catch((error: unknown) => {
    const reason = isVerbose ? `. ${withoutCredentials(String(error))}` : ` ${hostReason(error)}`;
    throw new UsageError(`${subject} failed to load${reason}`);
  });
}

function subjectOf(file: string, name: string): string {
  return `The module ${withoutCredentials(file)} of ${name}`;
}

async function callExport(path: string, key: string): Promise<unknown> {
  const { [key]: value } = await import(pathToFileURL(path).href);
  return typeof value === 'function' ? value() : value;
}
