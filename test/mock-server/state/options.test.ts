// The options of startMockServer: a closed list; an error names every problem.
import t from 'tap';
import { isClaimlinkError } from '../../../lib/index.js';
import { resolveMockOptions } from '../../../mock-server/state/options.js';

function problems(options: object): [string | undefined, string][] {
  try {
    resolveMockOptions(options);
    return [];
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'options_invalid') throw error;
    return (error.problems ?? []).map(({ pointer, detail }) => [pointer, detail]);
  }
}

const pointers = (options: object) => problems(options).map(([pointer]) => pointer);

t.test('no options: port 4010 on loopback, seed 42, the demo client, silent', async (t) => {
  t.match(resolveMockOptions(), {
    port: 4010,
    host: '127.0.0.1',
    publicUrl: undefined,
    seed: 42,
    refDate: '2026-01-01T00:00:00.000Z',
    clients: [{ clientId: 'demo', apiKey: 'clk_test_demo', name: 'Demo Insurance' }],
    log: 'silent',
    logStream: process.stderr,
    faults: [],
  });
  t.type(resolveMockOptions().now(), Date);
});

t.test('undefined counts as absent', async (t) => {
  t.equal(resolveMockOptions({ port: undefined } as object).port, 4010);
});

t.test("the caller's objects are copied", async (t) => {
  const clients = [{ clientId: 'acme', apiKey: 'key' }];
  const resolved = resolveMockOptions({ clients });
  clients[0] = { clientId: 'other', apiKey: 'other' };
  t.equal(resolved.clients[0]?.clientId, 'acme');
});

t.test('an unknown option is rejected, also one that was removed', async (t) => {
  t.same(problems({ prot: 1 }), [['/prot', 'is not an option (did you mean port?)']]);
  t.same(pointers({ toString: 1 }), ['/toString']);
  t.same(pointers({ database: {}, schema: 's' }), ['/database', '/schema']);
});

t.test('options must be an object', async (t) => {
  t.same(problems(null as unknown as object), [['', 'must be an object']]);
});

t.test('every problem is named, in the problems and in the message', async (t) => {
  const invalid = {
    port: 70_000,
    host: '',
    publicUrl: 1,
    seed: 1.5,
    refDate: 'soon',
    latencyMs: '800-100',
    log: 'loud',
    persistFile: '',
    allowedHosts: ['a:1'],
    corsOrigins: ['http://localhost:5173/'],
    tls: { cert: 'x' },
    controlToken: 'short',
    controlOrigins: ['*'],
    now: 1,
    logStream: {},
  };
  t.same(pointers(invalid).sort(), [
    ...Object.keys(invalid)
      .map((name) => (name === 'tls' ? '/tls/key' : /Origins$|Hosts$/.test(name) ? `/${name}/0` : `/${name}`))
      .sort(),
  ]);
  t.throws(() => resolveMockOptions(invalid as object), {
    message: /^claimlink options: .*port must be 65535 or less; host must be a host name/,
  });
});

t.test('a port that fetch blocks is rejected where a port is given', async (t) => {
  t.same(problems({ port: 6000 }), [['/port', 'must not be 6000: browsers and fetch block this port']]);
  const webhook = 'http://127.0.0.1:6000/claims';
  t.same(problems({ webhook }), [
    ['/webhook', 'must not have port 6000: browsers and fetch block this port'],
  ]);
});

t.test('an allowed host is a name without scheme and port', async (t) => {
  t.same(problems({ allowedHosts: ['host.docker.internal', 'localhost.', '192.168.1.5', 'Mock_1'] }), []);
  for (const name of ['', '*', 'a:4010', 'http://a', 'a/b', 'a..b', '.a', 'a b'])
    t.same(pointers({ allowedHosts: [name] }), ['/allowedHosts/0'], name);
});

t.test('a seed is a safe integer or a short text', async (t) => {
  t.same(problems({ seed: 'spring' }), []);
  t.same(problems({ seed: -1 }), []);
  for (const seed of ['', 'x'.repeat(101), 2 ** 53, true]) t.same(pointers({ seed }), ['/seed']);
});

t.test('a reference date is a Date or a text, year 1980 to 9000', async (t) => {
  t.same(resolveMockOptions({ refDate: '2030-01-01' }).refDate, new Date('2030-01-01T00:00:00Z'));
  for (const refDate of [new Date(Number.NaN), 5, '1970-01-01', '2026-02-30'])
    t.same(pointers({ refDate }), ['/refDate']);
});

t.test('a latency is milliseconds or a range', async (t) => {
  for (const latencyMs of [0, 200, 60_000, '100-800', '5-5']) t.same(problems({ latencyMs }), []);
  for (const latencyMs of [-1, 1.5, 60_001, '200', '100-70000', [100, 800]])
    t.same(pointers({ latencyMs }), ['/latencyMs']);
});

t.test('clients: at least one', async (t) => {
  t.same(pointers({ clients: [] }), ['/clients']);
  t.same(pointers({ clients: 'demo' }), ['/clients']);
});

