// The flags of the mock: what each does to a running mock, and the combinations that it rejects.
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { list, send } from '../mock-server/client.js';
import { mistake, setUp } from '../mock-server/command.js';
import { ENCODINGS } from '../mock-server/encodings.js';
import { REPOSITORY } from '../repository.js';

const TOKEN = 'correct-horse-battery';

t.test('an invalid origin or token is rejected, and a token is never repeated', async (t) => {
  for (const text of ['localhost:5173', 'http://localhost:5173/', 'ftp://a', 'null', ''])
    t.match(await mistake(`--port 0 --cors-origin=${text}`), /^claimlink: --cors-origin [^\n]+\.\n$/, text);
  for (const text of ['short-token', `${TOKEN}ü`, 'x'.repeat(201)]) {
    const sentence = await mistake(`--port 0 --control-token=${text}`);
    t.match(sentence, /^claimlink: --control-token [^\n]*16 to 200 printable ASCII characters[^\n]*\.\n$/);
    t.notMatch(sentence, text);
  }
});

t.test('an address that other machines can reach needs a token, by the name that set it', async (t) => {
  t.match(await mistake('--port 0 --host 0.0.0.0'), /^claimlink: --host [^\n]+\.\n$/);
  for (const url of ['https://claims.example.com', 'http://127.0.0.1.evil.example'])
    t.match(
      await mistake('--port 0', { CLAIMLINK_PUBLIC_URL: url }),
      /^claimlink: CLAIMLINK_PUBLIC_URL [^\n]*token[^\n]*\.\n$/,
      url,
    );
});

t.test('each of several problems has a sentence', async (t) => {
  const sentences = (await mistake(`--port 0 --control-token short --seed ${'x'.repeat(101)}`))
    .trimEnd()
    .split('\n');
  t.equal(sentences.length, 2);
  for (const sentence of sentences) t.match(sentence, /^claimlink: --(seed|control-token) .*\.$/);
});

t.test('--fault sets initial faults', async (t) => {
  const { runMock, stdout } = setUp();
  const args =
    '--port 0 --log silent --fault userId=user-9,status=503 --fault route=createLink,status=500,times=1';
  await runMock(args, {}, async (ready) => {
    const [, url = ''] = /API +(\S+)/.exec(ready) ?? [];
    t.equal((await list(url, 'user-9')).status, 503);
    t.equal((await list(url, 'user-1')).status, 200);
    const faults = JSON.parse((await send(`${url}/__mock/faults`)).body);
    t.match(
      faults.filter((fault: { userId?: string; route?: string }) => fault.userId === 'user-9' || fault.route),
      [
        { status: 503, hits: 1 },
        { route: 'createLink', status: 500, times: 1 },
      ],
    );
  });
  t.match(stdout.text, 'Faults      2 set\n');
});

