// The receipt cookie, and what the page of a submitted link tells with it and without it.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { createMac } from '../../lib/core/mac.js';
import type { ChangedView } from '../../lib/core/widget.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { createFakeWidget } from '../core/fake-widget.js';
import { claim, createWorld, type MintedLink, START, type World, type WorldOptions } from '../core/world.js';
import { postedForm } from '../widget/views.js';

/** Submits a claim, and returns the link with the receipt cookie of the response. */
async function submitted(
  options: WorldOptions = {},
): Promise<{ world: World; link: MintedLink; setCookie: string; cookie: string }> {
  const world = await createWorld(options);
  const link = await world.mint();
  const setCookie = (await world.submitForm(link)).headers['set-cookie'] ?? '';
  return { world, link, setCookie, cookie: setCookie.split(';', 1)[0] ?? '' };
}

/** Opens the page of a link with a cookie, and returns what the page learns of the submission. */
async function receiptWith(world: World, { target }: MintedLink, cookie: string) {
  const response = await world.send('GET', target, { headers: { cookie } });
  return { status: response.status, receipt: world.widget.unavailables.at(-1)?.receipt };
}

t.test('the cookie has the path of the link and an end; no script and no other site gets it', async (t) => {
  const { link, setCookie } = await submitted();
  t.match(
    setCookie,
    new RegExp(
      `^claimlink_receipt=\\d+\\.[\\w-]{43}; Path=/base/verify/${link.accessCode}; Max-Age=3600; HttpOnly; Secure; SameSite=Lax$`,
    ),
  );
});

t.test('on http the cookie is not Secure', async (t) => {
  const { setCookie } = await submitted({ publicUrl: 'http://127.0.0.1:4010' });
  t.notMatch(setCookie, 'Secure');
});

t.test('where other sites may frame the page, their frame gets its cookie back', async (t) => {
  const client = { frameAncestors: ['https://portal.example'] };
  const { setCookie } = await submitted({ client });
  t.match(setCookie, /; Secure; SameSite=None; Partitioned$/);
});

t.test('a JSON response and a redirect set the cookie as well', async (t) => {
  const world = await createWorld();
  t.ok((await world.submitJson(await world.mint())).headers['set-cookie']);
  const redirect = await world.submitForm(await world.mint({ callbackOnSubmit: true }));
  t.equal(redirect.status, 303);
  t.ok(redirect.headers['set-cookie']);
});

t.test('with the cookie, a submitted link shows answers and the way on; its status is 410', async (t) => {
  const { world, link, cookie } = await submitted();
  const { status, receipt } = await receiptWith(world, link, `other=1; ${cookie}`);
  t.equal(status, 410);
  t.strictSame(receipt?.submittedAt, START);
  const { submittedAt: _, ...others } = receipt ?? {};
  t.match(others, {
    reference: /^S-/,
    claim: { policy: { number: claim().policy.number } },
    redirectUrl: 'https://app.example.com/done',
  });
});

t.test('without the cookie, a submitted link shows reference and time only', async (t) => {
  const { world, link } = await submitted();
  const { receipt } = await receiptWith(world, link, '');
  t.strictSame(Object.keys(receipt ?? {}), ['reference', 'submittedAt']);
});

t.test('the cookie ends by the clock of the service', async (t) => {
  const { world, link, cookie } = await submitted({ receiptSeconds: 60 });
  world.advance(59_000);
  t.ok((await receiptWith(world, link, cookie)).receipt?.claim);
  world.advance(1_000);
  t.notOk((await receiptWith(world, link, cookie)).receipt?.claim);
});

t.test('the answers are there after the end of the link, for who has the cookie', async (t) => {
  const { world, link, cookie } = await submitted({ linkTtlSeconds: 60 });
  world.advance(600_000);
  t.ok((await receiptWith(world, link, cookie)).receipt?.claim);
});

t.test('no other value is accepted', async (t) => {
  const { world, link, cookie } = await submitted();
  const [, end = '', mac = ''] = /=(\d+)\.(.*)$/.exec(cookie) ?? [];
  const linkId = hashAccessCode(link.accessCode);
  const [key = new Uint8Array(), checkKey = new Uint8Array()] = ['receipt', 'check'].flatMap(
    (purpose) => world.signer.derive?.(purpose) ?? [],
  );
  const signed = (parts: string[], secret = key) => createMac(secret, parts).toString('base64url');
  const other = await world.mint();
  const otherCookie = (await world.submitForm(other)).headers['set-cookie']?.split(';', 1)[0] ?? '';
  const values = {
    'a later end': `${Number(end) + 1}.${mac}`,
    'a leading zero': `0${end}.${mac}`,
    'another spelling of the last character': `${end}.${mac.slice(0, -1)}${String.fromCharCode(mac.charCodeAt(42) + 1)}`,
    'a shorter code': `${end}.${mac.slice(0, 42)}`,
    'no code': `${end}.`,
    'a third part': `${end}.${mac}.`,
    'another link': otherCookie.slice(otherCookie.indexOf('=') + 1),
    'a code of another purpose': `${end}.${signed(['check', linkId, end])}`,
    'a code under the key of another purpose': `${end}.${signed(['receipt', linkId, end], checkKey)}`,
    'parts with another border': `${end}.${signed(['receipt', `${linkId}${end[0]}`, end.slice(1)])}`,
  };
  for (const [name, value] of Object.entries(values))
    t.notOk((await receiptWith(world, link, `claimlink_receipt=${value}`)).receipt?.claim, name);
  t.ok(
    (await receiptWith(world, link, `claimlink_receipt=${end}.${signed(['receipt', linkId, end])}`)).receipt
      ?.claim,
  );
});

