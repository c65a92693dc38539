// The error table, the rules and the error class.
import t from 'tap';
import {
  asClaimlinkError,
  ClaimlinkError,
  ERRORS,
  invalidBody,
  invalidOptions,
  isClaimlinkError,
} from '../../lib/core/errors.js';

t.test('every code has an error status and a title', async (t) => {
  for (const [code, [status, title]] of Object.entries(ERRORS)) {
    t.ok(status >= 400 && status < 600, code);
    t.match(title, /^[A-Z].*[^.]$/, code);
  }
});

t.test('a value that claimlink did not throw becomes internal, with its cause', async (t) => {
  const cause = new TypeError('x is not a function');
  t.match(asClaimlinkError(cause), { code: 'internal', cause });
  t.match(asClaimlinkError('a string'), { code: 'internal', cause: 'a string' });
  t.match(asClaimlinkError(undefined), { code: 'internal' });
  const ours = new ClaimlinkError('link_expired');
  t.equal(asClaimlinkError(ours), ours);
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
  t.equal(error.problems, undefined);
});

t.test('an error has the given message, problems and cause', async (t) => {
  const cause = new Error('inside');
  const error = new ClaimlinkError('request_invalid', 'Because.', {
    cause,
    problems: [{ rule: 'value', detail: 'is wrong' }],
  });
  t.equal(error.message, 'Because.');
  t.equal(error.cause, cause);
  t.strictSame(error.problems, [{ rule: 'value', detail: 'is wrong' }]);
});

t.test('isClaimlinkError accepts errors of this package and of another copy of it only', async (t) => {
  t.ok(isClaimlinkError(new ClaimlinkError('internal')));
  t.ok(
    isClaimlinkError(
      Object.assign(new Error(), { name: 'ClaimlinkError', code: 'internal', statusCode: 500 }),
    ),
  );
  t.notOk(isClaimlinkError(new Error('internal')));
  t.notOk(isClaimlinkError({ name: 'ClaimlinkError', code: 'internal', statusCode: 500 }));
  t.notOk(isClaimlinkError(undefined));
});

t.test('an error about a body has the first 20 problems, in their order', async (t) => {
  const problems = Array.from({ length: 25 }, (_, index) => ({
    pointer: `/${index}`,
    rule: 'type' as const,
    detail: 'must be string',
  }));
  t.strictSame(invalidBody(problems).problems, problems.slice(0, 20));
});

t.test('an options error names every option in its message', async (t) => {
  const error = invalidOptions([
    { pointer: '/storage', rule: 'required', detail: 'is required' },
    { pointer: '/now', rule: 'value', detail: 'must be a function' },
  ]);
  t.equal(error.message, 'claimlink options: storage is required; now must be a function.');
});
