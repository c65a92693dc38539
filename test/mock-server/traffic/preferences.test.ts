// What one request asks for: by Prefer, as RFC 7240 has it, and by the query, which is first.
import t from 'tap';
import { readPreferences, stripPreferences } from '../../../mock-server/traffic/preferences.js';

const PATH = '/demo/sessions/user-1';

function prefer(...values: string[]) {
  return readPreferences({ prefer: values.length === 1 ? values[0] : values }, PATH);
}

function query(search: string) {
  return readPreferences({}, `${PATH}?${search}`);
}

/** What is wrong: where (the parameter, or '' for the header) and in words. */
function problems(preferences: ReturnType<typeof readPreferences>): [string, string][] {
  if (!('problems' in preferences)) return [];
  return preferences.problems.map(({ parameter = '', detail }) => [parameter, detail]);
}

t.test('a request that asks for nothing gets nothing', async (t) => {
  t.same(readPreferences({}, PATH), { applied: '' });
  t.same(readPreferences({}, `${PATH}?limit=5`), { applied: '' });
  t.same(readPreferences({}, '/demo/sessions/user__code=500'), { applied: '' }, 'in the path');
  t.same(readPreferences({ prefer: '' }, PATH), { applied: '' });
});

t.test('Prefer: code, delay and fault', async (t) => {
  t.same(prefer('code=503'), { asked: { status: 503 }, applied: 'code=503' });
  t.same(prefer('delay=60000'), { asked: { delayMs: 60_000 }, applied: 'delay=60000' });
  t.same(prefer('delay=100-800'), { asked: { delayMs: [100, 800] }, applied: 'delay=100-800' });
  t.same(prefer('fault=lose'), { asked: { effect: 'lose' }, applied: 'fault=lose' });
  t.same(prefer('code=400, delay=5'), { asked: { status: 400, delayMs: 5 }, applied: 'code=400, delay=5' });
});

t.test('RFC 7240: several headers are one list', async (t) => {
  t.same(prefer('code=500', 'delay=0'), { asked: { status: 500, delayMs: 0 }, applied: 'code=500, delay=0' });
});

t.test('RFC 7240: names in any case, values quoted, white space, empty elements, parameters', async (t) => {
  const asked = { asked: { status: 500 }, applied: 'code=500' };
  t.same(prefer('CODE=500'), asked);
  t.same(prefer('code="500"'), asked);
  t.same(prefer('code="\\500"'), asked);
  t.same(prefer(' ,, code = 500\t,'), asked);
  t.same(prefer('code=500; delay=5; x="a,b;c"'), asked, 'the parameters of a preference');
});

t.test('RFC 7240: unknown preferences are ignored, whatever they hold', async (t) => {
  t.same(prefer('respond-async, wait=10, return=minimal; x, foo="code=500, delay=5"'), { applied: '' });
  t.same(prefer('foo="a\\", code=400", handling=lenient, code=500'), {
    asked: { status: 500 },
    applied: 'code=500',
  });
  t.same(prefer('@{}()<>'), { applied: '' });
});

t.test('RFC 7240: the first of the same preference counts', async (t) => {
  t.same(prefer('code=500, code=nonsense'), { asked: { status: 500 }, applied: 'code=500' });
});

t.test('Prefer: a malformed value is a problem that says what is allowed', async (t) => {
  for (const value of ['399', '600', '0500', '5e2', '', '"', '500 501', '""']) {
    t.equal(problems(prefer(`code=${value}`)).length, 1, value);
  }
  t.same(problems(prefer('code=200')), [['', 'Prefer: code must be a status, 400 to 599']]);
  t.same(problems(prefer('code')), [['', 'Prefer: code must be a status, 400 to 599']]);
  t.same(problems(prefer('fault=explode')), [
    ['', 'Prefer: fault must be one of cut, lose, truncate, malformed'],
  ]);
  for (const value of [
    '60001',
    '-1',
    '5-',
    '8-5',
    '0-60001',
    '1.5',
    '5ms',
    '1-2-3',
    '99999999999999999999',
  ]) {
    t.match(
      problems(prefer(`delay=${value}`)),
      [['', 'Prefer: delay must be whole milliseconds, 0 to 60000']],
      value,
    );
  }
  t.same(problems(prefer('x="code=500')), [['', 'Prefer: a quotation mark is not closed']]);
});

