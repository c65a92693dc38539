// The reason of a failed delivery: it names errors, and holds nothing that a message may hold.
import t from 'tap';
import { failureReason } from '../../lib/core/failure-reason.js';

const withCode = (error: Error, code: unknown) => Object.assign(error, { code });

const CASES: [what: string, error: unknown, reason: string][] = [
  ['a name', new RangeError('Ada'), 'RangeError'],
  ['a code', withCode(new Error('Ada'), 'ECONNREFUSED'), 'Error ECONNREFUSED'],
  ['a code that is a number', withCode(new Error('Ada'), 503), 'Error 503'],
  ['a SQLSTATE', withCode(new Error('Ada'), '42P01'), 'Error 42P01'],
  ['a code that is a date', withCode(new Error('Ada'), '1984-05-06'), 'Error'],
  ['a DOMException', AbortSignal.abort().reason, 'AbortError 20'],
  [
    'up to two causes',
    new TypeError('1', { cause: new Error('2', { cause: withCode(new Error('3', { cause: 4 }), 'E3') }) }),
    'TypeError, cause: Error, cause: Error E3',
  ],
  ['a cause that is not an Error', new Error('Ada', { cause: 'Ada' }), 'Error, cause: not an Error'],
  ['text that is thrown', 'ada@example.com', 'not an Error'],
  ['nothing that is thrown', undefined, 'not an Error'],
  ['other text as code', withCode(new Error('x'), 'ada@example.com'), 'Error'],
  ['other text as name', Object.assign(new Error('x'), { name: 'Ada Lovelace' }), 'Error'],
  ['a long code', withCode(new Error('x'), 'E'.repeat(61)), 'Error'],
];

for (const [what, error, reason] of CASES)
  t.test(`the reason of ${what} is ${reason}`, async (t) => {
    t.equal(failureReason(error), reason);
  });

t.test('a reason has at most 200 characters, and ends if the causes are a cycle', async (t) => {
  const error = withCode(Object.assign(new Error('x'), { name: 'N'.repeat(60) }), 'C'.repeat(60));
  error.cause = error;
  t.equal(failureReason(error).length, 200);
});