t.test('--client and --sessions scale the world', async (t) => {
  const { runMock } = setUp();
  const args = '--port 0 --ready-json --log silent --client a:k1 --client b:k2 --sessions 2';
  await runMock(args, {}, async (ready) => {
    const { url, clients } = JSON.parse(ready);
    const userIds = ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'];
    t.same(clients, [
      { clientId: 'a', apiKey: 'k1', userIds },
      { clientId: 'b', apiKey: 'k2', userIds },
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
    t.equal(bodies.size, 6, 'each user has other data');
  });
});

t.test('many sessions cost nothing until a request needs them', async (t) => {
  const { runMock } = setUp();
  const args = '--port 0 --ready-json --log silent --sessions 10000';
  await runMock(args, {}, async (ready) => {
    const { body } = await list(JSON.parse(ready).url, 'user-10000');
    t.equal(JSON.parse(body).length, 1000, 'a page of them');
  });
});

t.test('all seeded sessions are older than --ref-date', async (t) => {
  const { runMock } = setUp();
  await runMock('--port 0 --ready-json --log silent --ref-date 2031-05-04', {}, async (ready) => {
    const sessions = JSON.parse((await list(JSON.parse(ready).url, 'user-many')).body);
    const newest = sessions[0].createdAt;
    t.ok(newest < '2031-05-04T00:00', newest);
    t.ok(newest > '2030', `${newest}: at most a year older`);
  });
});

t.test('--latency delays the responses of the API only', async (t) => {
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

t.test('--cors-origin lets the pages of this origin call the API, and no others', async (t) => {
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

t.test('--control-token protects the control API; open routes stay', async (t) => {
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
});

t.test('NODE_ENV=production causes a warning on stderr', async (t) => {
  for (const [mode, warning] of [
    ['production', /^claimlink: NODE_ENV is production, but this is a mock with generated data\. .*\.\n$/],
    ['development', /^$/],
  ] as const) {
    const { runMock, stdout, stderr } = setUp();
    t.equal(await runMock('--port 0 --log silent --ready-json', { NODE_ENV: mode }, () => {}), 0);
    t.match(stderr.text, warning);
    t.match(stdout.text, /^\{.*\}\n$/);
  }
});

t.test('claimlink scenario prints a scenario that the mock accepts', async (t) => {
  const { run, stdout } = setUp();
  t.equal(await run('scenario'), 0);
  const [line = ''] = stdout.text.split('\n');
  const schema = 'fixtures/scenarios/scenario.schema.json';
  t.equal(line, `# yaml-language-server: $schema=./node_modules/claimlink/${schema}`);
  t.ok((await stat(new URL(schema, REPOSITORY))).isFile(), 'the schema is in the package');
  const path = join(t.testdir({ 'world.yaml': stdout.text }), 'world.yaml');
  const { runMock } = setUp();
  await runMock(`--port 0 --ready-json --log silent --scenario ${path}`, {}, async (ready) => {
    const { url, clients } = JSON.parse(ready);
    t.match(clients, [
      { clientId: 'acme', apiKey: 'clk_test_acme', userIds: ['user-1', 'user-2', 'user-3'] },
    ]);
    const headers = { 'x-api-key': 'clk_test_acme' };
    const { body } = await send(`${url}/acme/sessions/user-1`, { headers });
    t.match(JSON.parse(body), [{ reference: 'S-STARTER-1' }]);
    t.equal((await send(`${url}/acme/sessions/user-2`, { headers })).body, '[]');
  });
  // Windows PowerShell 5.1 redirects in UTF-16.
  await writeFile(path, ENCODINGS['UTF-16, little-endian']?.(stdout.text.replaceAll('\n', '\r\n')) ?? '');
  await setUp().runMock(`--port 0 --ready-json --log silent --scenario ${path}`, {}, (ready) => {
    t.match(JSON.parse(ready).clients, [{ clientId: 'acme' }]);
  });
  t.equal(
    await mistake('scenario world.yaml'),
    "claimlink: too many arguments for 'scenario'. Expected 0 arguments but got 1.\nclaimlink <command> --help lists the flags.\n",
  );
});

t.test('--output writes a document in UTF-8, and replaces no file', async (t) => {
  const folder = t.testdir({});
  for (const [command, file] of [
    ['scenario', 'world.yaml'],
    ['openapi', 'openapi.json'],
  ] as const) {
    const path = join(folder, file);
    const printed = setUp();
    await printed.run(command);
    const { run, stdout } = setUp();
    t.equal(await run(`${command} --output ${path}`), 0);
    t.equal(await readFile(path, 'utf8'), printed.stdout.text, file);
    t.equal(stdout.text, `Wrote ${path}.\n`);
    await writeFile(path, 'mine');
    t.equal(await mistake(`${command} --output ${path}`), `claimlink: --output ${path} exists already.\n`);
    t.equal(await readFile(path, 'utf8'), 'mine');
  }
  const path = join(folder, 'none/world.yaml');
  t.equal(await mistake(`scenario --output ${path}`), `claimlink: --output ${path} does not exist.\n`);
});

t.test('the certificate and the key are read in each encoding', async (t) => {
  const tls = new URL('test/mock-server/tls/', REPOSITORY);
  const [cert, key] = [await readFile(new URL('cert.pem', tls)), await readFile(new URL('key.pem', tls))];
  const folder = t.testdir({});
  const flags = `--port 0 --ready-json --log silent --tls-cert ${folder}/cert.pem --tls-key ${folder}/key.pem`;
  for (const [encoding, encode] of Object.entries(ENCODINGS)) {
    await writeFile(join(folder, 'cert.pem'), encode(String(cert)));
    await writeFile(join(folder, 'key.pem'), encode(String(key)));
    await setUp().runMock(flags, {}, (ready) => {
      t.match(JSON.parse(ready), { url: /^https:/ }, encoding);
    });
  }
  await writeFile(join(folder, 'key.pem'), Buffer.from([0xe9]));
  t.match(await mistake(flags), /--tls-key .* is not text in UTF-8 or UTF-16\./);
});

t.test('a broken scenario: a sentence for each problem, with its place', async (t) => {
  const folder = t.testdir({
    'broken.yaml': 'clients:\n  - clientId: acme\n    apikey: k\n    users: []\n',
    'broken.json': '{"clients": [\n  {"clientId": "acme",, "apiKey": "k"}\n]}',
    'token.yaml':
      'clients:\n  - { clientId: a, apiKey: k }\n  - { clientId: b, apiKey: l, controlToken: 0123456789abcdef }\n',
  });
  const mistakeIn = async (name: string) =>
    (await mistake(`--port 0 --scenario ${join(folder, name)}`)).replaceAll(`${folder}/`, '');
  const sentences = (await mistakeIn('broken.yaml')).trimEnd().split('\n');
  t.equal(sentences.length, 2, String(sentences));
  for (const sentence of sentences)
    t.match(sentence, /^claimlink: --scenario broken\.yaml:[23]:\d+ \/clients\/0\/ap[iI][kK]ey is .*\.$/);
  t.match(await mistakeIn('broken.json'), /^claimlink: --scenario broken\.json:2:\d+ .*\.\n$/);
  t.equal(
    await mistakeIn('token.yaml --control-token 0123456789abcdef'),
    "claimlink: --scenario: clients.1.controlToken is the mock's or another client's already.\n",
  );
  t.equal(await mistakeIn('none.yaml'), 'claimlink: --scenario none.yaml does not exist.\n');
  t.match(await mistakeIn('world.toml'), 'must be a file whose name ends in .json, .yaml or .yml');
});

/** A scenario with a session of this reference. */
const scenario = (reference: string) =>
  `clients: [{ clientId: acme, apiKey: k, users: [{ userId: ada, sessions: [{ reference: ${reference} }] }] }]`;

/** A scenario file for --watch. */
function watched(t: Test, stderr: { text: string }) {
  const path = join(t.testdir({ 'world.yaml': scenario('R-1') }), 'world.yaml');
  /** Writes until the mock has seen it: it may not watch yet. */
  async function writeUntil(text: string, pattern: RegExp): Promise<void> {
    while (!pattern.test(stderr.text)) {
      // In one step: the mock would report a file that is not complete.
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      await wait(300);
    }
  }
  return { path, writeUntil };
}

/** Returns the lines of a text, each of which is JSON. */
function jsonLines(text: string): { time?: string; level?: string; msg?: string; url?: string }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

t.test('--log json: every line is JSON: start, warnings, requests and scenarios that change', async (t) => {
  const { runMock, stdout, stderr } = setUp();
  const { path, writeUntil } = watched(t, stderr);
  const env = { CLAIMLINK_LOG: 'json', NODE_ENV: 'production', CLAIMLINK_DATABASE_URL: 'sqlite:a' };
  await runMock(`--port 0 --watch --scenario ${path}`, env, async () => {
    await send(`${jsonLines(stdout.text)[0]?.url}/__mock/health`);
    await writeUntil(scenario('R-2'), /started anew/);
    await writeUntil('clients: []\n', /keeps its state/);
  });
  t.match(jsonLines(stdout.text), [{ url: /^http/, clients: [{ clientId: 'acme' }] }]);
  t.match(
    jsonLines(stderr.text)
      .filter(({ level }, index, all) => level !== all[index - 1]?.level)
      .map(({ level, msg }) => ({ level, msg })),
    [
      { level: 'warn', msg: /^NODE_ENV is production/ },
      { level: 'info', msg: 'request' },
      { level: 'error', msg: /^--scenario .*world\.yaml:1:10 .*\nThe mock keeps its state\.$/ },
    ],
  );
  for (const start of ['the mock ignores CLAIMLINK_DATABASE_URL', 'the mock has started anew with'])
    t.ok(
      jsonLines(stderr.text).some(({ msg }) => msg?.startsWith(start)),
      start,
    );
  for (const { time } of jsonLines(stderr.text)) t.match(time, /^\d{4}-.*Z$/);
});

t.test('--log json: a mistake of the command line is JSON', async (t) => {
  for (const [args, msg] of [
    ['--log json --port 70000', '--port must be 65535 or less.'],
    ['mock --log=json --port x', /^option '--port <number>' is invalid\. It must be a whole number\.$/],
    ['--nothing --log pretty --log json', /^unknown option '--nothing'/],
    ['--log json --watch', '--watch needs --scenario.'],
  ] as const) {
    const [line] = jsonLines(await mistake(args));
    t.match(line, { level: 'error', msg }, args);
  }
  t.match(await mistake('--port x', { CLAIMLINK_LOG: 'json' }), /^\{.*\}\n\{.*\}\n$/);
  t.match(await mistake('--log json --log pretty --watch'), /^claimlink: --watch needs/);
  t.match(await mistake('check --nothing', { CLAIMLINK_LOG: 'json' }), /^claimlink: /);
});

t.test('--watch starts anew when the scenario changes; a mistake is shown and changes nothing', async (t) => {
  const { runMock, stderr } = setUp();
  const { path, writeUntil } = watched(t, stderr);
  await runMock(`--port 0 --ready-json --log silent --watch --scenario ${path}`, {}, async (ready) => {
    const url: string = JSON.parse(ready).url;
    const references = async () => {
      const { body } = await send(`${url}/acme/sessions/ada`, { headers: { 'x-api-key': 'k' } });
      return JSON.parse(body).map(({ reference }: { reference: string }) => reference);
    };
    t.same(await references(), ['R-1']);
    await writeUntil(scenario('R-2'), /started anew with .*world\.yaml\.\n/);
    t.same(await references(), ['R-2']);
    await writeUntil(
      'clients: []\n',
      /--scenario .*world\.yaml:1:10 .*\nclaimlink: The mock keeps its state\.\n/,
    );
    t.same(await references(), ['R-2']);
  });
  t.match(await mistake('--watch'), 'claimlink: --watch needs --scenario.\n');
});

t.test('a client of the command line must not be in the scenario', async (t) => {
  const folder = t.testdir({ 'mock.json': '{"clients": [{"clientId": "demo", "apiKey": "k"}]}' });
  t.equal(
    await mistake(`--port 0 --scenario ${join(folder, 'mock.json')} --client demo:k2`),
    "claimlink: --client: clientId is another client's already.\n",
  );
});
