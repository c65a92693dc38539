// The number of storage calls and SQL statements of a request. Over a database, they decide how fast the request is.

import t, { type Test } from 'tap';
import {
  type AdminStorage,
  type ClaimlinkOptions,
  type CoreRequest,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  hashApiKey,
} from '../../lib/index.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { claim, linkRequest, recordCalls } from '../core/world.js';
import { findPostgres, openTables } from '../storage/postgres-server.js';

const PUBLIC_URL = 'https://claims.example.com';
const API_KEY = 'clk_acme_good';
const LINK_REQUEST = linkRequest();

type Headers = Record<string, string>;

const listing = (headers: Headers): CoreRequest => ({ method: 'GET', url: '/acme/sessions/user-1', headers });
const post = (url: string, body: unknown, headers: Headers): CoreRequest => ({
  method: 'POST',
  url,
  headers: { ...headers, 'content-type': 'application/json' },
  body: async () => Buffer.from(JSON.stringify(body)),
});
const open = (url: string): CoreRequest => ({ method: 'GET', url, headers: { accept: 'text/html' } });

/** In this order, since a link is opened, opened again and submitted. `url` is the path of the link. */
const CASES: readonly {
  name: string;
  status: number;
  calls: number;
  request: (url: string) => CoreRequest;
}[] = [
  {
    name: 'the first listing with a key in an hour',
    status: 200,
    calls: 3,
    request: () => listing({ 'x-api-key': API_KEY }),
  },
  { name: 'a listing', status: 200, calls: 2, request: () => listing({ 'x-api-key': API_KEY }) },
  {
    name: 'a link',
    status: 200,
    calls: 2,
    request: () => post('/acme/link', LINK_REQUEST, { 'x-api-key': API_KEY }),
  },
  {
    name: 'a wrong API key',
    status: 401,
    calls: 1,
    request: () => listing({ 'x-api-key': 'clk_acme_wrong' }),
  },
  { name: 'a missing API key', status: 401, calls: 0, request: () => listing({}) },
  {
    name: 'an invalid token',
    status: 404,
    calls: 0,
    request: (url) => open(`${url.slice(0, -10)}AAAAAAAAAA`),
  },
  { name: 'the first opening of a link', status: 200, calls: 2, request: open },
  { name: 'the second opening of a link', status: 200, calls: 1, request: open },
  {
    name: 'a submission',
    status: 200,
    calls: 2,
    request: (url) => post(url, claim(), { accept: 'application/json' }),
  },
  { name: 'an opening after the submission', status: 410, calls: 1, request: open },
];

/** Creates a client with a key, and the service. */
async function createService(t: Test, storage: AdminStorage, options: Partial<ClaimlinkOptions> = {}) {
  await storage.insertClient({ clientId: 'acme', name: 'Acme Insurance' });
  await storage.insertApiKey({
    id: 'key-1',
    clientId: 'acme',
    hash: hashApiKey(API_KEY),
    createdAt: new Date('2026-01-01T00:00:00Z'),
  });
  return createClaimlink({
    storage,
    signer: createLinkSigner({
      keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret of 32 bytes, or of more' }],
      issuer: PUBLIC_URL,
    }),
    publicUrl: PUBLIC_URL,
    now: () => new Date('2026-03-02T10:00:00Z'),
    onError: (error) => t.error(error as Error),
    ...options,
  });
}

/** Runs all cases on a storage. `countCalls` returns the calls so far. */
async function testCases(
  t: Test,
  storage: AdminStorage,
  countCalls: () => number,
  expected: Record<string, number> = {},
): Promise<void> {
  const claimlink = await createService(t, storage);
  const { url } = await claimlink.createLink('acme', LINK_REQUEST);
  for (const { name, status, request, ...others } of CASES) {
    const calls = expected[name] ?? others.calls;
    await t.test(`${name}: ${calls}`, async (t) => {
      const before = countCalls();
      const response = await claimlink.handle(request(url.slice(PUBLIC_URL.length)));
      t.equal(response.status, status, 'status', { body: response.body.slice(0, 300) });
      t.equal(countCalls() - before, calls, 'calls');
    });
  }
}

t.test('a request makes exactly these storage calls', async (t) => {
  const calls: string[] = [];
  await testCases(t, recordCalls<AdminStorage>(createMemoryStorage(), calls), () => calls.length);
});

const server = await findPostgres(t);
const skip = server === undefined;

/** Returns a storage over an empty schema, and the number of its statements so far. */
async function openDatabase(t: Test) {
  if (server === undefined) throw new Error('There is no PostgreSQL.');
  const { pool } = await openTables(t, server);
  let statements = 0;
  const storage = createPostgresStorage({
    query(text, params) {
      statements++;
      return pool.query(text, params as unknown[]);
    },
  });
  return { storage, countStatements: () => statements };
}

t.test('a storage call is one SQL statement, and a listing is one with its key', { skip }, async (t) => {
  const { storage, countStatements } = await openDatabase(t);
  await testCases(t, storage, countStatements, {
    'the first listing with a key in an hour': 2,
    'a listing': 1,
  });
});

t.test(
  'with credentialCache, a listing and a link are one SQL statement each while the entry is fresh',
  { skip },
  async (t) => {
    const { storage, countStatements } = await openDatabase(t);
    const claimlink = await createService(t, storage, { credentialCache: {} });
    const headers = { 'x-api-key': API_KEY };
    const statementsOf = async (request: CoreRequest) => {
      const before = countStatements();
      t.equal((await claimlink.handle(request)).status, 200);
      return countStatements() - before;
    };
    t.equal(
      await statementsOf(listing(headers)),
      3,
      'the first request reads the credentials, and records the use of the key',
    );
    t.equal(await statementsOf(listing(headers)), 1);
    t.equal(await statementsOf(post('/acme/link', LINK_REQUEST, headers)), 1);
  },
);
