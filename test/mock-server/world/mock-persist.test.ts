// A mock with --persist: over restarts, over signals under load, and with files that it must not take.
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { startMockServer } from '../../../mock-server/index.js';
import { missingAt, nothingYet, workUntilGone } from '../acknowledged.js';
import { startCli } from '../child.js';
import { list, send } from '../client.js';
import { mistake } from '../command.js';
import { act } from '../dashboard-forms.js';
import { startKept } from '../kept-mock.js';
import { mintLink, submitClaim } from '../links.js';

const JSON_TYPE = { 'content-type': 'application/json' };

async function control(url: string, method: string, path: string, body?: object) {
  const answer = await send(`${url}/__mock/${path}`, {
    method,
    ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(answer.body);
  return JSON.parse(answer.body);
}

t.test('sessions, links, added clients and clocks outlive the process', async (t) => {
  const path = join(t.testdir({}), 'world.json');
  const first = await startKept(t, path);
  const { url } = first;
  const seeded = (await list(url, 'user-many')).body;
  const [submitted, opened, unopened] = [await mintLink(url), await mintLink(url), await mintLink(url)];
  const reference = await submitClaim(url, submitted);
  t.equal((await send(opened)).status, 200);
  const before = (await list(url, 'user-1')).body;
  const added = await control(url, 'POST', 'clients', { clientId: 'worker-1', apiKey: 'key-of-worker-1' });
  const clock = { now: '2031-02-03T04:05:06.000Z', isFrozen: true };
  await control(url, 'PUT', 'clock?client=worker-1', clock);
  const { offsetMs } = await control(url, 'POST', 'clock/advance?client=demo', { ms: 3_600_000 });
  t.equal(await first.child.end('SIGTERM'), 0);

  const again = await startKept(t, path, first.port);
  t.equal((await list(url, 'user-many')).body, seeded, 'seeded users have the same bytes');
  t.equal((await list(url, 'user-1')).body, before);
  t.equal(JSON.parse(before)[0].reference, reference);
  t.equal((await send(opened)).status, 200, 'a link that was open opens again');
  t.equal((await send(unopened)).status, 200, 'a link that nobody had opened opens');
  t.equal((await send(submitted)).status, 410, 'a submitted link stays submitted');
  t.match(await control(url, 'GET', 'links?client=demo&state=submitted'), [{ url: submitted, reference }]);
  t.match(await control(url, 'GET', 'clients'), [{ clientId: 'demo' }, added]);
  const headers = { 'x-api-key': 'key-of-worker-1' };
  t.equal((await send(`${url}/worker-1/sessions/user-1`, { headers })).status, 200);
  t.match(await control(url, 'GET', 'clock?client=worker-1'), clock);
  t.match(await control(url, 'GET', 'clock?client=demo'), { offsetMs, isFrozen: false });
  t.ok(await submitClaim(url, unopened), 'and it goes on');
  t.equal(await again.child.end('SIGTERM'), 0);
  t.same(await readdir(join(path, '..')), ['world.json'], 'nothing else is left behind');
});

t.test('what the control and the dashboard have answered is in the file already', async (t) => {
  const path = join(t.testdir({}), 'world.json');
  await using mock = await startMockServer({ port: 0, persistFile: path });
  const kept = () => readFile(path, 'utf8');
  for (const name of ['w-1', 'w-2', 'w-3', 'w-4', 'w-5']) {
    await control(mock.url, 'POST', 'clients', { clientId: name });
    t.match(await kept(), `"${name}"`);
    await control(mock.url, 'PUT', `clock?client=${name}`, { now: '2031-02-03T00:00:00Z', isFrozen: true });
    t.match(await kept(), '2031-02-03T00:00');
    const removed = await send(`${mock.url}/__mock/clients/${name}`, { method: 'DELETE' });
    t.equal(removed.status, 204);
    t.notMatch(await kept(), `"${name}"`);
    t.equal((await act(mock.url, 'add-client', { '/clientId': `by-hand-${name}` })).status, 303);
    t.match(await kept(), `"by-hand-${name}"`);
  }
});

t.test('a damaged file is refused with its place, and stays as it is', async (t) => {
  const folder = t.testdir({});
  const path = join(folder, 'world.json');
  await (await startMockServer({ port: 0, persistFile: path })).close();
  const whole = await readFile(path, 'utf8');
  for (const text of [
    whole.slice(0, -20),
    whole.replace('"demo"', '42'),
    '',
    whole.replace('"clients"', '"clients",'),
  ]) {
    await writeFile(path, text);
    const sentences = (await mistake(`--port 0 --persist ${path}`)).trimEnd().split('\n');
    for (const sentence of sentences)
      t.match(sentence.replace(folder, ''), /^claimlink: --persist \/world\.json:\d+:\d+ .*\.$/);
    t.equal(await readFile(path, 'utf8'), text);
    t.same(await readdir(folder), ['world.json']);
  }
  const other = '{"something": "else"}';
  await writeFile(path, other);
  t.match(await mistake(`--port 0 --persist ${path}`), 'world.json is no world of claimlink');
  t.equal(await readFile(path, 'utf8'), other);
  await writeFile(path, whole);
  await using mock = await startMockServer({ port: 0, persistFile: path });
  t.equal((await list(mock.url, 'user-1')).status, 200, 'the whole one is taken');
});

t.test('a file of another seed, and one in use by another process, are refused', async (t) => {
  const path = join(t.testdir({}), 'world.json');
  const { child, url } = await startKept(t, path);
  const text = await readFile(path, 'utf8');
  t.match(
    await mistake(`--port 0 --persist ${path}`),
    /^claimlink: --persist \S+world\.json is in use by the process \d+; give each mock a file of its own, .*\.\n$/,
  );
  const second = startCli(t, ['--port', '0', '--persist', path]);
  await t.rejects(second.until(/never/), { message: /ended with 2: .* is in use by the process / });
  t.equal(await readFile(path, 'utf8'), text);
  t.ok(await mintLink(url), 'the first one goes on');
  t.equal(await child.end('SIGTERM'), 0);
  t.equal(
    await mistake(`--port 0 --seed 7 --persist ${path}`),
    'claimlink: --seed must be 42 again, which the data that is kept derives from.\n',
  );
});

/** Sends a request that is answered after 300 ms; resolves when the mock has it. */
async function underWay(url: string, method: string, body = ''): Promise<ClientRequest> {
  const outgoing = request(url, {
    method,
    agent: false,
    headers: {
      ...JSON_TYPE,
      accept: 'application/json',
      'x-api-key': 'clk_test_demo',
      prefer: 'delay=300',
      expect: '100-continue',
      'content-length': Buffer.byteLength(body),
    },
  });
  await once(outgoing.flushHeaders() ?? outgoing, 'continue');
  outgoing.end(body);
  return outgoing;
}

/** The whole answer. Rejects when the connection breaks before its end. */
async function answerOf(outgoing: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const [response] = await once(outgoing, 'response');
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return { status: response.statusCode, body };
}

t.test('SIGTERM under load: what is under way is answered and kept, and the exit code is 0', async (t) => {
  const path = join(t.testdir({}), 'world.json');
  const { child, url, port } = await startKept(t, path);
  const acknowledged = nothingYet();
  const [{ selectedPolicy }] = JSON.parse((await list(url, 'user-1')).body);
  const { id: _, ...holder } = selectedPolicy.holder;
  const claim = JSON.stringify({ policy: { ...selectedPolicy, holder } });
  const links = await Promise.all(Array.from({ length: 10 }, () => mintLink(url)));
  const workers = ['user-2', 'user-3', 'user-4'].map((userId) => workUntilGone(url, userId, acknowledged));
  while (acknowledged.claims.size < 10) await Promise.race([wait(1), Promise.all(workers)]);
  const listings = Array.from({ length: 10 }, () => underWay(`${url}/demo/sessions/user-5`, 'GET'));
  const submissions = links.map((link) => underWay(link, 'POST', claim));
  const outgoing = await Promise.all([...listings, ...submissions]);
  const answers = Promise.all(outgoing.map(answerOf));

  t.equal(await child.end('SIGTERM'), 0);
  for (const { status, body } of await answers) {
    t.equal(status, 200, body);
    const { data } = Object(JSON.parse(body));
    if (data) acknowledged.claims.set(data.reference, 'user-1');
  }
  for (const link of links) acknowledged.links.add(link);
  await Promise.all(workers);
  t.ok(acknowledged.claims.size >= 20);
  t.same(await readdir(join(path, '..')), ['world.json']);
  await using again = await startMockServer({ port: Number(port), persistFile: path });
  t.same(await missingAt(again.url, acknowledged), []);
  t.comment(`${acknowledged.links.size} links, ${acknowledged.claims.size} claims`);
});