t.test('a repeated claim sets the cookie only if it is the stored one', async (t) => {
  const { world, link } = await submitted();
  t.ok((await world.submitForm(link)).headers['set-cookie']);
  for (const other of [{}, { ...claim(), incident: { description: 'x' } }]) {
    t.notOk((await world.submitForm(link, other)).headers['set-cookie']);
    t.notOk((await world.submitJson(link, other)).headers['set-cookie']);
  }
});

t.test(
  'what differs from the stored claim is marked for a browser with the cookie only, as a page and in JSON',
  async (t) => {
    const world = await createWorld({ widget: createStandaloneWidget() });
    const link = await world.mint();
    const send = (changes: Record<string, string>, headers: Record<string, string>) =>
      world.send('POST', link.target, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: postedForm(changes).toString(),
      });
    const cookie = (await send({}, {})).headers['set-cookie']?.split(';', 1)[0] ?? '';
    const other = await world.mint();
    const ofOther = await world.send('POST', other.target, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: postedForm().toString(),
    });
    const otherCookie = ofOther.headers['set-cookie']?.split(';', 1)[0] ?? '';
    const json = { accept: 'application/json', prefer: 'return=representation' };
    const changed = { '/incident/description': 'Corrected.' };
    const pageOf = async (headers: Record<string, string>) => {
      const response = await send(changed, headers);
      t.equal(response.status, 200);
      t.notOk(response.headers['set-cookie']);
      return 'accept' in headers ? (JSON.parse(response.body).data.page as string) : response.body;
    };
    for (const headers of [{}, json]) {
      const whole = await pageOf({ ...headers, cookie });
      t.match(whole, 'data-differences');
      t.match(whole, '&amp;body=What%20happened%0D%0ADescription%3A%20Corrected.');
      for (const stranger of ['', otherCookie, 'claimlink_receipt=9999999999.x']) {
        const page = await pageOf({ ...headers, cookie: stranger });
        t.notMatch(page, /data-differences|body=|What differs/);
        t.match(page, 'Description: Corrected.');
        t.match(page, /data-reference><span>S-/);
      }
      world.advance(3_600_000);
      t.notMatch(
        await pageOf({ ...headers, cookie }),
        /data-differences|body=/,
        'after the end of the cookie',
      );
      world.advance(-3_600_000);
    }
  },
);

t.test(
  'a widget with renderChanged gets the reference, and the stored claim with the cookie only',
  async (t) => {
    const views: ChangedView[] = [];
    const renderChanged = (view: ChangedView) => {
      views.push(view);
      return { html: '' };
    };
    const { world, link, cookie } = await submitted({ widget: { ...createFakeWidget(), renderChanged } });
    for (const headers of [{ cookie }, {}])
      await world.submitForm(link, { ...claim(), incident: {} }, headers);
    t.match(views, [
      {
        reference: /^S-/,
        linkId: hashAccessCode(link.accessCode),
        claim: { policy: { number: claim().policy.number } },
      },
      { reference: /^S-/, linkId: hashAccessCode(link.accessCode) },
    ]);
    t.notOk(views[1] && 'claim' in views[1]);
  },
);

t.test('without derive, and with receiptSeconds 0, no response sets a cookie', async (t) => {
  const { signer } = await createWorld();
  const withoutDerive = { sign: signer.sign, verify: signer.verify };
  for (const options of [{ signer: withoutDerive }, { receiptSeconds: 0 }]) {
    const { world, link, setCookie } = await submitted(options);
    t.equal(setCookie, '');
    t.strictSame(
      Object.keys((await receiptWith(world, link, 'claimlink_receipt=9999999999.x')).receipt ?? {}),
      ['reference', 'submittedAt'],
    );
  }
});

t.test('a page after a failed submission has the fields of the form: the claim may be stored', async (t) => {
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      async submitLink(submission) {
        await storage.submitLink(submission);
        throw new Error('The connection ended.');
      },
    }),
  });
  const response = await world.submitForm(await world.mint());
  t.equal(response.status, 500);
  t.ok(world.widget.unavailables[0]?.fields?.has('claim'));
});
