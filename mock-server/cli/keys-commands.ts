// claimlink keys: issues, lists and revokes the API keys of a client.
import { randomBytes } from 'node:crypto';
import { type ApiKey, isClaimlinkError, issueApiKey } from '../../lib/index.js';
import { alignColumns, printable } from '../terminal.js';
import type { CommandContext } from './command-io.js';
import { withStorage } from './database.js';
import type { DATABASE_FLAGS, KEY_FLAGS } from './database-flags.js';
import type { Expiry } from './flag-readers.js';
import { UsageError } from './flags.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export async function runKeysIssue(context: CommandContext<typeof KEY_FLAGS.issue>): Promise<number> {
  const { flags, io } = context;
  const clientId = flags.need('client');
  const createdAt = new Date();
  const expiresAt = toMoment(flags.values.expires, createdAt);
  if (expiresAt !== undefined && expiresAt.getTime() <= createdAt.getTime())
    throw new UsageError(`${flags.nameOf('expires')} must be in the future.`);
  const { key, hash } = issueApiKey();
  const id = `key_${randomBytes(6).toString('hex')}`;
  const hint = `clk_…${key.slice(-4)}`;
  const apiKey: ApiKey = { id, clientId, hash, hint, createdAt, ...(expiresAt && { expiresAt }) };
  try {
    await withStorage(flags, async (storage) => storage.insertApiKey(apiKey));
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'client_not_found') throw unknownClient(clientId);
    throw error;
  }
  io.stdout.write(
    `${alignColumns([
      ['Key', key],
      ['Key id', id],
    ])}\n`,
  );
  io.stderr.write('The key is not stored and will not be shown again. Keep it now.\n');
  return 0;
}

function toMoment(expires: Expiry | undefined, now: Date): Date | undefined {
  if (expires === undefined || expires instanceof Date) return expires;
  return new Date(now.getTime() + expires.days * DAY_MS);
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

/** Returns a table of keys. */
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
