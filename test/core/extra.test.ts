// `extra`: data of the host that passes through links and claims unchanged, within a size.
import t from 'tap';
import type { JsonObject } from '../../lib/core/types.js';
import { claim, createWorld, linkRequest } from './world.js';

const EXTRA = {
  locale: 'de-CH',
  flags: [true, null, 0.5, -0],
  nested: { '': 'empty name', toString: [[], {}], text: 'a \\u0000 that is only text, and 🚗' },
} satisfies JsonObject;
const EXTRA_JSON = JSON.parse(JSON.stringify(EXTRA));

const world = await createWorld();

async function link(extra: unknown): Promise<Awaited<ReturnType<typeof world.requestLink>>> {
  const request = linkRequest();
  return world.requestLink({ ...request, config: { ...request.config, extra } });
}

t.test('extra of a link request reaches the widget and openLink unchanged', async (t) => {
  const { config } = linkRequest();
  const minted = await world.mint({ config: { ...config, extra: EXTRA } });
  await world.open(minted);
  t.strictSame(world.widget.forms.at(-1)?.link.config.extra, EXTRA_JSON);
  const opened = await world.claimlink.openLink(minted.accessCode, minted.token);
  t.strictSame(opened.config.extra, EXTRA_JSON);
});

t.test('extra of a claim reaches onSubmit and the session record, and never the listing', async (t) => {
  const extra = { ...EXTRA, canary: 'only-for-the-host' };
  const response = await world.submitJson(await world.mint(), { ...claim(), extra });
  t.equal(response.status, 200);
  t.strictSame(world.events.at(-1)?.session.extra, { ...EXTRA_JSON, canary: extra.canary });
  const { sessions } = await world.claimlink.listSessions('acme', 'user-1');
  t.strictSame(sessions[0]?.extra, { ...EXTRA_JSON, canary: extra.canary });
  t.notMatch((await world.list()).body, 'only-for-the-host');
});

t.test('a number that JSON.parse changes is rejected; fractions are doubles', async (t) => {
  const send = async (json: string) => {
    const body = JSON.stringify({ ...linkRequest(), config: { ...linkRequest().config, extra: 'EXTRA' } });
    return world.send('POST', '/acme/link', {
      headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
      body: body.replace('"EXTRA"', json),
    });
  };
  const { raw } = String;
  for (const number of [
    '12345678901234567890',
    '-9007199254740992',
    '1e400',
    '-1e400',
    '1e300',
    '9007199254740993.0',
  ])
    for (const json of [raw`{"id":${number}}`, raw`{"a":[{"b":[${number}]}]}`]) {
      const response = await send(json);
      t.equal(response.status, 400, json);
      t.match(JSON.parse(response.body).errors, [
        { pointer: '/config/extra', rule: 'json', detail: /send it as text/ },
      ]);
    }
  for (const number of ['9007199254740991', '-9007199254740991', '0.1', '1e-400', '1.5e15', '-0', '0'])
    t.equal((await send(raw`{"id":${number}}`)).status, 200, number);
  t.equal((await send('{"id":"12345678901234567890"}')).status, 200, 'a text');
});

t.test('a host cannot pass a number that JSON does not have', async (t) => {
  const { config, ...request } = linkRequest();
  for (const id of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    await t.rejects(
      world.claimlink.createLink('acme', { ...request, config: { ...config, extra: { id } } }),
      {
        code: 'request_invalid',
        problems: [{ pointer: '/config/extra' }],
      },
    );
});

t.test('createLink does not freeze or keep the object of its caller', async (t) => {
  const extra = { list: [1] };
  const { config, ...request } = linkRequest();
  const { url } = await world.claimlink.createLink('acme', { ...request, config: { ...config, extra } });
  extra.list.push(2);
  const [, accessCode = '', token = ''] = /verify\/(.*)\?token=(.*)/.exec(url) ?? [];
  t.strictSame((await world.claimlink.openLink(accessCode, token)).config.extra, { list: [1] });
});

t.test('16,384 bytes and 32 levels pass; one more of either is rejected', async (t) => {
  const sized = (bytes: number) => ({ text: 'ä'.repeat((bytes - 11) / 2), n: 1 });
  const bytes = (value: object) => Buffer.byteLength(JSON.stringify(value));
  const fitting = { text: 'x'.repeat(16_384 - 11) };
  t.equal(bytes(fitting), 16_384);
  t.equal((await link(fitting)).status, 200);
  t.match(JSON.parse((await link({ text: `${fitting.text}x` })).body).errors, [
    { pointer: '/config/extra', rule: 'size', detail: 'must not be larger than 16384 bytes as JSON' },
  ]);
  t.equal((await link(sized(20_001))).status, 400, 'bytes count, not characters');

  const nest = (levels: number): unknown => (levels === 0 ? 'end' : [nest(levels - 1)]);
  t.equal((await link({ a: nest(31) })).status, 200);
  t.match(JSON.parse((await link({ a: nest(32) })).body).errors, [
    { pointer: '/config/extra', rule: 'size', detail: 'must not have more than 32 levels' },
  ]);
});

t.test('what is no object, and text that a database rejects, is rejected', async (t) => {
  for (const value of ['text', 1, null, true, []]) {
    t.match(JSON.parse((await link(value)).body).errors, [{ pointer: '/config/extra', rule: 'type' }]);
  }
  for (const text of ['\0', '\ud800', 'a\udfff', '\\\\\0']) {
    for (const extra of [{ text }, { [text]: 1 }, { list: [[text]] }]) {
      const problems = JSON.parse((await link(extra)).body).errors;
      t.match(problems, [{ pointer: '/config/extra', rule: 'text' }], JSON.stringify(extra));
      const response = await world.submitJson(await world.mint(), { ...claim(), extra });
      t.match(JSON.parse(response.body).errors, [{ pointer: '/extra', rule: 'text' }]);
    }
  }
});
