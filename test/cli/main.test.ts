// The command line in this process: flags, environment, mistakes, signals.
import t from 'tap';
import { main } from '../../cli/main.js';
import { startMockServer } from '../../mock-server/index.js';
import { list, send } from '../mock-server/client.js';
import { mistake, setUp } from '../mock-server/command.js';

for (const args of ['--version', '-v', 'openapi --version']) {
  t.test(`${args} prints the version`, async (t) => {
    const { run, stdout } = setUp();
    t.equal(await run(args), 0);
    t.match(stdout.text, /^\d+\.\d+\.\d+\S*\n$/);
  });
}

t.test('openapi prints the document, for the public URL that was given', async (t) => {
  const byDefault = setUp();
  t.equal(await byDefault.run('openapi'), 0);
  t.match(JSON.parse(byDefault.stdout.text), {
    openapi: '3.1.0',
    servers: [{ url: 'http://127.0.0.1:4010' }],
  });
  const withFlag = setUp();
  await withFlag.run('openapi --public-url https://claims.example.com/x', { CLAIMLINK_PORT: '1' });
  t.match(JSON.parse(withFlag.stdout.text), { servers: [{ url: 'https://claims.example.com/x' }] });
});

t.test('--ready-json prints exactly one line, and the log goes to stderr', async (t) => {
  const { runMock, stdout, stderr } = setUp();
  const code = await runMock('--port 0 --ready-json', {}, async (ready) => {
    const { url, ...rest } = JSON.parse(ready);
    t.same(rest, {
      dashboardUrl: `${url}/`,
      controlUrl: `${url}/__mock`,
      seed: 42,
      clients: [
        {
          clientId: 'demo',
          apiKey: 'clk_test_demo',
          userIds: ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'],
        },
      ],
    });
    t.equal((await list(url, 'user-1')).status, 200);
  });
  t.equal(code, 0);
  t.match(stdout.text, /^\{.*\}\n$/);
  t.match(stderr.text, /200 GET +\/demo\/sessions\//);
});

t.test('flags reach the server', async (t) => {
  const { runMock, stderr } = setUp();
  const args =
    '--port=0 --host localhost --seed spring --client a:k:1 --client b:k2 --log silent --ready-json';
  await runMock(args, {}, async (ready) => {
    const { url, seed, clients } = JSON.parse(ready);
    t.match(url, /^http:\/\/localhost:\d+$/);
    t.equal(seed, 'spring');
    t.match(clients, [
      { clientId: 'a', apiKey: 'k:1' },
      { clientId: 'b', apiKey: 'k2' },
    ]);
  });
  t.equal(stderr.text, '');
});

t.test('so does the environment; empty variables count as unset', async (t) => {
  const env = {
    CLAIMLINK_PORT: '0',
    CLAIMLINK_HOST: '',
    CLAIMLINK_SEED: '-7',
    CLAIMLINK_CLIENT: 'a:k1, b:k2',
    CLAIMLINK_LOG: 'json',
    CLAIMLINK_READY_JSON: 'true',
  };
  const { runMock, stderr } = setUp();
  await runMock('mock', env, async (ready) => {
    const { url, seed, clients } = JSON.parse(ready);
    t.equal(seed, -7);
    t.equal(clients.length, 2);
    await send(`${url}/__mock/health`);
  });
  t.match(JSON.parse(stderr.text), { path: '/__mock/health' });
});

t.test('a flag beats the environment', async (t) => {
  const { runMock } = setUp();
  const env = { CLAIMLINK_PORT: '1', CLAIMLINK_SEED: '1', CLAIMLINK_CLIENT: 'env:k' };
  await runMock('--port 0 --seed 2 --client flag:k --ready-json', env, (ready) => {
    t.match(JSON.parse(ready), { seed: 2, clients: [{ clientId: 'flag' }] });
  });
});

t.test('without --ready-json the start text says where, who and what next', async (t) => {
  const { runMock, stdout } = setUp();
  await runMock('--port 0', { CLAIMLINK_READY_JSON: 'off' }, () => {});
  t.match(stdout.text, /Dashboard {3}http:\/\/127\.0\.0\.1:\d+\/\n/);
  t.match(stdout.text, 'API key     clk_test_demo\n');
  t.match(stdout.text, 'user-1 user-2 user-3 user-4 user-5');
  t.match(stdout.text, /^curl '.*sessions\/user-1'/m);
  t.match(stdout.text, /^curl '.*\/link'/m);
  t.notMatch(stdout.text, '\u001b');
});

t.test('on a terminal the start text is in colour, unless NO_COLOR is set', async (t) => {
  const colored = setUp(true);
  await colored.runMock(
    '--port 0 --public-url https://claims.example.com --control-token 0123456789abcdef',
    {},
    () => {},
  );
  t.match(colored.stdout.text, '\u001b[1mclaimlink mock server');
  t.match(colored.stdout.text, 'Public URL');
  const plain = setUp(true);
  await plain.runMock('--port 0', { NO_COLOR: '1' }, () => {});
  t.notMatch(plain.stdout.text, '\u001b');
});

t.test('the first signal closes, the second one ends the process at once', async (t) => {
  const { runMock, signals, exits } = setUp();
  const code = await runMock('--port 0 --ready-json', {}, () => {
    signals.emit('SIGINT');
  });
  t.equal(code, 0);
  t.same(exits, [130]);
  t.equal(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM'), 0, 'listeners are gone');
});

t.test('an option that the mock rejects is one sentence, by the name that set it', async (t) => {
  t.match(await mistake('--port 0 --client verify:k'), /^claimlink: --client: clientId [^\n]*\.\n$/);
  t.match(
    await mistake('', { CLAIMLINK_PUBLIC_URL: 'x', CLAIMLINK_PORT: '0' }),
    /^claimlink: CLAIMLINK_PUBLIC_URL must be an absolute[^\n]*\.\n$/,
  );
  t.match(await mistake('openapi --public-url x'), /^claimlink: --public-url must be an absolute/);
  t.match(await mistake(`--port 0 --seed ${'x'.repeat(101)}`), /^claimlink: --seed must /);
  t.match(await mistake('--tls-cert a.pem'), 'claimlink: --tls-cert and --tls-key need each other.\n');
});

t.test('the mock says that it ignores CLAIMLINK_DATABASE_URL', async (t) => {
  const { runMock, stderr } = setUp();
  const env = { CLAIMLINK_DATABASE_URL: 'postgres://a:s3cret@localhost/a' };
  t.equal(await runMock('--port 0 --log silent --ready-json', env, () => {}), 0);
  t.match(stderr.text, /^claimlink: the mock ignores CLAIMLINK_DATABASE_URL\. .*examples\/sandbox\.mjs\.\n$/);
});

t.test('a port in use is one sentence with exit code 2', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(await mistake(`--port ${mock.port}`), /^claimlink: --port [^\n]*in use[^\n]*\n$/);
});

t.test('an unexpected error is exit code 1 with a stack', async (t) => {
  const { io, stderr } = setUp();
  const stdout = {
    write() {
      throw new Error('stdout broke');
    },
  };
  t.equal(await main(['--version'], Object.assign(io, { stdout })), 1);
  t.match(stderr.text, /unexpected error\nError: stdout broke\n {4}at /);
});
