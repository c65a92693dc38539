// claimlink keys: issues, lists, shows, changes, rotates and revokes API keys.
import { type Command, InvalidArgumentError } from 'commander';
import { isDate } from '../lib/core/plain-data.js';
import type { ApiKey, IssuedApiKey, RotatedApiKey } from '../lib/index.js';
import { type CommandIo, cell, writeList, writeRecord, writeResult } from './command-io.js';
import { withAdministration } from './database.js';
import { Flag, pick, readMoment, UsageError } from './flags.js';
import { addGroup, jsonFlag, requiredClient } from './service-commands.js';
import { alignColumns } from './terminal-text.js';

const DAY_MS = 86_400_000;

interface KeyFlags {
  clientId: string;
  expiresAt?: Date | 'never';
  oldKeyEndsAt?: Date;
  json?: boolean;
}

export function addKeys(program: Command, io: CommandIo): Command {
  const keys = addGroup(program, 'keys', 'issue, list, show, update, rotate and revoke API keys');
  const expires = (more = '') =>
    new Flag('--expires <date|days|never>', `expiry, such as 2030-12-31 (UTC) or 90d${more}`, readExpiry).as(
      'expiresAt',
    );

  keys
    .command('issue')
    .description('issue an API key and show it once')
    .addOption(requiredClient())
    .addOption(expires(' (default: never)'))
    .addOption(jsonFlag())
    .addHelpText('after', '\nExample: claimlink keys issue --client acme --expires 90d')
    .action(async (flags: KeyFlags, command: Command) => {
      const { clientId, expiresAt } = flags;
      const options = isDate(expiresAt) ? { expiresAt } : {};
      const issued = await withAdministration(command, ({ addApiKey }) => addApiKey(clientId, options));
      writeNewKey(io, issued, flags);
    });

  keys
    .command('list')
    .description('list the API keys of a client')
    .addOption(requiredClient())
    .addOption(jsonFlag())
    .action(async (flags: KeyFlags, command: Command) => {
      const apiKeys = await withAdministration(command, ({ listApiKeys }) => listApiKeys(flags.clientId));
      writeKeys(io, flags, apiKeys);
    });

  keys
    .command('show <key-id>')
    .description('show one API key, without its secret')
    .addOption(jsonFlag())
    .action(async (id: string, flags: KeyFlags, command: Command) => {
      const apiKey = await withAdministration(command, ({ findApiKey }) => findApiKey(id));
      if (apiKey === undefined)
        throw new UsageError(
          `There is no key with the id ${id}. claimlink keys list shows those of a client.`,
        );
      writeRecord(io, flags, flags.json ? keyToJson(apiKey) : keyToText(apiKey));
    });

  keys
    .command('update <key-id>')
    .description('change the expiry of an API key')
    .addOption(expires().makeOptionMandatory())
    .addHelpText(
      'after',
      `
A revoked key cannot be changed. An expired key with a later expiry works again.
Example: claimlink keys update key_0123456789ab --expires 30d`,
    )
    .action(async (id: string, { expiresAt = 'never' }: KeyFlags, command: Command) => {
      const isUpdated = await withAdministration(command, ({ updateApiKey }) =>
        updateApiKey(id, { expiresAt }),
      );
      if (!isUpdated) throw new UsageError(`There is no key with the id ${id}, or it is revoked.`);
      const ending = expiresAt === 'never' ? 'does not expire' : `ends on ${cell(expiresAt)}`;
      io.stdout.write(`The key ${id} ${ending}.\n`);
    });

  keys
    .command('rotate <key-id>')
    .description('issue a new API key for the same client; the old one ends later')
    .addOption(
      new Flag('--old-ends-in <days>', 'when the old key ends; 0 ends it at once (default: 7d)', readDays).as(
        'oldKeyEndsAt',
      ),
    )
    .addOption(expires(' (default: the lifetime of the old key)'))
    .addOption(jsonFlag())
    .addHelpText(
      'after',
      `
Both keys work until the old one ends. An old key that expires earlier still does.
Example: claimlink keys rotate key_0123456789ab --old-ends-in 14d`,
    )
    .action(async (id: string, flags: KeyFlags, command: Command) => {
      await withAdministration(command, async ({ rotateApiKey }) => {
        const rotated = await rotateApiKey(id, pick(flags, 'expiresAt', 'oldKeyEndsAt'));
        if (rotated === undefined)
          throw new UsageError(
            `There is no key with the id ${id}, or it has ended. Issue one with claimlink keys issue.`,
          );
        const { oldKeyEndsAt = null } = rotated;
        writeNewKey(io, rotated, flags, { oldKeyEndsAt });
        writeEndOfOldKey(io, id, rotated, flags);
      });
    });

  keys
    .command('revoke <key-id>')
    .description('revoke an API key')
    .action(async (id: string, _: KeyFlags, command: Command) => {
      if (!(await withAdministration(command, ({ revokeApiKey }) => revokeApiKey(id))))
        throw new UsageError(`There is no key with the id ${id}, or it is revoked already.`);
      io.stdout.write(`Revoked the key ${id}.\n`);
    });
  return keys;
}

