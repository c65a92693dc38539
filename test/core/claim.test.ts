// The claim: each field missing, of the wrong type, and too long.
import t from 'tap';
import { isClaimlinkError, type Problem } from '../../lib/core/errors.js';
import { parseClaimSubmission } from '../../lib/core/validators.js';
import {
  change,
  DATE,
  DATE_ORDER,
  EARLY,
  EMAIL,
  EMPTY,
  type FieldCase,
  FUTURE,
  longer,
  PHONE,
  REMOVE,
  REQUIRED,
  shown,
  TOO_MANY,
  type,
  UNSTORABLE,
} from './field-cases.js';
import { claim, START } from './world.js';

const TIME: Problem = { rule: 'time', detail: 'must be a time of the day, HH:MM' };
const CHOICE: Problem = { rule: 'choice', detail: 'must be a key of the list in the form of the client' };
const TOO_MANY_ANSWERS: Problem = { rule: 'maxItems', detail: 'must not have more than 20 members' };

const FULL_CLAIM = {
  policy: {
    ...claim().policy,
    holder: { ...claim().policy.holder, id: 'h-1' },
    linkedContacts: [
      { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', phone: '222' },
    ] as const,
  },
  incident: { date: '2026-02-28', description: 'Hail', otherVehicle: { licensePlate: 'M-X 1' } },
};

const CLAIM_CASES: FieldCase[] = [
  ['/policy', REMOVE, REQUIRED],
  ['/policy', 'x', type('object')],
  ['/policy/number', REMOVE, REQUIRED],
  ['/policy/number', 1, type('string')],
  ['/policy/number', '', EMPTY],
  ['/policy/number', 'a'.repeat(101), longer(100)],
  ['/policy/provider', REMOVE, REQUIRED],
  ['/policy/provider', '', EMPTY],
  ['/policy/provider', 'a'.repeat(201), longer(200)],
  ['/policy/validFrom', REMOVE, REQUIRED],
  ['/policy/validFrom', '', EMPTY],
  ['/policy/validTo', ' ', EMPTY],
  ['/policy/validFrom', '2026-02-29', DATE],
  ['/policy/validFrom', '2026-1-1', DATE],
  ['/policy/validFrom', '2026-01-01T00:00', DATE],
  ['/policy/validFrom', '31.12.2026', DATE],
  ['/policy/validFrom', '0026-03-04', EARLY],
  ['/policy/validFrom', '1899-12-31', EARLY],
  ['/policy/validTo', '0026-03-04', EARLY],
  ['/policy/validTo', REMOVE, REQUIRED],
  ['/policy/validTo', '31.12.2026', DATE],
  ['/policy/validTo', '2025-12-31', DATE_ORDER],
  ['/policy/holder', 'Ada', type('object')],
  ['/policy/holder/firstName', REMOVE, REQUIRED],
  ['/policy/holder/firstName', '', EMPTY],
  ['/policy/holder/firstName', 'a'.repeat(101), longer(100)],
  ['/policy/holder/lastName', REMOVE, REQUIRED],
  ['/policy/holder/lastName', '', EMPTY],
  ['/policy/holder/id', 1, type('string')],
  ['/policy/holder/id', 'a'.repeat(257), longer(256)],
  ['/policy/holder/phone', REMOVE, REQUIRED],
  ['/policy/holder/phone', '', EMPTY],
  ['/policy/holder/phone', '1'.repeat(41), longer(40)],
  ['/policy/holder/phone', '+1 / 2 ext.', PHONE],
  ['/policy/holder/phone', ' ', EMPTY],
  ['/policy/holder/email', REMOVE, REQUIRED],
  ['/policy/holder/email', 'ada', EMAIL],
  ['/policy/number', ' \n\u3000', EMPTY],
  ['/policy/vehicle', 'B-CL 2026', type('object')],
  ['/policy/vehicle/licensePlate', REMOVE, REQUIRED],
  ['/policy/vehicle/licensePlate', '', EMPTY],
  ['/policy/vehicle/licensePlate', 'a'.repeat(33), longer(32)],
  ['/policy/linkedContacts', Array(21).fill(FULL_CLAIM.policy.linkedContacts[0]), TOO_MANY],
  ['/policy/linkedContacts/0/firstName', REMOVE, REQUIRED],
  ['/policy/linkedContacts/0/lastName', '', EMPTY],
  ['/policy/linkedContacts/0/email', 'grace', EMAIL],
  ['/policy/linkedContacts/0/phone', '1'.repeat(41), longer(40)],
  ['/policy/linkedContacts/0/phone', 'none', PHONE],
  ['/policy/linkedContacts/0/email', REMOVE, REQUIRED],
  ['/policy/linkedContacts/0/email', '', EMPTY],
  ['/incident', 'hail', type('object')],
  ['/incident/time', '24:00', TIME],
  ['/incident/time', '9:30', TIME],
  ['/incident/time', '09:30:00', longer(5)],
  ['/incident/place', 'a'.repeat(201), longer(200)],
  ['/incident/type', 'fire', CHOICE],
  ['/incident/injured', 'yes', type('boolean')],
  ['/incident/policeReference', 'a'.repeat(101), longer(100)],
  ['/incident/otherVehicle', 'x', type('object')],
  ['/incident/otherVehicle/licensePlate', 'a'.repeat(33), longer(32)],
  ['/incident/otherVehicle/insurer', 'a'.repeat(201), longer(200)],
  ['/incident/answers', 'x', type('object')],
  [
    '/incident/answers',
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`q${index}`, 'x'])),
    TOO_MANY_ANSWERS,
  ],
  ['/incident/date', 'yesterday', DATE],
  ['/incident/date', '0202-03-04', EARLY],
  ['/incident/date', null, type('string')],
  ['/incident/date', '2026-03-04', FUTURE],
  ['/incident/description', 1, type('string')],
  ['/incident/description', 'a'.repeat(4001), longer(4000)],
];

