// claimlink keys: issues API keys, lists them without showing them, revokes them.
import { randomBytes } from 'node:crypto';
import { type ApiKey, isClaimlinkError, issueApiKey } from '../../lib/index.js';
import { alignColumns } from './columns.js';
import type { CommandIo } from './command-io.js';
import type { CommandLine } from './command-line.js';
import { withStorage } from './database.js';
import { type Expiry, UsageError } from './flags.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** claimlink keys issue */
export async function runKeysIssue(line: CommandLine, { stdout, stderr }: CommandIo): Promise<void> {
  const clientId = line.need('client');
  const createdAt = new Date();
  const expiresAt = toMoment(line.values.expires, createdAt);
  if (expiresAt !== undefined && expiresAt.getTime() <= createdAt.getTime())
    throw new UsageError(`${line.nameOf('expires')} must lie in the future.`);
  const { key, hash } = issueApiKey();
  const id = `key_${randomBytes(6).toString('hex')}`;
  const hint = `clk_…${key.slice(-4)}`;
  const apiKey: ApiKey = { id, clientId, hash, hint, createdAt, ...(expiresAt && { expiresAt }) };
  try {
    await withStorage(line, async (storage) => storage.insertApiKey(apiKey));
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'client_not_found') throw unknownClient(clientId);
    throw error;
  }
  stdout.write(
    `${alignColumns([
      ['Key', key],
      ['Key id', id],
    ])}\n`,
  );
  stderr.write('The key is not stored and will not be shown again: keep it now.\n');
}

function toMoment(expires: Expiry | undefined, now: Date): Date | undefined {
  if (expires === undefined || expires instanceof Date) return expires;
  return new Date(now.getTime() + expires.days * DAY_MS);
}

/** claimlink keys list */
export async function runKeysList(line: CommandLine, { stdout }: CommandIo): Promise<void> {
  const clientId = line.need('client');
  const apiKeys = await withStorage(line, async (storage) => {
    if ((await storage.findClient(clientId)) === undefined) throw unknownClient(clientId);
    return storage.listApiKeys(clientId);
  });
  const now = new Date();
  const text = line.values.json
    ? JSON.stringify(
        apiKeys.map((apiKey) => toJson(apiKey, now)),
        null,
        2,
      )
    : toTable(apiKeys, now);
  stdout.write(`${text}\n`);
}

type State = 'active' | 'expired' | 'revoked';

function stateOf({ expiresAt, revokedAt }: ApiKey, now: Date): State {
  if (revokedAt !== undefined && revokedAt <= now) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** Never the hash: whoever has the list needs it for nothing. */
function toJson(apiKey: ApiKey, now: Date) {
  const { id, clientId, hint = null, createdAt, expiresAt = null, revokedAt = null } = apiKey;
  return { id, clientId, key: hint, state: stateOf(apiKey, now), createdAt, expiresAt, revokedAt };
}

function toTable(apiKeys: readonly ApiKey[], now: Date): string {
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

/** UTC, to the minute: `2026-01-31 09:30Z`. */
function minute(date: Date | undefined): string {
  return date === undefined ? '-' : `${date.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** A host may have stored any id and hint: they must not move the cursor of a terminal. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** claimlink keys revoke */
export async function runKeysRevoke(line: CommandLine, { stdout }: CommandIo): Promise<void> {
  const id = line.argument;
  const isRevoked = await withStorage(line, async (storage) => storage.revokeApiKey(id, new Date()));
  if (!isRevoked) throw new UsageError(`There is no key with the id ${id}, or it is revoked already.`);
  stdout.write(`Revoked the key ${id}.\n`);
}

function unknownClient(clientId: string): UsageError {
  return new UsageError(`There is no client ${clientId}; claimlink clients add makes it one.`);
}
