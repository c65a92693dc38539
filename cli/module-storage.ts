// The storage of a host for the commands: the default export of a module.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostStorage } from '../lib/core/guarded-storage.js';
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
    close: async () => storage?.close?.(),
  };
}

async function loadStorage(file: string, name: string, isVerbose: boolean): Promise<HostStorage> {
  const path = resolve(file);
  const subject = `The module ${withoutCredentials(file)} of ${name}`;
  await stat(path).catch((error: unknown) => {
    throw new UsageError(`${subject} ${fileProblem(error)}.`);
  });
  const value: unknown = await callDefault(path).catch((error: unknown) => {
    const reason = isVerbose ? `. ${withoutCredentials(String(error))}` : ` ${hostReason(error)}`;
    throw new UsageError(`${subject} failed to load${reason}`);
  });
  if (typeof value === 'object' && value !== null) return value as HostStorage;
  throw new UsageError(`${subject} needs a default export: a storage, or a function that returns one.`);
}

async function callDefault(path: string): Promise<unknown> {
  const { default: value } = await import(pathToFileURL(path).href);
  return typeof value === 'function' ? value() : value;
}