for (const [pointer, value, problem] of CLAIM_CASES) {
  t.test(`claim: ${pointer} ${shown(value)} is request_invalid: it ${problem.detail}`, async (t) => {
    const errors = detailsOf(() => parseClaimSubmission(change(FULL_CLAIM, pointer, value), START));
    t.ok(
      errors.some((error) => error.rule === problem.rule && error.detail === problem.detail),
      'rule and detail',
      { errors },
    );
    t.ok(
      errors.every((error) => error.pointer === pointer),
      'nothing else is wrong',
      { errors },
    );
  });
}

t.test('a valid claim keeps every known member and drops the others', async (t) => {
  const { policy, incident } = FULL_CLAIM;
  const chatty = {
    ...FULL_CLAIM,
    x: 1,
    incident: { ...incident, x: 1 },
    policy: { ...policy, x: 1, holder: { ...policy.holder, x: 1 }, vehicle: { ...policy.vehicle, x: 1 } },
  };
  t.strictSame(parseClaimSubmission(chatty, START), FULL_CLAIM);
});

t.test('text that a database rejects is request_invalid', async (t) => {
  const errors = detailsOf(() => parseClaimSubmission(claim({ incident: { description: 'a\0b' } }), START));
  t.strictSame(errors, [{ pointer: '/incident/description', ...UNSTORABLE }]);
});

t.test('text that a database rejects is not reported beside another problem of its member', async (t) => {
  const description = `\0${'a'.repeat(4000)}`;
  const errors = detailsOf(() => parseClaimSubmission(claim({ incident: { description } }), START));
  t.strictSame(errors, [{ pointer: '/incident/description', ...longer(4000) }]);
});

t.test('a claim needs no holder id, no contacts and no incident', async (t) => {
  t.strictSame(parseClaimSubmission(claim(), START), claim());
});

for (const [time, date] of [
  ['2026-03-02T00:00:00.000Z', '2026-03-03'],
  ['2026-03-02T23:59:59.999Z', '2026-03-03'],
  ['2026-12-31T12:00:00.000Z', '2027-01-01'],
] as const) {
  t.test(`at ${time}, an incident may be of ${date}, which is today in the east`, async (t) => {
    t.doesNotThrow(() => parseClaimSubmission(claim({ incident: { date } }), new Date(time)));
  });
}

t.test('the dates of a claim begin at 1900-01-01 and end at 9999-12-31', async (t) => {
  const policy = { ...claim().policy, validFrom: '1900-01-01', validTo: '9999-12-31' };
  const incident = { date: '1900-01-01' };
  t.strictSame(parseClaimSubmission({ policy, incident }, START), { policy, incident });
});

t.test('three digits of any script are enough for a phone number', async (t) => {
  const { policy } = claim();
  for (const phone of ['112', '+1-2-3', '٠١٢']) {
    const holder = { ...policy.holder, phone };
    t.doesNotThrow(() => parseClaimSubmission({ policy: { ...policy, holder } }, START), phone);
  }
});

t.test('a text of spaces only counts as absent', async (t) => {
  const { policy } = FULL_CLAIM;
  const { phone: _, ...contact } = FULL_CLAIM.policy.linkedContacts[0];
  const blank = {
    policy: {
      ...policy,
      holder: { ...policy.holder, id: ' ' },
      linkedContacts: [{ ...contact, phone: '' }],
    },
    incident: { date: '', description: '\t\n ', place: '\u3000' },
  };
  const { id: __, ...holder } = policy.holder;
  t.strictSame(parseClaimSubmission(blank, START), {
    policy: { ...policy, holder, linkedContacts: [contact] },
    incident: {},
  });
});

