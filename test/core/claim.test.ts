// The claim: each field missing, of the wrong type, and too long.
import t from 'tap';
import { isClaimlinkError } from '../../lib/core/errors.js';
import { parseClaimSubmission } from '../../lib/core/validators.js';
import { change, DATE, EMAIL, EMPTY, type FieldCase, longer, REMOVE, shown } from './field-cases.js';
import { claim } from './world.js';

const FULL_CLAIM = {
  policy: {
    ...claim().policy,
    holder: { ...claim().policy.holder, id: 'h-1' },
    linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', phone: '2' }],
  },
  incident: { date: '2026-02-28', description: 'Hail' },
};

const CLAIM_CASES: FieldCase[] = [
  ['/policy', REMOVE, 'is required'],
  ['/policy', 'x', 'must be object'],
  ['/policy/number', REMOVE, 'is required'],
  ['/policy/number', 1, 'must be string'],
  ['/policy/number', '', EMPTY],
  ['/policy/number', 'a'.repeat(101), longer(100)],
  ['/policy/provider', REMOVE, 'is required'],
  ['/policy/provider', '', EMPTY],
  ['/policy/provider', 'a'.repeat(201), longer(200)],
  ['/policy/validFrom', REMOVE, 'is required'],
  ['/policy/validFrom', '', DATE],
  ['/policy/validFrom', '2026-02-29', DATE],
  ['/policy/validFrom', '2026-1-1', DATE],
  ['/policy/validFrom', '2026-01-01T00:00', DATE],
  ['/policy/validTo', REMOVE, 'is required'],
  ['/policy/validTo', '31.12.2026', DATE],
  ['/policy/validTo', '2025-12-31', 'must not be before validFrom'],
  ['/policy/holder', REMOVE, 'is required'],
  ['/policy/holder/firstName', REMOVE, 'is required'],
  ['/policy/holder/firstName', '', EMPTY],
  ['/policy/holder/firstName', 'a'.repeat(101), longer(100)],
  ['/policy/holder/lastName', REMOVE, 'is required'],
  ['/policy/holder/lastName', '', EMPTY],
  ['/policy/holder/id', '', EMPTY],
  ['/policy/holder/id', 1, 'must be string'],
  ['/policy/holder/id', 'a'.repeat(101), longer(100)],
  ['/policy/holder/phone', REMOVE, 'is required'],
  ['/policy/holder/phone', '', EMPTY],
  ['/policy/holder/phone', '1'.repeat(41), longer(40)],
  ['/policy/holder/email', REMOVE, 'is required'],
  ['/policy/holder/email', 'ada', EMAIL],
  ['/policy/vehicle', REMOVE, 'is required'],
  ['/policy/vehicle/licensePlate', REMOVE, 'is required'],
  ['/policy/vehicle/licensePlate', '', EMPTY],
  ['/policy/vehicle/licensePlate', 'a'.repeat(33), longer(32)],
  [
    '/policy/linkedContacts',
    Array(21).fill(FULL_CLAIM.policy.linkedContacts[0]),
    'must not have more than 20 items',
  ],
  ['/policy/linkedContacts/0/firstName', REMOVE, 'is required'],
  ['/policy/linkedContacts/0/lastName', '', EMPTY],
  ['/policy/linkedContacts/0/email', 'grace', EMAIL],
  ['/policy/linkedContacts/0/phone', '1'.repeat(41), longer(40)],
  ['/incident', 'hail', 'must be object'],
  ['/incident/date', 'yesterday', DATE],
  ['/incident/date', null, 'must be string'],
  ['/incident/description', 1, 'must be string'],
  ['/incident/description', 'a'.repeat(4001), longer(4000)],
];

for (const [pointer, value, detail] of CLAIM_CASES) {
  t.test(`claim: ${pointer} ${shown(value)} is request_invalid: it ${detail}`, async (t) => {
    const errors = detailsOf(() => parseClaimSubmission(change(FULL_CLAIM, pointer, value)));
    t.ok(
      errors.some((error) => error.pointer === pointer && error.detail === detail),
      'the detail',
      { errors },
    );
    t.ok(
      errors.every((error) => error.pointer === pointer),
      'nothing else is wrong',
      { errors },
    );
  });
}

t.test('a full claim is taken as it is, unknown members dropped', async (t) => {
  const { policy, incident } = FULL_CLAIM;
  const chatty = {
    ...FULL_CLAIM,
    x: 1,
    incident: { ...incident, x: 1 },
    policy: { ...policy, x: 1, holder: { ...policy.holder, x: 1 }, vehicle: { ...policy.vehicle, x: 1 } },
  };
  t.strictSame(parseClaimSubmission(chatty), FULL_CLAIM);
});

t.test('text that no database stores is refused', async (t) => {
  const detail = 'must not contain NUL characters or lone surrogates';
  const errors = detailsOf(() => parseClaimSubmission(claim({ incident: { description: 'a\0b' } })));
  t.strictSame(errors, [{ pointer: '/incident/description', detail }]);
});

t.test('a claim needs no holder id, no contacts and no incident', async (t) => {
  t.strictSame(parseClaimSubmission(claim()), { policy: { ...claim().policy, linkedContacts: [] } });
});

t.test('a policy may begin and end on the same day', async (t) => {
  const policy = { ...claim().policy, validFrom: '2026-01-01', validTo: '2026-01-01' };
  t.doesNotThrow(() => parseClaimSubmission({ policy }));
});

t.test('an empty e-mail address is told to be empty, before it is told to be none', async (t) => {
  const { policy } = claim();
  const holder = { ...policy.holder, email: '' };
  const [first] = detailsOf(() => parseClaimSubmission({ policy: { ...policy, holder } }));
  t.strictSame(first, { pointer: '/policy/holder/email', detail: EMPTY });
});

function detailsOf(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'request_invalid') return error.details ?? [];
    throw error;
  }
  return [];
}
