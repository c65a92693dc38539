// The link request: each field missing, of the wrong type, and too long.
import t from 'tap';
import { parseLinkRequest } from '../../lib/core/validators.js';
import {
  CONTROL,
  change,
  DOTS,
  EMAIL,
  EMPTY,
  type FieldCase,
  longer,
  REMOVE,
  REQUIRED,
  SURROGATE,
  shown,
  TOO_MANY,
  type,
  UNSTORABLE,
  URL_2048,
  unsafe,
  WEB,
} from './field-cases.js';
import { createWorld, linkRequest, outcomeOf, problemOf } from './world.js';

const FULL_REQUEST = {
  callbackUrl: 'https://app.example.com/done',
  callbackOnSubmit: true,
  config: {
    contact: { email: 'help@example.com', phone: '+44 1', link: 'https://example.com/help' },
    currentUserId: 42,
    policy: {
      provider: 'Acme',
      number: 'P-1',
      validTo: '2026-12-31',
      validFrom: '2026-01-01',
      holder: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '1' },
      vehicle: { licensePlate: 'B 1' },
      linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', phone: '2' }],
    },
    initialStepKey: 'incident',
    privacyPolicyUrl: 'http://example.com/privacy',
  },
};

const REQUEST_CASES: FieldCase[] = [
  ['/callbackUrl', REMOVE, REQUIRED],
  ['/callbackUrl', 1, type('string')],
  ['/callbackUrl', null, type('string')],
  ['/callbackUrl', ['https://a.example'], type('string')],
  ['/callbackUrl', '', EMPTY],
  [
    '/callbackUrl',
    'https://a.example/?r=%7BSESSION_REFERENCE%7D',
    { rule: 'callback_placeholder', detail: 'must have the braces of {SESSION_REFERENCE} unencoded' },
  ],
  [
    '/callbackUrl',
    'https://a.example/%7bSTATUS%7d',
    { rule: 'callback_placeholder', detail: 'must have the braces of {STATUS} unencoded' },
  ],
  ['/callbackUrl', `${URL_2048}a`, longer(2048)],
  ['/callbackOnSubmit', 'true', type('boolean')],
  ['/callbackOnSubmit', 1, type('boolean')],
  ['/callbackOnSubmit', null, type('boolean')],
  ['/config', REMOVE, REQUIRED],
  ['/config', 'x', type('object')],
  ['/config', [], type('object')],
  ['/config/contact', REMOVE, REQUIRED],
  ['/config/contact', 'help@example.com', type('object')],
  ['/config/contact/email', REMOVE, REQUIRED],
  ['/config/contact/email', 1, type('string')],
  ['/config/contact/email', 'help', EMAIL],
  ['/config/contact/email', 'a@b@c', EMAIL],
  ['/config/contact/email', 'a b@c', EMAIL],
  ['/config/contact/email', 'a@b\n', EMAIL],
  ['/config/contact/email', `${'a'.repeat(250)}@b.cd`, longer(254)],
  ['/config/contact/phone', REMOVE, REQUIRED],
  ['/config/contact/phone', 4420, type('string')],
  ['/config/contact/phone', '', EMPTY],
  ['/config/contact/phone', '1'.repeat(41), longer(40)],
  ['/config/contact/link', 1, type('string')],
  ['/config/contact/link', '', EMPTY],
  ['/config/contact/link', 'help', WEB],
  ['/config/contact/link', 'javascript:alert(1)', WEB],
  ['/config/contact/link', 'mailto:help@example.com', WEB],
  ['/config/contact/link', 'https://user:secret@example.com', WEB],
  ['/config/contact/link', 'https://@example.com', WEB],
  ['/config/contact/link', 'https:///example.com', WEB],
  ['/config/contact/link', 'https:example.com', WEB],
  ['/config/contact/link', 'https://example.com/a b', WEB],
  ['/config/contact/link', `${URL_2048}a`, longer(2048)],
  ['/config/currentUserId', REMOVE, REQUIRED],
  ['/config/currentUserId', '', EMPTY],
  ['/config/currentUserId', 1.5, type('string or integer')],
  ['/config/currentUserId', true, type('string or integer')],
  ['/config/currentUserId', null, type('string or integer')],
  ['/config/currentUserId', {}, type('string or integer')],
  ['/config/currentUserId', ['user-1'], type('string or integer')],
  ['/config/currentUserId', 2 ** 53, unsafe('maximum')],
  ['/config/currentUserId', -(2 ** 53), unsafe('minimum')],
  ['/config/currentUserId', 1e300, unsafe('maximum')],
  ['/config/currentUserId', 'a\0', CONTROL],
  ['/config/currentUserId', 'a\ud800', SURROGATE],
  ['/config/currentUserId', 'a'.repeat(257), longer(256)],
  ['/config/currentUserId', '🚗'.repeat(129), longer(256)],
  ['/config/currentUserId', '.', DOTS],
  ['/config/currentUserId', '..', DOTS],
  ['/config/policy', 'P-1', type('object')],
  ['/config/policy', null, type('object')],
  ['/config/policy/provider', 1, type('string')],
  ['/config/policy/provider', 'a'.repeat(201), longer(200)],
  ['/config/policy/number', 1, type('string')],
  ['/config/policy/number', 'a'.repeat(101), longer(100)],
  ['/config/policy/validTo', 2026, type('string')],
  ['/config/policy/validTo', 'a'.repeat(41), longer(40)],
  ['/config/policy/validFrom', null, type('string')],
  ['/config/policy/validFrom', 'a'.repeat(41), longer(40)],
  ['/config/policy/holder', [], type('object')],
  ['/config/policy/holder/firstName', 1, type('string')],
  ['/config/policy/holder/firstName', 'a'.repeat(101), longer(100)],
  ['/config/policy/holder/firstName', '🚗'.repeat(51), longer(100)],
  ['/config/policy/holder/lastName', {}, type('string')],
  ['/config/policy/holder/lastName', 'a'.repeat(101), longer(100)],
  ['/config/policy/holder/email', false, type('string')],
  ['/config/policy/holder/email', 'a'.repeat(255), longer(254)],
  ['/config/policy/holder/phone', 1, type('string')],
  ['/config/policy/holder/phone', '1'.repeat(41), longer(40)],
  ['/config/policy/vehicle', 'B 1', type('object')],
  ['/config/policy/vehicle/licensePlate', 1, type('string')],
  ['/config/policy/vehicle/licensePlate', 'a'.repeat(33), longer(32)],
  ['/config/policy/linkedContacts', {}, type('array')],
  ['/config/policy/linkedContacts', Array(21).fill({}), TOO_MANY],
  ['/config/policy/linkedContacts/0', 'Grace', type('object')],
  ['/config/policy/linkedContacts/0/firstName', 1, type('string')],
  ['/config/policy/linkedContacts/0/firstName', 'a'.repeat(101), longer(100)],
  ['/config/policy/linkedContacts/0/lastName', 1, type('string')],
  ['/config/policy/linkedContacts/0/lastName', 'a'.repeat(101), longer(100)],
  ['/config/policy/linkedContacts/0/email', 1, type('string')],
  ['/config/policy/linkedContacts/0/email', 'a'.repeat(255), longer(254)],
  ['/config/policy/linkedContacts/0/phone', 1, type('string')],
  ['/config/policy/linkedContacts/0/phone', '1'.repeat(41), longer(40)],
  ['/config/initialStepKey', 1, type('string')],
  ['/config/initialStepKey', '', EMPTY],
  ['/config/initialStepKey', 'a'.repeat(101), longer(100)],
  ['/config/privacyPolicyUrl', 1, type('string')],
  ['/config/privacyPolicyUrl', '', EMPTY],
  ['/config/privacyPolicyUrl', '/privacy', WEB],
  ['/config/privacyPolicyUrl', 'data:text/html,x', WEB],
  ['/config/privacyPolicyUrl', `${URL_2048}a`, longer(2048)],
];

