// claimlink keys: issues, lists, shows, changes, rotates and revokes API keys.
import { randomBytes } from 'node:crypto';
import { type AdminStorage, type ApiKey, isClaimlinkError, issueApiKey } from '../../lib/index.js';
import { alignColumns, printable } from '../terminal.js';
import type { CommandContext, CommandIo } from './command-io.js';
import { withStorage } from './database.js';
import type { DATABASE_FLAGS, KEY_FLAGS } from './database-flags.js';
import { type FlagReader, UsageError } from './flags.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days after which `keys rotate` lets the old key end, unless the caller chooses. */
const DAYS_OF_OLD_KEY = 7;

export async function runKeysIssue(context: CommandContext<typeof KEY_FLAGS.issue>): Promise<number> {
  const { flags, io } = context;
  const clientId = flags.need('client');
  const createdAt = new Date();
  const expiresAt = toFuture(flags, createdAt);
  const issued = await withStorage(flags, async (storage) =>
    insertNewKey(storage, { clientId, createdAt, ...(expiresAt && { expiresAt }) }),
  );
  printNewKey(io, issued);
  return 0;
}

interface NewKey {
  id: string;
  key: string;
}

/** Stores a new key. @throws UsageError for an unknown client */
async function insertNewKey(
  storage: AdminStorage,
  settings: Pick<ApiKey, 'clientId' | 'createdAt' | 'expiresAt'>,
): Promise<NewKey> {
  const { key, hash } = issueApiKey();
  const id = `key_${randomBytes(6).toString('hex')}`;
  try {
    await storage.insertApiKey({ id, hash, hint: `clk_…${key.slice(-4)}`, ...settings });
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'client_not_found') throw unknownClient(settings.clientId);
    throw error;
  }
  return { id, key };
}

function printNewKey(io: CommandIo, { id, key }: NewKey): void {
  io.stdout.write(
    `${alignColumns([
      ['Key', key],
      ['Key id', id],
    ])}\n`,
  );
  io.stderr.write('The key is not stored and will not be shown again. Keep it now.\n');
}

/** Returns the moment of --expires, or undefined for never. @throws UsageError if it is in the past */
function toFuture(
  { values, nameOf }: Pick<FlagReader<Pick<typeof KEY_FLAGS.issue, 'expires'>>, 'values' | 'nameOf'>,
  now: Date,
): Date | undefined {
  const { expires } = values;
  if (expires === undefined || expires === 'never') return undefined;
  const moment = expires instanceof Date ? expires : inDays(expires.days, now);
  if (moment <= now) throw new UsageError(`${nameOf('expires')} must be in the future.`);
  return moment;
}

function inDays(days: number, now: Date): Date {
  return new Date(now.getTime() + days * DAY_MS);
}

export async function runKeysList(context: CommandContext<typeof KEY_FLAGS.list>): Promise<number> {
  const { flags, io } = context;
  const clientId = flags.need('client');
  const apiKeys = await withStorage(flags, async (storage) => {
    if ((await storage.findClient(clientId)) === undefined) throw unknownClient(clientId);
    return storage.listApiKeys(clientId);
  });
  const now = new Date();
  const text = flags.values.json
    ? JSON.stringify(
        apiKeys.map((apiKey) => keyToJson(apiKey, now)),
        null,
        2,
      )
    : keyTable(apiKeys, now);
  io.stdout.write(`${text}\n`);
  return 0;
}

type State = 'active' | 'expired' | 'revoked';

