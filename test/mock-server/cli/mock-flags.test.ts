// The flags of the mock: what each is read as, what makes no sense, and what it does to a mock that runs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readCommandLine } from '../../../mock-server/cli/command-line.js';
import { REPOSITORY } from '../../repository.js';
import { list, send } from '../client.js';
import { mistake, setUp } from '../command.js';

const TOKEN = 'correct-horse-battery';

function read(args: string, env: Record<string, string> = {}) {
  const request = readCommandLine(args.split(' ').filter(Boolean), env);
  if (request.kind !== 'run') throw new Error(request.kind);
  return request.line.values;
}

/** A flag, its variable, and what both set; a flag without a value is on. */
const SETTINGS: [flag: string, text: string, option: object][] = [
  ['tls-cert', 'a.pem', { tlsCert: 'a.pem' }],
  ['tls-key', 'b.pem', { tlsKey: 'b.pem' }],
  ['cors-origin', 'http://localhost:5173', { corsOrigins: ['http://localhost:5173'] }],
  ['ref-date', '2027-02-03', { refDate: new Date('2027-02-03T00:00:00Z') }],
  ['ref-date', '2027-02-03T04:05', { refDate: new Date('2027-02-03T04:05:00Z') }],
  ['ref-date', '2027-02-03T04:05:06.7Z', { refDate: new Date('2027-02-03T04:05:06.7Z') }],
  ['clients', '3', { clientCount: 3 }],
  ['users', '100000', { userCount: 100_000 }],
  ['sessions', '0', { sessionCount: 0 }],
  ['scenario', 'world.yaml', { scenario: 'world.yaml' }],
  ['persist', 'world.json', { persistFile: 'world.json' }],
  ['latency', '0', { latencyMs: 0 }],
  ['latency', '200', { latencyMs: 200 }],
  ['latency', '100-200', { latencyMs: [100, 200] }],
  ['latency', '60000-60000', { latencyMs: [60_000, 60_000] }],
  ['error-rate', '0', { errorRate: 0 }],
  ['error-rate', '.05', { errorRate: 0.05 }],
  ['error-rate', '1.0', { errorRate: 1 }],
  ['control-token', TOKEN, { controlToken: TOKEN }],
];

for (const [flag, text, option] of SETTINGS) {
  const variable = `CLAIMLINK_${flag.toUpperCase().replaceAll('-', '_')}`;
  t.test(`--${flag} ${text} is read, and so is ${variable}`, async (t) => {
    t.strictSame(read(`--${flag} ${text}`), option);
    t.strictSame(read('', { [variable]: text }), option);
  });
}

t.test('--no-control is on or off; --cors-origin may be repeated; --init is a flag alone', async (t) => {
  t.strictSame(read('--no-control'), { noControl: true });
  t.strictSame(read('', { CLAIMLINK_NO_CONTROL: 'off' }), { noControl: false });
  const origins = ['http://localhost:5173', 'https://app.example.com'];
  t.strictSame(read(`--cors-origin ${origins[0]} --cors-origin ${origins[1]}`), { corsOrigins: origins });
  t.strictSame(read('', { CLAIMLINK_CORS_ORIGIN: origins.join(', ') }), { corsOrigins: origins });
  t.strictSame(read('--init'), { init: true });
  t.strictSame(read('', { CLAIMLINK_INIT: '1' }), {});
});

const INTEGERS = [
  ['--clients', ['0', '1001', '-1', '1.5', 'x', '1e2'], '1 to 1000'],
  ['--users', ['0', '100001', 'many'], '1 to 100000'],
  ['--sessions', ['10001', '-1'], '0 to 10000'],
] as const;

for (const [flag, texts, range] of INTEGERS) {
  t.test(`${flag} is a whole number, ${range}`, async (t) => {
    for (const text of texts)
      t.equal(
        await mistake(`${flag}=${text}`),
        `claimlink: ${flag} must be a whole number, ${range}.\n`,
        text,
      );
  });
}

t.test('a latency is milliseconds or a range of them, an error rate a share', async (t) => {
  for (const text of ['', '-1', '1.5', '200ms', '60001', '100-60001', '200-100', '100-', '100-200-300'])
    t.equal(
      await mistake(`--latency=${text}`),
      'claimlink: --latency must be milliseconds, 0 to 60000, or a range of them, such as 100-800.\n',
      text,
    );
  for (const text of ['', '5', '1.01', '-0.1', '5%', '0,05', '1e-3'])
    t.equal(
      await mistake(`--error-rate=${text}`),
      'claimlink: --error-rate must be a number from 0 to 1, such as 0.05.\n',
      text,
    );
});