t.test('clients: ids and keys are valid and unique', async (t) => {
  const withClients = (...clients: unknown[]) => problems({ clients });
  for (const clientId of ['verify', '__x', 'a\u0000', '', 'x'.repeat(101)])
    t.same(withClients({ clientId, apiKey: 'k' })[0]?.[0], '/clients/0/clientId');
  t.same(withClients({ apiKey: 'k' }), [['/clients/0/clientId', 'is required']]);
  t.same(withClients(1), [['/clients/0', 'must be object']]);
  for (const apiKey of ['', 'a b', 'ü', 'x'.repeat(201)])
    t.same(withClients({ clientId: 'a', apiKey })[0]?.[0], '/clients/0/apiKey');
  t.same(withClients({ clientId: 'a', apiKey: 'k' }, { clientId: 'a', apiKey: 'k' }), [
    ['/clients/1/clientId', "is another client's already"],
    ['/clients/1/apiKey', "is another client's already"],
  ]);
});

t.test('a body of 20,000 nested lists is a problem of the options', async (t) => {
  const body: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  t.same(problems({ faults: [{ body }] }), [['', 'must not have more than 64 levels']]);
});

t.test('clients: settings, and nothing else', async (t) => {
  const withMembers = (client: object) => problems({ clients: [{ clientId: 'a', apiKey: 'k', ...client }] });
  t.same(withMembers({ name: 'A', callbackOrigins: ['https://a.example.com', 'myapp:'] }), []);
  t.same(withMembers({ name: 1 }), [['/clients/0/name', 'must be string: put it in quotes']]);
  t.match(withMembers({ callbackOrigins: ['https://a.example.com/'] }), [
    ['/clients/0/callbackOrigins', /neither an origin, such as https/],
  ]);
  const branding = { primaryColor: '#14508c', logoUrl: 'https://a.example.com/logo.svg' };
  t.same(withMembers({ locale: 'de', branding, frameAncestors: ['https://a.example.com'] }), []);
  t.match(withMembers({ branding: { primaryColor: '#ff9900' } }), [
    ['/clients/0/branding/primaryColor', /nearest colour of this hue that does is #/],
  ]);
  t.match(withMembers({ branding: { color: '#14508c' } }), [['/clients/0/branding/color', /displayName/]]);
  t.same(withMembers({ settings: { redirectAfterSeconds: 60 } }), []);
  t.match(withMembers({ settings: { redirectAfterSeconds: 301 } }), [
    ['/clients/0/settings/redirectAfterSeconds', /^must be 'never' or a whole number of seconds, 5 to 300$/],
  ]);
  t.match(withMembers({ settings: { redirect: 60 } }), [
    ['/clients/0/settings/redirect', /known members are redirectAfterSeconds/],
  ]);
  t.match(withMembers({ key: 'x' }), [
    ['/clients/0/key', /known members are clientId, apiKey, controlToken, name/],
  ]);
});

t.test('a scenario and clients together have no id and no key twice', async (t) => {
  const scenario = { clients: [{ clientId: 'a', apiKey: 'k' }] };
  t.same(resolveMockOptions({ scenario }).clients, []);
  t.same(pointers({ scenario, clients: [{ clientId: 'a', apiKey: 'x' }] }), ['/clients/0/clientId']);
  t.same(pointers({ scenario, clients: [{ clientId: 'b', apiKey: 'k' }] }), ['/clients/0/apiKey']);
  t.same(pointers({ scenario: { clients: [{ clientId: 'a' }] } }), ['/scenario/clients/0/apiKey']);
  t.same(pointers({ scenario: 'file.yaml' }), ['/scenario']);
});

t.test('initial faults are valid, and of clients of this mock', async (t) => {
  t.same(problems({ faults: [{ status: 503, clientId: 'demo' }, { delayMs: '1-2' }] }), []);
  t.same(pointers({ faults: [{}] }), ['/faults/0']);
  t.same(pointers({ faults: [{ status: 503, clientId: 'unknown' }] }), ['/faults/0/clientId']);
});

t.test('where other machines reach the control routes, they need a token', async (t) => {
  const token = 'a-token-of-16-characters';
  for (const options of [
    { host: '0.0.0.0' },
    { host: '127.0.0.1.evil.example' },
    { publicUrl: 'https://mock.example.com' },
    { publicUrl: 'http://127.0.0.1.evil.example' },
    { publicUrl: 'http://localhost.evil.example' },
  ]) {
    t.match(problems(options), [[`/${Object.keys(options)[0]}`, /set a control token$/]]);
    t.same(problems({ ...options, controlToken: token }), []);
  }
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) t.same(problems({ host }), []);
  t.same(problems({ publicUrl: 'http://app.localhost:8080' }), []);
});

t.test('loopback origins may call the service while it is bound to loopback', async (t) => {
  t.equal(resolveMockOptions().corsOrigins, 'loopback');
  t.same(resolveMockOptions({ host: '0.0.0.0', controlToken: 'a-token-of-16-characters' }).corsOrigins, []);
  t.same(resolveMockOptions({ corsOrigins: [] }).corsOrigins, []);
  t.same(resolveMockOptions({ corsOrigins: ['*'] }).corsOrigins, ['*']);
});