function stateOf({ expiresAt, revokedAt }: ApiKey, now: Date): State {
  if (revokedAt !== undefined && revokedAt <= now) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** Returns a key for JSON, without its hash. */
export function keyToJson(apiKey: ApiKey, now: Date) {
  const { id, clientId, hint = null, createdAt, expiresAt = null, revokedAt = null } = apiKey;
  return { id, clientId, key: hint, state: stateOf(apiKey, now), createdAt, expiresAt, revokedAt };
}

export function keyTable(apiKeys: readonly ApiKey[], now: Date): string {
  const rows = apiKeys.map((apiKey) => [
    printable(apiKey.id),
    printable(apiKey.hint ?? '-'),
    minute(apiKey.createdAt),
    minute(apiKey.expiresAt),
    minute(apiKey.revokedAt),
    stateOf(apiKey, now),
  ]);
  return alignColumns([['id', 'key', 'created', 'expires', 'revoked', 'state'], ...rows]);
}

/** Formats a date in UTC: `2026-01-31 09:30Z`. */
export function minute(date: Date | undefined): string {
  return date === undefined ? '-' : `${date.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

export async function runKeysShow(context: CommandContext<typeof KEY_FLAGS.show>): Promise<number> {
  const { flags, argument: id, io } = context;
  const apiKey = await withStorage(flags, (storage) => needKey(storage, id));
  const now = new Date();
  const text = flags.values.json
    ? JSON.stringify(keyToJson(apiKey, now), null, 2)
    : alignColumns([
        ['id', printable(apiKey.id)],
        ['client', printable(apiKey.clientId)],
        ['key', printable(apiKey.hint ?? '-')],
        ['created', minute(apiKey.createdAt)],
        ['expires', minute(apiKey.expiresAt)],
        ['revoked', minute(apiKey.revokedAt)],
        ['state', stateOf(apiKey, now)],
      ]);
  io.stdout.write(`${text}\n`);
  return 0;
}

export async function runKeysUpdate(context: CommandContext<typeof KEY_FLAGS.update>): Promise<number> {
  const { flags, argument: id, io } = context;
  flags.need('expires');
  const expiresAt = toFuture(flags, new Date());
  const isUpdated = await withStorage(flags, async (storage) =>
    storage.updateApiKey(id, expiresAt ? { expiresAt } : {}),
  );
  if (!isUpdated) throw new UsageError(`There is no key with the id ${id}, or it is revoked.`);
  io.stdout.write(
    expiresAt ? `The key ${id} ends on ${minute(expiresAt)}.\n` : `The key ${id} does not expire.\n`,
  );
  return 0;
}

/** Issues the new key before it ends the old one, so that after a failure in between both keys work. */
export async function runKeysRotate(context: CommandContext<typeof KEY_FLAGS.rotate>): Promise<number> {
  const { flags, argument: id, io } = context;
  const { expires, oldEndsIn = DAYS_OF_OLD_KEY } = flags.values;
  const now = new Date();
  const chosenExpiry = toFuture(flags, now);
  await withStorage(flags, async (storage) => {
    const old = await needKey(storage, id);
    const state = old.revokedAt === undefined ? stateOf(old, now) : 'revoked';
    if (state !== 'active')
      throw new UsageError(
        `The key ${id} is ${state}. Issue a new one with claimlink keys issue --client ${printable(old.clientId)}.`,
      );
    const expiresAt = expires === undefined ? sameLifetime(old, now) : chosenExpiry;
    const { clientId } = old;
    printNewKey(
      io,
      await insertNewKey(storage, { clientId, createdAt: now, ...(expiresAt && { expiresAt }) }),
    );
    const end = inDays(oldEndsIn, now);
    const endsEarlier = old.expiresAt !== undefined && old.expiresAt <= end;
    try {
      if (!endsEarlier && !(await storage.updateApiKey(id, { expiresAt: end }))) {
        io.stderr.write(`The old key ${id} was revoked or removed in the meantime.\n`);
        return;
      }
    } catch (error) {
      io.stderr.write(
        `The new key works. The end of the old key ${id} may not be set: see claimlink keys show ${id}.\n`,
      );
      throw error;
    }
    io.stdout.write(
      oldEndsIn === 0
        ? `The old key ${id} has ended.\n`
        : `The old key ${id} ends on ${minute(endsEarlier ? old.expiresAt : end)}.\n`,
    );
  });
  return 0;
}

/** Returns the expiry of a new key that works as long as the old one from its creation on. */
function sameLifetime({ createdAt, expiresAt }: ApiKey, now: Date): Date | undefined {
  return expiresAt && new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}

/** @throws UsageError for an unknown id */
async function needKey(storage: AdminStorage, id: string): Promise<ApiKey> {
  const apiKey = await storage.findApiKey(id);
  if (apiKey === undefined)
    throw new UsageError(`There is no key with the id ${id}. claimlink keys list shows those of a client.`);
  return apiKey;
}

export async function runKeysRevoke(context: CommandContext<typeof DATABASE_FLAGS>): Promise<number> {
  const { flags, argument: id, io } = context;
  const isRevoked = await withStorage(flags, async (storage) => storage.revokeApiKey(id, new Date()));
  if (!isRevoked) throw new UsageError(`There is no key with the id ${id}, or it is revoked already.`);
  io.stdout.write(`Revoked the key ${id}.\n`);
  return 0;
}

function unknownClient(clientId: string): UsageError {
  return new UsageError(`There is no client ${printable(clientId)}. Add it with claimlink clients add.`);
}
