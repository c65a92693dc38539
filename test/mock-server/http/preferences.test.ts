// The Prefer header (RFC 7240): what a request asks the mock to do to it.
import t from 'tap';
import { readPreferences } from '../../../mock-server/http/preferences.js';
import { startMockServer } from '../../../mock-server/index.js';
import { createCaller } from '../caller.js';

const mock = await startMockServer({ port: 0 });
t.teardown(() => mock.close());
const demo = createCaller(mock.url, { clientId: 'demo', apiKey: 'clk_test_demo' });
const prefer = (value: string) => ({ headers: { prefer: value } });

for (const [value, status, applied, fault] of [
  ['code=503', 503, 'code=503', 'status=503'],
  ['CODE="404"', 404, 'code=404', 'status=404'],
  ['code = 418', 418, 'code=418', 'status=418'],
  ['code=503; reason=test', 503, 'code=503', 'status=503'],
  ['code=503, code=404', 503, 'code=503', 'status=503'],
  ['respond-async, code=500, wait=10', 500, 'code=500', 'status=500'],
  ['code=503, delay=1', 503, 'code=503, delay=1', 'status=503, delay=1'],
  ['delay=3-3', 200, 'delay=3-3', 'delay=3'],
  ['delay="0"', 200, 'delay=0', 'delay=0'],
  ['respond-async, wait=10', 200, null, null],
  ['codes=500', 200, null, null],
  ['fault=truncate', 200, null, null],
  ['handling="code=500, lenient"', 200, null, null],
] as const) {
  t.test(`Prefer: ${value}`, async (t) => {
    const response = await demo.list('user-1', prefer(value));
    t.equal(response.status, status);
    t.equal(response.headers.get('preference-applied'), applied);
    t.equal(response.headers.get('x-claimlink-fault'), fault);
  });
}

t.test('a quoted string without an end reaches to the end of the header', async (t) => {
  const nothing = { asked: {}, applied: '', problems: [] };
  // With a string that ends before each of its quotes, the time would be quadratic.
  for (const start of [
    'wait="',
    'wait="\\"',
    'wait="1" "',
    ...['"\\', '"', 'a="'].map((s) => s.repeat(4999)),
  ])
    t.strictSame(readPreferences(`${start}, code=503`), nothing);
  t.strictSame(readPreferences('delay=1, wait="\\'), {
    ...nothing,
    asked: { delayMs: 1 },
    applied: 'delay=1',
  });
  for (const header of ['"\\'.repeat(7500), '"'.repeat(15_000), 'a="'.repeat(5000)])
    t.strictSame(readPreferences(header), nothing);
  t.strictSame(readPreferences(`${'"'.repeat(15_000)}, code=503`).applied, 'code=503');
});

t.test('two Prefer headers are one list', async (t) => {
  const headers = new Headers({ 'x-api-key': 'clk_test_demo', prefer: 'delay=1' });
  headers.append('prefer', 'code=503');
  const response = await fetch(`${mock.url}/demo/sessions/user-1`, { headers });
  t.equal(response.status, 503);
  t.equal(response.headers.get('preference-applied'), 'delay=1, code=503');
});

const CODE = 'code must be a status, 400 to 599';
const DELAY = 'delay must be milliseconds, 0 to 60000, or a range such as 100-800';
for (const [value, ...problems] of [
  ['code', CODE],
  ['code=', CODE],
  ['code=200', CODE],
  ['code=399', CODE],
  ['code=600', CODE],
  ['code=5 03', CODE],
  ['code=5xx', CODE],
  ['delay=-1', DELAY],
  ['delay=1.5', DELAY],
  ['delay=60001', DELAY],
  ['delay=9-1', DELAY],
  ['code=1, delay=x', CODE, DELAY],
] as const) {
  t.test(`Prefer: ${value} is a 422 that names the mistake`, async (t) => {
    const response = await demo.list('user-1', prefer(value));
    t.equal(response.status, 422);
    t.match(response.headers.get('content-type'), 'application/problem+json');
    t.equal(response.headers.get('preference-applied'), null);
    const { code, errors } = (await response.json()) as { code: string; errors: unknown };
    t.equal(code, 'preference_invalid');
    t.same(
      errors,
      problems.map((detail) => ({ parameter: 'Prefer', rule: 'value', detail })),
    );
  });
}

t.test('a request with an invalid Prefer header has no effect', async (t) => {
  const links = await mock.countLinks();
  t.equal((await demo.link('user-1', prefer('code=x'))).status, 422);
  t.equal(await mock.countLinks(), links);
});
