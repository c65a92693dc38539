// What the request log shows of a request: its route, its mistakes, and no secret.
import t from 'tap';
import { createLinkSigner } from '../../../lib/core/link-signer.js';
import { redactBody, redactHeaders, redactPath } from '../../../mock-server/state/redaction.js';

const CODE = 'Zm9vYmFyYmF6cXV4cXV1eA';
const TOKEN = 'eyJhbGciOiJIUzI1NiIsImtpZCI6Im1vY2sifQ.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJlLXNpZw';
const LINK = '/verify/[access code]';

t.test('a path of the API is shown unchanged', async (t) => {
  t.equal(redactPath('/demo/sessions/user-1'), '/demo/sessions/user-1');
  t.equal(redactPath('/demo/sessions/a%20b%2Fc'), '/demo/sessions/a%20b%2Fc');
  t.equal(redactPath('/'), '/');
  t.equal(redactPath('/verify'), '/verify');
  t.equal(redactPath('/verify/'), '/verify/');
  t.equal(redactPath('/demo/sessions/verify'), '/demo/sessions/verify');
  t.equal(redactPath('/verified/x'), '/verified/x');
});

t.test('a link is shown without access code and token', async (t) => {
  t.equal(redactPath(`/verify/${CODE}?token=${TOKEN}`), `${LINK}?token=[…]`);
  t.equal(redactPath(`/verify/${CODE}`), LINK);
  t.equal(redactPath(`/verify/${CODE}?token=`), `${LINK}?token=[…]`);
});

/** The compact tokens of these ends have the same pattern. */
const ENDS = ['1980-01-01', '2026-03-02', '2040-01-01', '2200-01-01'];
const COMPACT = 'AQBppV_cYWNtZetaj0zSQlapGYPm4U4sflc';

t.test('compact tokens are replaced anywhere, also percent-encoded and cut off', async (t) => {
  t.equal(redactPath(`/verify/${CODE}?token=${COMPACT}`), `${LINK}?token=[…]`);
  t.equal(redactPath(`/demo/sessions/${COMPACT}`), '/demo/sessions/[token]');
  t.equal(redactPath(`/x/%41${COMPACT.slice(1)}`), '/x/[token]');
  t.equal(redactPath(`/x/${COMPACT.slice(0, 19)}`), '/x/[token]');
  t.equal(redactPath('/demo/sessions/AQBob'), '/demo/sessions/AQBob', 'a name is no token');
  t.same(redactHeaders({ 'x-note': `a ${COMPACT} b` }), { 'x-note': 'a [token] b' });
  const link = `https://x.example/verify/${CODE}?token=${COMPACT}`;
  t.equal(
    redactBody(JSON.stringify({ data: link })).text,
    `{"data":"https://x.example${LINK}?token=[token]"}`,
  );
  for (let start = 16_384 - COMPACT.length; start < 16_384; start++)
    t.notMatch(redactBody(`${' '.repeat(start)}${COMPACT}`).text, 'AQB');
});

t.test('the compact tokens of each end and client are replaced', async (t) => {
  const secret = 'a test secret of at least 32 bytes';
  const signer = createLinkSigner({
    keys: [{ kid: 'k', algorithm: 'HS256', secret }],
    issuer: 'https://x.example',
    format: 'compact',
  });
  for (const end of ENDS) {
    for (const clientId of ['a', 'acme', 'x'.repeat(100)]) {
      const claims = { accessCode: CODE, clientId, issuedAt: new Date(0), expiresAt: new Date(end) };
      t.equal(redactBody(`a ${signer.sign(claims)} b`).text, 'a [token] b', `${end} ${clientId.length}`);
    }
  }
});

t.test('the token of a link in a body is replaced in any format', async (t) => {
  t.equal(redactBody(`/verify/${CODE}?token=a~b.c%2B&x=1`).text, `${LINK}?token=[token]&x=1`);
});

