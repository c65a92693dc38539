// How many statements a request costs, by the server's own log.
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { CLAIM, createTestService, KEYS, linkRequest } from '../adapters/service.js';
import { openSchema, startPostgres } from './postgres-server.js';

const server = await startPostgres(t);
if (server !== undefined) {
  const { pool } = await openSchema(t, server, '-c log_statement=all');
  await migrate(pool);
  const { claimlink } = await createTestService({ createStorage: () => createPostgresStorage(pool) });
  const headers = { 'x-api-key': KEYS.good, 'content-type': 'application/json' };

  /** The statements that the server logs while something is done. */
  const statementsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
    const before = (await readFile(server.logFile, 'utf8')).length;
    await action();
    const log = (await readFile(server.logFile, 'utf8')).slice(before);
    return [...log.matchAll(/LOG: {2}(?:execute [^:]+|statement):\s*(\w+)/g)].map(([, verb = '']) => verb);
  };

  t.test('a listing request is one statement, also one that is rejected', async (t) => {
    for (const url of [
      '/acme/sessions/user-1?limit=2',
      '/acme/sessions/user-1?limit=0',
      '/other/sessions/user-1',
    ])
      t.same(await statementsOf(() => claimlink.handle({ method: 'GET', url, headers })), ['SELECT'], url);
  });

  t.test('a link request is two statements: authentication and the insert', async (t) => {
    const request = { method: 'POST', url: '/acme/link', headers, body: linkRequest() };
    t.same(await statementsOf(() => claimlink.handle(request)), ['SELECT', 'INSERT']);
  });

  t.test('a submission is two statements: finding the link, and the one that does it all', async (t) => {
    const { url } = await claimlink.createLink('acme', linkRequest());
    const { pathname, search } = new URL(url);
    const request = { method: 'POST', url: pathname + search, headers, body: CLAIM };
    t.same(await statementsOf(() => claimlink.handle(request)), ['SELECT', 'WITH']);
  });
}
