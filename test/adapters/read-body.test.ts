// The bounded reader: ends with the body, with an error, and never with a listener that is missing.
import { PassThrough } from 'node:stream';
import t from 'tap';
import { readStream, resolveBodyLimit } from '../../lib/adapters/read-body.js';

t.test('a body in pieces, as text or bytes, is put together', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' });
  const read = readStream(stream, 100);
  stream.write('ä');
  stream.end(Buffer.from('b'));
  t.equal(Buffer.from(await read).toString(), 'äb');
});

t.test('a body over the limit is refused at once, and the stream is left unread', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, 10);
  stream.write('x'.repeat(11));
  await t.rejects(read, { code: 'body_too_large' });
  t.equal(stream.isPaused(), true);
});

t.test('whoever reads on after a refusal gets the rest', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, 10);
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

t.test('a stream that fails after it was refused does not end the process', async (t) => {
  const stream = new PassThrough();
  const read = readStream(stream, 10);
  stream.write('x'.repeat(11));
  await t.rejects(read, { code: 'body_too_large' });
  stream.destroy(new Error('the client is gone'));
  await new Promise((resolve) => stream.once('close', resolve));
});

t.test('a stream that ends early, fails or is gone already is request_aborted', async (t) => {
  const failing = new PassThrough();
  const read = readStream(failing, 10);
  failing.destroy(new Error('lost'));
  await t.rejects(read, { code: 'request_aborted' });
  const closing = new PassThrough();
  const second = readStream(closing, 10);
  closing.destroy();
  await t.rejects(second, { code: 'request_aborted' });
  await t.rejects(readStream(closing, 10), { code: 'request_aborted' });
});

t.test('a limit that is none is refused', async (t) => {
  for (const limit of [0, 1023, 1.5, 10_485_761, Number.NaN]) {
    t.throws(() => resolveBodyLimit(limit), { code: 'options_invalid' }, String(limit));
  }
  t.equal(resolveBodyLimit(undefined), 65_536);
});
