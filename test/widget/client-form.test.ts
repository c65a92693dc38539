// The form of a client on the pages: what is asked, how, and in which language.
import t from 'tap';
import type { ClientForm } from '../../lib/core/types.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, formView, markup, PAGE_VIEW, postedForm, tags } from './views.js';

const { renderForm, renderSuccess, renderUnavailable, renderChanged } = createStandaloneWidget();

const LOCKED = {
  key: 'locked',
  step: 'incident',
  kind: 'boolean',
  required: true,
  texts: { en: { label: 'Locked?' } },
} as const;

const FORM: ClientForm = {
  fields: {
    '/policy/provider': 'hidden',
    '/policy/validFrom': 'optional',
    '/policy/validTo': 'hidden',
    '/policy/vehicle/licensePlate': 'hidden',
    '/incident/time': 'required',
    '/incident/type': 'required',
    '/incident/injured': 'optional',
    '/incident/description': 'hidden',
  },
  incidentTypes: [
    { key: 'water', texts: { de: 'Wasser', en: '<Water>' } },
    { key: 'fire', texts: { fr: 'Feu' } },
  ],
  questions: [
    {
      key: 'floor',
      step: 'policy',
      kind: 'text',
      texts: { en: { label: 'Floor', hint: 'Counted & so on' } },
    },
    { key: 'story', step: 'contact', kind: 'textarea', required: true, texts: { de: { label: 'Hergang' } } },
    { key: 'day', step: 'incident', kind: 'date', texts: { en: { label: 'Moved in' } } },
    LOCKED,
  ],
  contacts: 'email_or_phone',
  texts: {
    en: {
      introduction: 'Dear\n<b>you</b>',
      nextSteps: 'We call you.',
      emergency: 'Call 112',
      contacts: 'Neighbours',
    },
  },
};

function viewOf(form: ClientForm, config = {}, more = {}) {
  const view = formView(config, more);
  return { ...view, form, link: { ...view.link, settings: { form } } };
}

const rendered = (form = FORM, config = {}, more = {}) => markup(renderForm(viewOf(form, config, more)).html);
const control = (html: string, pointer: string) =>
  html.match(new RegExp(`<(?:input|select|textarea|fieldset)[^>]* name="${pointer}"[^>]*>`))?.[0];

t.test('a form asks what its client asks, and nothing else', async (t) => {
  const html = rendered();
  t.same(faults(renderForm(viewOf(FORM)).html), []);
  for (const pointer of [
    '/policy/provider',
    '/policy/validTo',
    '/policy/vehicle/licensePlate',
    '/incident/description',
  ])
    t.equal(control(html, pointer), undefined, pointer);
  t.match(
    control(html, '/incident/time'),
    / type="time".* aria-required="true" .*data-missing="Enter about what time/,
  );
  t.match(control(html, '/policy/validFrom'), / type="date"/);
  t.notMatch(control(html, '/policy/validFrom'), 'aria-required');
  t.match(html, 'Valid from <span class="optional">(optional)</span>');
  t.match(control(html, '/incident/answers/floor'), ' aria-describedby="incident-answers-floor-hint"');
  t.match(html, 'Counted &amp; so on');
  t.match(control(html, '/incident/answers/story'), /^<textarea.* data-missing="Hergang: enter an answer"/);
});

t.test(
  'a question with an answer of yes or no has radio buttons, with "No answer" if it is optional',
  async (t) => {
    const html = rendered({ fields: { '/incident/injured': 'optional' }, questions: [LOCKED] });
    const radio = (name: string, value: string, label: string, more = '') =>
      `<label><input type="radio" name="${name}" value="${value}"${more}>${label}</label>`;
    const injured = '/incident/injured';
    t.match(
      html,
      `<div class="field"><fieldset id="incident-injured" name="${injured}" data-missing="Tell us whether anyone was injured">` +
        '<legend>Was anyone injured? <span class="optional">(optional)</span></legend><div class="options line">' +
        radio(injured, 'true', 'Yes') +
        radio(injured, 'false', 'No') +
        radio(injured, '', 'No answer') +
        '</div></fieldset></div>',
    );
    const locked = '/incident/answers/locked';
    const required = ' required';
    t.match(html, /<fieldset id="incident-answers-locked" [^>]* data-required>/);
    t.match(
      html,
      `${radio(locked, 'true', 'Yes', required)}${radio(locked, 'false', 'No', required)}</div>`,
      'nothing is chosen in advance',
    );
    t.notMatch(html, '<select id="incident');
  },
);