/** Ways to write a link; none may show anything of it. */
const VARIANTS = [
  `/verify/${CODE}/more/${CODE}?token=${TOKEN}`,
  `/VERIFY/${CODE}?token=${TOKEN}`,
  `/%76erify/${CODE}?token=${TOKEN}`,
  `/%2576erif%79/${CODE}`,
  `/%252576erif%79/${CODE}`,
  `/verify%2F${CODE}?token=${TOKEN}`,
  `/x%2fverify%2f${CODE}`,
  `/verify%5c${CODE}`,
  `/verify\\${CODE}`,
  `/verify//${CODE}`,
  `//verify/${CODE}`,
  `/claims/v1/verify/${CODE}?token=${TOKEN}`,
  `/demo/sessions/verify/${CODE}`,
  `/a%2Fverify%2F${CODE}/verify/x`,
  `/verify;a=b/${CODE}`,
  `http://ann:hunter2@127.0.0.1:4010/verify/${CODE}?token=${TOKEN}`,
  `/verify/${CODE}?TOKEN=${TOKEN}`,
  `/verify/${CODE}?${TOKEN}`,
  `/verify/${CODE}?${CODE}`,
  `/verify/${CODE}?${CODE}=`,
  `/verify/${CODE}?%74oken=${TOKEN}&limit=${TOKEN}`,
  `/verify/x#${CODE}${TOKEN}`,
  `/verify/x?token=${TOKEN}&x=%ff%zz${CODE}`,
];

for (const variant of VARIANTS) {
  t.test(`nothing is left of ${variant.slice(0, 60)}`, async (t) => {
    const shown = redactPath(variant);
    t.match(shown, LINK);
    t.notMatch(shown, 'eyJ');
    t.notMatch(shown, 'hunter2');
    t.notMatch(shown, CODE);
  });
}

t.test('what a link is mounted under is shown', async (t) => {
  t.equal(redactPath(`/claims/v1/verify/${CODE}`), `/claims/v1${LINK}`);
});

t.test('of the query, limit and status are shown with their values, all others by their names', async (t) => {
  t.equal(
    redactPath('/demo/sessions/u?limit=5&cursor=abc&status=x&&a=b=c&d'),
    '/demo/sessions/u?limit=5&cursor=[…]&status=x&&a=[…]&d',
  );
  t.equal(redactPath('/x?token=abc&TOKEN=d'), '/x?token=[…]&TOKEN=[…]');
  t.equal(redactPath(`/x?a b%00=1&${'n'.repeat(21)}=1`), '/x?[…]=[…]&[…]=[…]');
});

t.test('tokens and API keys are replaced anywhere, also percent-encoded', async (t) => {
  t.equal(redactPath(`/demo/sessions/${TOKEN}`), '/demo/sessions/[token]');
  t.equal(redactPath(`/x/${TOKEN.replaceAll('.', '%2E')}`), '/x/[token]');
  t.equal(redactPath(`/x/${TOKEN.slice(0, 60)}`), '/x/[token]', 'one that was cut off');
  t.equal(redactPath('/clk_test_demo/sessions/a-clk_live_1'), '/[api key]/sessions/a-[api key]');
  t.equal(redactPath('/CLK_TEST_DEMO'), '/[api key]');
  t.equal(
    redactPath('/clk%5Ftest/x?status=clk_test_demo&limit=%63lk_x'),
    '/[api key]/x?status=[api key]&limit=[api key]',
  );
  t.equal(redactPath('/demo/sessions/eyJack'), '/demo/sessions/eyJack', 'a name is no token');
});

t.test('a path cannot drive a terminal, and is ASCII but for the marks', async (t) => {
  t.equal(redactPath('/a\u001b[2J\n\u007f/é'), '/a%1B[2J%0A%7F/%C3%A9');
  t.equal(redactPath('/\ud800'), '/%EF%BF%BD');
});

t.test('at most 300 characters are shown', async (t) => {
  const shown = redactPath(`/${'a'.repeat(100_000)}`);
  t.equal(shown.length, 300);
  t.ok(shown.endsWith('a…'));
  t.equal(redactPath(`/${'a'.repeat(299)}`).length, 300);
  t.notMatch(redactPath(`/${'a'.repeat(4080)}/verify/${CODE}`), CODE);
  t.notMatch(redactPath(`/${TOKEN}${'x'.repeat(3900)}/verify/${CODE}`), CODE);
});

t.test('headers have lower-case names; several values are joined', async (t) => {
  t.same(redactHeaders({ Accept: 'text/html', 'x-many': ['a', 'b'], gone: undefined }), {
    accept: 'text/html',
    'x-many': 'a, b',
  });
});

