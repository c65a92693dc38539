// The form of a client: which settings it can have, and what a claim must have then.
import t from 'tap';
import { CLAIM_FIELDS, needOf } from '../../lib/core/claim-fields.js';
import { assertClientSettings } from '../../lib/core/client-settings.js';
import { isClaimlinkError, type Problem } from '../../lib/core/errors.js';
import type { ClaimSubmission, ClientForm, FormQuestion } from '../../lib/core/types.js';
import { parseClaimSubmission } from '../../lib/core/validators.js';
import { claim, createWorld, outcomeOf, START } from './world.js';

const TEXTS = { en: 'Water', 'de-AT': 'Wasser' };
const CHOICE = { key: 'water', texts: TEXTS };
const QUESTION: FormQuestion = {
  key: 'floor',
  step: 'incident',
  kind: 'text',
  texts: { en: { label: 'Floor' } },
};

/** A household has neither a plate nor, at hand, the dates of its cover. */
const HOUSEHOLD: ClientForm = {
  fields: {
    '/policy/validFrom': 'optional',
    '/policy/validTo': 'optional',
    '/policy/vehicle/licensePlate': 'hidden',
    '/incident/place': 'required',
    '/incident/injured': 'required',
    '/incident/type': 'optional',
  },
  incidentTypes: [CHOICE, { key: 'fire', texts: { en: 'Fire' } }],
  questions: [
    QUESTION,
    { ...QUESTION, key: 'story', kind: 'textarea', step: 'policy' },
    { ...QUESTION, key: 'moved_in', kind: 'date', required: true },
    { ...QUESTION, key: 'locked', kind: 'boolean', required: true },
    {
      ...QUESTION,
      key: 'room',
      kind: 'choice',
      step: 'contact',
      options: [
        { key: 'kitchen', texts: { en: 'Kitchen' } },
        { key: 'bath', texts: { en: 'Bath' } },
      ],
    },
  ],
  contacts: 'email_or_phone',
  emergency: { phone: '+41 44 123', first: true },
  photos: { need: 'hidden', most: 50, heic: true },
  texts: {
    en: {
      introduction: 'Hello',
      nextSteps: 'Wait',
      emergency: 'Call 112',
      contacts: 'Neighbours',
      renewal: 'By SMS',
    },
  },
};

const { vehicle: _, validFrom: __, validTo: ___, ...HOUSEHOLD_POLICY } = claim().policy;
const HOUSEHOLD_CLAIM: ClaimSubmission = {
  policy: HOUSEHOLD_POLICY,
  incident: { place: 'Home', injured: false, answers: { moved_in: '2020-02-29', locked: true } },
};

const BAD_PHONE =
  '.emergency.phone must have 3 to 20 digits and spaces, at least three digits, and perhaps "+" before them.';

function messageOf(form: unknown): string | undefined {
  try {
    assertClientSettings({ clientId: 'acme', settings: { form: form as ClientForm } });
    return undefined;
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return code === 'request_invalid' ? message.replace('The parameter settings.form', '') : String(error);
  }
}

function problemsOf(body: unknown, form: ClientForm = HOUSEHOLD): readonly Problem[] {
  try {
    parseClaimSubmission(body, START, form);
    return [];
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'request_invalid') return error.problems ?? [];
    throw error;
  }
}

const rulesOf = (body: unknown, form?: ClientForm) =>
  problemsOf(body, form).map(({ pointer, rule }) => `${pointer} ${rule}`);

t.test('a form may have each of its members', async (t) => {
  for (const form of [{}, HOUSEHOLD, { questions: [] }, { fields: {} }, { contacts: 'email' }])
    t.equal(messageOf(form), undefined, JSON.stringify(form));
});

