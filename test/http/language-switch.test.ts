// The token for the list of languages: the form and the question get it, and no page of an error.
import t from 'tap';
import { createWorld, linkRequest } from '../core/world.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

t.test('the form gets the token of its URL, unless it has what was sent', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  await world.open(link);
  await world.send('POST', link.target, { headers: FORM, body: 'action=submit' });
  t.strictSame(
    world.widget.forms.map(({ token }) => token),
    [link.token, undefined],
  );
});

t.test('the question gets the token of its URL, unless it has an answer', async (t) => {
  const world = await createWorld({ client: { settings: { recipientCheck: ['/policy/number'] } } });
  const link = await world.mint({ config: { ...linkRequest().config, policy: { number: 'P-77' } } });
  await world.open(link);
  await world.send('POST', link.target, { headers: FORM, body: 'action=check&answer=wrong' });
  t.strictSame(
    world.widget.checks.map(({ token }) => token),
    [link.token, undefined],
  );
});

t.test('no other page gets the token', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  await world.submitForm(link);
  await world.open(link);
  t.notOk('token' in (world.widget.successes[0] ?? {}));
  t.notOk('token' in (world.widget.unavailables[0] ?? {}));
});
