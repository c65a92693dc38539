// The QR code of a link on its form: where the client wants it, and only after the recipient has answered.
import t from 'tap';
import { createQrCode } from '../../lib/core/qr-code.js';
import { CLIENT_ID, createWorld, linkRequest } from '../core/world.js';

const settings = { continueOnPhone: true } as const;

t.test('the form gets the code of its link, in the colour of the brand', async (t) => {
  const world = await createWorld({ client: { settings, branding: { primaryColor: '#b3261e' } } });
  const link = await world.mint();
  await world.open(link);
  const expected = await createQrCode(link.url, { color: '#b3261e' });
  t.equal(world.widget.forms[0]?.qrCode, expected);
});

t.test('without the setting there is no code', async (t) => {
  const world = await createWorld();
  await world.open(await world.mint());
  t.notOk('qrCode' in (world.widget.forms[0] ?? {}));
  await world.claimlink.updateClient({ clientId: CLIENT_ID, settings: { continueOnPhone: false } });
  await world.open(await world.mint());
  t.notOk('qrCode' in (world.widget.forms[1] ?? {}));
});

t.test('a form with problems has the code as well', async (t) => {
  const world = await createWorld({ client: { settings } });
  const link = await world.mint();
  const response = await world.send('POST', link.target, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'action=submit',
  });
  t.equal(response.status, 400);
  t.match(world.widget.forms[0]?.qrCode, /^<svg /);
});

t.test('the question to a recipient has no code', async (t) => {
  const check = { ...settings, recipientCheck: ['/policy/number'] } as const;
  const world = await createWorld({ client: { settings: check } });
  const response = await world.open(
    await world.mint({ config: { ...linkRequest().config, policy: { number: 'P-77' } } }),
  );
  t.equal(response.status, 200);
  t.equal(world.widget.checks.length, 1);
  t.notMatch(JSON.stringify(world.widget.checks), '<svg');
});

t.test('the setting is true or false', async (t) => {
  const world = await createWorld();
  const client = { clientId: CLIENT_ID, settings: { continueOnPhone: 'yes' } } as object;
  await t.rejects(world.claimlink.updateClient(client as { clientId: string }), {
    code: 'request_invalid',
    problems: [{ parameter: 'settings.continueOnPhone' }],
  });
});