t.test('a choice of up to five options has radio buttons, and a longer one a list', async (t) => {
  const of = (count: number): ClientForm => ({
    questions: [
      {
        key: 'room',
        step: 'incident',
        kind: 'choice',
        required: true,
        texts: { en: { label: 'Room', hint: 'Or near it' } },
        options: Array.from({ length: count }, (_, index) => ({
          key: `r${index}`,
          texts: { en: `R${index}` },
        })),
      },
    ],
  });
  const name = '/incident/answers/room';
  for (const [count, radios] of [
    [2, 2],
    [5, 5],
    [6, 0],
  ] as const) {
    const html = rendered(of(count));
    const inputs = tags(html, 'input').filter((tag) => tag.includes(` name="${name}"`));
    t.equal(inputs.filter((tag) => tag.includes(' type="radio"')).length, radios, `${count} options`);
    t.equal(html.includes(`<select id="incident-answers-room" name="${name}"`), radios === 0);
  }
  const fields = new URLSearchParams({ [name]: 'r1' });
  t.match(rendered(of(3), {}, { fields }), 'value="r1" checked required>R1<', 'what was sent is chosen');
  const problems = [{ pointer: name, rule: 'required', detail: '' }] as const;
  const sent = rendered(of(3), {}, { fields: new URLSearchParams(), problems });
  t.match(
    sent,
    `name="${name}" aria-invalid="true" aria-describedby="incident-answers-room-hint incident-answers-room-error"`,
  );
  t.match(sent, /<a href="#incident-answers-room">/);
  t.same(faults(renderForm(viewOf(of(3), {}, { fields: new URLSearchParams(), problems })).html), []);
});

/** Returns the names of the fields of a form in their order, each once. */
const namesIn = (html: string): string[] => [
  ...new Set(
    [...html.matchAll(/<(?:input|select|textarea|fieldset)[^>]* name="(\/[^"]*)"/g)].map(
      ([, name = '']) => name,
    ),
  ),
];

t.test('a client decides the order of fields and questions; what it does not name follows', async (t) => {
  const form: ClientForm = {
    ...FORM,
    order: {
      policy: ['floor', '/policy/number'],
      incident: ['locked', '/incident/date'],
      contact: ['/policy/linkedContacts', 'story', '/policy/holder/phone'],
    },
  };
  const people = ['firstName', 'lastName', 'email', 'phone'];
  const expected = [
    ...['/incident/answers/floor', '/policy/number', '/policy/validFrom'],
    ...[
      '/incident/answers/locked',
      '/incident/date',
      '/incident/injured',
      '/incident/time',
      '/incident/type',
    ],
    '/incident/answers/day',
    ...people.map((member) => `/policy/linkedContacts/0/${member}`),
    '/incident/answers/story',
    ...['phone', 'firstName', 'lastName', 'email'].map((member) => `/policy/holder/${member}`),
  ];
  t.same(namesIn(rendered(form)), expected);
  const problems = expected.map((pointer) => ({ pointer, rule: 'required', detail: '' }) as const);
  const fields = new URLSearchParams({ '/policy/linkedContacts/0/firstName': 'A' });
  const links = [...rendered(form, {}, { fields, problems }).matchAll(/<li><a href="#([^"]*)"/g)];
  t.same(
    links.map(([, id]) => id),
    expected.map((pointer) => pointer.slice(1).replaceAll('/', '-')),
    'so does the list of problems',
  );
});

t.test(
  'the dates of the cover and the fields of the holder stay together where the first of them is named',
  async (t) => {
    const cover = rendered({
      ...FORM,
      fields: {},
      order: { policy: ['/policy/validTo', 'floor', '/policy/number'] },
    });
    t.same(namesIn(cover).slice(1, 5), [
      ...['/policy/validTo', '/policy/validFrom', '/incident/answers/floor', '/policy/number'],
    ]);
    t.equal(cover.match(/>Period of cover</g)?.length, 1);
    const contact = namesIn(rendered({ ...FORM, order: { contact: ['/policy/holder/email', 'story'] } }));
    t.same(contact.slice(contact.indexOf('/policy/holder/email')).slice(0, 5), [
      ...['email', 'firstName', 'lastName', 'phone'].map((member) => `/policy/holder/${member}`),
      '/incident/answers/story',
    ]);
  },
);