const KEY = 'must have 1 to 50 letters, digits, "_" and "-", and begin with a letter.';
const LABEL = 'must be a text of 1 to 200 UTF-16 code units.';
const OF_STEP = 'must be a JSON Pointer or the key of a question of this step.';
for (const [form, message] of [
  [null, ' must be an object.'],
  [[], ' must be an object.'],
  [{ field: {} }, '.field is not an option (did you mean fields?).'],
  [
    { fields: { '/policy/provider': 'never' } },
    '.fields./policy/provider must be required or optional or hidden.',
  ],
  [{ contacts: 'phone' }, '.contacts must be email or email_or_phone.'],
  [
    { fields: { '/policy/holder/phone': 'optional', '/policy/holder/email': 'hidden' } },
    '.fields must require the phone or the email of the holder.',
  ],
  [
    { fields: { '/incident/type': 'optional' } },
    '.incidentTypes is required if the form asks for /incident/type.',
  ],
  [{ incidentTypes: [] }, '.incidentTypes must be a list of 1 to 30 entries.'],
  [{ incidentTypes: Array(31).fill(CHOICE) }, '.incidentTypes must be a list of 1 to 30 entries.'],
  [{ incidentTypes: [CHOICE, CHOICE] }, '.incidentTypes.1.key is that of another entry already.'],
  [{ incidentTypes: [{ key: 'fire' }] }, '.incidentTypes.0.texts is required.'],
  [
    { incidentTypes: [{ key: 'fire', texts: {} }] },
    '.incidentTypes.0.texts must have a text in at least one language.',
  ],
  [
    { incidentTypes: [{ key: 'fire', texts: { 'de-at': 'Feuer' } }] },
    '.incidentTypes.0.texts has a name that is not a BCP 47 language tag, such as de or pt-BR.',
  ],
  [{ incidentTypes: [{ key: 'fire', texts: { en: ' ' } }] }, `.incidentTypes.0.texts.en ${LABEL}`],
  [{ incidentTypes: [{ key: 'fire', texts: { en: 'a\ud800' } }] }, `.incidentTypes.0.texts.en ${LABEL}`],
  [{ incidentTypes: [{ key: '__proto__', texts: TEXTS }] }, `.incidentTypes.0.key ${KEY}`],
  [{ incidentTypes: [{ key: 'a'.repeat(51), texts: TEXTS }] }, `.incidentTypes.0.key ${KEY}`],
  [{ questions: Array(21).fill(QUESTION) }, '.questions must be a list of 0 to 20 entries.'],
  [{ questions: [{ ...QUESTION, key: '1' }] }, `.questions.0.key ${KEY}`],
  [
    { questions: [{ ...QUESTION, step: 'review' }] },
    '.questions.0.step must be policy or incident or contact.',
  ],
  [{ questions: [{ ...QUESTION, required: 'yes' }] }, '.questions.0.required must be true or false.'],
  [
    { questions: [{ ...QUESTION, kind: 'file' }] },
    '.questions.0.kind must be text or textarea or date or boolean or choice.',
  ],
  [
    { questions: [{ ...QUESTION, texts: { en: { hint: 'x' } } }] },
    '.questions.0.texts.en.label is required.',
  ],
  [
    { questions: [{ ...QUESTION, texts: { en: { label: 'x', hint: 'x'.repeat(501) } } }] },
    '.questions.0.texts.en.hint must be a text of 1 to 500 UTF-16 code units.',
  ],
  [
    { questions: [{ ...QUESTION, kind: 'choice' }] },
    '.questions.0.options must be there for a choice, and for no other kind.',
  ],
  [
    { questions: [{ ...QUESTION, kind: 'choice', options: [CHOICE] }] },
    '.questions.0.options must be a list of 2 to 30 entries.',
  ],
  [
    { questions: [{ ...QUESTION, options: [CHOICE, { ...CHOICE, key: 'b' }] }] },
    '.questions.0.options must be there for a choice, and for no other kind.',
  ],
  [{ emergency: { phone: '11' } }, BAD_PHONE],
  [{ emergency: { phone: '1 1' } }, BAD_PHONE],
  [{ emergency: { phone: '112 or 911' } }, BAD_PHONE],
  [{ emergency: { phone: '+   ' } }, BAD_PHONE],
  [{ emergency: { phone: '11+2' } }, BAD_PHONE],
  [{ emergency: { phone: '1'.repeat(21) } }, BAD_PHONE],
  [{ emergency: { phone: 112 } }, BAD_PHONE],
  [{ emergency: { first: 'yes' } }, '.emergency.first must be true or false.'],
  [{ emergency: { text: 'x' } }, '.emergency.text is not an option (options are: phone, first).'],
  [
    { texts: { en: { emergency: 'x'.repeat(2001) } } },
    '.texts.en.emergency must be a text of 1 to 2000 UTF-16 code units.',
  ],
  [
    {
      texts: Object.fromEntries(
        ['cs', 'da', 'de', 'en', 'es', 'fi', 'fr', 'it', 'nl', 'pl'].map((tag) => [tag, HUGE()]),
      ),
    },
    ' must not be larger than 65536 bytes as JSON.',
  ],
  [{ photos: true }, '.photos must be an object.'],
  [{ photos: {} }, '.photos.need is required.'],
  [{ photos: { need: 'yes' } }, '.photos.need must be required or optional or hidden.'],
  [{ photos: { need: 'optional', most: 0 } }, '.photos.most must be a whole number, 1 to 50.'],
  [{ photos: { need: 'optional', most: 51 } }, '.photos.most must be a whole number, 1 to 50.'],
  [{ photos: { need: 'optional', most: 1.5 } }, '.photos.most must be a whole number, 1 to 50.'],
  [{ photos: { need: 'optional', heic: 'yes' } }, '.photos.heic must be true or false.'],
  [{ photos: { need: 'optional', max: 3 } }, '.photos.max is not an option (options are: need, most, heic).'],
  [{ noticePlace: 'last' }, '.noticePlace must be review or first.'],
  [{ order: [] }, '.order must be an object.'],
  [{ order: { incident: '/incident/date' } }, '.order.incident must be a list of texts.'],
  [{ order: { incident: ['/incident/date', '/policy/number'] } }, `.order.incident.1 ${OF_STEP}`],
  [{ order: { policy: ['floor'] } }, `.order.policy.0 ${OF_STEP}`],
  [
    { order: { contact: ['/policy/linkedContacts', '/policy/linkedContacts'] } },
    '.order.contact.1 is named in this list already.',
  ],
] as [unknown, string][]) {
  t.test(
    `a form is rejected: ${message.slice(0, 120)} (${JSON.stringify(form)?.slice(0, 60)})`,
    async (t) => {
      t.equal(messageOf(form), message);
    },
  );
}

