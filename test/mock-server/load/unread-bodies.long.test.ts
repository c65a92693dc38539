// Uploads to paths that the mock does not have: it responds to their headers and does not read the bodies.
import type { Socket } from 'node:net';
import t from 'tap';
import { sized } from '../../size.js';
import { NO_MEMORY_FIGURES, type SpawnedMock, sendMany, spawnMock, toMessage } from './spawned-mock.js';

const BODY_BYTES = 16 * 1024 * 1024;
const START_BYTES = 1024;

const skip = NO_MEMORY_FIGURES;

const PATHS = [
  '/nothing/here',
  '/demo/unknown',
  '/__mock',
  '/__mock/unknown',
  '/__mock/links/unknown/below',
] as const;

interface Upload {
  path: string;
  socket: Socket;
  response: string;
  /** Resolves when the connection is closed. The mock may reset it, because it does not read the body. */
  closed: Promise<void>;
}

/** Sends the head of an upload and the start of its body. */
function startUpload(mock: SpawnedMock, path: string): Upload {
  const socket = mock.connect();
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve());
  });
  const upload = { path, socket, response: '', closed };
  socket.setEncoding('utf8').on('data', (text: string) => {
    upload.response += text;
  });
  const headers = ['content-type: application/json', `content-length: ${BODY_BYTES}`];
  socket.write(`${toMessage(`POST ${path} HTTP/1.1`, headers)}["${'x'.repeat(START_BYTES)}`);
  return upload;
}

/** Sends the rest of the body as fast as the mock takes it, until the connection is closed. */
async function sendRest({ socket, closed }: Upload): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let left = BODY_BYTES - START_BYTES; left > 0 && socket.writable; left -= chunk.length) {
    if (socket.write(chunk)) continue;
    await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
  await closed;
}

t.test('uploads to unknown paths get a response before their body, and delay no listing', async (t) => {
  const mock = await spawnMock(t);
  const uploads = PATHS.map((path) => startUpload(mock, path));
  // The rest of the bodies is never sent: a mock that reads them does not respond to the uploads.
  const count = sized(200, 20);
  const listing = toMessage('GET /demo/sessions/user-1 HTTP/1.1');
  t.same(await sendMany(mock, count, () => listing), { 200: count });
  await Promise.all(uploads.map(({ closed }) => closed));
  for (const { path, response } of uploads) {
    t.match(response, /^HTTP\/1\.1 404 .*\nconnection: close\r\n/is, path);
    t.match(response, '"code":"route_not_found"', path);
  }
});

t.test('the memory of the mock does not grow by bodies that it does not read', { skip }, async (t) => {
  const mock = await spawnMock(t);
  const rounds = sized(6, 1);
  const before = await mock.peakMib();
  for (let round = 0; round < rounds; round++)
    await Promise.all(PATHS.map((path) => sendRest(startUpload(mock, path))));
  const growth = (await mock.peakMib()) - before;

  t.ok(growth < 40, `${Math.round(growth)} MiB more after ${rounds * PATHS.length} bodies of 16 MiB`);
  t.equal((await mock.control.clients()).length, 1, 'the mock still responds');
});
