// Where the pages keep what is typed: as the client wants it.
import t from 'tap';
import { CLIENT_ID, createWorld } from '../core/world.js';

t.test('with device, each page knows the client and whether it may show the text', async (t) => {
  const world = await createWorld({ client: { settings: { keepDraft: 'device' } } });
  await world.open(await world.mint());
  t.same(world.widget.forms[0]?.deviceDraft, { clientId: CLIENT_ID, isShown: true });
  const settings = { recipientCheck: ['/policy/number'] } as const;
  await world.claimlink.updateClient({ clientId: CLIENT_ID, settings });
  await world.open(await world.mint());
  t.same(world.widget.forms[1]?.deviceDraft, { clientId: CLIENT_ID, isShown: false });
});

for (const settings of [{}, { keepDraft: 'tab' }] as const)
  t.test(`with ${JSON.stringify(settings)}, the text stays in the tab`, async (t) => {
    const world = await createWorld({ client: { settings } });
    await world.open(await world.mint());
    t.notOk('deviceDraft' in (world.widget.forms[0] ?? {}));
  });

t.test('another value is rejected', async (t) => {
  const world = await createWorld();
  const client = { clientId: CLIENT_ID, settings: { keepDraft: 'browser' } } as object;
  await t.rejects(world.claimlink.updateClient(client as { clientId: string }), {
    code: 'request_invalid',
    problems: [{ parameter: 'settings.keepDraft' }],
  });
});
