// The memory of uploads: a process holds a part of each, whatever their number of bytes is.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { REPOSITORY } from '../repository.js';

const MIB = 1_048_576;
const PHOTO = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(10 * MIB - 4, 'photo')]);
const PHOTO_ID = createHash('sha256').update(PHOTO).digest('hex');
const CHUNK_BYTES = 65_536;
const SERVER = fileURLToPath(new URL('test/photos/upload-server.mjs', REPOSITORY));

/** Sends the photo to a link as fast as the server takes it, and returns the status. */
function upload(port: number, link: string): Promise<number | undefined> {
  const { pathname, search } = new URL(link);
  const path = `${pathname}/photos/${PHOTO_ID}${search}`;
  const headers = { 'content-length': PHOTO.length, accept: 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path, headers, agent: false });
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    let start = 0;
    function write(): void {
      while (start < PHOTO.length) {
        const chunk = PHOTO.subarray(start, start + CHUNK_BYTES);
        start += chunk.length;
        if (!sent.write(chunk)) return void sent.once('drain', write);
      }
      sent.end();
    }
    write();
  });
}

/** Uploads before: a new process grows to the size at which V8 collects what the network has read. */
const UPLOADS_BEFORE = [20, 20];

t.test('100 uploads of 10 MiB at once add less than 64 MiB to a process that has taken 40', async (t) => {
  const server = fork(SERVER, [t.testdir()]);
  t.teardown(() => server.kill());
  const next = async () => (await once(server, 'message'))[0];
  const ask = (name: string) => {
    server.send(name);
    return next();
  };
  const port = await next();
  async function run(count: number): Promise<void> {
    const links: string[] = [];
    while (links.length < count) links.push(await ask('link'));
    const statuses = await Promise.all(links.map((link) => upload(port, link)));
    t.ok(statuses.every((status) => status === 200));
  }
  for (const count of UPLOADS_BEFORE) await run(count);
  const { rss } = await ask('memory');
  await run(100);
  const { peak } = await ask('memory');
  const added = Math.round((peak - rss) / MIB);
  t.comment(`${added} MiB`);
  t.ok(added < 64, `${added} MiB`);
});