t.test(
  'a known policy is a card in place of its first field, and questions stay where they are',
  async (t) => {
    const fields = {
      '/policy/validFrom': 'hidden',
      '/policy/validTo': 'hidden',
      '/policy/vehicle/licensePlate': 'hidden',
    } as const;
    const policy = { number: 'A-1' };
    const order = { policy: ['floor'] };
    const html = rendered({ ...FORM, fields: { ...FORM.fields, ...fields }, order }, { policy });
    t.ok(html.indexOf('/incident/answers/floor') < html.indexOf('data-known'));
    t.ok(
      html.indexOf('data-known') > 0 && html.indexOf('data-known') < html.indexOf('name="/policy/number"'),
    );
  },
);

t.test(
  'noticePlace shows the privacy policy and its confirmation where the form begins, and nowhere else',
  async (t) => {
    const config = { privacyPolicyUrl: 'https://acme.example/privacy' };
    const form = { noticeConfirmation: true, noticePlace: 'first' } as const;
    const html = rendered(form, config);
    const [before = '', review = ''] = html.split('data-step="review"');
    t.match(
      before,
      /<h2 id="step-policy"[\s\S]*?<p class="hint">[^<]*How we use[\s\S]*?name="\/noticeAccepted"[\s\S]*?name="\/policy\/number"/,
    );
    t.notMatch(review, 'privacy');
    t.notMatch(review, '/noticeAccepted');
    const later = rendered(form, { ...config, initialStepKey: 'incident' });
    t.match(
      later,
      /<h2 id="step-incident"[\s\S]*?<p class="hint">[^<]*How we use[\s\S]*?name="\/noticeAccepted"[\s\S]*?name="\/incident\/injured"/,
    );
    t.equal(later.match(/name="\/noticeAccepted"/g)?.length, 1);
    t.match(
      rendered(form, { ...config, initialStepKey: 'review' }).split('data-step="review"')[1],
      '/noticeAccepted',
    );
    const problems = [{ pointer: '/noticeAccepted', rule: 'accepted', detail: '' }] as const;
    const sent = rendered(form, config, { fields: postedForm(), problems });
    t.match(sent, 'data-step="policy" data-current', 'its problem leads there');
    t.equal(
      rendered({ ...form, noticePlace: 'review' }, config),
      rendered({ noticeConfirmation: true }, config),
    );
    t.notMatch(rendered({ noticePlace: 'first' }, config).split('data-step="review"')[1], 'privacy');
  },
);

t.test('what was sent without an answer is no answer: nothing is chosen', async (t) => {
  const fields = new URLSearchParams({ '/incident/injured': '' });
  t.notMatch(rendered({}, {}, { fields }), / checked/);
  t.match(
    rendered({}, {}, { fields: new URLSearchParams({ '/incident/injured': 'false' }) }),
    'value="false" checked>No<',
  );
});

t.test(
  'texts are of the language of the page, of English, or of the first language, and are escaped',
  async (t) => {
    t.match(rendered(), 'value="water" required>&lt;Water&gt;</label>');
    t.match(rendered(), 'value="fire" required><span lang="fr" dir="auto">Feu</span></label>');
    t.match(rendered(FORM, {}, { locale: 'de' }), 'value="water" required>Wasser</label>');
    const types = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ key, texts: { fr: key } }));
    t.match(
      rendered({ ...FORM, incidentTypes: types }),
      '<option value="a" lang="fr">a<option value="b" lang="fr">b<',
    );
    t.match(rendered(), '<p class="hint own">Dear\n&lt;b&gt;you&lt;/b&gt;</p>');
    t.match(rendered(), 'Neighbours</p>');
  },
);

t.test(
  'the client’s sentence about emergencies follows the question whether a person was injured',
  async (t) => {
    t.match(
      rendered(),
      /name="\/incident\/injured"[\s\S]*?<\/div>\s*<div role="status"><div class="failure" id="emergency"><p class="own">Call 112</,
    );
    t.notMatch(rendered(), 'href="tel:112"', 'no number beside the text of a client without one');
    t.notMatch(rendered({ ...FORM, fields: { '/incident/injured': 'hidden' } }), 'Call 112');
  },
);