for (const [pointer, value, problem] of REQUEST_CASES) {
  t.test(`link request: ${pointer} ${shown(value)} is 400: it ${problem.detail}`, async (t) => {
    const { requestLink } = await createWorld();
    const response = await requestLink(change(FULL_REQUEST, pointer, value));
    t.equal(outcomeOf(response), '400 request_invalid');
    const about = problemOf(response).errors?.filter((error) => error.pointer === pointer) ?? [];
    t.ok(
      about.some((error) => error.rule === problem.rule && error.detail === problem.detail),
      'rule and detail',
      { errors: problemOf(response).errors },
    );
    t.equal(about.length, problemOf(response).errors?.length, 'nothing else is wrong');
  });
}

const GOOD_VALUES: [pointer: string, value: unknown][] = [
  ['/callbackUrl', URL_2048],
  ['/callbackOnSubmit', REMOVE],
  ['/config/contact/email', 'a@b'],
  ['/config/contact/phone', '1'.repeat(40)],
  ['/config/contact/link', REMOVE],
  ['/config/currentUserId', 0],
  ['/config/currentUserId', -1],
  ['/config/currentUserId', 2 ** 53 - 1],
  ['/config/currentUserId', 'a'.repeat(256)],
  ['/config/policy', REMOVE],
  ['/config/policy', {}],
  ['/config/policy/holder/email', 'not an e-mail address'],
  ['/config/policy/holder/firstName', '🚗'.repeat(50)],
  ['/config/policy/validFrom', 'whenever'],
  ['/config/policy/linkedContacts', Array(20).fill({})],
  ['/config/initialStepKey', 'anything'],
  ['/config/initialStepKey', '🚗'],
  ['/config/initialStepKey', 'a'],
];

for (const [pointer, value] of GOOD_VALUES) {
  t.test(`link request: ${pointer} ${shown(value)} is fine`, async (t) => {
    const { requestLink } = await createWorld();
    t.equal((await requestLink(change(FULL_REQUEST, pointer, value))).status, 200);
  });
}

const ANY_CALLBACK = { callbackProblem: () => undefined };