t.test('a reference date is a day that exists, or a moment', async (t) => {
  for (const text of ['', 'today', '2026-02-30', '2026-13-01', '01/02/2026', '2026-01-01T25:00', '2026'])
    t.equal(
      await mistake(`--ref-date=${text}`),
      'claimlink: --ref-date must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00.\n',
      text,
    );
  t.equal(
    await mistake('', { CLAIMLINK_REF_DATE: '1900-01-01', CLAIMLINK_PORT: '0' }),
    'claimlink: CLAIMLINK_REF_DATE must be a date, year 1980 to 9000.\n',
  );
});

t.test('origins, tokens and paths are looked at, and a token is never repeated', async (t) => {
  for (const text of ['localhost:5173', 'http://localhost:5173/', 'ftp://a', 'null', ''])
    t.equal(
      await mistake(`--port 0 --cors-origin=${text}`),
      'claimlink: --cors-origin must be a list of web origins, such as http://localhost:5173, or *.\n',
      text,
    );
  for (const text of ['short-token', `${TOKEN}ü`, 'x'.repeat(201)])
    t.equal(
      await mistake(`--port 0 --control-token=${text}`),
      'claimlink: --control-token must be 16 to 200 printable ASCII characters without spaces.\n',
    );
  for (const flag of ['scenario', 'persist', 'tls-cert', 'tls-key', 'control-token'])
    t.equal(await mistake(`--${flag}=`), `claimlink: --${flag} must not be empty.\n`);
});

t.test('what does not go together is told, by the names that set it', async (t) => {
  t.equal(
    await mistake('--clients 2 --client a:k'),
    'claimlink: --clients cannot be used together with a list of clients.\n',
  );
  t.equal(
    await mistake(`--no-control`, { CLAIMLINK_CONTROL_TOKEN: TOKEN }),
    'claimlink: CLAIMLINK_CONTROL_TOKEN is of no use without dashboard and control routes.\n',
  );
  t.equal(
    await mistake('--persist world.json --database-url postgres://localhost/nothing'),
    'claimlink: --persist cannot be used with a database, which keeps the world already.\n',
  );
  const remedy = 'lets others reach dashboard and control routes: set a control token, or turn these off.\n';
  t.equal(await mistake('--host 0.0.0.0'), `claimlink: --host ${remedy}`);
  t.equal(
    await mistake('', { CLAIMLINK_PUBLIC_URL: 'https://claims.example.com' }),
    `claimlink: CLAIMLINK_PUBLIC_URL ${remedy}`,
  );
});

t.test('each of several problems has a sentence of its own', async (t) => {
  const tooLong = 'x'.repeat(101);
  t.equal(
    await mistake(`--control-token short --seed ${tooLong}`),
    'claimlink: --seed must be a whole number, or a text of 1 to 100 characters.\n' +
      'claimlink: --control-token must be 16 to 200 printable ASCII characters without spaces.\n',
  );
});

t.test('the nearest flag is suggested', async (t) => {
  for (const [typed, meant] of [
    ['--latensy', '--latency'],
    ['--errorrate', '--error-rate'],
    ['--presist', '--persist'],
    ['--refdate', '--ref-date'],
    ['--no-controls', '--no-control'],
    ['--senario', '--scenario'],
    ['--tls-crt', '--tls-cert'],
  ] as const)
    t.equal(
      await mistake(`${typed}=1`),
      `claimlink: There is no flag ${typed}; did you mean ${meant}?\n`,
      typed,
    );
});

t.test('--clients, --users and --sessions scale the world', async (t) => {
  const { runMock } = setUp();
  const args = '--port 0 --ready-json --log silent --clients 3 --users 7 --sessions 2';
  await runMock(args, {}, async (ready) => {
    const { url, clients } = JSON.parse(ready);
    const userIds = ['user-1', 'user-2', 'user-3', 'user-4', 'user-5', 'user-6', 'user-7'];
    t.same(clients, [
      { clientId: 'demo', apiKey: 'clk_test_demo', userIds },
      { clientId: 'demo-2', apiKey: 'clk_test_demo-2', userIds },
      { clientId: 'demo-3', apiKey: 'clk_test_demo-3', userIds },
    ]);
    const bodies = new Set<string>();
    for (const { clientId, apiKey } of clients) {
      for (const userId of ['user-1', 'user-7', 'nobody-named']) {
        const headers = { 'x-api-key': apiKey };
        const { body } = await send(`${url}/${clientId}/sessions/${userId}`, { headers });
        t.equal(JSON.parse(body).length, 2, `${clientId} ${userId}`);
        bodies.add(body);
      }
    }
    t.equal(bodies.size, 9, 'nobody has the data of another one');
  });
});