function HUGE() {
  const text = 'x'.repeat(2000);
  return { introduction: text, nextSteps: text, emergency: text, contacts: text, renewal: text };
}

t.test(
  'an order may name fields that the form hides, the list of people, and questions of the step',
  async (t) => {
    const order = { incident: ['/incident/time', QUESTION.key], contact: ['/policy/linkedContacts'] };
    t.equal(messageOf({ questions: [{ ...QUESTION, step: 'incident' }], order }), undefined);
    t.equal(messageOf({ order: {}, noticePlace: 'first' }), undefined);
  },
);

t.test('a claim has what the form of its client requires, and may lack the rest', async (t) => {
  t.strictSame(problemsOf(HOUSEHOLD_CLAIM), []);
  t.strictSame(rulesOf(HOUSEHOLD_CLAIM, {}), [
    '/policy/validFrom required',
    '/policy/validTo required',
    '/policy/vehicle/licensePlate required',
    '/incident/answers/moved_in unknown_question',
    '/incident/answers/locked unknown_question',
  ]);
  t.strictSame(rulesOf({ policy: HOUSEHOLD_POLICY, incident: { place: ' ', answers: { moved_in: ' ' } } }), [
    '/incident/place minLength',
    '/incident/injured required',
    '/incident/answers/moved_in minLength',
    '/incident/answers/locked required',
  ]);
});

