// A mock in a test runner whose signals are not of Node.
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { openState } from './set-up.js';

t.test('a mock opens where Node rejects the signal with a TypeError of another realm', async (t) => {
  const original = globalThis.AbortController;
  class OtherController extends original {
    constructor() {
      super();
      const signal = new EventTarget();
      const reject = () => runInNewContext("throw new TypeError('not an EventTarget')");
      Object.defineProperty(this, 'signal', {
        value: Object.assign(Object.create(null), {
          aborted: false,
          addEventListener: signal.addEventListener.bind(signal),
          removeEventListener: signal.removeEventListener.bind(signal),
          setMaxListeners: reject,
        }),
      });
    }
  }
  globalThis.AbortController = OtherController;
  t.teardown(() => {
    globalThis.AbortController = original;
  });
  const { state } = await openState();
  t.equal(state.methods.clients().length, 2);
  await state.close();
});