t.test('credentials are replaced, and whatever has a secret-looking name', async (t) => {
  const names = [
    'authorization',
    'Cookie',
    'proxy-authorization',
    'x-api-key',
    'X-CSRF-Token',
    'client-secret',
    'x-session-id',
    'x-password',
    'x-auth',
    'set-cookie',
  ];
  for (const name of names) {
    t.same(redactHeaders({ [name]: 'hunter2' }), { [name.toLowerCase()]: '[redacted]' });
  }
});

t.test('the log distinguishes an empty key from a key', async (t) => {
  t.same(redactHeaders({ 'x-api-key': '' }), { 'x-api-key': '' });
});

t.test('a Referer, and any header that holds a link, loses what is secret', async (t) => {
  const link = `https://ann:hunter2@claims.example.com/verify/${CODE}?token=${TOKEN}`;
  const shown = `https://claims.example.com${LINK}?token=[…]`;
  t.same(redactHeaders({ referer: link, 'x-original-url': link }), {
    referer: shown,
    'x-original-url': shown,
  });
  t.same(redactHeaders({ referer: 'https://app.example.com/a?user=ann#x' }), {
    referer: 'https://app.example.com/a?user=[…]',
  });
  t.same(redactHeaders({ 'x-forwarded-uri': `/verify/${CODE}` }), { 'x-forwarded-uri': LINK });
  t.same(redactHeaders({ 'x-rewrite': `to /%76erify/${CODE}?token=${TOKEN}`, referer: 'about:client' }), {
    'x-rewrite': `to ${LINK}?token=[token]`,
    referer: 'about:client',
  });
});

t.test('tokens and API keys are replaced in any value', async (t) => {
  t.same(redactHeaders({ 'x-note': `a ${TOKEN} b clk_test_demo c` }), {
    'x-note': 'a [token] b [api key] c',
  });
});

t.test('values are printable and bounded, and so is their number', async (t) => {
  t.same(redactHeaders({ 'x-a': 'a\tb\u0007é' }), { 'x-a': 'a%09b%07%C3%A9' });
  t.equal(redactHeaders({ 'x-a': 'a'.repeat(10_000) })['x-a']?.length, 200);
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x-${index}`, 'a']));
  t.equal(Object.keys(redactHeaders(many)).length, 50);
});

t.test('in a body, links lose their access codes', async (t) => {
  const { text } = redactBody(JSON.stringify({ data: `https://x.example/verify/${CODE}?token=${TOKEN}` }));
  t.equal(text, `{"data":"https://x.example${LINK}?token=[token]"}`);
  t.equal(redactBody(`return=%2Fverify%2F${CODE}&a=b`).text, `return=${LINK}&a=b`);
});

t.test('a token at the limit of a body is replaced as a whole', async (t) => {
  for (let start = 16_384 - TOKEN.length; start < 16_384; start++) {
    const { text, isTruncated } = redactBody(`${' '.repeat(start)}${TOKEN}`);
    t.notMatch(text, 'eyJ');
    t.equal(isTruncated, start + '[token]'.length > 16_384);
  }
});

t.test('a body that is JSON as a whole is parsed, without its secrets', async (t) => {
  const link = `https://x.example/verify/${CODE}`;
  t.same(redactBody(JSON.stringify({ data: link, list: [1] })).json, {
    data: `https://x.example${LINK}`,
    list: [1],
  });
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  t.ok(redactBody(deep(100)).json);
  for (const body of ['{"a":', 'a=b', '', `"${'x'.repeat(20_000)}"`, deep(101), deep(8000)]) {
    t.equal(redactBody(body).json, undefined, body.slice(0, 20));
    t.notMatch(JSON.stringify(redactBody(body)), '"json"');
  }
});

t.test('a header called __proto__ is one like any other', async (t) => {
  const headers = redactHeaders(JSON.parse('{"__proto__":"a"}'));
  t.same(Object.entries(headers), [['__proto__', 'a']]);
});

t.test('a target made to be slow to read is read in no time', async (t) => {
  for (const piece of ['eyJ', 'verify', 'verify/', '%25', 'clk_', 'eyJ.', '/']) {
    t.ok(redactPath(`/${piece.repeat(20_000)}`).length <= 300);
  }
});
