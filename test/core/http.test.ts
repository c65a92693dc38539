// The HTTP vocabulary: problem details, headers, and what a 5xx does not show.
import t from 'tap';
import { ClaimlinkError, ERRORS, type ErrorCode, RESPONSE_CODES } from '../../lib/core/errors.js';
import { headerOf, pagePolicy, prefersJson, problemResponse, toProblem } from '../../lib/core/http.js';
import { createWorld } from './world.js';

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
  t.strictSame(toProblem(new ClaimlinkError('request_invalid', 'No.', { details: errors })), {
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
      details: [{ rule: 'value', detail: 'secret' }],
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

t.test('the policy of a page allows the callback’s origin as a form target, when there is one', async (t) => {
  const policy = pagePolicy('n', { callbackUrl: 'https://a.example/done' });
  t.match(policy, "form-action 'self' https://a.example; base-uri 'none'");
  t.match(pagePolicy('n'), "form-action 'self'; base-uri 'none'");
});

t.test(
  'the policy of a page allows the logo of its client as an image, and its frame ancestors',
  async (t) => {
    const client = {
      branding: { logoUrl: 'https://img.example/logo.svg' },
      frameAncestors: ['https://portal.example', 'https://app.example:8443'],
    };
    const policy = pagePolicy('n', { client });
    t.match(policy, 'img-src data: https://img.example;');
    t.match(policy, /frame-ancestors https:\/\/portal.example https:\/\/app.example:8443$/);
    t.equal(policy.match(/img\.example/g)?.length, 1, 'no other directive names the origin of the logo');
    for (const none of [{}, { branding: {}, frameAncestors: [] }]) {
      t.match(pagePolicy('n', { client: none }), 'img-src data:;');
      t.match(pagePolicy('n', { client: none }), /frame-ancestors 'none'$/);
    }
  },
);
