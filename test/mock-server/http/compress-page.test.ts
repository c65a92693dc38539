// Pages are compressed as their callers accept it, and nothing else is.
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../../mock-server/index.js';
import { linkRequest } from '../caller.js';

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

async function start(t: Test): Promise<{ mock: MockServer; url: string }> {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const { url } = await mock.createLink('demo', linkRequest('zoe'));
  return { mock, url };
}

/** Sends exactly these headers: fetch would add Accept-Encoding, and decode the body. */
async function load(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const outgoing = request(url, { method, headers, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  const coding = response.headers['content-encoding'] ?? 'identity';
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    coding,
    text: bytes.length > 0 ? String(DECODERS[coding]?.(bytes)) : '',
  };
}

for (const [accepted, coding] of [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'gzip'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['gzip;q=0.5', 'gzip'],
  ['gzip;q=0, *', 'identity'],
  ['gzip;q=0.2, identity;q=0.5', 'identity'],
  ['*', 'gzip'],
  ['identity;q=0, *', 'gzip'],
  ['identity, *;q=0', 'identity'],
  ['*;q=0', 'identity'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, gzip;q=0.001', 'gzip'],
  ['br, deflate, zstd', 'identity'],
  ['gzip;q=high', 'identity'],
  [`${'x,'.repeat(600)}gzip`, 'identity'],
] as const)
  t.test(`a page for Accept-Encoding ${accepted?.slice(0, 40)} is sent as ${coding}`, async (t) => {
    const { url } = await start(t);
    const page = await load(url, accepted === undefined ? {} : { 'accept-encoding': accepted });
    t.equal(page.status, 200);
    t.equal(page.coding, coding);
    t.match(page.headers.vary, 'accept-encoding');
    t.equal(page.headers['content-length'], String(page.bytes.length));
    t.match(page.text, /^<!doctype html>[\s\S]*<\/html>\n$/);
    if (coding !== 'identity') t.ok(page.bytes.length < 17_000, `${page.bytes.length} bytes`);
  });

t.test('a HEAD has the headers of a GET, and no length of a body that it does not have', async (t) => {
  const { url } = await start(t);
  for (const accepted of ['identity', 'gzip']) {
    const page = await load(url, { 'accept-encoding': accepted });
    const head = await load(url, { 'accept-encoding': accepted }, 'HEAD');
    t.equal(head.bytes.length, 0);
    const names = (headers: object) =>
      Object.keys(headers)
        .filter((name) => accepted === 'identity' || !/^(?:content-length)$/.test(name))
        .sort();
    t.strictSame(names(head.headers), names(page.headers), accepted);
    t.equal(head.coding, accepted);
    t.equal(head.headers.vary, page.headers.vary);
  }
});

t.test('the pages of an error and of a form with mistakes are compressed as well', async (t) => {
  const { url } = await start(t);
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
  t.match(await load(url.replace(/token=.*/, 'token=x'), headers), { status: 404, coding: 'gzip' });
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' };
  t.match(await load(url, form, 'POST'), { status: 400, coding: 'gzip' });
});

t.test('JSON is not compressed, and does not vary by the encoding', async (t) => {
  const { mock, url } = await start(t);
  const headers = { 'x-api-key': 'clk_test_demo', accept: 'application/json', 'accept-encoding': 'gzip, br' };
  for (const target of [
    `${mock.url}/demo/sessions/zoe`,
    url.replace(/token=.*/, 'token=x'),
    `${mock.url}/__mock/health`,
  ]) {
    const json = await load(target, headers);
    t.match(json.headers['content-type'], 'json', target);
    t.equal(json.coding, 'identity');
    t.notMatch(json.headers.vary ?? '', /encoding/);
  }
});

t.test('a page of another origin reads that a page varies by both', async (t) => {
  const { url } = await start(t);
  const { headers } = await load(url, { origin: 'http://localhost:1', 'accept-encoding': 'gzip' });
  t.strictSame(headers.vary?.toLowerCase().split(/, */).sort(), ['accept-encoding', 'origin']);
});

for (const fault of [
  { status: 503 },
  { effect: 'truncate' },
  { effect: 'slow', bytesPerSecond: 1e6 },
  { effect: 'malformed' },
  { delayMs: 1 },
  { status: 500, headers: { 'x-test': '1' } },
] as const)
  t.test(`a page with the fault ${JSON.stringify(fault)} is not compressed`, async (t) => {
    const { mock, url } = await start(t);
    await mock.addFault({ route: 'openLink', ...fault } as never);
    const [response] = (await once(
      get(url, { headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' }, agent: false }),
      'response',
    )) as [IncomingMessage];
    const bytes = await buffer(response).catch(() => undefined);
    t.ok(response.headers['x-claimlink-fault']);
    t.equal(response.headers['content-encoding'], undefined);
    if (bytes) t.match(String(bytes), '<!doctype html>');
    else t.equal((fault as { effect?: string }).effect, 'truncate');
  });
