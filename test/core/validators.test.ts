// Which ids a client may have. For the two bodies see link-request.test.ts and claim.test.ts, for paths ids.test.ts.
import t from 'tap';
import { assertClientId } from '../../lib/core/validators.js';

t.test('assertClientId refuses reserved ids and ids that a path cannot carry', async (t) => {
  t.doesNotThrow(() => assertClientId('acme'));
  t.doesNotThrow(() => assertClientId('Verify'));
  t.doesNotThrow(() => assertClientId('_a'));
  t.throws(() => assertClientId('verify'), {
    code: 'request_invalid',
    details: [{ rule: 'reserved_id', detail: 'is reserved' }],
  });
  t.throws(() => assertClientId('__a'), {
    code: 'request_invalid',
    details: [{ rule: 'reserved_id', detail: 'is reserved' }],
  });
  for (const [clientId, rule] of [
    ['', 'minLength'],
    ['.', 'id'],
    ['..', 'id'],
  ] as const) {
    t.throws(() => assertClientId(clientId), { code: 'request_invalid', details: [{ rule }] }, clientId);
  }
});
