// Which ids a client may have. The two bodies are in link-request.test.ts and claim.test.ts, ids in paths in ids.test.ts.
import t from 'tap';
import { assertClientId } from '../../lib/core/validators.js';

t.test('assertClientId knows the ids that no client may have', async (t) => {
  t.doesNotThrow(() => assertClientId('acme'));
  t.doesNotThrow(() => assertClientId('Verify'));
  t.doesNotThrow(() => assertClientId('_a'));
  t.throws(() => assertClientId('verify'), { code: 'request_invalid', details: [{ detail: 'is reserved' }] });
  t.throws(() => assertClientId('__a'), { code: 'request_invalid', details: [{ detail: 'is reserved' }] });
  t.throws(() => assertClientId(''), { code: 'request_invalid' });
});
