// Posted fields become a claim: known pointers only, and nothing made up.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { postedForm } from './views.js';

const { readForm } = createStandaloneWidget();

const CLAIM = {
  policy: {
    number: 'A-1',
    provider: 'Acme',
    validFrom: '2025-01-01',
    validTo: '2025-12-31',
    holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '123', email: 'ada@example.com' },
    linkedContacts: [{ firstName: 'Bob', lastName: 'Ross', email: 'bob@example.com', phone: '456' }],
    vehicle: { licensePlate: 'AB 123' },
  },
  incident: { date: '2025-06-01', description: 'A bump.' },
};

t.test('every field gets to its place in the claim', async (t) => {
  t.strictSame(readForm(postedForm()), CLAIM);
});

t.test('a ticked confirmation is true, and nothing else is', async (t) => {
  t.strictSame(readForm(postedForm({ '/noticeAccepted': 'true' })), { ...CLAIM, noticeAccepted: true });
  for (const value of ['', 'on', 'false', 'TRUE'])
    t.strictSame(readForm(postedForm({ '/noticeAccepted': value })), CLAIM, value);
});

t.test('values are trimmed', async (t) => {
  t.strictSame(
    readForm(postedForm({ '/policy/number': ' A-1\t', '/policy/holder/firstName': '\nAda ' })),
    CLAIM,
  );
});

t.test('a text in which nothing can be seen is empty, and a row of such texts is no person', async (t) => {
  const fields = { '/policy/number': '\u200b', '/policy/linkedContacts/1/firstName': ' \u2060 ' };
  const { number: _, ...policy } = CLAIM.policy;
  t.strictSame(readForm(postedForm(fields)), { ...CLAIM, policy });
});

t.test('an empty form is a claim with nothing in it', async (t) => {
  t.strictSame(readForm(new URLSearchParams()), { policy: {} });
});

t.test(
  'the answers to the questions of a client and the members that only some clients ask get to their places',
  async (t) => {
    const posted = postedForm({
      '/incident/time': '14:30',
      '/incident/injured': 'false',
      '/incident/otherVehicle/insurer': 'Other',
      '/incident/answers/locked': 'true',
      '/incident/answers/floor': ' 3 ',
      '/incident/answers/unknown': 'x',
    });
    const texts = { en: { label: 'x' } };
    const claim = readForm(posted, {
      questions: [
        { key: 'locked', step: 'incident', kind: 'boolean', texts },
        { key: 'floor', step: 'policy', kind: 'text', texts },
      ],
    });
    t.strictSame(claim, {
      ...CLAIM,
      incident: {
        ...CLAIM.incident,
        time: '14:30',
        injured: false,
        otherVehicle: { insurer: 'Other' },
        answers: { locked: true, floor: '3' },
      },
    });
  },
);

t.test('a text that is neither true nor false stays for the check', async (t) => {
  t.match(readForm(postedForm({ '/incident/injured': 'perhaps' })), { incident: { injured: 'perhaps' } });
});

t.test('blank optional members are left out', async (t) => {
  const claim = readForm(postedForm({ '/incident/date': ' ', '/policy/linkedContacts/0/phone': '' }));
  t.strictSame(claim, {
    policy: {
      ...CLAIM.policy,
      linkedContacts: [{ firstName: 'Bob', lastName: 'Ross', email: 'bob@example.com' }],
    },
    incident: { description: 'A bump.' },
  });
});

t.test('an incident with nothing in it is left out', async (t) => {
  const claim = readForm(postedForm({ '/incident/date': '', '/incident/description': ' \r\n ' }));
  t.strictSame(claim, { policy: CLAIM.policy });
});

t.test('wholly blank rows of contacts go, and the rest move up; half-filled rows stay', async (t) => {
  const claim = readForm(
    postedForm({
      '/policy/linkedContacts/0/firstName': ' ',
      '/policy/linkedContacts/0/lastName': '',
      '/policy/linkedContacts/0/email': '',
      '/policy/linkedContacts/0/phone': '',
      '/policy/linkedContacts/2/email': 'c@example.com',
      '/policy/linkedContacts/19/firstName': 'Zed',
    }),
  );
  const { policy } = claim as { policy: { linkedContacts: unknown } };
  t.strictSame(policy.linkedContacts, [{ email: 'c@example.com' }, { firstName: 'Zed' }]);
});

t.test('the first of several values of a name wins', async (t) => {
  const posted = postedForm();
  posted.append('/policy/number', 'second');
  t.strictSame(readForm(posted), CLAIM);
});

t.test('names that no field has are ignored', async (t) => {
  const posted = postedForm({
    '/policy/holder/id': 'somebody-else',
    '/policy/linkedContacts/20/firstName': 'x',
    '/policy/linkedContacts/00/firstName': 'x',
    '/policy/linkedContacts/-1/firstName': 'x',
    '/policy/linkedContacts/length': '9',
    '/__proto__/polluted': 'x',
    '/constructor/prototype/polluted': 'x',
    __proto__: 'x',
    policy: 'x',
    '': 'x',
  });
  t.strictSame(readForm(posted), CLAIM);
  t.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

t.test('a line end counts as one character, as it did for the one who typed it', async (t) => {
  t.match(readForm(postedForm({ '/incident/description': 'a\r\nb' })), { incident: { description: 'a\nb' } });
});

t.test('the names of photos are an object of names by ids, and no member without any', async (t) => {
  const id = 'a'.repeat(64);
  const photoNames = new URLSearchParams([
    [id, 'Front & back.jpg'],
    ['__proto__', 'x'],
  ]).toString();
  const claim = readForm(postedForm({ photoNames })) as { photoNames: Record<string, string> };
  t.equal(claim.photoNames[id], 'Front & back.jpg');
  t.equal(Object.getPrototypeOf(claim.photoNames), Object.prototype);
  t.strictSame(readForm(postedForm({ photoNames: '' })), CLAIM);
});
