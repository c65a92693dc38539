// The HTTP vocabulary: problem details, headers, and what a 5xx does not show.
import t from 'tap';
import { ClaimlinkError, ERRORS, type ErrorCode, RESPONSE_CODES } from '../../lib/core/errors.js';
import { headerOf, problemResponse, toProblem } from '../../lib/http/messages.js';
import { prefersJson } from '../../lib/http/page.js';
import { createWorld } from '../core/world.js';

t.test('a problem is RFC 9457 to the byte', async (t) => {
  const { send } = await createWorld();
  const response = await send('GET', '/acme/sessions/user-1');
  t.equal(
    response.body,
    '{"type":"urn:claimlink:problem:api_key_missing","title":"The API key is missing","status":401,' +
      '"detail":"Send the API key in the x-api-key header.","code":"api_key_missing"}',
  );
  t.strictSame(response.headers, {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(response.body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'www-authenticate': 'ApiKey',
  });
});

t.test('a 400 carries its errors', async (t) => {
  const errors = [{ pointer: '/config/contact/email', rule: 'required', detail: 'is required' }] as const;
  t.strictSame(toProblem(new ClaimlinkError('request_invalid', 'No.', { problems: errors })), {
    type: 'urn:claimlink:problem:request_invalid',
    title: 'The request is not valid',
    status: 400,
    detail: 'No.',
    code: 'request_invalid',
    errors,
  });
});

for (const code of Object.keys(ERRORS) as ErrorCode[]) {
  // The code of a 503 tells the caller to retry. All other server errors look the same, apart from the instance.
  const shown = RESPONSE_CODES.find((responseCode) => responseCode === code) ?? 'internal';
  const [status] = ERRORS[shown];
  t.test(`${code} is sent as ${status}${status >= 500 ? ', which shows nothing' : ''}`, async (t) => {
    const error = new ClaimlinkError(code, 'secret', {
      cause: new Error('secret'),
      problems: [{ rule: 'value', detail: 'secret' }],
    });
    const problem = toProblem(error);
    t.equal(problem.status, status);
    t.equal(problem.title, ERRORS[shown][1]);
    t.equal(problem.code, shown);
    t.equal('instance' in problem, status >= 500);
    if (status >= 500) t.notOk(JSON.stringify(problem).includes('secret'));
  });
}

t.test('only 401 has WWW-Authenticate, only 503 has Retry-After', async (t) => {
  const headers = (code: ErrorCode) => problemResponse(toProblem(new ClaimlinkError(code))).headers;
  t.equal(headers('api_key_invalid')['www-authenticate'], 'ApiKey');
  t.equal(headers('client_not_found')['www-authenticate'], undefined);
  t.equal(headers('storage_unavailable')['retry-after'], '5');
  t.equal(headers('internal')['retry-after'], undefined);
});

t.test('of a repeated header the first value counts', async (t) => {
  const request = { method: 'GET', url: '/', headers: { a: ['1', '2'], b: '3' } };
  t.equal(headerOf(request, 'a'), '1');
  t.equal(headerOf(request, 'b'), '3');
  t.equal(headerOf(request, 'c'), undefined);
});

t.test('JSON is preferred only when it is asked for and HTML is not', async (t) => {
  const accepting = (accept?: string) => prefersJson({ method: 'GET', url: '/', headers: { accept } });
  t.ok(accepting('application/json'));
  t.ok(accepting('Application/Problem+JSON, */*'));
  t.notOk(accepting('text/html, application/json'));
  t.notOk(accepting('application/jsonp'));
  t.notOk(accepting('*/*'));
  t.notOk(accepting());
});