t.test('a million sessions are made up when they are asked for, and not before', async (t) => {
  const { runMock } = setUp();
  const args = '--port 0 --ready-json --log silent --clients 10 --users 1000 --sessions 100';
  await runMock(args, {}, async (ready) => {
    const { url, clients } = JSON.parse(ready);
    t.match(clients, { length: 10 });
    t.equal(clients[0].userIds.length, 100, 'so many are named; the others are there all the same');
    t.equal(JSON.parse((await list(url, 'user-1000')).body).length, 100);
  });
});

t.test('--ref-date is the day that all seeded sessions lie before', async (t) => {
  const { runMock } = setUp();
  await runMock('--port 0 --ready-json --log silent --ref-date 2031-05-04', {}, async (ready) => {
    const sessions = JSON.parse((await list(JSON.parse(ready).url, 'user-many')).body);
    const newest = sessions[0].createdAt;
    t.ok(newest < '2031-05-04T00:00', newest);
    t.ok(newest > '2030', `${newest}: and not long before`);
  });
});

t.test('--latency delays each answer of the API, and says so; the dashboard comes at once', async (t) => {
  const { runMock, stdout } = setUp();
  await runMock('--port 0 --log silent --latency 100-200', {}, async () => {
    const [, url = ''] = /API +(\S+)/.exec(stdout.text) ?? [];
    const startedAt = performance.now();
    const { status, headers } = await list(url, 'user-1');
    const waitedMs = performance.now() - startedAt;
    t.equal(status, 200);
    const [, delay = ''] = /^delay=(\d+)$/.exec(String(headers['x-claimlink-fault'])) ?? [];
    t.ok(Number(delay) >= 100 && Number(delay) <= 200, delay);
    t.ok(waitedMs >= 99, `${waitedMs} ms`);
    t.equal((await send(`${url}/__mock/health`)).headers['x-claimlink-fault'], undefined);
  });
  t.match(stdout.text, 'Latency     100 to 200 ms\n');
});

t.test('--error-rate lets so many answers of the API fail, the same ones with the same seed', async (t) => {
  const statuses: number[][] = [];
  for (const args of ['--error-rate 0.5', '--error-rate 0.5', '--error-rate 1']) {
    const { runMock, stdout } = setUp();
    await runMock(`--port 0 --log silent ${args}`, {}, async () => {
      const [, url = ''] = /API +(\S+)/.exec(stdout.text) ?? [];
      const seen: number[] = [];
      for (let i = 0; i < 20; i++) seen.push((await list(url, 'user-1')).status);
      statuses.push(seen);
      t.equal((await send(`${url}/__mock/health`)).status, 200);
    });
    t.match(stdout.text, `Error rate  ${args.split(' ')[1]}\n`);
  }
  const [first = [], second, all] = statuses;
  t.same(first, second);
  t.ok(first.includes(200) && first.includes(500), String(first));
  t.ok(all?.every((status) => status === 500));
});

t.test('--cors-origin lets the pages of an origin call the API, and no others', async (t) => {
  const { runMock } = setUp();
  const origin = 'http://localhost:5173';
  await runMock(`--port 0 --ready-json --log silent --cors-origin ${origin}`, {}, async (ready) => {
    const { url } = JSON.parse(ready);
    const allowed = async (from: string, method = 'GET') => {
      const headers = { origin: from, 'x-api-key': 'clk_test_demo', 'access-control-request-method': 'GET' };
      const answer = await send(`${url}/demo/sessions/user-1`, { method, headers });
      return [answer.status, answer.headers['access-control-allow-origin']];
    };
    t.same(await allowed(origin), [200, origin]);
    t.same(await allowed(origin, 'OPTIONS'), [204, origin]);
    t.same(await allowed('http://localhost:5174'), [200, undefined]);
    const control = await send(`${url}/__mock/reset`, { method: 'POST', headers: { origin } });
    t.equal(control.status, 403, 'the control routes stay closed to it');
  });
});

