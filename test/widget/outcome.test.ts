// What a response to a claim says.
import t from 'tap';
import { outcomeOf } from '../../lib/widget/outcome.js';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const data = { reference: 'S-1', date: '2026-03-02T10:00' };
const errors = [{ pointer: '/policy/number', rule: 'required' }];

const of = (status: number, body: unknown, retryAfter: string | null = null) =>
  outcomeOf({ status, retryAfter, body }, NOW);

t.test('without a response, after a 5xx or a success without a reference, nothing is known', async (t) => {
  t.same(outcomeOf(undefined, NOW), { kind: 'unknown' });
  for (const status of [500, 502, 503, 504]) t.same(of(status, { code: 'internal' }), { kind: 'unknown' });
  for (const body of [undefined, null, 'text', {}, { data: {} }, { data: { reference: 5 } }])
    t.same(of(200, body), { kind: 'unknown' });
});

t.test('a claim is sent unless another one is stored', async (t) => {
  t.equal(of(200, { data }).kind, 'sent');
  t.equal(of(200, { data: { ...data, repeated: true, unchanged: true } }).kind, 'sent');
  t.equal(of(200, { data: { ...data, repeated: true, unchanged: false } }).kind, 'changed');
});

t.test('a 400 with problems is invalid, any other rejection leaves the link usable', async (t) => {
  t.same(of(400, { errors }), { kind: 'invalid', problems: errors });
  for (const [status, reason] of [
    [400, 'other'],
    [403, 'other'],
    [408, 'other'],
    [413, 'too_large'],
    [429, 'too_many'],
  ] as const)
    t.match(of(status, undefined), { kind: 'rejected', reason });
});

t.test('a claim that was not checked was certainly not stored', async (t) => {
  t.match(of(503, { code: 'validation_unavailable' }), { kind: 'rejected', reason: 'other' });
  t.same(of(503, { code: 'storage_unavailable' }), { kind: 'unknown' });
});

t.test('a 404 or 410 ends the link, also without a body of ours', async (t) => {
  t.same(of(410, { code: 'link_expired' }), { kind: 'ended', code: 'link_expired' });
  t.same(of(404, undefined), { kind: 'ended', code: 'link_not_found' });
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
