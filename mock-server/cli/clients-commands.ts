// claimlink clients: lists, shows, adds, changes and removes the clients of a database.
import { type Client, isClaimlinkError } from '../../lib/index.js';
import { alignColumns, printable } from '../terminal.js';
import { type CommandGroup, writeResult } from './command-io.js';
import { withStorage } from './database.js';
import type { CLIENT_FLAGS } from './database-flags.js';
import { type FlagReader, type FlagSet, type FlagValues, UsageError } from './flags.js';
import { keyTable, keyToJson } from './keys-commands.js';

export const clients: CommandGroup<typeof CLIENT_FLAGS> = {
  async list(context) {
    const stored = await withStorage(context.flags, (storage) => storage.listClients());
    const clients = stored.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1));
    const rows = clients.map(({ clientId, name = '-', callbackOrigins }) =>
      [clientId, name, originsText(callbackOrigins)].map(printable),
    );
    const table = alignColumns([['id', 'name', 'callback origins'], ...rows]);
    writeResult(context, clients.map(clientToJson), table);
  },

  async show(context) {
    const { flags, argument } = context;
    const { client, apiKeys } = await withStorage(flags, async (storage) => ({
      client: needClient(await storage.findClient(argument), argument),
      apiKeys: await storage.listApiKeys(argument),
    }));
    const keys = apiKeys.length === 0 ? 'no API keys' : keyTable(apiKeys);
    const text = `${alignColumns(clientRows(client))}\n\n${keys}`;
    writeResult(context, { ...clientToJson(client), apiKeys: apiKeys.map(keyToJson) }, text);
  },

  async add({ flags, argument: clientId, io }) {
    try {
      await withStorage(flags, (storage) => storage.insertClient(changed({ clientId }, flags.values)));
    } catch (error) {
      throw toClientError(error, clientId, flags);
    }
    io.stdout.write(`Added the client ${clientId}.\n`);
  },

  async update({ flags, argument: clientId, io }) {
    const { databaseUrl: _, schema: __, ...settings } = flags.values;
    if (settings.callbackOrigins && settings.anyCallbackOrigin)
      throw new UsageError('--callback-origin and --any-callback-origin exclude each other.');
    if (Object.keys(settings).length === 0)
      throw new UsageError(
        'Name what to change, such as --name or --primary-color. See claimlink clients update --help.',
      );
    try {
      await withStorage(flags, async (storage) => {
        const client = needClient(await storage.findClient(clientId), clientId);
        if (!(await storage.updateClient(changed(client, settings)))) throw unknownClient(clientId);
      });
    } catch (error) {
      throw toClientError(error, clientId, flags);
    }
    io.stdout.write(`Updated the client ${clientId}.\n`);
  },

  async remove({ flags, argument: clientId, io }) {
    if (!flags.values.yes)
      throw new UsageError(
        `This removes the client ${printable(clientId)} with its API keys, links and sessions. Repeat it with --yes.`,
      );
    if (!(await withStorage(flags, (storage) => storage.deleteClient(clientId))))
      throw unknownClient(clientId);
    io.stdout.write(`Removed the client ${clientId}.\n`);
  },
};

const BRANDING = ['displayName', 'logoUrl', 'primaryColor', 'supportUrl', 'imprintUrl'] as const;

/** Returns the client with what the flags set. An empty text removes a setting. */
function changed(client: Client, values: FlagValues<typeof CLIENT_FLAGS.update>): Client {
  const { clientId, name, callbackOrigins, locale, frameAncestors = [] } = { ...client, ...values };
  const branding = BRANDING.map((member) => [member, values[member] ?? client.branding?.[member]] as const);
  const brand = branding.filter(([, value]) => value);
  const ancestors = frameAncestors.filter((origin) => origin !== '');
  return {
    clientId,
    ...(name !== undefined && { name }),
    ...(callbackOrigins && !values.anyCallbackOrigin && { callbackOrigins }),
    ...(locale && { locale }),
    ...(brand.length > 0 && { branding: Object.fromEntries(brand) }),
    ...(ancestors.length > 0 && { frameAncestors: ancestors }),
  };
}

function clientToJson(client: Client) {
  const { clientId, name = null, callbackOrigins = null, locale = null } = client;
  const { branding = {}, frameAncestors = [] } = client;
  return { clientId, name, callbackOrigins, locale, branding, frameAncestors };
}

/** Returns the rows of a table of one client. Settings that the client does not have are left out. */
function clientRows({ branding = {}, ...client }: Client): string[][] {
  const rows: [string, string | undefined][] = [
    ['id', client.clientId],
    ['name', client.name ?? '-'],
    ['callback origins', originsText(client.callbackOrigins)],
    ['locale', client.locale],
    ['display name', branding.displayName],
    ['logo', branding.logoUrl],
    ['primary color', branding.primaryColor],
    ['support', branding.supportUrl],
    ['imprint', branding.imprintUrl],
    ['frame ancestors', client.frameAncestors?.join(' ')],
  ];
  return rows.flatMap(([label, text]) => (text === undefined ? [] : [[label, printable(text)]]));
}

function originsText(origins: readonly string[] | undefined): string {
  if (origins === undefined) return 'any https origin';
  return origins.length === 0 ? 'none' : origins.join(' ');
}

function toClientError(error: unknown, clientId: string, flags: FlagReader<FlagSet>): unknown {
  if (!isClaimlinkError(error)) return error;
  if (error.code === 'already_exists') return new UsageError(`The client ${clientId} exists already.`);
  if (error.code !== 'request_invalid') return error;
  const [{ parameter = '', detail } = { detail: 'is not valid' }] = error.details ?? [];
  const flag = flags.nameOf(parameter.replace('branding.', ''));
  return new UsageError(`${flag || 'The id of the client'} ${detail}.`);
}

function needClient(client: Client | undefined, clientId: string): Client {
  if (client === undefined) throw unknownClient(clientId);
  return client;
}

/** Returns the error for a client that does not exist. */
export function unknownClient(clientId: string): UsageError {
  return new UsageError(`There is no client ${printable(clientId)}. claimlink clients list shows all.`);
}