t.test('--control-token keeps the control, --no-control takes it away; open routes stay', async (t) => {
  const guarded = setUp();
  const env = { CLAIMLINK_CONTROL_TOKEN: TOKEN };
  await guarded.runMock('--port 0 --log silent --host 0.0.0.0', env, async (ready) => {
    const [, url = ''] = /API +(\S+)/.exec(ready) ?? [];
    t.notMatch(ready, TOKEN);
    t.match(ready, 'Dashboard');
    t.equal((await send(`${url}/__mock/state`)).status, 401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    t.equal((await send(`${url}/__mock/state`, { headers })).status, 200);
    t.equal((await send(`${url}/__mock/health`)).status, 200);
  });
  const bare = setUp();
  await bare.runMock('--port 0 --log silent --host 0.0.0.0 --no-control', {}, async (ready) => {
    const [, url = ''] = /API +(\S+)/.exec(ready) ?? [];
    t.notMatch(ready, 'Dashboard');
    t.equal((await send(`${url}/`)).status, 404);
    t.equal((await send(`${url}/__mock/state`)).status, 404);
    for (const path of ['health', 'openapi.json', 'callback'])
      t.equal((await send(`${url}/__mock/${path}`)).status, 200, path);
    t.equal((await list(url, 'user-1')).status, 200);
  });
});

t.test('NODE_ENV=production is answered with a warning, to stderr; nothing else is', async (t) => {
  for (const [mode, warning] of [
    ['production', /^claimlink: this is a mock, on made-up data, and NODE_ENV is production; .*\.\n$/],
    ['development', /^$/],
  ] as const) {
    const { runMock, stdout, stderr } = setUp();
    t.equal(await runMock('--port 0 --log silent --ready-json', { NODE_ENV: mode }, () => {}), 0);
    t.match(stderr.text, warning);
    t.match(stdout.text, /^\{.*\}\n$/);
  }
});

t.test('--init writes a scenario that the mock starts with, and never over a file', async (t) => {
  const folder = t.testdir({});
  for (const name of ['world.yaml', 'world.json']) {
    const path = join(folder, name);
    const first = setUp();
    t.equal(await first.run(`--init --scenario ${path}`), 0);
    t.equal(
      first.stdout.text,
      `Wrote ${path}. Start the mock with it: claimlink --scenario ${path}\n`,
      'and starts nothing',
    );
    const text = await readFile(path, 'utf8');
    t.equal(
      await mistake(`mock --init --scenario ${path}`),
      `claimlink: --scenario ${path} is there already, and stays as it is; name another file, or delete it.\n`,
    );
    t.equal(await readFile(path, 'utf8'), text);
    const { runMock } = setUp();
    await runMock(`--port 0 --ready-json --log silent --scenario ${path}`, {}, async (ready) => {
      const { url, clients } = JSON.parse(ready);
      t.match(clients, [{ clientId: 'acme', apiKey: 'clk_test_acme', userIds: ['user-1', 'user-2'] }]);
      const headers = { 'x-api-key': 'clk_test_acme' };
      const { body } = await send(`${url}/acme/sessions/user-1`, { headers });
      t.match(JSON.parse(body), [{ reference: 'S-STARTER-1' }]);
      t.equal((await send(`${url}/acme/sessions/user-2`, { headers })).body, '[]');
    });
  }
  t.equal(
    await mistake(`--init --scenario ${join(folder, 'world.txt')}`),
    `claimlink: --scenario ${join(folder, 'world.txt')} must be a file whose name ends in .json, .yaml or .yml.\n`,
  );
});

t.test('a broken scenario: a sentence for each problem, with its place', async (t) => {
  const folder = t.testdir({
    'broken.yaml': 'clients:\n  - clientId: acme\n    apikey: k\n    users: []\n',
    'broken.json': '{"clients": [\n  {"clientId": "acme",, "apiKey": "k"}\n]}',
  });
  const of = async (name: string) =>
    (await mistake(`--port 0 --scenario ${join(folder, name)}`)).replaceAll(`${folder}/`, '');
  const sentences = (await of('broken.yaml')).trimEnd().split('\n');
  t.equal(sentences.length, 2, String(sentences));
  for (const sentence of sentences)
    t.match(sentence, /^claimlink: --scenario broken\.yaml:[23]:5 \/clients\/0\/ap[iI][kK]ey is .*\.$/);
  t.match(await of('broken.json'), /^claimlink: --scenario broken\.json:2:\d+ .*\.\n$/);
  t.equal(await of('none.yaml'), 'claimlink: --scenario none.yaml is not there.\n');
  t.match(await of('world.toml'), 'must be a file whose name ends in .json, .yaml or .yml');
});

t.test('a client of the command line that the scenario has already is told', async (t) => {
  const scenario = new URL('fixtures/scenarios/demo.json', REPOSITORY).pathname;
  t.equal(
    await mistake(`--port 0 --scenario ${scenario} --client demo:k`),
    "claimlink: --client: clientId is the scenario's already.\n",
  );
});