t.test('nothing that a person cannot see answers a question, or is a text of a form', async (t) => {
  const questions = [{ ...QUESTION, key: 'number', required: true }];
  const body = (number: string) => ({ ...claim(), incident: { answers: { number } } });
  t.strictSame(rulesOf(body('\u200b'), { questions }), ['/incident/answers/number minLength']);
  t.strictSame(rulesOf(body('x'), { questions }), []);
  const kept = parseClaimSubmission(body('a\u200d'), START, { questions });
  t.strictSame(kept.incident?.answers, { number: 'a\u200d' }, 'an answer is a text');
  t.match(messageOf({ questions: [{ ...QUESTION, texts: { en: { label: '\u2060' } } }] }), LABEL);
});

t.test('the answer to a question about a date begins at 1900-01-01, as a person types it', async (t) => {
  for (const [moved_in, problems] of [
    ['1900-01-01', []],
    ['9999-12-31', []],
    ['1899-12-31', ['/incident/answers/moved_in format']],
    ['0026-03-04', ['/incident/answers/moved_in format']],
    ['2026-02-30', ['/incident/answers/moved_in format']],
  ] as const) {
    const answers = { moved_in, locked: true };
    const body = { ...HOUSEHOLD_CLAIM, incident: { ...HOUSEHOLD_CLAIM.incident, answers } };
    t.strictSame(rulesOf(body), problems, moved_in);
  }
});

t.test('each field can be required', async (t) => {
  const fields = Object.fromEntries(CLAIM_FIELDS.map((field) => [field, 'required'] as const));
  t.strictSame(
    rulesOf({ policy: { ...claim().policy, linkedContacts: [] } }, { fields }),
    CLAIM_FIELDS.filter((field) => needOf(undefined, field) !== 'required').map(
      (field) => `${field} required`,
    ),
  );
});

t.test('a value of a hidden field is checked and stored', async (t) => {
  const policy = { ...HOUSEHOLD_POLICY, vehicle: { licensePlate: 'B-CL 2026' } };
  t.strictSame(parseClaimSubmission({ ...HOUSEHOLD_CLAIM, policy }, START, HOUSEHOLD).policy, policy);
  t.strictSame(
    rulesOf({ ...HOUSEHOLD_CLAIM, policy: { ...policy, vehicle: { licensePlate: 'a'.repeat(33) } } }),
    ['/policy/vehicle/licensePlate maxLength'],
  );
});

t.test('the order of the cover is checked if both of its ends are there', async (t) => {
  const withCover = (cover: object) => ({ ...HOUSEHOLD_CLAIM, policy: { ...HOUSEHOLD_POLICY, ...cover } });
  t.strictSame(rulesOf(withCover({ validFrom: '2026-02-01', validTo: '2026-01-01' })), [
    '/policy/validTo date_order',
  ]);
  for (const cover of [
    { validFrom: '2026-02-01' },
    { validTo: '2026-01-01' },
    { validFrom: '', validTo: '2026-01-01' },
  ])
    t.strictSame(rulesOf(withCover(cover)), [], JSON.stringify(cover));
});

t.test('an answer has the type and the length of its question', async (t) => {
  const answered = (answers: object) =>
    rulesOf({
      ...HOUSEHOLD_CLAIM,
      incident: {
        ...HOUSEHOLD_CLAIM.incident,
        answers: { ...HOUSEHOLD_CLAIM.incident?.answers, ...answers },
      },
    });
  const fine = { floor: 'x'.repeat(200), story: 'x'.repeat(2000), room: 'bath', locked: false };
  t.strictSame(answered(fine), []);
  for (const [answers, rule] of [
    [{ floor: 'x'.repeat(201) }, 'floor maxLength'],
    [{ floor: true }, 'floor type'],
    [{ floor: 3 }, 'floor type'],
    [{ floor: 'a\0b' }, 'floor text'],
    [{ story: 'x'.repeat(2001) }, 'story maxLength'],
    [{ moved_in: '2026-02-29' }, 'moved_in format'],
    [{ locked: 'true' }, 'locked type'],
    [{ room: 'attic' }, 'room choice'],
    [{ 'a/b~c': 'x' }, 'a~1b~0c unknown_question'],
    [{ constructor: 'x' }, 'constructor unknown_question'],
  ] as const)
    t.strictSame(answered(answers), [`/incident/answers/${rule}`]);
});

