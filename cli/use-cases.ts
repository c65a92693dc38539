// The use cases of core on the database of a command, and what the commands about records share.
import { type Command, InvalidArgumentError } from 'commander';
import type { Provisioning } from '../lib/core/provisioning.js';
import type { Records } from '../lib/core/records.js';
import type { Awaitable } from '../lib/core/types.js';
import type { CommandIo } from './command-io.js';
import { type CommandStorage, withStorage } from './database.js';
import { Flag, readText, UsageError } from './flags.js';

const MAX_PAGE_SIZE = 1000;

/** Runs use cases on the database. @throws UsageError for errors of the database */
export async function withUseCases<T>(
  command: Command,
  use: (useCases: Records & Provisioning, storage: CommandStorage) => Awaitable<T>,
): Promise<T> {
  const { createRecords } = await import('../lib/core/records.js');
  const { createProvisioning } = await import('../lib/core/provisioning.js');
  const now = () => new Date();
  return withStorage(command, (storage) =>
    use(
      {
        ...createRecords({ now, maxPageSize: MAX_PAGE_SIZE }, storage),
        ...createProvisioning(storage, now),
      },
      storage,
    ),
  );
}

/** Returns a client. @throws `client_not_found` */
export async function needClient(storage: CommandStorage, clientId: string) {
  const { findClient } = await import('../lib/core/service.js');
  return findClient(storage, clientId);
}

/** The flag --client of commands that may find a record without it. */
export const clientFlag = (description = 'the client (default: any client)') =>
  new Flag('--client <id>', description).as('clientId');

/** The flag --client of commands that need it. */
export const requiredClient = () => clientFlag('the client').makeOptionMandatory();

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

/**
 * Finds a record of a client, or of any client.
 * @param subject names the record in messages
 * @throws UsageError if there is none, or if several clients have one; `client_not_found`
 */
export async function findRecord<T>(
  storage: CommandStorage,
  clientId: string | undefined,
  subject: string,
  find: (clientId: string) => Awaitable<T | undefined>,
): Promise<T> {
  const clients =
    clientId === undefined ? await storage.listClients() : [await needClient(storage, clientId)];
  const records = new Map<string, T>();
  for (const client of clients) {
    const record = await find(client.clientId);
    if (record !== undefined) records.set(client.clientId, record);
  }
  const [first, ...others] = records.values();
  if (first === undefined)
    throw new UsageError(
      `There is no ${subject}${clientId === undefined ? '' : ` of the client ${clientId}`}.`,
    );
  if (others.length > 0)
    throw new UsageError(
      `Several clients have a ${subject}: ${[...records.keys()].join(', ')}. Name one with --client.`,
    );
  return first;
}

/** Writes to stderr how to get the next page. */
export function writeNextPage({ stderr }: CommandIo, nextCursor: string | undefined): void {
  if (nextCursor !== undefined) stderr.write(`More follow: repeat the command with --cursor ${nextCursor}\n`);
}
