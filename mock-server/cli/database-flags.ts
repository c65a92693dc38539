// The flags of the commands that use a database.

import {
  readAge,
  readAny,
  readDatabaseUrl,
  readDays,
  readExpiry,
  readInteger,
  readOneOf,
  readOptionalAge,
  readText,
} from './flag-readers.js';
import { flag, listFlag, readPresence, withVariable } from './flags.js';

export const DATABASE_FLAGS = {
  databaseUrl: withVariable(
    flag('--database-url <url>', readDatabaseUrl, 'the PostgreSQL database'),
    'DATABASE_URL',
  ),
  schema: withVariable(flag('--schema <name>', readText, 'schema of the tables', { default: 'search_path' })),
} as const;

export const MIGRATE_FLAGS = {
  ...DATABASE_FLAGS,
  dryRun: flag('--dry-run', readPresence, 'print the SQL of all versions, without a database'),
} as const;

export const SWEEP_FLAGS = {
  links: flag('--links [age]', readOptionalAge, 'delete links that expired this long ago, such as 30d', {
    default: 'all expired links, unless another flag is given',
  }),
  sessionsOlderThan: flag('--sessions-older-than <age>', readAge, 'delete sessions of this age, such as 3y'),
  ...DATABASE_FLAGS,
} as const;

const json = flag('--json', readPresence, 'print JSON instead of a table');

const NEW_CLIENT_FLAGS = {
  name: flag('--name <text>', readText, 'name on the standalone pages'),
  callbackOrigins: listFlag('--callback-origin <origin>', readAny, 'allowed origin of callback URLs', {
    default: 'any https origin',
  }),
  // clients update removes a setting if its text is empty.
  locale: flag('--locale <tag>', readAny, 'language of the pages, such as de'),
  displayName: flag('--display-name <text>', readAny, 'name on the pages instead of --name'),
  logoUrl: flag('--logo-url <url>', readAny, 'image on the pages, an https URL'),
  primaryColor: flag('--primary-color <#rrggbb>', readAny, 'colour of buttons and links'),
  supportUrl: flag('--support-url <url>', readAny, 'page with help, an https URL'),
  imprintUrl: flag('--imprint-url <url>', readAny, 'legal notice, an https URL'),
  frameAncestors: listFlag(
    '--frame-ancestor <origin>',
    readAny,
    'origin that may show the pages in a frame',
    { default: 'none' },
  ),
  ...DATABASE_FLAGS,
} as const;

export const CLIENT_FLAGS = {
  list: { json, ...DATABASE_FLAGS },
  show: { json, ...DATABASE_FLAGS },
  add: NEW_CLIENT_FLAGS,
  update: {
    ...NEW_CLIENT_FLAGS,
    callbackOrigins: { ...NEW_CLIENT_FLAGS.callbackOrigins, default: 'unchanged' },
    frameAncestors: { ...NEW_CLIENT_FLAGS.frameAncestors, default: 'unchanged' },
    anyCallbackOrigin: flag('--any-callback-origin', readPresence, 'allow any https origin again'),
  },
  remove: { yes: flag('--yes', readPresence, 'remove without asking back'), ...DATABASE_FLAGS },
} as const;

const client = flag('--client <id>', readText, 'the client');
const expires = flag('--expires <date|days|never>', readExpiry, 'expiry, such as 2030-12-31 (UTC) or 90d');

export const KEY_FLAGS = {
  issue: { client, expires: { ...expires, default: 'never' }, ...DATABASE_FLAGS },
  list: { client, json, ...DATABASE_FLAGS },
  show: { json, ...DATABASE_FLAGS },
  update: { expires, ...DATABASE_FLAGS },
  rotate: {
    oldEndsIn: flag('--old-ends-in <days>', readDays, 'when the old key ends; 0 ends it at once', {
      default: '7d',
    }),
    expires: { ...expires, default: 'the lifetime of the old key' },
    ...DATABASE_FLAGS,
  },
  revoke: DATABASE_FLAGS,
} as const;

const user = flag('--user <id>', readText, 'the user');

export const USER_FLAGS = {
  export: {
    client,
    user,
    out: flag('--out <file>', readText, 'new file for the JSON', { default: 'stdout' }),
    ...DATABASE_FLAGS,
  },
  delete: { client, user, yes: flag('--yes', readPresence, 'delete without asking back'), ...DATABASE_FLAGS },
} as const;

const onlyClient = flag('--client <id>', readText, 'only deliveries of this client');

export const DELIVERY_FLAGS = {
  list: {
    state: flag('--state <state>', readOneOf(['pending', 'failed']), 'pending or failed', {
      default: 'failed',
    }),
    client: onlyClient,
    limit: flag('--limit <number>', readInteger(1, 1000), 'maximum number of deliveries, up to 1000', {
      default: '100',
    }),
    json,
    ...DATABASE_FLAGS,
  },
  retry: {
    client: onlyClient,
    reference: flag('--reference <text>', readText, 'reference of the session'),
    all: flag('--all', readPresence, 'repeat all failed deliveries'),
    ...DATABASE_FLAGS,
  },
} as const;
