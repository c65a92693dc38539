// Signals that are joined: what aborts them, and that nothing stays in a signal that lives longer.
import { getEventListeners } from 'node:events';
import t from 'tap';
import { abortedWith } from '../../../mock-server/state/abort.js';

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
