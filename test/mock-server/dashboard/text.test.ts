// Texts of the dashboard: the curl line of a logged request.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { curlLine } from '../../../mock-server/curl.js';
import { toCurl, toSize } from '../../../mock-server/dashboard/text.js';
import { type LoggedRequest, startMockServer } from '../../../mock-server/index.js';
import { createCaller, linkRequest } from '../caller.js';

const mock = await startMockServer({ port: 0 });
t.teardown(() => mock.close());
const [client] = await mock.clients();
if (client === undefined) throw new Error('The mock has no client.');
const caller = createCaller(mock.url, client);

/** Sends a request, and returns it as the log has it. */
async function log(send: () => Promise<unknown>): Promise<LoggedRequest> {
  await mock.clearRequests();
  await send();
  const [logged] = await mock.requests();
  if (logged === undefined) throw new Error('The log is empty.');
  return logged;
}

t.test('a logged request is repeated by curl with method, body, headers and key', async (t) => {
  const headers = { prefer: 'code=418', 'x-note': "it's" };
  const first = await log(() => caller.link('ada', { headers }));
  const request = toCurl(first, mock.url, client.apiKey);
  if (request === undefined) throw new Error('There is no curl line.');
  const again = await log(() => promisify(execFile)('sh', ['-c', curlLine(request, 'linux')]));
  t.match(again, { method: 'POST', path: '/demo/link', status: 418, clientId: 'demo', userId: 'ada' });
  t.same(again.requestBody, first.requestBody);
  t.match(again.headers, headers);
  t.notOk(Object.keys(request.headers).some((name) => /^(?:host|sec-|content-length)/.test(name)));
});

t.test('a key that was rejected or missing stays so', async (t) => {
  const keyOf = (logged: LoggedRequest) => toCurl(logged, mock.url)?.headers['x-api-key'];
  t.equal(keyOf(await log(() => caller.list('ada', { headers: { 'x-api-key': 'wrong' } }))), '[redacted]');
  t.equal(keyOf(await log(() => fetch(`${mock.url}/demo/sessions/ada`))), undefined);
});

t.test('a request that the log has in part has no curl line', async (t) => {
  const { url } = await mock.createLink('demo', linkRequest('ada'));
  const long = JSON.stringify({ note: 'x'.repeat(20_000) });
  for (const send of [
    () => fetch(url),
    () => fetch(`${mock.url}/demo/sessions/ada?cursor=abc`),
    () => fetch(`${mock.url}/${'a'.repeat(400)}`),
    () => caller.link('ada', { body: long }),
  ])
    t.equal(toCurl(await log(send), mock.url, client.apiKey), undefined);
});

for (const [bytes, text] of [
  [0, '0 B'],
  [999, '999 B'],
  [5000, '5 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [8_388_608, '8.4 MB'],
] as const)
  t.test(`${bytes} bytes are ${text}`, async (t) => {
    t.equal(toSize(bytes), text);
  });
