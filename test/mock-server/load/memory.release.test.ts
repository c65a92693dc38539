// The memory of a mock that has handled many requests, and of one whose event readers do not read. Long runs only.
import { once } from 'node:events';
import t from 'tap';
import { IS_LONG } from '../../size.js';
import { linkRequest } from '../caller.js';
import { NO_MEMORY_FIGURES, sendMany, spawnMock, toMessage } from './spawned-mock.js';

const skip = NO_MEMORY_FIGURES || (!IS_LONG && 'long runs only');
const JSON_TYPE = 'content-type: application/json';

/** More than the mock holds: it keeps the latest 10,000 links. */
const REQUESTS = 12_000;

t.test('12,000 requests that each create a link leave the process under 200 MiB', { skip }, async (t) => {
  const mock = await spawnMock(t);
  const statuses = await sendMany(mock, REQUESTS, (index) =>
    toMessage('POST /demo/link HTTP/1.1', [JSON_TYPE], JSON.stringify(linkRequest(`user-${index % 1000}`))),
  );
  t.same(statuses, { 200: REQUESTS });
  t.equal(await mock.control.countRequests({ route: 'createLink' }), 1000);
  const links = await mock.control.countLinks();
  t.ok(links >= 10_000 && links <= 11_000, `the mock holds the latest ones: ${links}`);
  const peak = await mock.peakMib();
  t.ok(peak < 200, `${Math.round(peak)} MiB at most`);
});

t.test('200 event readers that do not read leave the process under 250 MiB', { skip }, async (t) => {
  const mock = await spawnMock(t);
  const rejected: string[] = [];
  const readers = Array.from({ length: 200 }, async () => {
    const socket = mock.connect();
    socket.write(toMessage('GET /__mock/events HTTP/1.1', ['connection: close']));
    socket.on('error', () => {});
    const [start] = await once(socket, 'data');
    socket.pause();
    if (String(start).startsWith('HTTP/1.1 503')) rejected.push(String(start));
    else t.match(String(start), /^HTTP\/1\.1 200 /);
  });
  await Promise.all(readers);
  t.equal(rejected.length, 150, 'the mock has at most 50 readers');
  const body = JSON.stringify({ ...linkRequest('user-1'), filler: 'x'.repeat(60_000) });
  const statuses = await sendMany(mock, 5000, () => toMessage('POST /demo/link HTTP/1.1', [JSON_TYPE], body));
  t.same(statuses, { 200: 5000 });
  const peak = await mock.peakMib();
  t.ok(peak < 250, `${Math.round(peak)} MiB at most`);
});
