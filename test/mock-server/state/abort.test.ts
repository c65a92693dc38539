// Signals that are joined: what aborts them, and that nothing stays in a signal that lives longer.
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { abortedWith } from '../../../mock-server/state/abort.js';
import { REPOSITORY } from '../../repository.js';

const count = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

t.test('the first signal that is aborted gives the reason', async (t) => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { signal } = abortedWith(first.signal, second.signal);
  t.notOk(signal.aborted);
  second.abort('second');
  first.abort('first');
  t.ok(signal.aborted);
  t.equal(signal.reason, 'second');
});

t.test('a signal that is aborted already aborts at once', async (t) => {
  const { signal } = abortedWith(new AbortController().signal, AbortSignal.abort('before'));
  t.equal(signal.reason, 'before');
});

t.test('a signal forgets a controller that has ended', async (t) => {
  const { signal } = new AbortController();
  const controller = abortedWith(signal);
  t.equal(count(signal), 1);
  controller.abort();
  t.equal(count(signal), 0);
});

t.test('no file of the mock calls AbortSignal.any, which keeps memory for each call', async (t) => {
  const folder = new URL('mock-server/', REPOSITORY);
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  t.ok(files.length > 50);
  t.same(
    files.filter((name) => readFileSync(new URL(name, folder), 'utf8').includes('AbortSignal.any(')),
    [],
  );
});
