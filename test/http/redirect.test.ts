// After the claim: at once to the callback, or to the success page first, or nowhere.
import t from 'tap';
import { claim, createWorld, linkRequest, outcomeOf, START } from '../core/world.js';

t.test('a form with callbackOnSubmit: true is redirected at once, with 303', async (t) => {
  const world = await createWorld();
  const response = await world.submitForm(await world.mint({ callbackOnSubmit: true }));
  t.equal(response.status, 303);
  t.equal(response.headers['location'], 'https://app.example.com/done');
  t.equal(response.headers['referrer-policy'], 'no-referrer');
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.body, '');
});

t.test('a form with callbackOnSubmit: false shows the success page with the way on', async (t) => {
  const world = await createWorld({ newReference: (kind) => `${kind}-1` });
  const link = await world.mint();
  const response = await world.submitForm(link);
  t.equal(response.status, 200);
  t.match(response.headers['content-type'], 'text/html');
  const { nonce: _, policy: __, ...view } = world.widget.successes[0] ?? {};
  t.strictSame(view, {
    locale: 'en',
    reference: 'session-1',
    submittedAt: START,
    contact: linkRequest().config.contact,
    clientName: 'Acme Insurance',
    redirectUrl: 'https://app.example.com/done',
    claim: {
      policy: { ...claim().policy, holder: { id: 'user-1', ...claim().policy.holder }, linkedContacts: [] },
    },
  });
});

for (const callbackOnSubmit of [true, false]) {
  t.test(
    `a form whose claim differs from the stored one is not shown as sent, ${callbackOnSubmit}`,
    async (t) => {
      const world = await createWorld();
      const link = await world.mint({ callbackOnSubmit });
      await world.submitJson(link);
      world.advance(1000);
      const response = await world.submitForm(link, { number: 'corrected' });
      t.equal(response.status, 200);
      t.notOk('set-cookie' in response.headers, 'its sender need not know the stored answers');
      t.strictSame(world.widget.successes, []);
      const [view] = world.widget.unavailables;
      t.match(view, { code: 'link_submitted', status: 200, contact: linkRequest().config.contact });
      t.match(view?.fields?.toString(), 'corrected');
    },
  );
}

t.test('a form posted with Accept: application/json gets a JSON response', async (t) => {
  const world = await createWorld();
  const accept = { accept: 'application/json' };
  const link = await world.mint({ callbackOnSubmit: true });
  t.equal(outcomeOf(await world.submitForm(link, {}, accept)), '400 request_invalid');
  const response = await world.submitForm(link, claim(), accept);
  t.equal(response.status, 200);
  t.match(JSON.parse(response.body), { data: { redirectUrl: 'https://app.example.com/done' } });
});

t.test(
  'the script of a form gets the page after its claim in the response, unless the browser leaves at once',
  async (t) => {
    const world = await createWorld();
    const json = { accept: 'application/json' };
    const script = { ...json, prefer: 'return=representation' };
    const link = await world.mint();
    const send = async (number: string, headers: Record<string, string>, sentTo = link) =>
      JSON.parse(
        (await world.submitForm(sentTo, claim({ policy: { ...claim().policy, number } }), headers)).body,
      ).data;
    t.match((await send('A-1', script)).page, 'success');
    t.match((await send('A-1', script)).page, 'success', 'a repeated claim');
    t.match(await send('A-2', script), { unchanged: false, page: 'link_submitted' });
    t.notOk('page' in (await send('A-1', json)), 'a script of the host');
    const leaving = await world.mint({ callbackOnSubmit: true });
    t.notOk('page' in (await send('A-1', script, leaving)));
    t.match(await send('A-2', script, leaving), { unchanged: false, page: 'link_submitted' });
  },
);

t.test('placeholders of the callback are filled in', async (t) => {
  const callbackUrl = 'https://app.example.com/{STATUS}?r={SESSION_REFERENCE}#x';
  const world = await createWorld({ newReference: (kind) => `${kind} 1` });
  const response = await world.submitForm(await world.mint({ callbackUrl, callbackOnSubmit: true }));
  t.equal(response.headers['location'], 'https://app.example.com/submitted?r=session%201#x');
});

t.test('a Location is ASCII, whatever the callback', async (t) => {
  const world = await createWorld();
  const response = await world.submitForm(
    await world.mint({ callbackUrl: 'https://bücher.example/ü', callbackOnSubmit: true }),
  );
  t.equal(response.headers['location'], 'https://xn--bcher-kva.example/%C3%BC');
});

t.test('a callback that is no longer allowed is not gone to', async (t) => {
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      findLink: async (id) => {
        const stored = await storage.findLink(id);
        return (
          stored && { ...stored, client: { ...stored.client, callbackOrigins: ['https://new.example'] } }
        );
      },
    }),
  });
  const link = await world.mint({ callbackOnSubmit: true });
  const page = await world.submitForm(link);
  t.equal(page.status, 200, 'the success page, although callbackOnSubmit is true');
  t.notOk('location' in page.headers);
  t.notOk(world.widget.successes[0] && 'redirectUrl' in world.widget.successes[0]);
  const json = JSON.parse((await world.submitJson(link)).body);
  t.notOk('redirectUrl' in json.data);
});
