// The options of startMockServer: a closed list, every problem named at once.
import t from 'tap';
import { isClaimlinkError } from '../../lib/index.js';
import { resolveMockOptions } from '../../mock-server/resolve-options.js';

function problems(options: object): [string | undefined, string][] {
  try {
    resolveMockOptions(options);
    return [];
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'options_invalid') throw error;
    return (error.details ?? []).map(({ pointer, detail }) => [pointer, detail]);
  }
}

t.test('no options: port 4010 on loopback, seed 42, the demo client, silent', async (t) => {
  t.match(resolveMockOptions(), {
    port: 4010,
    host: '127.0.0.1',
    publicUrl: undefined,
    seed: 42,
    refDate: new Date('2026-01-01T00:00:00.000Z'),
    clients: [{ clientId: 'demo', apiKey: 'clk_test_demo', name: 'Demo Insurance' }],
    log: 'silent',
    logStream: process.stderr,
    database: undefined,
    schema: undefined,
  });
  t.type(resolveMockOptions().now(), Date);
});

t.test('undefined counts as absent', async (t) => {
  t.equal(resolveMockOptions({ port: undefined } as object).port, 4010);
});

t.test("the caller's clients are copied", async (t) => {
  const clients = [{ clientId: 'acme', apiKey: 'key' }];
  const resolved = resolveMockOptions({ clients });
  clients[0] = { clientId: 'other', apiKey: 'other' };
  t.equal(resolved.clients[0]?.clientId, 'acme');
});

t.test('an unknown option is refused', async (t) => {
  t.same(problems({ prot: 1 }), [['/prot', 'is not an option of the mock server']]);
  t.same(problems({ toString: 1 }), [['/toString', 'is not an option of the mock server']]);
});

t.test('options must be an object', async (t) => {
  t.same(problems(null as unknown as object), [['', 'must be an object']]);
});

t.test('every problem is named, in the details and in the message', async (t) => {
  const bad = {
    port: 70_000,
    host: '',
    publicUrl: 1,
    seed: 1.5,
    refDate: 'soon',
    now: 1,
    log: 'loud',
    logStream: {},
  };
  t.same(
    problems(bad).map(([pointer]) => pointer),
    ['/port', '/host', '/publicUrl', '/seed', '/refDate', '/now', '/log', '/logStream'],
  );
  t.throws(() => resolveMockOptions(bad as object), {
    message: /^startMockServer options: port must be a whole number, 0 to 65535; host must be/,
  });
});

t.test('a seed is a safe integer or a short text', async (t) => {
  t.same(problems({ seed: 'spring' }), []);
  t.same(problems({ seed: -1 }), []);
  for (const seed of ['', 'x'.repeat(101), 2 ** 53, true]) t.equal(problems({ seed })[0]?.[0], '/seed');
});

t.test('a reference date is a Date or a text, year 1980 to 9000', async (t) => {
  t.same(resolveMockOptions({ refDate: '2030-01-01' }).refDate, new Date('2030-01-01T00:00:00Z'));
  t.same(problems({ refDate: new Date(Number.NaN) })[0]?.[0], '/refDate');
  t.same(problems({ refDate: 5 })[0]?.[0], '/refDate');
  t.same(problems({ refDate: '1970-01-01' })[0]?.[0], '/refDate');
});

t.test('clients: at least one', async (t) => {
  t.same(problems({ clients: [] })[0]?.[0], '/clients');
  t.same(problems({ clients: 'demo' })[0]?.[0], '/clients');
});

t.test('clients: ids and keys must be possible and not taken', async (t) => {
  const of = (...clients: unknown[]) => problems({ clients });
  t.same(of({ clientId: 'verify', apiKey: 'k' }), [['/clients/0/clientId', 'is reserved']]);
  t.same(of({ clientId: '__x', apiKey: 'k' }), [['/clients/0/clientId', 'is reserved']]);
  t.same(of({ apiKey: 'k' }), [['/clients/0/clientId', 'is required, a string']]);
  t.same(
    of(1).map(([pointer]) => pointer),
    ['/clients/0/clientId', '/clients/0/apiKey'],
  );
  for (const apiKey of [undefined, '', 'a b', 'ü', 'x'.repeat(201)]) {
    t.same(of({ clientId: 'a', apiKey })[0]?.[0], '/clients/0/apiKey');
  }
  t.same(of({ clientId: 'a', apiKey: 'k' }, { clientId: 'a', apiKey: 'k' }), [
    ['/clients/1/clientId', "is another client's already"],
    ['/clients/1/apiKey', "is another client's already"],
  ]);
});

t.test('clients: name, callbackOrigins and nothing else', async (t) => {
  const of = (client: object) => problems({ clients: [{ clientId: 'a', apiKey: 'k', ...client }] });
  t.same(of({ name: 'A', callbackOrigins: ['https://a.example.com', 'myapp:'] }), []);
  t.same(of({ name: 1 }), [['/clients/0/name', 'must be a string']]);
  t.same(of({ callbackOrigins: 'https://a.example.com' })[0]?.[0], '/clients/0/callbackOrigins');
  t.match(of({ callbackOrigins: ['https://a.example.com/'] }), [
    ['/clients/0/callbackOrigins', 'neither an origin'],
  ]);
  t.same(of({ key: 'x' }), [
    ['/clients/0/key', 'is not a member of a client, which are clientId, apiKey, name, callbackOrigins'],
  ]);
});

t.test('a database has a method query; a schema has a database', async (t) => {
  const database = { query: async () => ({ rows: [] }) };
  t.equal(resolveMockOptions({ database, schema: 's' }).database, database, 'the very object, not a copy');
  t.same(problems({ database: 'postgres://localhost' }), [
    ['/database', 'must have a method query, as a pool of pg has'],
  ]);
  t.same(problems({ database, schema: 1 }), [['/schema', 'must be a string']]);
  t.same(problems({ schema: 's' }), [['/schema', 'needs a database']]);
});
