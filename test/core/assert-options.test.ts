// Closed lists of options: every public function rejects an unknown option, and names the nearest one.
import Fastify from 'fastify';
import t from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { nameHint } from '../../lib/core/assert-options.js';
import {
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  createStandaloneWidget,
  subscribeTraces,
} from '../../lib/index.js';
import { createPostgresStorage, migrationSql } from '../../lib/storage/postgres/index.js';
import { contractSuite } from '../../lib/testing/index.js';
import { extendPolicy } from '../../lib/widget/index.js';
import { connectMock } from '../../mock-server/control/connect.js';
import { CLIENT_ID, createWorld, linkRequest, PUBLIC_URL, SECRET } from './world.js';

const { claimlink } = await createWorld();
const database = { query: async () => ({ rows: [] }) };
const key = { kid: 'a', algorithm: 'HS256', secret: SECRET } as const;
const target = { baseUrl: PUBLIC_URL, clientId: CLIENT_ID, apiKey: 'clk' };

/** A call of each public function with a misspelt option, and the option that the error names. */
const CALLS: Record<string, [call: (options: never) => unknown, options: object, nearest: string]> = {
  createClaimlink: [createClaimlink, { linkTTL: 60 }, 'linkTtlSeconds'],
  'credentialCache of createClaimlink': [
    createClaimlink,
    {
      storage: createMemoryStorage(),
      signer: createLinkSigner({ keys: [key], issuer: PUBLIC_URL }),
      publicUrl: PUBLIC_URL,
      credentialCache: { maxAge: 30 },
    },
    'maxAgeSeconds',
  ],
  createLinkSigner: [createLinkSigner, { key: [], issuer: PUBLIC_URL }, 'keys'],
  'a key of createLinkSigner': [
    createLinkSigner,
    { keys: [{ ...key, algorithms: 1 }], issuer: PUBLIC_URL },
    'algorithm',
  ],
  createMemoryStorage: [createMemoryStorage, { client: [] }, 'clients'],
  createPostgresStorage: [(options) => createPostgresStorage(database, options), { shema: 'a' }, 'schema'],
  migrationSql: [migrationSql, { tableprefix: 'a_' }, 'tablePrefix'],
  createStandaloneWidget: [createStandaloneWidget, { locale: {} }, 'locales'],
  'theme of createStandaloneWidget': [createStandaloneWidget, { theme: { Light: {} } }, 'light'],
  extendPolicy: [(sources) => extendPolicy('', sources), { scriptSource: [] }, 'scriptSrc'],
  createNodeHandler: [(options) => createNodeHandler(claimlink, options), { bodyLimit: 1 }, 'bodyLimitBytes'],
  createFetchHandler: [(options) => createFetchHandler(claimlink, options), { basepath: '/a' }, 'basePath'],
  'the Fastify plugin': [
    async (options) => Fastify().register(claimlinkPlugin, options).ready(),
    { claimlink, bodyTimeout: 1 },
    'bodyTimeoutSeconds',
  ],
  contractSuite: [contractSuite, { ...target, timeout: 1 }, 'timeoutSeconds'],
  pageHeaders: [claimlink.pageHeaders, { nonce: 'abc', source: {} }, 'sources'],
  subscribeTraces: [(listeners) => subscribeTraces('request', listeners), { asynEnd() {} }, 'asyncEnd'],
  connectMock: [(options) => connectMock('http://127.0.0.1:1', options), { tokn: 'x' }, 'token'],
  listSessions: [(page) => claimlink.listSessions(CLIENT_ID, 'u', page), { curser: 'a' }, 'cursor'],
  createLink: [
    (options) => claimlink.createLink(CLIENT_ID, linkRequest(), options),
    { ttl: 60 },
    'ttlSeconds',
  ],
  listLinks: [(filter) => claimlink.listLinks(CLIENT_ID, filter), { user: 'u' }, 'userId'],
  revokeLinks: [(filter) => claimlink.revokeLinks(CLIENT_ID, filter), { user: 'u' }, 'userId'],
  listClientSessions: [(filter) => claimlink.listClientSessions(CLIENT_ID, filter), { sinc: 1 }, 'since'],
  addApiKey: [(options) => claimlink.addApiKey(CLIENT_ID, options), { expires: 1 }, 'expiresAt'],
  rotateApiKey: [(options) => claimlink.rotateApiKey('id', options), { oldKeyEnds: 1 }, 'oldKeyEndsAt'],
};

for (const [name, [call, options, nearest]] of Object.entries(CALLS))
  t.test(`${name} rejects a misspelt option, and names the nearest one`, async (t) => {
    await t.rejects(async () => call(options as never), {
      code: 'options_invalid',
      message: new RegExp(`is not an option \\((did you mean ${nearest}\\?|options are: .*${nearest})`),
    });
  });

t.test('the hint for an unknown name is the nearest one, or all if none is near', async (t) => {
  const names = ['basePath', 'bodyLimitBytes', 'bodyTimeoutSeconds'];
  for (const [name, nearest] of [
    ['basepath', 'basePath'],
    ['bassPath', 'basePath'],
    ['path', 'basePath'],
    ['bodyLimit', 'bodyLimitBytes'],
    ['bodyTimeout', 'bodyTimeoutSeconds'],
  ] as const)
    t.equal(nameHint(name, names), `did you mean ${nearest}?`);
  t.equal(nameHint('x', names), `options are: ${names.join(', ')}`);
});
