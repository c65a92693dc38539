// Idempotency-Key on the mock: one link for a key, through resets, snapshots and the persist file.
import { join } from 'node:path';
import t from 'tap';
import { type MockServer, startMockServer } from '../../mock-server/index.js';
import { send } from './client.js';

const KEY = 'order 7, a key that the log must not show';
const REQUEST = {
  callbackUrl: 'https://app.example.com/done',
  config: { contact: { email: 'help@example.com', phone: '1' }, currentUserId: 'user-1' },
};

async function create({ url }: MockServer, key = KEY, request: object = REQUEST): Promise<string> {
  const headers = {
    'x-api-key': 'clk_test_demo',
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const { status, body } = await send(`${url}/demo/link`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  });
  return status === 200 ? JSON.parse(body).data : `${status} ${JSON.parse(body).code}`;
}

const urlsOf = async (mock: MockServer) =>
  (await mock.links({ clientId: 'demo', userId: 'user-1' })).map((link) => link.url);

t.test('a repetition gets the same URL, and the mock lists one link and reports one', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const before = await urlsOf(mock);
  const reported: string[] = [];
  await mock.subscribe((event) => {
    if (event.type === 'link') reported.push(event.link.url);
  });
  const urls = await Promise.all(Array.from({ length: 20 }, () => create(mock)));
  t.equal(new Set(urls).size, 1);
  t.same(
    (await urlsOf(mock)).filter((url) => !before.includes(url)),
    [urls[0]],
  );
  t.same(new Set(reported), new Set([urls[0]]));
  const other = { ...REQUEST, callbackOnSubmit: true };
  t.equal(await create(mock, KEY, other), '422 idempotency_key_reused');
  t.equal(await create(mock, 'a'.repeat(256)), '400 request_invalid');
});

t.test('the request log does not show the key', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  await create(mock);
  const requests = await mock.requests({});
  t.ok(requests.length > 0);
  t.notOk(JSON.stringify(requests).includes('order 7'));
});

t.test(
  'a key keeps its link through new sessions, a snapshot and the persist file, and is free after a reset',
  async (t) => {
    const persistFile = join(t.testdir({}), 'mock.json');
    const first = await startMockServer({ port: 0, persistFile });
    const url = await create(first);
    await first.setSessions('demo', 'user-1', []);
    t.equal(await create(first), url);
    await first.snapshot('with-link');
    await first.reset();
    const again = await create(first);
    t.not(again, url);
    await first.restore('with-link');
    t.equal(await create(first), url);
    const { port } = new URL(first.url);
    await first.close();
    const second = await startMockServer({ port: Number(port), persistFile });
    t.teardown(() => second.close());
    t.equal(await create(second), url);
  },
);

t.test('a page of an allowed origin may send the header', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const { status, headers } = await send(`${mock.url}/demo/link`, {
    method: 'OPTIONS',
    headers: {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key,x-api-key',
    },
  });
  t.equal(status, 204);
  t.match(headers['access-control-allow-headers'], /idempotency-key/);
});