/** What is pasted along from mail programs, web pages, chats and office programs, and what only looks empty. */
const INVISIBLE = [
  '\u200b',
  '\u202d',
  '\u202c',
  '\ufeff',
  '\u00ad',
  '\u2060',
  '\u200e',
  '\u200d',
  '\u3164',
  '\u2800',
  '\ufe0f',
  '\u0007',
];
/** The members of a claim that are codes. */
const CODES = [
  '/policy/number',
  '/policy/vehicle/licensePlate',
  '/policy/holder/phone',
  '/policy/holder/email',
  '/policy/linkedContacts/0/phone',
  '/policy/linkedContacts/0/email',
  '/incident/policeReference',
  '/incident/otherVehicle/licensePlate',
];
const valueAt = (body: unknown, pointer: string) =>
  pointer
    .slice(1)
    .split('/')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body) as string | undefined;

for (const pointer of CODES) {
  t.test(`claim: ${pointer} loses the invisible characters that are pasted along`, async (t) => {
    const code = valueAt(FULL_CLAIM, pointer) ?? 'AZ 4711';
    const expected = change(FULL_CLAIM, pointer, code);
    for (const invisible of INVISIBLE)
      for (const pasted of [
        `${invisible}${code}`,
        `${code} ${invisible}`,
        `${code.slice(0, 2)}${invisible}${code.slice(2)}`,
      ])
        t.strictSame(
          parseClaimSubmission(change(FULL_CLAIM, pointer, pasted), START),
          expected,
          JSON.stringify(pasted),
        );
  });
}

t.test('a code without invisible characters, and names and texts, stay as they are', async (t) => {
  const family = '👨\u200d👩\u200d👧';
  for (const [pointer, text] of [
    ['/policy/number', ' A 1 '],
    ['/policy/holder/firstName', 'می\u200cخواهم'],
    ['/policy/holder/lastName', 'ක්\u200dෂ'],
    ['/policy/linkedContacts/0/firstName', family],
    ['/policy/provider', 'A\u00adB'],
    ['/incident/description', `\u200f${family}\u200b`],
  ] as const)
    t.equal(valueAt(parseClaimSubmission(change(FULL_CLAIM, pointer, text), START), pointer), text, pointer);
});

t.test('nothing that a person cannot see satisfies a required member', async (t) => {
  for (const pointer of [
    '/policy/provider',
    '/policy/number',
    '/policy/validTo',
    '/policy/vehicle/licensePlate',
    '/policy/holder/firstName',
    '/policy/holder/lastName',
    '/policy/holder/phone',
    '/policy/holder/email',
    '/policy/linkedContacts/0/firstName',
    '/policy/linkedContacts/0/email',
  ])
    for (const invisible of INVISIBLE) {
      const body = change(FULL_CLAIM, pointer, ` ${invisible}\n`);
      t.strictSame(
        detailsOf(() => parseClaimSubmission(body, START)),
        [{ pointer, ...EMPTY }],
        pointer,
      );
    }
});

t.test('a claim without holder and vehicle lacks each of their members', async (t) => {
  const { holder: _, vehicle: __, ...policy } = FULL_CLAIM.policy;
  t.strictSame(
    detailsOf(() => parseClaimSubmission({ policy }, START)),
    [
      { pointer: '/policy/vehicle/licensePlate', ...REQUIRED },
      { pointer: '/policy/holder/firstName', ...REQUIRED },
      { pointer: '/policy/holder/lastName', ...REQUIRED },
      { pointer: '/policy/holder/phone', ...REQUIRED },
      { pointer: '/policy/holder/email', ...REQUIRED },
    ],
  );
});

t.test('a policy may begin and end on the same day', async (t) => {
  const policy = { ...claim().policy, validFrom: '2026-01-01', validTo: '2026-01-01' };
  t.doesNotThrow(() => parseClaimSubmission({ policy }, START));
});

t.test('the first problem of an empty e-mail address is that it is empty', async (t) => {
  const { policy } = claim();
  const holder = { ...policy.holder, email: '' };
  const [first] = detailsOf(() => parseClaimSubmission({ policy: { ...policy, holder } }, START));
  t.strictSame(first, { pointer: '/policy/holder/email', ...EMPTY });
});

function detailsOf(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'request_invalid') return error.problems ?? [];
    throw error;
  }
  return [];
}
