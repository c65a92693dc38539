// What the commands of the service share: groups, flags, and the records that they print.
import { type Command, InvalidArgumentError } from 'commander';
import type { Administration } from '../lib/core/administration/index.js';
import { ClaimlinkError } from '../lib/core/errors.js';
import type { Client } from '../lib/core/types.js';
import { type CommandIo, writeRecord, writeRecords } from './command-io.js';
import { MAX_PAGE_SIZE } from './database.js';
import { Flag, readText, UsageError } from './flags.js';

/** Adds a command with subcommands. */
export function addGroup(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).helpCommand(false);
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

/** Returns a client. @throws `client_not_found` */
export async function needClient({ findClient }: Administration, clientId: string): Promise<Client> {
  const client = await findClient(clientId);
  if (client === undefined) throw new ClaimlinkError('client_not_found');
  return client;
}

/** Returns a record of a client. @throws UsageError if there is none */
export function needRecord<T>(record: T | undefined, subject: string, clientId: string): T {
  if (record === undefined) throw new UsageError(`There is no ${subject} of the client ${clientId}.`);
  return record;
}

/** The flags of a command that shows a record. Without a client, it shows the matches of all clients. */
export interface SearchFlags {
  clientId?: string;
  json?: boolean;
}

/**
 * Writes the record of a client, or the matches of all clients. The JSON of matches is a list.
 * @throws UsageError if there is none
 */
export async function writeFound<T extends object>(
  io: CommandIo,
  flags: SearchFlags,
  subject: string,
  search: { ofClient(clientId: string): Promise<T | undefined>; ofAll(): Promise<readonly T[]> },
  toText?: (record: T) => string,
): Promise<void> {
  const { clientId } = flags;
  if (clientId !== undefined) {
    writeRecord(io, flags, needRecord(await search.ofClient(clientId), subject, clientId), toText);
    return;
  }
  const matches = await search.ofAll();
  if (matches.length === 0) throw new UsageError(`There is no ${subject}.`);
  writeRecords(io, flags, matches, toText);
}

/** Writes to stderr how to get the next page. */
export function writeNextPage({ stderr }: CommandIo, nextCursor: string | undefined): void {
  if (nextCursor !== undefined) stderr.write(`More follow: repeat the command with --cursor ${nextCursor}\n`);
}