t.test('the type of the incident is one of the form', async (t) => {
  const withType = (type: string) => ({
    ...HOUSEHOLD_CLAIM,
    incident: { ...HOUSEHOLD_CLAIM.incident, type },
  });
  t.strictSame(rulesOf(withType('fire')), []);
  t.strictSame(rulesOf(withType('Fire')), ['/incident/type choice']);
});

t.test('of a person, a phone number or an address is enough if the form says so', async (t) => {
  const person = { firstName: 'Grace', lastName: 'Hopper' };
  const withPerson = (more: object) => ({
    policy: { ...claim().policy, linkedContacts: [{ ...person, ...more }] },
  });
  const form: ClientForm = { contacts: 'email_or_phone' };
  for (const more of [{ phone: '112' }, { email: 'g@example.com' }, { email: '', phone: '112' }])
    t.strictSame(rulesOf(withPerson(more), form), []);
  t.strictSame(rulesOf(withPerson({}), form), ['/policy/linkedContacts/0/email required']);
  t.strictSame(rulesOf(withPerson({ phone: '112' }), {}), ['/policy/linkedContacts/0/email required']);
  t.strictSame(rulesOf(withPerson({ phone: 'x' }), form), ['/policy/linkedContacts/0/phone phone_digits']);
});

t.test('what a user leaves out is an empty text in the session and in the listing', async (t) => {
  const world = await createWorld({ client: { settings: { form: HOUSEHOLD } } });
  const link = await world.mint();
  const policy = { ...HOUSEHOLD_POLICY, linkedContacts: [{ firstName: 'G', lastName: 'H', phone: '112' }] };
  const response = await world.submitJson(link, { ...HOUSEHOLD_CLAIM, policy });
  t.equal(response.status, 200, response.body);
  const { sessions } = await world.claimlink.listSessions('acme', 'user-1');
  t.strictSame(sessions[0]?.incident, HOUSEHOLD_CLAIM.incident);
  t.match(sessions[0]?.selectedPolicy, { validFrom: '', validTo: '', vehicle: { licensePlate: '' } });
  t.equal(sessions[0]?.selectedPolicy.linkedContacts[0]?.email, '');
  const repeated = await world.submitJson(link, { ...HOUSEHOLD_CLAIM, policy });
  t.equal(JSON.parse(repeated.body).data.unchanged, true);
});

t.test('JSON cannot pass what the form requires', async (t) => {
  const world = await createWorld({ client: { settings: { form: HOUSEHOLD } } });
  const response = await world.submitJson(await world.mint(), { policy: HOUSEHOLD_POLICY });
  t.equal(response.status, 400);
  t.strictSame(
    JSON.parse(response.body).errors.map(({ pointer }: Problem) => pointer),
    ['/incident/place', '/incident/injured', '/incident/answers/moved_in', '/incident/answers/locked'],
  );
});

t.test(
  'a claim of a client with a setting of a newer version is settings_unknown, and not stored',
  async (t) => {
    for (const settings of [
      { later: 1 },
      { form: { later: 1 } },
      { form: { questions: [{ ...QUESTION, kind: 'later' }] } },
    ]) {
      const world = await createWorld({
        wrapStorage: (storage) => ({
          ...storage,
          async findLink(id) {
            const stored = await storage.findLink(id);
            return stored && { ...stored, client: { ...stored.client, settings: settings as object } };
          },
        }),
      });
      const link = await world.mint();
      const response = await world.submitJson(link, claim());
      t.equal(outcomeOf(response), '503 settings_unknown');
      t.ok(response.headers['retry-after']);
      t.equal(world.storage.snapshot?.().sessions?.length ?? 0, 0);
    }
  },
);
