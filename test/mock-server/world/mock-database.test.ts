// The mock on a real PostgreSQL, in this process: what it keeps, what it adds, what it refuses.
import t, { type Test } from 'tap';
import { createPostgresStorage } from '../../../lib/storage/postgres/index.js';
import { startMockServer } from '../../../mock-server/index.js';
import { findPostgres, openSchema } from '../../storage/postgres-server.js';
import { list, send } from '../client.js';
import { setUp } from '../command.js';
import { mintLink, openAt, submitClaim } from '../links.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const open = (t: Test) => openSchema(t, server);
  const statusOf = async (url: string, apiKey: string, clientId = 'demo') =>
    (await send(`${url}/${clientId}/sessions/user-1`, { headers: { 'x-api-key': apiKey } })).status;

  t.test('anything with a method query will do, and the mock leaves it open', async (t) => {
    const { pool, schema } = await open(t);
    const database = { query: (text: string, params?: unknown[]) => pool.query(text, params) };
    const publicUrl = 'https://claims.example.com';
    const first = await startMockServer({ port: 0, database, schema, publicUrl, control: false });
    const before = JSON.parse((await list(first.url, 'user-1')).body);
    const link = await mintLink(first.url);
    await first.close();

    await using again = await startMockServer({ port: 0, database, schema, publicUrl, control: false });
    t.same(JSON.parse((await list(again.url, 'user-1')).body), before);
    t.equal((await openAt(again.url, link)).status, 200);
    t.same((await pool.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
  });

  t.test('without a schema, the one of the connection', async (t) => {
    const { pool } = await open(t);
    await using mock = await startMockServer({ port: 0, database: pool });
    t.equal(await statusOf(mock.url, 'clk_test_demo'), 200);
    const { rows } = await pool.query('SELECT name FROM claimlink_mock_state ORDER BY name');
    t.same(
      rows.map(({ name }) => name),
      ['link_secret', 'ref_date', 'seed'],
    );
  });

  t.test('several that start at once on an empty database share one world', async (t) => {
    const { pool, schema } = await open(t);
    const publicUrl = 'https://claims.example.com';
    const mocks = await Promise.all(
      Array.from({ length: 5 }, () =>
        startMockServer({ port: 0, database: pool, schema, publicUrl, control: false }),
      ),
    );
    const urls = mocks.map(({ url }) => url);
    const listings = await Promise.all(urls.map((url) => list(url, 'user-1')));
    t.equal(new Set(listings.map(({ body }) => body)).size, 1);
    const [url = ''] = urls;
    const link = await mintLink(url);
    const answers = await Promise.all(urls.map((other) => openAt(other, link)));
    t.same(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    await Promise.all(mocks.map((mock) => mock.close()));
  });

  t.test('a client that is there gets one more key, and stays as it is', async (t) => {
    const { pool: database, schema } = await open(t);
    const storage = createPostgresStorage(database, { schema });
    const client = { clientId: 'demo', name: 'First', callbackOrigins: ['https://a.example'] };
    await (
      await startMockServer({ port: 0, database, schema, clients: [{ ...client, apiKey: 'k1' }] })
    ).close();
    const clients = [
      { clientId: 'demo', name: 'Second', apiKey: 'k2' },
      { clientId: 'beta', apiKey: 'k3' },
    ];
    await using mock = await startMockServer({ port: 0, database, schema, clients });
    t.same(await storage.findClient('demo'), client);
    t.equal((await storage.listApiKeys('demo')).length, 2);
    t.equal(await statusOf(mock.url, 'k1'), 200);
    t.equal(await statusOf(mock.url, 'k2'), 200);
    t.equal(await statusOf(mock.url, 'k3', 'beta'), 200);
    t.equal(await statusOf(mock.url, 'k3'), 401);
  });

  t.test("a key that is another client's in the database is refused", async (t) => {
    const { pool: database, schema } = await open(t);
    await (await startMockServer({ port: 0, database, schema })).close();
    const { run, stderr } = setUp();
    const args = `--port 0 --client a:k --client b:clk_test_demo --database-url ${server.url} --schema ${schema}`;
    t.equal(await run(args), 2);
    t.equal(stderr.text, "claimlink: --client: apiKey is another client's already.\n");
    const storage = createPostgresStorage(database, { schema });
    t.equal(await storage.findClient('a'), undefined, 'and nothing is left behind');
  });

  t.test('a key that was revoked in the database is not advertised', async (t) => {
    const { pool: database, schema } = await open(t);
    await (await startMockServer({ port: 0, database, schema })).close();
    const storage = createPostgresStorage(database, { schema });
    const [apiKey] = await storage.listApiKeys('demo');
    await storage.revokeApiKey(apiKey?.id ?? '', new Date(0));
    await t.rejects(startMockServer({ port: 0, database, schema }), {
      code: 'options_invalid',
      details: [{ pointer: '/clients/0/apiKey', detail: 'has expired or was revoked in this database' }],
    });
  });

  t.test('another seed would mix two worlds, and is refused', async (t) => {
    const { pool: database, schema } = await open(t);
    await (await startMockServer({ port: 0, database, schema, seed: 7 })).close();
    const { run, stderr } = setUp();
    t.equal(await run(`--port 0 --database-url ${server.url} --schema ${schema}`), 2);
    t.equal(stderr.text, 'claimlink: --seed must be 7 again, which the data that is kept derives from.\n');
    await t.rejects(startMockServer({ port: 0, database, schema, seed: '7', refDate: '2027-01-01' }), {
      code: 'options_invalid',
      details: [{ pointer: '/refDate' }],
    });
    const mock = await startMockServer({ port: 0, database, schema, seed: '7' });
    await mock.close();
  });

  t.test('a database that refuses frees the port again', async (t) => {
    const { pool } = await open(t);
    await using probe = await startMockServer({ port: 0 });
    const { port } = probe;
    await probe.close();
    await t.rejects(startMockServer({ port, database: pool, schema: 'Not-a-name' }), {
      code: 'options_invalid',
      details: [{ pointer: '/schema' }],
    });
    await t.rejects(startMockServer({ port, database: { query: () => Promise.reject(new Error('x')) } }), {
      message: 'x',
    });
    await using mock = await startMockServer({ port });
    t.equal(mock.port, port);
  });

  t.test('the state is not kept by force: an error that will not pass is thrown', async (t) => {
    const { pool, schema } = await open(t);
    const query = (text: string, params?: unknown[]) =>
      text.includes('claimlink_mock_state')
        ? Promise.reject(new Error('disk full'))
        : pool.query(text, params);
    await t.rejects(startMockServer({ port: 0, database: { query }, schema }), { message: 'disk full' });
  });

  t.test('claimlink mock --database-url keeps a claim, says so, and ends its connections', async (t) => {
    const { pool, schema } = await open(t);
    const name = `mock_${schema}`;
    const args = `--port 0 --schema ${schema} --database-url ${server.url}`;
    const url = `${args}${args.includes('?') ? '&' : '?'}application_name=${name}`;
    const { runMock, stdout } = setUp();
    const connections = async () =>
      (await pool.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [name])).rows.length;
    const code = await runMock(url, {}, async (ready) => {
      const [, mockUrl = ''] = /Dashboard +(\S+)\//.exec(ready) ?? [];
      const reference = await submitClaim(mockUrl, await mintLink(mockUrl));
      t.equal(JSON.parse((await list(mockUrl, 'user-1')).body)[0].reference, reference);
      t.ok((await connections()) > 0);
    });
    t.equal(code, 0);
    t.match(stdout.text, 'PostgreSQL, over restarts too\n');
    // The server needs a moment to see that a connection is gone.
    for (let i = 0; i < 100 && (await connections()) > 0; i++) await new Promise((r) => setTimeout(r, 20));
    t.equal(await connections(), 0);
  });

  t.test('a connection that breaks while idle is logged, and the mock goes on', async (t) => {
    const { pool, schema } = await open(t);
    const name = `idle_${schema}`;
    const args = `--port 0 --ready-json --schema ${schema} --database-url ${server.url}`;
    const { runMock, stderr } = setUp();
    await runMock(`${args}${args.includes('?') ? '&' : '?'}application_name=${name}`, {}, async (ready) => {
      const { url } = JSON.parse(ready);
      await list(url, 'user-1');
      const kill = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';
      await pool.query(kill, [name]);
      for (let i = 0; i < 100 && !stderr.text.includes('57P01'); i++)
        await new Promise((r) => setTimeout(r, 20));
      t.equal(await statusOf(url, 'clk_test_demo'), 200);
    });
    t.match(stderr.text, '57P01');
    t.notMatch(stderr.text, server.url);
  });
}
