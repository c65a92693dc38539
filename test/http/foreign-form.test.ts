// A form of another site gets no text back on any page: its author could write a text into a page with personal data.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { createWorld } from '../core/world.js';

const TEXT = 'text-of-another-site';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const body = (changes: Record<string, string> = {}) =>
  new URLSearchParams({ '/incident/description': TEXT, ...changes }).toString();
const COMPLETE = {
  '/policy/provider': 'Acme',
  '/policy/number': 'A-1',
  '/policy/validFrom': '2025-01-01',
  '/policy/validTo': '2025-12-31',
  '/policy/vehicle/licensePlate': 'AB 123',
  '/policy/holder/firstName': 'Ada',
  '/policy/holder/lastName': 'Lovelace',
  '/policy/holder/phone': '123',
  '/policy/holder/email': 'ada@example.com',
};

for (const site of ['same-origin', 'cross-site']) {
  const isShown = site === 'same-origin';
  t.test(`a form that is ${site} gets its text back: ${isShown}`, async (t) => {
    const world = await createWorld({ widget: createStandaloneWidget() });
    const headers = { ...FORM, 'sec-fetch-site': site };
    const link = await world.mint();
    const invalid = await world.send('POST', link.target, { headers, body: body({ '/policy/number': '' }) });
    t.equal(invalid.status, 400);
    t.equal(invalid.body.includes(TEXT), isShown, 'the form with problems');
    const stored = await world.send('POST', link.target, {
      headers: FORM,
      body: body({ ...COMPLETE, '/incident/description': 'Stored.' }),
    });
    t.equal(stored.status, 200);
    const changed = await world.send('POST', link.target, { headers, body: body(COMPLETE) });
    t.equal(changed.status, 200);
    t.equal(changed.body.includes(TEXT), isShown, 'the page of a claim that differs');
  });
}