t.test('a form asks first whether a person was injured, unless the client hides it', async (t) => {
  const html = rendered({});
  const places = ['injured', 'date', 'description'].map((name) => html.indexOf(` name="/incident/${name}"`));
  t.ok(places.every((place) => place > 0));
  t.same(
    places,
    places.toSorted((a, b) => a - b),
  );
  t.notMatch(control(html, '/incident/injured'), 'data-required');
  t.match(html, 'If anyone is injured, call for help first. Your claim can wait.');
  t.notMatch(html, 'tel:112', 'claimlink knows no number for a client without one');
  t.equal(control(rendered({ fields: { '/incident/injured': 'hidden' } }), '/incident/injured'), undefined);
});

t.test('a form that asks nothing about the incident has no step for injured people alone', async (t) => {
  const fields = { '/incident/date': 'hidden', '/incident/description': 'hidden' } as const;
  t.notMatch(rendered({ fields }), 'data-step="incident"');
  t.match(rendered({ fields: { ...fields, '/incident/injured': 'optional' } }), 'data-step="incident"');
  const question = { key: 'room', step: 'incident', kind: 'text', texts: { en: { label: 'Room' } } } as const;
  t.match(control(rendered({ fields, questions: [question] }), '/incident/injured'), '<fieldset');
});

t.test('a client with a number for emergencies has a button that calls it', async (t) => {
  const after = rendered({ emergency: {} });
  t.match(
    after,
    /name="\/incident\/injured"[\s\S]*?<a class="button primary" href="tel:112"><span>Call <bdi dir="ltr" translate="no">112<\/bdi><\/span><\/a>/,
  );
  t.same(faults(renderForm(viewOf({ emergency: {} })).html), []);
  const first = rendered({ ...FORM, emergency: { phone: '+41 44 123', first: true } });
  const button = first.indexOf('href="tel:+4144123"');
  t.ok(button > 0 && button < first.indexOf('name="/policy/number"'), 'at the top of the first step');
  t.ok(first.indexOf('>Call 112</p>') < button, 'below the text of the client');
  t.equal(first.match(/id="emergency"/g)?.length, 1, 'and nowhere else');
  t.notMatch(first, 'role="status"><div class="failure"', 'it is there from the start');
});

t.test('a value that the link has and the form does not ask for is sent along, if it is valid', async (t) => {
  const policy = { provider: 'Acme "1"', validTo: '31.12.2026', vehicle: { licensePlate: ' ' } };
  const html = rendered(FORM, { policy });
  t.match(html, '<input type="hidden" name="/policy/provider" value="Acme &quot;1&quot;">');
  t.equal(html.match(/type="hidden"/g)?.length, 1);
  const form: ClientForm = {
    fields: { '/policy/holder/phone': 'hidden', '/policy/linkedContacts': 'hidden' },
  };
  const person = { firstName: 'G', lastName: 'H', email: 'g@example.com' };
  const people = rendered(form, {
    policy: { holder: { phone: '1' }, linkedContacts: [{ ...person, email: 'none' }, person] },
  });
  t.match(people, '<input type="hidden" name="/policy/linkedContacts/0/email" value="g@example.com">');
  t.notMatch(people, /name="\/policy\/holder\/phone"|none|data-add/);
});

t.test(
  'the last step is the last element of the form: without JavaScript, it alone has its buttons',
  async (t) => {
    const html = rendered({}, {}, { recipientProof: 'proof' });
    t.equal(html.match(/type="hidden"/g)?.length, 2);
    t.match(html, /id="send"[^\n]*\n<\/div>\n<\/section>\n<\/form>/);
  },
);

