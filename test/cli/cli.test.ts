// The built command line as a process: bytes, signals, and lines that work when pasted.
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { startCli } from '../mock-server/child.js';
import { list, send } from '../mock-server/client.js';

const run = promisify(execFile);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} ends it with exit code 0`, async (t) => {
    const child = startCli(t, ['--port', '0', '--ready-json']);
    const { url } = JSON.parse(await child.until(/\n/));
    t.equal((await send(`${url}/__mock/health`)).status, 200);
    t.equal(await child.end(signal), 0);
    t.match(child.stdout(), /^\{[^\n]*\}\n$/, 'one line and nothing else');
  });
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} ends a start that still reads its scenario`, async (t) => {
    const path = join(t.testdir({}), 'pipe.json');
    await run('mkfifo', [path]);
    const child = startCli(t, ['--scenario', path]);
    // Resolves when the child has opened the pipe, whose end it never reads.
    const pipe = await open(path, 'w');
    t.teardown(() => pipe.close());
    t.equal(await child.end(signal), null, 'the signal ended it');
  });
}

t.test('two processes with the same seed return the same bytes, in any order of requests', async (t) => {
  const users = ['user-1', 'user-2', 'n%C3%B6body', 'user-many'];
  const children = [1, 2].map(() =>
    startCli(t, ['--seed', '42'], { CLAIMLINK_PORT: '0', CLAIMLINK_READY_JSON: '1' }),
  );
  const [first, second] = await Promise.all(
    children.map(async (child, index) => {
      const { url } = JSON.parse(await child.until(/\n/));
      const bodies: Record<string, string> = {};
      for (const user of index === 0 ? users : users.toReversed())
        bodies[user] = (await list(url, user)).body;
      return bodies;
    }),
  );
  t.same(first, second);
  t.match(first?.['user-1'], /^\[\{"reference":"S-/);
  await Promise.all(children.map((child) => child.end('SIGTERM')));
});

t.test('the printed curl lines work when pasted, and the link they make opens', async (t) => {
  const child = startCli(t, ['--port', '0', '--client', `o'brien:k"$(x)'1`]);
  const text = await child.until(/\/link'[\s\S]*\n\n/);
  const commands = [...text.matchAll(/^curl [\s\S]*?(?=\n\n)/gm)].map(([command]) => command);
  t.equal(commands.length, 2);
  const [listing, link] = await Promise.all(commands.map((command) => run('sh', ['-c', `${command} -sSf`])));
  t.ok(JSON.parse(listing?.stdout ?? '').length > 0);
  const { data } = JSON.parse(link?.stdout ?? '');
  t.equal((await send(data)).status, 200);
  await child.end('SIGTERM');
});

t.test('a port in use: one sentence, exit code 2', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const child = startCli(t, ['--port', String(mock.port)]);
  await t.rejects(child.until(/never/), {
    message: /ended with 2: claimlink: --port [^\n]*in use[^\n]*\n$/,
  });
});
