// Body reader: every read ends with the body or an error.

import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { resolveMount } from '../../lib/adapters/base-path.js';

import { readStream, readWebStream, resolveBodyLimits } from '../../lib/adapters/request-body.js';

const limits = { bodyLimitBytes: 10, bodyTimeoutSeconds: 10 };

t.test('chunks of text and bytes are joined', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' });
  const read = readStream(stream, limits);
  stream.write('ä');
  stream.end(Buffer.from('b'));
  t.equal(Buffer.from(await read).toString(), 'äb');
});

t.test('a body of one chunk is not copied, and a further chunk does not change the first', async (t) => {
  const [first, second] = [new Uint8Array([1, 2]), new Uint8Array([3])];
  const one = new PassThrough();
  const reading = readStream(one, limits);
  one.emit('data', first);
  one.end();
  t.equal((await reading).buffer, first.buffer);
  const two = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of [new Uint8Array(), first, second]) controller.enqueue(chunk);
      controller.close();
    },
  });
  t.strictSame([...(await readWebStream(two, limits))], [1, 2, 3]);
  t.strictSame([...first], [1, 2]);
});

/** Returns the bytes that the process uses after a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

t.test('a body in chunks of one byte takes little more memory than its bytes', async (t) => {
  const count = 60_000;
  const wide = { ...limits, bodyLimitBytes: count };
  const before = usedBytes();
  const stream = new PassThrough();
  const read = readStream(stream, wide);
  for (let i = 0; i < count; i++) stream.emit('data', Buffer.alloc(1));
  let controller: ReadableStreamDefaultController | undefined;
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>({
    start: (streamController) => {
      controller = streamController;
    },
    pull: (streamController) =>
      pulled++ < count ? streamController.enqueue(new Uint8Array(1)) : new Promise(() => {}),
  });
  const webRead = readWebStream(source, wide);
  while (pulled <= count) await new Promise(setImmediate);
  const bytesPerChunk = (usedBytes() - before) / (2 * count);
  t.ok(bytesPerChunk < 40, `${bytesPerChunk} bytes for each chunk`);
  stream.emit('end');
  controller?.close();
  t.equal((await read).byteLength, count);
  t.equal((await webRead).byteLength, count);
});

t.test('a web stream may contain text', async (t) => {
  const limited = (text: string) => readWebStream(ReadableStream.from([text, 'ä']), limits);
  t.equal(Buffer.from(await limited('b')).toString(), 'bä');
  await t.rejects(limited('123456789'), { code: 'body_too_large' });
});

t.test('a body over the limit is rejected at once, and the rest of the stream stays unread', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, limits);
  stream.write('x'.repeat(11));
  await t.rejects(read, { code: 'body_too_large' });
  t.equal(stream.isPaused(), true);
});

t.test('a later reader gets the rest of a rejected body', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, limits);
  stream.write('x'.repeat(11));
  await t.rejects(read, { code: 'body_too_large' });
  let rest = '';
  stream.on('data', (chunk) => {
    rest += String(chunk);
  });
  stream.end('the rest');
  stream.resume();
  await new Promise((resolve) => stream.once('end', resolve));
  t.equal(rest, 'the rest');
});

t.test('a stream that fails after a rejection does not end the process', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, limits);
  stream.write('x'.repeat(11));
  await t.rejects(read, { code: 'body_too_large' });
  stream.destroy(new Error('the client is gone'));
  await new Promise((resolve) => stream.once('close', resolve));
});

t.test('a stream that fails, closes early or is already closed is request_aborted', async (t) => {
  const failing = new PassThrough();
  const read = readStream(failing, limits);
  failing.destroy(new Error('lost'));
  await t.rejects(read, { code: 'request_aborted' });
  const closing = new PassThrough();
  const second = readStream(closing, limits);
  closing.destroy();
  await t.rejects(second, { code: 'request_aborted' });
  await t.rejects(readStream(closing, limits), { code: 'request_aborted' });
});

t.test('a body that does not end in time is request_timeout', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, { bodyLimitBytes: 10, bodyTimeoutSeconds: 0.01 });
  stream.write('x');
  await t.rejects(read, { code: 'request_timeout' });
  t.equal(stream.isPaused(), true);
  t.same(
    stream.eventNames().filter((name) => stream.listenerCount(name) > 0 && name === 'data'),
    [],
  );
});

t.test('neither a timer nor a listener is left after a body or an error', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  for (const text of ['a body', 'a body over the limit']) {
    const stream = new PassThrough();
    const listeners = () => ['data', 'end', 'close'].map((name) => stream.listenerCount(name));
    const before = { timers: timers(), listeners: listeners() };
    const read = readStream(stream, limits);
    stream.end(text);
    await Promise.resolve(read).catch(() => undefined);
    t.strictSame({ timers: timers(), listeners: listeners() }, before, text);
  }
});

t.test('a limit outside its range is rejected, each with its name', async (t) => {
  for (const bodyLimitBytes of [0, 1023, 1.5, 10_485_761, Number.NaN]) {
    t.throws(() => resolveMount({ bodyLimitBytes }), {
      code: 'options_invalid',
      problems: [{ pointer: '/bodyLimitBytes' }],
    });
  }
  for (const bodyTimeoutSeconds of [0, 0.9, 601, Number.NaN]) {
    t.throws(() => resolveMount({ bodyTimeoutSeconds }), {
      code: 'options_invalid',
      problems: [{ pointer: '/bodyTimeoutSeconds' }],
    });
  }
  t.strictSame(resolveBodyLimits({}), { bodyLimitBytes: 65_536, bodyTimeoutSeconds: 30 });
});