t.test('a step that asks nothing is left out', async (t) => {
  const hidden = Object.fromEntries(
    ['provider', 'number', 'validFrom', 'validTo', 'vehicle/licensePlate'].map((name) => [
      `/policy/${name}`,
      'hidden',
    ]),
  );
  const html = rendered({ fields: hidden });
  t.notMatch(html, 'data-step="policy"');
  t.match(html, '<section class="step" data-step="incident" data-current');
  t.equal(/<ol class="progress.*?<\/ol>/s.exec(html)?.[0].match(/<li/g)?.length, 3);
});

const COMPLETE = {
  provider: 'Acme',
  number: 'A-1',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  vehicle: { licensePlate: 'AB 1' },
};

t.test('a policy that the link has completed is a card with Change', async (t) => {
  const html = markup(renderForm(formView({ policy: COMPLETE })).html);
  t.match(html, '<dt>Valid to</dt><dd><bdi translate="no">31 December 2026</bdi></dd>');
  const named = (name: string, shown: string) =>
    `<span class="${name}"><span aria-hidden="true">${shown}</span><span class="vh">${shown}: Your policy</span></span>`;
  t.match(
    html,
    `<summary class="button quiet">${named('change', 'Change')}${named('done', 'Done')}</summary>`,
  );
  t.ok(html.indexOf('<details>') < html.indexOf('name="/policy/number"'));
  t.ok(html.indexOf('name="/policy/vehicle/licensePlate"') < html.indexOf('</details>'));
  t.same(faults(renderForm(formView({ policy: COMPLETE })).html), []);
  for (const changes of [{ number: ' ' }, { validTo: '2026' }, { validTo: '2025-12-31' }, { vehicle: {} }])
    t.notMatch(
      renderForm(formView({ policy: { ...COMPLETE, ...changes } })).html,
      '<details>',
      JSON.stringify(changes),
    );
  const again = formView({ policy: COMPLETE }, { fields: postedForm(), problems: [] });
  t.notMatch(renderForm(again).html, '<details>', 'what was sent is shown in its fields');
  t.match(
    rendered(
      { fields: FORM.fields ?? {}, incidentTypes: FORM.incidentTypes ?? [] },
      { policy: { number: 'A-1', validFrom: '2026-01-01' } },
    ),
    '<details>',
  );
});

t.test('the name of the client is the provider, unless its form or the link says another', async (t) => {
  const hidden = (value: string) => `<input type="hidden" name="/policy/provider" value="${value}">`;
  const provider = (...args: Parameters<typeof rendered>) => control(rendered(...args), '/policy/provider');
  t.equal(provider({}), hidden('Demo Insurance'));
  const branding = { displayName: 'Demo' };
  t.equal(provider({}, {}, { branding }), hidden('Demo'), 'the name that the page shows');
  t.equal(provider({}, { policy: { provider: 'Acme' } }), hidden('Acme'), 'what the link prefills');
  t.equal(provider({}, { policy: { provider: '\u200b ' } }), hidden('Demo Insurance'));
  t.equal(provider({}, {}, { fields: postedForm({ '/policy/provider': '' }) }), hidden('Demo Insurance'));
  t.match(provider({ fields: { '/policy/provider': 'required' } }), /id="policy-provider".*aria-required/);
  t.equal(provider({ fields: { '/policy/provider': 'hidden' } }), undefined);
  const { clientName: _, ...nameless } = formView().link;
  t.match(control(renderForm(formView({}, { link: nameless })).html, '/policy/provider'), /aria-required/);
});

t.test('the text of the client says where the number of the policy is found, in its language', async (t) => {
  const texts = { de: { policyNumber: 'Auf der <Karte>' } };
  const html = rendered({ texts });
  t.match(control(html, '/policy/number'), 'aria-describedby="policy-number-hint"');
  t.match(html, '<label for="policy-number">Policy number</label>');
  t.match(html, '<p class="hint" id="policy-number-hint" lang="de" dir="auto">Auf der &lt;Karte&gt;</p>');
});

t.test('receipts have the answers with their labels, and say what happens next', async (t) => {
  const claim = {
    policy: {
      ...COMPLETE,
      validTo: '',
      linkedContacts: [],
      holder: { firstName: 'A', lastName: 'L', id: '1', phone: '', email: 'a@b.c' },
    },
    incident: {
      time: '14:30',
      injured: true,
      type: 'water',
      answers: { day: '2020-02-29', locked: false, gone: 'x' },
    },
  };
  const view = { ...PAGE_VIEW, contact, form: FORM, reference: 'S-1', submittedAt: new Date(0), claim };
  const { html } = renderSuccess(view);
  for (const [label, value] of [
    ['About what time?', '14:30'],
    ['Was anyone injured?', 'Yes'],
    ['Kind of incident', '&lt;Water&gt;'],
    ['Moved in', '29 February 2020'],
    ['Locked?', 'No'],
  ])
    t.match(html, `<dt>${label}</dt><dd><bdi translate="no">${value}</bdi></dd>`);
  t.match(html, '<p class="own">We call you.</p>');
  t.notMatch(html, 'Valid to');
  const { reference, submittedAt } = view;
  const submitted = renderUnavailable({
    ...view,
    code: 'link_submitted',
    status: 410,
    receipt: { reference, submittedAt, claim },
  });
  t.match(submitted.html, '<dt>Moved in</dt>');
});

t.test('the text that was typed has the answers with their labels', async (t) => {
  const fields = postedForm({ '/incident/answers/locked': 'true', '/incident/type': 'fire' });
  const view = { ...PAGE_VIEW, contact, form: FORM, submittedAt: new Date(0), fields };
  for (const { html } of [
    renderChanged({ ...view, reference: 'REF-1' }),
    renderUnavailable({ ...view, code: 'link_expired', status: 410 }),
  ])
    for (const line of ['Locked?: Yes', 'Kind of incident: Feu']) t.match(html, line);
});

t.test('problems of answers stand beside their questions', async (t) => {
  const problems = [
    { pointer: '/incident/answers/story', rule: 'required', detail: '' },
    { pointer: '/incident/time', rule: 'time', detail: '' },
    { pointer: '/incident/type', rule: 'choice', detail: '' },
    { pointer: '/policy/provider', rule: 'maxLength', detail: '' },
    { pointer: '/policy/linkedContacts/0/email', rule: 'required', detail: '' },
  ] as const;
  const html = rendered(FORM, {}, { fields: postedForm(), problems });
  for (const text of [
    '<a href="#incident-time">About what time: enter a time such as 14:30</a>',
    '<a href="#incident-type">Choose the kind of incident</a>',
    '<a href="#policy-linkedContacts-0-email">Person 1 – Enter an email address or a phone number</a>',
    '<a href="#incident-answers-story">Hergang: enter an answer</a>',
    '<li>Something in the form is not right.',
  ])
    t.match(html, text);
  t.match(control(html, '/incident/answers/story'), 'aria-invalid="true"');
});

t.test('texts that the language of the page does not have are marked with their language', async (t) => {
  const form: ClientForm = {
    fields: { '/incident/type': 'optional' },
    incidentTypes: [
      { key: 'water', texts: { de: 'Wasser' } },
      { key: 'fire', texts: { ar: 'حريق', de: 'Feuer' } },
    ],
    questions: [
      { key: 'room', step: 'incident', kind: 'text', texts: { de: { label: 'Raum', hint: 'Etage' } } },
      { key: 'floor', step: 'incident', kind: 'text', texts: { ar: { label: 'الطابق' } } },
    ],
    texts: { de: { introduction: 'Hallo', nextSteps: 'Danke', emergency: '112', contacts: 'Wer?' } },
  };
  const { html } = renderForm({ ...viewOf(form), locale: 'ar' });
  const mark = ' lang="de" dir="auto"';
  t.match(html, `<label for="incident-answers-room"><span${mark}>Raum</span> <span class="optional">`);
  t.match(html, `id="incident-answers-room-hint"${mark}>Etage<`);
  t.match(html, '<label for="incident-answers-floor">الطابق <span class="optional">');
  t.match(html, `value="water"><span${mark}>Wasser</span></label>`);
  t.match(html, 'value="fire">حريق</label>');
  t.match(html, `<p class="hint own"${mark}>Hallo</p>`);
  const receipt = { ...PAGE_VIEW, locale: 'ar', form, reference: 'R-1', submittedAt: new Date(0), contact };
  t.match(renderSuccess(receipt).html, `<p class="own"${mark}>Danke</p>`);
  t.match(html, `<p class="hint own" id="policy-linkedContacts-hint"${mark}>Wer?</p>`);
  t.same(faults(html), []);
  const austrian = createStandaloneWidget({ locales: { 'de-AT': {} } });
  const { html: german } = austrian.renderForm({ ...viewOf(form), locale: 'de-AT' });
  t.notMatch(german, 'lang="de" dir="auto"');
});
