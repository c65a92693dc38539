// What a response to a claim says.
import t from 'tap';
import { outcomeOf, repeatAfterSeconds } from '../../lib/widget/outcome.js';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const data = { reference: 'S-1', date: '2026-03-02T10:00' };
const errors = [{ pointer: '/policy/number', rule: 'required' }];

/** Returns a problem of the service. */
const problem = (code: string, more = {}) => ({ type: `urn:claimlink:problem:${code}`, code, ...more });

const of = (status: number, body: unknown, retryAfter: string | null = null) =>
  outcomeOf({ status, retryAfter, body }, NOW);

t.test('without a response, after a 5xx or a success without a reference, nothing is known', async (t) => {
  t.same(outcomeOf(undefined, NOW), { kind: 'unknown' });
  for (const status of [500, 502, 503, 504]) t.same(of(status, problem('internal')), { kind: 'unknown' });
  for (const body of [undefined, null, 'text', {}, { data: {} }, { data: { reference: 5 } }])
    t.same(of(200, body), { kind: 'unknown' });
});

t.test('a claim is sent unless another one is stored', async (t) => {
  t.equal(of(200, { data }).kind, 'sent');
  t.equal(of(200, { data: { ...data, repeated: true, unchanged: true } }).kind, 'sent');
  t.equal(of(200, { data: { ...data, repeated: true, unchanged: false } }).kind, 'changed');
});

t.test('a 400 with problems is invalid, any other rejection leaves the link usable', async (t) => {
  t.same(of(400, problem('request_invalid', { errors })), { kind: 'invalid', problems: errors });
  for (const [status, reason] of [
    [400, 'other'],
    [403, 'other'],
    [408, 'other'],
    [413, 'too_large'],
    [429, 'too_many'],
  ] as const)
    t.match(of(status, problem('other')), { kind: 'rejected', reason });
});

t.test('a claim that was not checked was certainly not stored', async (t) => {
  for (const code of ['settings_unknown', 'validation_unavailable', 'recipient_check_unavailable'])
    t.match(of(503, problem(code)), { kind: 'rejected', reason: 'other' });
  t.same(of(503, problem('storage_unavailable')), { kind: 'unknown' });
});

t.test('a 404, 410 or 423 of the service ends the link', async (t) => {
  for (const [status, code] of [
    [404, 'link_not_found'],
    [410, 'link_expired'],
    [410, 'link_revoked'],
    [410, 'link_submitted'],
    [423, 'link_locked'],
  ] as const)
    t.same(of(status, problem(code)), { kind: 'ended', code });
});

/** What proxies, hosts and gateways respond with. */
const FOREIGN = {
  'no JSON': undefined,
  'a text': 'Not Found',
  'a problem of another service': { type: 'about:blank', title: 'Not Found', status: 404 },
  'a code of another service': { code: 'link_expired' },
  'errors of another service': { errors: [{ status: '400', detail: 'Bad request' }] },
  'a type that only begins like ours': { type: 'urn:claimlink:problem:link_expired/x' },
};

for (const [name, body] of Object.entries(FOREIGN))
  t.test(`a status with a body of another server says nothing of the claim: ${name}`, async (t) => {
    for (const status of [200, 204, 304, 400, 401, 403, 404, 405, 408, 409, 410, 423, 451, 500, 503])
      t.same(of(status, body), { kind: 'unknown' }, String(status));
    t.match(of(413, body), { kind: 'rejected', reason: 'too_large' });
    t.match(of(429, body), { kind: 'rejected', reason: 'too_many' });
  });

t.test('Retry-After is seconds or a date; without one, the wait is a minute', async (t) => {
  const waits: [string | null, number][] = [
    ['30', 30],
    [' 5 ', 5],
    ['Mon, 02 Mar 2026 10:02:00 GMT', 120],
    ['Mon, 02 Mar 2026 09:00:00 GMT', 60],
    ['0', 60],
    ['soon', 60],
    [null, 60],
  ];
  for (const [text, seconds] of waits)
    t.match(of(429, 'slow down', text), { kind: 'rejected', retryAfterSeconds: seconds }, String(text));
});

t.test('only a 503 with Retry-After of at most ten seconds is repeated by itself', async (t) => {
  const repeat = (status: number, retryAfter: string | null) =>
    repeatAfterSeconds({ status, retryAfter }, NOW);
  t.equal(repeat(503, '5'), 5);
  t.equal(repeat(503, '10'), 10);
  t.equal(repeat(503, 'Mon, 02 Mar 2026 10:00:07 GMT'), 7);
  for (const retryAfter of ['11', '0', 'soon', null])
    t.equal(repeat(503, retryAfter), undefined, String(retryAfter));
  for (const status of [200, 429, 500, 502]) t.equal(repeat(status, '5'), undefined, String(status));
  t.equal(repeatAfterSeconds(undefined, NOW), undefined);
});