/** Reads a date, days from now, or never: 2030-12-31, 90d. */
function readExpiry(text: string): Date | 'never' {
  if (text === 'never') return text;
  if (/^[1-9]\d{0,3}d$/.test(text)) return inDays(text);
  if (/^[\d-]+$/.test(text)) return readMoment(text);
  throw new InvalidArgumentError(
    'It must be a date, such as 2030-12-31, 1 to 9999 days from now, such as 90d, or never.',
  );
}

/** Reads a number of days: 7d, or 0. */
function readDays(text: string): Date {
  if (/^(?:0|0d|[1-9]\d{0,3}d)$/.test(text)) return inDays(text);
  throw new InvalidArgumentError('It must be days, such as 7d, or 0.');
}

function inDays(text: string): Date {
  return new Date(Date.now() + Number.parseInt(text, 10) * DAY_MS);
}

/** Shows a new key, the only time. The JSON has `more` as well. */
function writeNewKey(io: CommandIo, { apiKey, key }: IssuedApiKey, flags: KeyFlags, more: object = {}): void {
  const text = alignColumns(Object.entries({ Key: key, 'Key id': apiKey.id }));
  writeResult(io, flags, { ...keyToJson(apiKey), key, ...more }, text);
  io.stderr.write('The key is not stored and will not be shown again. Keep it now.\n');
}

/** The JSON has the end already. @throws the error of the database that could not set the end of the old key. */
function writeEndOfOldKey(
  io: CommandIo,
  id: string,
  { oldKeyEndsAt, oldKeyError }: RotatedApiKey,
  { json }: KeyFlags,
): void {
  if (oldKeyError !== undefined) {
    io.stderr.write(
      `The new key works. The end of the old key ${id} may not be set: see claimlink keys show ${id}.\n`,
    );
    throw oldKeyError;
  }
  if (oldKeyEndsAt === undefined) {
    io.stderr.write(`The old key ${id} was revoked or removed in the meantime.\n`);
    return;
  }
  if (json) return;
  const ending = oldKeyEndsAt <= new Date() ? 'has ended' : `ends on ${cell(oldKeyEndsAt)}`;
  io.stdout.write(`The old key ${id} ${ending}.\n`);
}

function stateOf({ expiresAt, revokedAt }: ApiKey, now = new Date()): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined && revokedAt <= now) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** Writes keys as a table or as JSON, without their hashes. */
export function writeKeys(io: CommandIo, flags: { json?: boolean }, apiKeys: readonly ApiKey[]): void {
  const keys = flags.json ? apiKeys.map(keyToJson) : apiKeys.map(keyToText);
  writeList<ReturnType<typeof keyToJson | typeof keyToText>>(io, flags, keys, [
    'id',
    'key',
    'createdAt',
    'expiresAt',
    'revokedAt',
    'lastUsedAt',
    'state',
  ]);
}

/** Returns a key without its hash. */
export function keyToJson(apiKey: ApiKey) {
  const { id, clientId, hint: key = null, createdAt } = apiKey;
  const { expiresAt = null, revokedAt = null, lastUsedAt = null } = apiKey;
  return { id, clientId, key, state: stateOf(apiKey), createdAt, expiresAt, revokedAt, lastUsedAt };
}

/** Returns a key without its hash, for people. */
function keyToText(apiKey: ApiKey) {
  return { ...keyToJson(apiKey), lastUsedAt: apiKey.lastUsedAt ?? 'never' };
}