t.test('a valid request keeps every known member', async (t) => {
  t.strictSame(parseLinkRequest(FULL_REQUEST, ANY_CALLBACK), FULL_REQUEST);
});

t.test('callbackOnSubmit is false by default', async (t) => {
  const world = await createWorld();
  const { accessCode, token } = await world.mint();
  t.equal((await world.claimlink.openLink(accessCode, token)).callbackOnSubmit, false);
});

t.test('unknown members are dropped at every level', async (t) => {
  const { contact, policy } = FULL_REQUEST.config;
  const chatty = {
    ...FULL_REQUEST,
    x: 1,
    config: {
      ...FULL_REQUEST.config,
      theme: 'dark',
      contact: { ...contact, x: 1 },
      policy: {
        ...policy,
        x: 1,
        holder: { ...policy.holder, id: 'x' },
        vehicle: { ...policy.vehicle, vin: 'x' },
        linkedContacts: policy.linkedContacts.map((person) => ({ ...person, id: 'x' })),
      },
    },
  };
  t.strictSame(parseLinkRequest(chatty, ANY_CALLBACK), FULL_REQUEST);
});

t.test('a response names all problems', async (t) => {
  const { requestLink } = await createWorld();
  const response = await requestLink({ callbackOnSubmit: 'x', config: { contact: {}, currentUserId: true } });
  t.strictSame(
    problemOf(response)
      .errors?.map(({ pointer }) => pointer)
      .sort(),
    [
      '/callbackOnSubmit',
      '/callbackUrl',
      '/config/contact/email',
      '/config/contact/phone',
      '/config/currentUserId',
    ],
  );
});

t.test('text that a database rejects is 400 in every member', async (t) => {
  const { requestLink } = await createWorld();
  const { contact } = FULL_REQUEST.config;
  const policy = { provider: 'a\0', linkedContacts: [{}, { firstName: 'a\ud800' }] };
  const config = { ...FULL_REQUEST.config, contact: { ...contact, phone: '\0' }, policy };
  const response = await requestLink({ ...FULL_REQUEST, config });
  t.equal(outcomeOf(response), '400 request_invalid');
  t.strictSame(problemOf(response).errors, [
    { pointer: '/config/contact/phone', ...UNSTORABLE },
    { pointer: '/config/policy/provider', ...UNSTORABLE },
    { pointer: '/config/policy/linkedContacts/1/firstName', ...UNSTORABLE },
  ]);
});

t.test('such text in an unknown member is accepted, because it is not stored', async (t) => {
  const { requestLink } = await createWorld();
  t.equal((await requestLink({ ...FULL_REQUEST, note: 'a\0\ud800' })).status, 200);
});

t.test('a list that is too long is one problem, however many of its items are wrong', async (t) => {
  const { requestLink } = await createWorld();
  const config = { ...FULL_REQUEST.config, policy: { linkedContacts: Array(5000).fill(1) } };
  t.strictSame(problemOf(await requestLink({ ...FULL_REQUEST, config })).errors, [
    { pointer: '/config/policy/linkedContacts', ...TOO_MANY },
  ]);
});

t.test('a response names at most 20 problems, in the order of the document', async (t) => {
  const { requestLink } = await createWorld();
  const person = { firstName: 1, lastName: 1, email: 1, phone: 1 };
  const policy = { linkedContacts: Array(20).fill(person) };
  const { errors = [] } = problemOf(
    await requestLink({ ...FULL_REQUEST, config: { ...FULL_REQUEST.config, policy } }),
  );
  t.strictSame(
    errors.map(({ pointer }) => pointer),
    [0, 1, 2, 3, 4].flatMap((index) =>
      Object.keys(person).map((name) => `/config/policy/linkedContacts/${index}/${name}`),
    ),
  );
});

t.test('members named like those of a prototype are dropped and change no prototype', async (t) => {
  const json = JSON.stringify(FULL_REQUEST).replace(
    '{',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
  );
  const request = parseLinkRequest(JSON.parse(json), ANY_CALLBACK);
  t.strictSame(request, FULL_REQUEST);
  t.strictSame(Object.getPrototypeOf(request), Object.prototype);
  t.notOk('polluted' in {});
});

t.test('an error quotes no value', async (t) => {
  const { requestLink } = await createWorld();
  const secret = 'hunter2';
  const request = {
    callbackUrl: secret,
    config: { contact: { email: secret, phone: [secret] }, currentUserId: [secret] },
  };
  t.notOk((await requestLink(request)).body.includes(secret));
});

t.test('initialStepKey must be one of stepKeys, if the host sets them', async (t) => {
  const { requestLink } = await createWorld({ stepKeys: ['one', 'two'] });
  const withStep = (initialStepKey: string) =>
    linkRequest({ config: { ...linkRequest().config, initialStepKey } });
  t.equal((await requestLink(withStep('two'))).status, 200);
  t.equal((await requestLink(linkRequest())).status, 200, 'it stays optional');
  t.strictSame(problemOf(await requestLink(withStep('three'))).errors, [
    { pointer: '/config/initialStepKey', rule: 'step_key', detail: 'must be one of: one, two' },
  ]);
});
