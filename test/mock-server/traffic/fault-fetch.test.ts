// Spoiled fetch responses: what the caller of fetch sees.
import t from 'tap';
import { spoilResponse } from '../../../mock-server/traffic/fault-fetch.js';

const SESSIONS = '[{"reference":"Zoë"}]';

function respond(body: string | null = SESSIONS, init: ResponseInit = {}): Response {
  return new Response(body, {
    status: 200,
    ...init,
    headers: { 'content-type': 'application/json', 'x-a': '1', ...init.headers },
  });
}

for (const effect of ['cut', 'lose'] as const) {
  t.test(`${effect} rejects as fetch does when the connection ends without an answer`, async (t) => {
    await t.rejects(spoilResponse(respond(), effect), {
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'UND_ERR_SOCKET' },
    });
  });
}

t.test('truncate: status and headers, then half of the body, then an error', async (t) => {
  const response = await spoilResponse(respond(SESSIONS, { status: 201 }), 'truncate');
  t.equal(response.status, 201);
  t.equal(response.headers.get('x-a'), '1');
  const bytes: number[] = [];
  const reading = (async () => {
    for await (const chunk of response.body ?? []) bytes.push(...chunk);
  })();
  await t.rejects(reading, { name: 'TypeError', message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } });
  const whole = Buffer.from(SESSIONS);
  t.same(Buffer.from(bytes), whole.subarray(0, Math.floor(whole.length / 2)));
});

t.test('truncate: whoever reads the whole body sees it fail', async (t) => {
  await t.rejects((await spoilResponse(respond(), 'truncate')).json(), { message: 'terminated' });
  await t.rejects((await spoilResponse(respond('x'), 'truncate')).text(), { message: 'terminated' });
});

t.test('truncate without a body: there is no answer', async (t) => {
  await t.rejects(spoilResponse(respond(null, { status: 204 }), 'truncate'), { message: 'fetch failed' });
  await t.rejects(spoilResponse(respond(''), 'truncate'), { message: 'fetch failed' });
});

t.test('malformed: JSON of the same length that does not parse', async (t) => {
  const response = await spoilResponse(respond(SESSIONS, { status: 404 }), 'malformed');
  t.equal(response.status, 404);
  t.equal(response.headers.get('content-type'), 'application/json');
  const text = await response.text();
  t.equal(Buffer.byteLength(text), Buffer.byteLength(SESSIONS));
  t.throws(() => JSON.parse(text), SyntaxError);
});

for (const json of ['1', '12', '{}', '{}\n', '"a"', 'null', '[] ', '"<"']) {
  t.test(`malformed: ${JSON.stringify(json)} does not parse any more`, async (t) => {
    const text = await (await spoilResponse(respond(json), 'malformed')).text();
    t.equal(text.length, json.length);
    t.throws(() => JSON.parse(text), SyntaxError);
  });
}

t.test('malformed: a page of the same length that ends in the middle', async (t) => {
  const page = '<!doctype html><title>Claim</title><main>Hello</main></html>';
  const response = respond(page, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  const text = await (await spoilResponse(response, 'malformed')).text();
  t.equal(text, page.slice(0, page.length / 2) + ' '.repeat(page.length / 2));
});

t.test('malformed: redirects and answers without a body stay as they are', async (t) => {
  const redirect = respond('Go on', { status: 303, headers: { location: '/next' } });
  const spoiled = await spoilResponse(redirect, 'malformed');
  t.equal(spoiled.headers.get('location'), '/next');
  t.equal(await spoiled.text(), 'Go on');
  t.equal((await spoilResponse(respond(null, { status: 204 }), 'malformed')).status, 204);
  t.equal(await (await spoilResponse(respond(''), 'malformed')).text(), '');
});
