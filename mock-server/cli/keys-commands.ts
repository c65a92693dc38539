// claimlink keys: issues, lists, shows, changes, rotates and revokes API keys.
import { randomBytes } from 'node:crypto';
import { type AdminStorage, type ApiKey, isClaimlinkError, issueApiKey } from '../../lib/index.js';
import { alignColumns, printable } from '../terminal.js';
import { type CommandGroup, type CommandIo, writeResult } from './command-io.js';
import { withStorage } from './database.js';
import type { KEY_FLAGS } from './database-flags.js';
import type { Expiry } from './flag-readers.js';
import { UsageError } from './flags.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days after which `keys rotate` lets the old key end, unless the caller chooses. */
const DAYS_OF_OLD_KEY = 7;

export const keys: CommandGroup<typeof KEY_FLAGS> = {
  async issue({ flags, io }) {
    const clientId = flags.need('client');
    const createdAt = new Date();
    const expiresAt = toFuture(flags.values.expires, createdAt);
    await withStorage(flags, (storage) => insertNewKey(storage, io, { clientId, createdAt, expiresAt }));
  },

  async list(context) {
    const clientId = context.flags.need('client');
    const apiKeys = await withStorage(context.flags, async (storage) => {
      if ((await storage.findClient(clientId)) === undefined) throw unknownClient(clientId);
      return storage.listApiKeys(clientId);
    });
    writeResult(context, apiKeys.map(keyToJson), keyTable(apiKeys));
  },

  async show(context) {
    const { flags, argument: id } = context;
    const apiKey = await withStorage(flags, (storage) => needKey(storage, id));
    writeResult(context, keyToJson(apiKey), alignColumns(Object.entries(keyToText(apiKey))));
  },

  async update({ flags, argument: id, io }) {
    const expiresAt = toFuture(flags.need('expires'), new Date());
    const settings = expiresAt ? { expiresAt } : {};
    const isUpdated = await withStorage(flags, (storage) => storage.updateApiKey(id, settings));
    if (!isUpdated) throw new UsageError(`There is no key with the id ${id}, or it is revoked.`);
    const ending = expiresAt ? `ends on ${minute(expiresAt)}` : 'does not expire';
    io.stdout.write(`The key ${id} ${ending}.\n`);
  },

  /** Issues the new key before it ends the old one, so that after a failure in between both keys work. */
  async rotate({ flags, argument: id, io }) {
    const { expires, oldEndsIn = DAYS_OF_OLD_KEY } = flags.values;
    const now = new Date();
    const chosenExpiry = toFuture(expires, now);
    await withStorage(flags, async (storage) => {
      const old = await needKey(storage, id);
      const state = old.revokedAt === undefined ? stateOf(old, now) : 'revoked';
      if (state !== 'active')
        throw new UsageError(
          `The key ${id} is ${state}. Issue a new one with claimlink keys issue --client ${printable(old.clientId)}.`,
        );
      const expiresAt = expires === undefined ? sameLifetime(old, now) : chosenExpiry;
      await insertNewKey(storage, io, { clientId: old.clientId, createdAt: now, expiresAt });
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
      const ending = `ends on ${minute(endsEarlier ? old.expiresAt : end)}`;
      io.stdout.write(`The old key ${id} ${oldEndsIn === 0 ? 'has ended' : ending}.\n`);
    });
  },

  async revoke({ flags, argument: id, io }) {
    const isRevoked = await withStorage(flags, (storage) => storage.revokeApiKey(id, new Date()));
    if (!isRevoked) throw new UsageError(`There is no key with the id ${id}, or it is revoked already.`);
    io.stdout.write(`Revoked the key ${id}.\n`);
  },
};

/** Stores a new key and shows it. @throws UsageError for an unknown client */
async function insertNewKey(
  storage: AdminStorage,
  io: CommandIo,
  { clientId, createdAt, expiresAt }: { clientId: string; createdAt: Date; expiresAt: Date | undefined },
): Promise<void> {
  const { key, hash } = issueApiKey();
  const id = `key_${randomBytes(6).toString('hex')}`;
  const hint = `clk_…${key.slice(-4)}`;
  try {
    await storage.insertApiKey({ id, clientId, hash, hint, createdAt, ...(expiresAt && { expiresAt }) });
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'client_not_found') throw unknownClient(clientId);
    throw error;
  }
  io.stdout.write(`${alignColumns(Object.entries({ Key: key, 'Key id': id }))}\n`);
  io.stderr.write('The key is not stored and will not be shown again. Keep it now.\n');
}

/** Returns the moment of --expires, or undefined for never. @throws UsageError if it is in the past */
function toFuture(expires: Expiry | undefined, now: Date): Date | undefined {
  if (expires === undefined || expires === 'never') return undefined;
  const moment = expires instanceof Date ? expires : inDays(expires.days, now);
  if (moment <= now) throw new UsageError('--expires must be in the future.');
  return moment;
}

function inDays(days: number, now: Date): Date {
  return new Date(now.getTime() + days * DAY_MS);
}

type State = 'active' | 'expired' | 'revoked';

function stateOf({ expiresAt, revokedAt }: ApiKey, now = new Date()): State {
  if (revokedAt !== undefined && revokedAt <= now) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** Returns a key for JSON, without its hash. */
export function keyToJson(apiKey: ApiKey) {
  const { id, clientId, hint = null, createdAt, expiresAt = null, revokedAt = null } = apiKey;
  return { id, clientId, key: hint, state: stateOf(apiKey), createdAt, expiresAt, revokedAt };
}

/** Returns a key for people, without its hash. */
function keyToText(apiKey: ApiKey) {
  return {
    id: printable(apiKey.id),
    client: printable(apiKey.clientId),
    key: printable(apiKey.hint ?? '-'),
    created: minute(apiKey.createdAt),
    expires: minute(apiKey.expiresAt),
    revoked: minute(apiKey.revokedAt),
    state: stateOf(apiKey),
  };
}

const KEY_COLUMNS = ['id', 'key', 'created', 'expires', 'revoked', 'state'] as const;

export function keyTable(apiKeys: readonly ApiKey[]): string {
  const rows = apiKeys.map(keyToText).map((key) => KEY_COLUMNS.map((column) => key[column]));
  return alignColumns([KEY_COLUMNS, ...rows]);
}

/** Formats a date in UTC: `2026-01-31 09:30Z`. */
export function minute(date: Date | undefined): string {
  return date === undefined ? '-' : `${date.toISOString().slice(0, 16).replace('T', ' ')}Z`;
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

function unknownClient(clientId: string): UsageError {
  return new UsageError(`There is no client ${printable(clientId)}. Add it with claimlink clients add.`);
}