t.test('the query: __code, __delay and __fault, beside others', async (t) => {
  t.same(query('limit=5&__code=404&cursor=x'), { asked: { status: 404 }, applied: '' });
  t.same(query('__delay=1-2&__fault=CUT'), { asked: { delayMs: [1, 2], effect: 'cut' }, applied: '' });
  t.same(query('__c%6Fde=%34%30%34'), { asked: { status: 404 }, applied: '' });
});

t.test('the query beats the header: the delay, and what comes of it, status or fault', async (t) => {
  const headers = { prefer: 'code=500, delay=5' };
  t.same(readPreferences(headers, '/?__code=404'), {
    asked: { status: 404, delayMs: 5 },
    applied: 'delay=5',
  });
  t.same(readPreferences(headers, '/?__fault=cut'), {
    asked: { effect: 'cut', delayMs: 5 },
    applied: 'delay=5',
  });
  t.same(readPreferences(headers, '/?__delay=0'), {
    asked: { status: 500, delayMs: 0 },
    applied: 'code=500',
  });
});

t.test('the query: malformed, unknown and repeated parameters are problems, all at once', async (t) => {
  t.same(problems(query('__code=200&__dealy=5&__fault=x&__fault=cut&__=1')), [
    ['__dealy', 'is not known; there are __code, __delay, __fault'],
    ['__fault', 'must not be given more than once'],
    ['__', 'is not known; there are __code, __delay, __fault'],
    ['__code', 'must be a status, 400 to 599'],
    ['__fault', 'must be one of cut, lose, truncate, malformed'],
    ['__fault', 'must not be given together with code'],
  ]);
  t.same(problems(query('__code')), [['__code', 'must be a status, 400 to 599']]);
  t.same(problems(query('__CODE=500')).length, 1);
  t.equal(problems(query(`__${'x'.repeat(500)}=1`))[0]?.[0].length, 100);
});

t.test('code and fault together are a problem, in the header and in the query', async (t) => {
  t.same(problems(prefer('code=500, fault=cut')), [
    ['', 'Prefer: fault must not be given together with code'],
  ]);
  t.same(problems(query('__code=500&__fault=cut')), [['__fault', 'must not be given together with code']]);
});

t.test('problems of the header and of the query are told together', async (t) => {
  t.same(
    problems(readPreferences({ prefer: 'code=1' }, '/?__delay=x')).map(([parameter]) => parameter),
    ['', '__delay'],
  );
});

t.test('a problem does not quote the value', async (t) => {
  t.notMatch(JSON.stringify([prefer('code=hunter2'), query('__code=hunter2')]), 'hunter2');
});

t.test('a header made to be slow to read is read in no time', async (t) => {
  t.equal(problems(prefer(`x=${'\\"'.repeat(50_000)}`)).length, 1);
  t.equal(problems(prefer(`code=${'"a"'.repeat(50_000)}`)).length, 1);
});

t.test('stripPreferences takes the __ parameters out and leaves all else byte for byte', async (t) => {
  t.equal(stripPreferences('/a?__code=500'), '/a');
  t.equal(stripPreferences('/a?__code=500&limit=5'), '/a?limit=5');
  t.equal(stripPreferences('/a?limit=5&__code=500'), '/a?limit=5');
  t.equal(stripPreferences('/%61?x=%zz&&__delay=1-2&y=+%20&__fault'), '/%61?x=%zz&&y=+%20');
  for (const url of ['/a', '/a?', '/a?x=__code', '/a__b?x=1', '/a?x__y=1', '/__mock/health', '/a?&']) {
    t.equal(stripPreferences(url), url);
  }
});
