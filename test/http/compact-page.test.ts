// A compact page: only in a frame, and only for clients whose pages may be framed.
import t from 'tap';
import { createWorld } from '../core/world.js';

const ORIGIN = 'https://portal.example.com';

t.test('a client with frame ancestors gets compact pages by its URL', async (t) => {
  const world = await createWorld({ client: { frameAncestors: [ORIGIN] } });
  const link = await world.mint();
  const target = `${link.target}&view=compact`;
  await world.open({ ...link, target });
  await world.open(link);
  await world.send('GET', `${link.target}&view=other`);
  await world.send('POST', target, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'action=submit',
  });
  t.strictSame(
    world.widget.forms.map(({ compact }) => compact),
    [true, undefined, undefined, true],
  );
});

t.test('no other client gets one', async (t) => {
  for (const client of [{}, { frameAncestors: [] }]) {
    const world = await createWorld({ client });
    const link = await world.mint();
    await world.send('GET', `${link.target}&view=compact`);
    t.notOk('compact' in (world.widget.forms[0] ?? {}));
  }
});

t.test('a tab of its own gets none: the page would say nowhere whose it is', async (t) => {
  const world = await createWorld({ client: { frameAncestors: [ORIGIN] } });
  const link = await world.mint();
  for (const dest of ['document', 'iframe'])
    await world.send('GET', `${link.target}&view=compact`, { headers: { 'sec-fetch-dest': dest } });
  t.strictSame(
    world.widget.forms.map(({ compact }) => compact),
    [undefined, true],
  );
});
