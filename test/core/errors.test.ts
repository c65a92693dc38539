// The error table and the error class.
import t from 'tap';
import { ClaimlinkError, ERRORS, invalidOptions, isClaimlinkError } from '../../lib/core/errors.js';

t.test('every code has a status of an error and a title', async (t) => {
  for (const [code, [status, title]] of Object.entries(ERRORS)) {
    t.ok(status >= 400 && status < 600, code);
    t.match(title, /^[A-Z].*[^.]$/, code);
  }
});

t.test('an error takes status and message from the table', async (t) => {
  const error = new ClaimlinkError('link_expired');
  t.match(error, {
    name: 'ClaimlinkError',
    code: 'link_expired',
    statusCode: 410,
    message: 'The link has expired.',
  });
  t.notOk('cause' in error);
  t.equal(error.details, undefined);
});

t.test('an error keeps message, details and cause', async (t) => {
  const cause = new Error('inside');
  const error = new ClaimlinkError('request_invalid', 'Because.', {
    cause,
    details: [{ detail: 'is wrong' }],
  });
  t.equal(error.message, 'Because.');
  t.equal(error.cause, cause);
  t.strictSame(error.details, [{ detail: 'is wrong' }]);
});

t.test(
  'isClaimlinkError knows its own, those of another copy of the package, and nothing else',
  async (t) => {
    t.ok(isClaimlinkError(new ClaimlinkError('internal')));
    t.ok(
      isClaimlinkError(
        Object.assign(new Error(), { name: 'ClaimlinkError', code: 'internal', statusCode: 500 }),
      ),
    );
    t.notOk(isClaimlinkError(new Error('internal')));
    t.notOk(isClaimlinkError({ name: 'ClaimlinkError', code: 'internal', statusCode: 500 }));
    t.notOk(isClaimlinkError(undefined));
  },
);

t.test('an options error names every option in its message', async (t) => {
  const error = invalidOptions([
    { pointer: '/storage', detail: 'is required' },
    { pointer: '/now', detail: 'must be a function' },
  ]);
  t.equal(error.message, 'claimlink options: storage is required; now must be a function.');
});
