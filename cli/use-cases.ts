// The use cases of core on the database of a command, and what the commands about records share.
import { type Command, InvalidArgumentError } from 'commander';
import type { GuardedStorage } from '../lib/core/guarded-storage.js';
import type { Provisioning } from '../lib/core/provisioning.js';
import type { Records } from '../lib/core/records.js';
import type { AdminStorage } from '../lib/core/storage.js';
import type { Awaitable } from '../lib/core/types.js';
import type { CommandIo } from './command-io.js';
import { withStorage } from './database.js';
import { Flag, readText, UsageError } from './flags.js';

const MAX_PAGE_SIZE = 1000;

const now = () => new Date();

/** Runs use cases about clients and API keys. @throws UsageError for errors of the database */
export async function withProvisioning<T>(
  command: Command,
  use: (useCases: Provisioning, storage: GuardedStorage & AdminStorage) => Awaitable<T>,
): Promise<T> {
  const { createProvisioning } = await import('../lib/core/provisioning.js');
  return withStorage(command, 'AdminStorage', (storage) => use(createProvisioning(storage, now), storage));
}

/** Runs use cases about links, sessions and users. @throws UsageError for errors of the database */
export async function withRecords<T>(
  command: Command,
  use: (useCases: Records, storage: GuardedStorage) => Awaitable<T>,
): Promise<T> {
  const { createRecords } = await import('../lib/core/records.js');
  return withStorage(command, 'RecordStorage', (storage) =>
    use(createRecords({ now, maxPageSize: MAX_PAGE_SIZE }, storage), storage),
  );
}

/** Returns a client. @throws `client_not_found` */
export async function needClient(storage: GuardedStorage, clientId: string) {
  const { findClient } = await import('../lib/core/service.js');
  return findClient(storage, clientId);
}

export const clientFlag = (description: string) => new Flag('--client <id>', description).as('clientId');

/** The flag --client of commands that need it. */
export const requiredClient = () => clientFlag('the client (required)').makeOptionMandatory();

export const userFlag = (description = 'the user') => new Flag('--user <id>', description).as('userId');

export const jsonFlag = () => new Flag('--json', 'print JSON instead of a table');

/** The flag --limit of a list. */
export const limitFlag = () =>
  new Flag('--limit <number>', `maximum number, up to ${MAX_PAGE_SIZE}`, readLimit).default(100);

function readLimit(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PAGE_SIZE) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number, 1 to ${MAX_PAGE_SIZE}.`);
}

/** Adds the flags of a list of records in pages. */
export function addPaging(command: Command): Command {
  return command
    .addOption(limitFlag())
    .option('--cursor <text>', 'continue a list; the page before prints it', readText)
    .addOption(jsonFlag());
}

/** Returns a record of a client. @throws UsageError if there is none */
export function needRecord<T>(record: T | undefined, subject: string, clientId: string): T {
  if (record === undefined) throw new UsageError(`There is no ${subject} of the client ${clientId}.`);
  return record;
}

/** Writes to stderr how to get the next page. */
export function writeNextPage({ stderr }: CommandIo, nextCursor: string | undefined): void {
  if (nextCursor !== undefined) stderr.write(`More follow: repeat the command with --cursor ${nextCursor}\n`);
}
