// Which ids a client and which references a session may have. For the two bodies see link-request.test.ts and claim.test.ts, for paths ids.test.ts.
import t from 'tap';
import { assertClientId, assertId } from '../../lib/core/validators.js';

t.test('assertClientId rejects reserved ids and ids that a path cannot carry', async (t) => {
  t.doesNotThrow(() => assertClientId('acme'));
  t.doesNotThrow(() => assertClientId('Verify'));
  t.doesNotThrow(() => assertClientId('_a'));
  t.throws(() => assertClientId('verify'), {
    code: 'request_invalid',
    problems: [{ rule: 'reserved_id', detail: 'is reserved' }],
  });
  t.throws(() => assertClientId('__a'), {
    code: 'request_invalid',
    problems: [{ rule: 'reserved_id', detail: 'is reserved' }],
  });
  for (const [clientId, rule] of [
    ['', 'minLength'],
    ['.', 'id'],
    ['..', 'id'],
  ] as const) {
    t.throws(() => assertClientId(clientId), { code: 'request_invalid', problems: [{ rule }] }, clientId);
  }
});

t.test('assertId rejects references that a cursor or a callback URL cannot carry', async (t) => {
  t.doesNotThrow(() => assertId('verify', 'reference'));
  t.doesNotThrow(() => assertId('🚗'.repeat(50), 'reference'));
  for (const [reference, rule] of [
    ['', 'minLength'],
    ['.', 'id'],
    ['..', 'id'],
    ['a\nb', 'control_characters'],
    ['a\ud800', 'text'],
    ['🚗'.repeat(51), 'maxLength'],
  ] as const) {
    const problems = [{ parameter: 'reference', rule }];
    t.throws(() => assertId(reference, 'reference'), { code: 'request_invalid', problems }, rule);
  }
});
