// claimlink clients: lists, shows, adds, changes and removes the clients of a database.
import type { Command } from 'commander';
import { BRANDING_TEXTS } from '../lib/core/branding.js';
import { ClaimlinkError, isClaimlinkError } from '../lib/core/errors.js';
import { SETTINGS } from '../lib/core/settings.js';
import type { Branding, Client, ClientChange } from '../lib/index.js';
import { type CommandIo, writeList, writeRecord } from './command-io.js';
import { type DatabaseFlags, withAdministration } from './database.js';
import { Flag, listOf, pick, readText, UsageError } from './flags.js';
import { keyToJson, writeKeys } from './keys.js';
import { addGroup, jsonFlag, needClient } from './service-commands.js';
import { isEmpty, readSettings, settingFlags } from './setting-flags.js';

/** The members of a client that flags set, beside the flags of its settings. An empty text removes a member. */
interface ClientFlags extends Branding, Omit<Client, 'clientId' | 'branding' | 'settings'> {
  anyCallbackOrigin?: boolean;
}

export function addClients(program: Command, io: CommandIo): Command {
  const clients = addGroup(program, 'clients', 'list, show, add, update and remove clients');

  clients
    .command('list')
    .description('list the clients')
    .addOption(jsonFlag())
    .action(async (flags: { json?: boolean }, command: Command) => {
      const stored = await withAdministration(command, ({ listClients }) => listClients());
      writeList(io, flags, stored.map(clientToJson), ['clientId', 'name', 'callbackOrigins']);
    });

  clients
    .command('show <client-id>')
    .description('show one client and its API keys')
    .addOption(jsonFlag())
    .action(async (clientId: string, flags: { json?: boolean }, command: Command) => {
      const { client, apiKeys } = await withAdministration(command, async (administration) => ({
        client: await needClient(administration, clientId),
        apiKeys: await administration.listApiKeys(clientId),
      }));
      const shown = clientToJson(client);
      if (flags.json) return writeRecord(io, flags, { ...shown, apiKeys: apiKeys.map(keyToJson) });
      writeRecord(io, flags, shown);
      io.stdout.write('\n');
      writeKeys(io, flags, apiKeys);
    });

  addSettings(clients.command('add <client-id>'), 'any https origin', 'none')
    .description('add a client')
    .addHelpText('after', `\nExample: claimlink clients add acme --name 'Acme Insurance'`)
    .action(async (clientId: string, flags: ClientFlags, command: Command) => {
      const change = await settingsOf(flags);
      try {
        await withAdministration(command, async ({ addClient }) => {
          const { changedClient, namedChange } = await import('../lib/core/client-change.js');
          await addClient(changedClient({ clientId }, namedChange({ clientId, ...change })));
        });
      } catch (error) {
        if (!isClaimlinkError(error) || error.code !== 'already_exists') throw error;
        throw new UsageError(`The client ${clientId} exists already.`);
      }
      io.stdout.write(`Added the client ${clientId}.\n`);
    });

  addSettings(clients.command('update <client-id>'), 'unchanged', 'unchanged')
    .description('change the settings of a client')
    .addOption(new Flag('--any-callback-origin', 'allow any https origin again').conflicts('callbackOrigins'))
    .addHelpText('after', '\nSettings without a flag keep their value. An empty text removes a setting.')
    .action(async (clientId: string, flags: ClientFlags & DatabaseFlags, command: Command) => {
      const { database: _, storage: __, schema: ___, tablePrefix: ____, verbose: _____, ...settings } = flags;
      if (settings.callbackOrigins?.join() === '') settings.anyCallbackOrigin = true;
      if (Object.keys(settings).length === 0)
        throw new UsageError(
          'Name what to change, such as --name or --primary-color. See claimlink clients update --help.',
        );
      const change = await settingsOf(settings);
      const isFound = await withAdministration(command, ({ updateClient }) =>
        updateClient({ clientId, ...change }),
      );
      if (!isFound) throw new ClaimlinkError('client_not_found');
      io.stdout.write(`Updated the client ${clientId}.\n`);
    });

  clients
    .command('remove <client-id>')
    .description('remove a client with its API keys, links and sessions')
    .option('--yes', 'remove without asking back')
    .action(async (clientId: string, { yes }: { yes?: boolean }, command: Command) => {
      if (!yes)
        throw new UsageError(
          `This removes the client ${clientId} with its API keys, links and sessions. Repeat it with --yes.`,
        );
      await withAdministration(command, async (administration) => {
        await needClient(administration, clientId);
        await administration.removeClient(clientId);
      });
      io.stdout.write(`Removed the client ${clientId}.\n`);
    });
  return clients;
}

/** Adds the flags of the settings. `origins` and `ancestors` say what is the case without the flags for lists. */
function addSettings(command: Command, origins: string, ancestors: string): Command {
  const list = (form: string, description: string) => new Flag(form, description, listOf(String));
  const origin = list('--callback-origin <origin>', `allowed origin of callback URLs (default: ${origins})`);
  const ancestor = list(
    '--frame-ancestor <origin>',
    `origin that may frame the pages (default: ${ancestors})`,
  );
  command
    .option('--name <text>', 'name on the standalone pages', (text) => text && readText(text))
    .addOption(origin.as('callbackOrigins'))
    .option('--locale <tag>', 'language of the pages, such as de');
  for (const { flag } of settingFlags(BRANDING_TEXTS)) command.addOption(flag);
  command.addOption(ancestor.as('frameAncestors'));
  for (const { flag } of settingFlags(SETTINGS)) command.addOption(flag);
  return command;
}

/** Returns the settings that the flags change. An empty text becomes null: it removes a setting. */
async function settingsOf(flags: ClientFlags): Promise<ClientChange> {
  const { callbackOrigins } = flags;
  const branding = await readSettings(BRANDING_TEXTS, flags);
  const settings = await readSettings(SETTINGS, flags);
  return {
    ...emptyToNull(pick(flags, 'name', 'locale', 'frameAncestors')),
    ...(callbackOrigins && { callbackOrigins }),
    ...(flags.anyCallbackOrigin && { callbackOrigins: null }),
    ...(Object.keys(branding).length > 0 && { branding }),
    ...(Object.keys(settings).length > 0 && { settings }),
  } as ClientChange;
}

function emptyToNull(flags: object): object {
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [name, isEmpty(value) ? null : value]),
  );
}
function clientToJson(client: Client) {
  const { clientId, name = null, callbackOrigins = null, locale = null } = client;
  const { branding = {}, frameAncestors = [], settings = {} } = client;
  return { clientId, name, callbackOrigins, locale, branding, frameAncestors, settings };
}
