// claimlink clients: lists, shows, adds, changes and removes the clients of a database.
import { type Client, isClaimlinkError } from '../../lib/index.js';
import { alignColumns, printable } from '../terminal.js';
import type { CommandContext } from './command-io.js';
import { withStorage } from './database.js';
import type { CLIENT_FLAGS, NEW_CLIENT_FLAGS } from './database-flags.js';
import { type FlagReader, type FlagSet, type FlagValues, UsageError } from './flags.js';
import { keyTable, keyToJson } from './keys-commands.js';

type ListContext = CommandContext<typeof CLIENT_FLAGS.list>;

export async function runClientsList({ flags, io }: ListContext): Promise<number> {
  const clients = [...(await withStorage(flags, async (storage) => storage.listClients()))];
  clients.sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
  const rows = clients.map(({ clientId, name, callbackOrigins }) =>
    [clientId, name ?? '-', originsText(callbackOrigins)].map(printable),
  );
  const text = flags.values.json
    ? JSON.stringify(clients.map(clientToJson), null, 2)
    : alignColumns([['id', 'name', 'callback origins'], ...rows]);
  io.stdout.write(`${text}\n`);
  return 0;
}

export async function runClientsShow({ flags, argument, io }: ListContext): Promise<number> {
  const { client, apiKeys } = await withStorage(flags, async (storage) => ({
    client: needClient(await storage.findClient(argument), argument),
    apiKeys: await storage.listApiKeys(argument),
  }));
  const now = new Date();
  if (flags.values.json) {
    const keys = apiKeys.map((apiKey) => keyToJson(apiKey, now));
    io.stdout.write(`${JSON.stringify({ ...clientToJson(client), apiKeys: keys }, null, 2)}\n`);
    return 0;
  }
  const rows = [
    ['id', client.clientId],
    ['name', client.name ?? '-'],
    ['callback origins', originsText(client.callbackOrigins)],
    ...settingRows(client),
  ].map((row) => row.map(printable));
  const keys = apiKeys.length === 0 ? 'no API keys' : keyTable(apiKeys, now);
  io.stdout.write(`${alignColumns(rows)}\n\n${keys}\n`);
  return 0;
}

export async function runClientsAdd(context: CommandContext<typeof NEW_CLIENT_FLAGS>): Promise<number> {
  const { flags, argument, io } = context;
  const client = changed({ clientId: argument }, flags.values);
  try {
    await withStorage(flags, async (storage) => storage.insertClient(client));
  } catch (error) {
    throw toClientError(error, client, flags);
  }
  io.stdout.write(`Added the client ${client.clientId}.\n`);
  return 0;
}

export async function runClientsUpdate(context: CommandContext<typeof CLIENT_FLAGS.update>): Promise<number> {
  const { flags, argument, io } = context;
  const { callbackOrigins, anyCallbackOrigin } = flags.values;
  if (callbackOrigins !== undefined && anyCallbackOrigin)
    throw new UsageError('--callback-origin and --any-callback-origin exclude each other.');
  const { databaseUrl: _, schema: __, ...settings } = flags.values;
  if (Object.keys(settings).length === 0)
    throw new UsageError(
      'Name what to change, such as --name or --primary-color. See claimlink clients update --help.',
    );
  await withStorage(flags, async (storage) => {
    const { callbackOrigins: oldOrigins, ...client } = needClient(
      await storage.findClient(argument),
      argument,
    );
    const origins = oldOrigins && !anyCallbackOrigin ? { callbackOrigins: oldOrigins } : {};
    try {
      if (!(await storage.updateClient(changed({ ...client, ...origins }, flags.values))))
        throw unknownClient(argument);
    } catch (error) {
      throw toClientError(error, client, flags);
    }
  });
  io.stdout.write(`Updated the client ${argument}.\n`);
  return 0;
}

export async function runClientsRemove(context: CommandContext<typeof CLIENT_FLAGS.remove>): Promise<number> {
  const { flags, argument, io } = context;
  if (!flags.values.yes)
    throw new UsageError(
      `This removes the client ${printable(argument)} with its API keys, links and sessions. Repeat it with --yes.`,
    );
  if (!(await withStorage(flags, async (storage) => storage.deleteClient(argument))))
    throw unknownClient(argument);
  io.stdout.write(`Removed the client ${argument}.\n`);
  return 0;
}

const BRANDING = ['displayName', 'logoUrl', 'primaryColor', 'supportUrl', 'imprintUrl'] as const;

/** Returns the client with what the flags set. An empty text removes a setting. */
function changed({ branding, ...client }: Client, values: FlagValues<typeof NEW_CLIENT_FLAGS>): Client {
  const { name, callbackOrigins, locale = client.locale, frameAncestors = client.frameAncestors } = values;
  const brand = BRANDING.map((member) => [member, values[member] ?? branding?.[member]] as const).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const { locale: _, frameAncestors: __, ...others } = client;
  const ancestors = frameAncestors?.filter((origin) => origin !== '') ?? [];
  return {
    ...others,
    ...(name !== undefined && { name }),
    ...(callbackOrigins && { callbackOrigins }),
    ...(locale && { locale }),
    ...(brand.length > 0 && { branding: Object.fromEntries(brand) }),
    ...(ancestors.length > 0 && { frameAncestors: ancestors }),
  };
}

function clientToJson({ clientId, name, callbackOrigins, locale, branding, frameAncestors }: Client) {
  return {
    clientId,
    name: name ?? null,
    callbackOrigins: callbackOrigins ?? null,
    locale: locale ?? null,
    branding: branding ?? {},
    frameAncestors: frameAncestors ?? [],
  };
}

/** Returns the settings that the client has, as rows of a table. */
function settingRows({ locale, branding, frameAncestors }: Client): [name: string, value: string][] {
  const rows: [string, string | undefined][] = [
    ['locale', locale],
    ['display name', branding?.displayName],
    ['logo', branding?.logoUrl],
    ['primary color', branding?.primaryColor],
    ['support', branding?.supportUrl],
    ['imprint', branding?.imprintUrl],
    ['frame ancestors', frameAncestors?.join(' ')],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function originsText(origins: readonly string[] | undefined): string {
  if (origins === undefined) return 'any https origin';
  return origins.length === 0 ? 'none' : origins.join(' ');
}

function toClientError(
  error: unknown,
  { clientId }: Client,
  flags: Pick<FlagReader<FlagSet>, 'nameOf'>,
): unknown {
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
