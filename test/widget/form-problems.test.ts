// The form shown again: what was typed is still there, and each problem stands by its field.
import t from 'tap';
import type { ErrorRule, Problem } from '../../lib/core/errors.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { en } from '../../lib/widget/locales/en.js';
import { locatedMessages } from '../../lib/widget/messages.js';
import {
  control,
  currentStep,
  faults,
  formView,
  HOSTILE,
  HOSTILE_ESCAPED,
  markup,
  postedForm,
  tags,
} from './views.js';

const { renderForm } = createStandaloneWidget();

function again(
  changes: Record<string, string>,
  problems: readonly { pointer?: string; rule: ErrorRule }[],
): string {
  const complete = problems.map((problem) => ({ ...problem, detail: 'is odd' }));
  return renderForm(
    formView({ policy: { provider: 'prefilled' } }, { fields: postedForm(changes), problems: complete }),
  ).html;
}

t.test('what was typed wins over the prefill', async (t) => {
  const html = again({ '/incident/description': '\n<A bump>' }, []);
  t.match(control(html, '/policy/provider'), ' value="Acme"');
  t.match(html, /<textarea[^>]*>\n&lt;A bump&gt;<\/textarea>/);
  t.same(faults(html), []);
});

t.test('the script of a form without a time has no text about times, and asks to check the field', (t) => {
  const { time: _time, ...problems } = en.problems;
  const fields = [{ pointer: '/incident/description', label: 'Description', missing: 'Enter it' }];
  const texts = { problems: problems as typeof en.problems };
  const messageOf = (rule: string) =>
    locatedMessages(texts, 'en', fields, [{ pointer: '/incident/description', rule }]);
  t.same(messageOf('time'), messageOf('value'));
  t.end();
});

t.test('a problem marks its field, beside it and in the summary', async (t) => {
  const html = again({ '/policy/number': '' }, [{ pointer: '/policy/number', rule: 'minLength' }]);
  t.match(control(html, '/policy/number'), ' aria-invalid="true" aria-describedby="policy-number-error"');
  t.match(
    html,
    '<p class="error" id="policy-number-error"><span class="vh">Error: </span>Enter your policy number</p>',
  );
  t.match(html, '<li><a href="#policy-number">Enter your policy number</a></li>');
  t.match(html, '<title>Error: Report a claim');
  t.equal(html.match(/ aria-invalid="true"/g)?.length, 1);
  t.same(faults(html), []);
});

t.test(
  'the summary is a group that takes the focus, so that it is said once; without problems it is hidden',
  async (t) => {
    const [summary] = tags(again({}, [{ pointer: '/policy/number', rule: 'value' }]), 'div').filter((tag) =>
      tag.includes('id="problems"'),
    );
    t.match(
      summary,
      / role="group" tabindex="-1" aria-labelledby="problems-title" aria-describedby="problem-list" autofocus>/,
    );
    const [hidden] = tags(renderForm(formView()).html, 'div').filter((tag) => tag.includes('id="problems"'));
    t.match(hidden, / hidden>/);
  },
);

t.test('the summary takes the focus, and no field of the step does', async (t) => {
  const html = again({}, [{ pointer: '/incident/date', rule: 'date_future' }]);
  t.equal(currentStep(html), 'incident');
  const focused = tags(html, '[a-z]+').filter((tag) => / autofocus[ >]/.test(tag));
  t.match(focused, [/ id="problems"/]);
  t.equal(focused.length, 1);
});

t.test('the first step with a problem wins over initialStepKey', async (t) => {
  const problems = [{ pointer: '/policy/number', rule: 'value', detail: 'is odd' }] as const;
  const { html } = renderForm(formView({ initialStepKey: 'contact' }, { fields: postedForm(), problems }));
  t.equal(currentStep(html), 'policy');
});

t.test('a hint stays part of the description of a field with a problem', async (t) => {
  const html = again({}, [{ pointer: '/incident/description', rule: 'value' }]);
  t.match(
    control(html, '/incident/description'),
    ' aria-describedby="incident-description-hint incident-description-error"',
  );
  t.same(faults(html), []);
});

t.test('rows of contacts are moved up as readForm does, so that pointers meet them', async (t) => {
  const html = again(
    {
      '/policy/linkedContacts/0/firstName': '',
      '/policy/linkedContacts/0/lastName': '',
      '/policy/linkedContacts/0/email': '',
      '/policy/linkedContacts/0/phone': '',
      '/policy/linkedContacts/1/firstName': 'Cleo',
    },
    [{ pointer: '/policy/linkedContacts/0/email', rule: 'minLength' }],
  );
  t.match(control(html, '/policy/linkedContacts/0/firstName'), ' value="Cleo"');
  t.match(control(html, '/policy/linkedContacts/0/email'), ' aria-invalid="true"');
  t.match(html, '<a href="#policy-linkedContacts-0-email">Person 1 – Enter the email address</a>');
  t.same(faults(html), []);
});

t.test('a problem of the contacts as a whole stands by their group', async (t) => {
  const html = again({}, [{ pointer: '/policy/linkedContacts', rule: 'maxItems' }]);
  t.match(html, ' aria-describedby="policy-linkedContacts-hint policy-linkedContacts-error"');
  t.match(html, '<a href="#policy-linkedContacts">People we may also contact: enter at most 20</a>');
  t.same(faults(html), []);
});

t.test('problems of no field are one line of the summary, without a link', async (t) => {
  const html = again({}, [
    { pointer: '/policy/holder/id', rule: 'type' },
    { rule: 'value' },
    { pointer: '/constructor', rule: 'value' },
  ]);
  t.match(
    html,
    '<ul id="problem-list"><li>Something in the form is not right. Check your answers and send them again.</li></ul>',
  );
  t.equal(currentStep(html), 'policy');
});

t.test('of several problems of a field the first is shown', async (t) => {
  const html = again({}, [
    { pointer: '/policy/holder/email', rule: 'minLength' },
    { pointer: '/policy/holder/email', rule: 'email' },
  ]);
  t.match(html, 'Enter the email address');
  t.notMatch(markup(html), 'such as name@example.com');
});

t.test('the form opens at the first step with a problem', async (t) => {
  t.equal(currentStep(again({}, [{ pointer: '/incident/date', rule: 'format' }])), 'incident');
  t.equal(
    currentStep(
      again({}, [
        { pointer: '/policy/holder/email', rule: 'minLength' },
        { pointer: '/policy/validTo', rule: 'format' },
      ]),
    ),
    'policy',
  );
});

t.test('problems stand in the order of the form', async (t) => {
  const pointers = [
    '/extra',
    '/policy/linkedContacts/0/phone',
    '/policy/linkedContacts/0/lastName',
    '/policy/linkedContacts',
    '/policy/holder/email',
    '/policy/holder/firstName',
    '/incident/description',
    '/incident/date',
    '/policy/vehicle/licensePlate',
    '/policy/number',
  ];
  const html = again(
    {},
    pointers.map((pointer) => ({ pointer, rule: 'value' })),
  );
  const [list = ''] = /<ul id="problem-list">.*<\/ul>/.exec(html) ?? [];
  const targets = Array.from(list.matchAll(/<li>(?:<a href="#([^"]+)")?/g), ([, id]) => id);
  const ids = pointers.toReversed().map((pointer) => pointer.slice(1).replaceAll('/', '-'));
  t.same(targets, [...ids.slice(0, -1), undefined], 'a problem of no field is last');
  const places = ids.slice(0, -1).map((id) => markup(html).indexOf(` id="${id}"`));
  t.same(
    places,
    places.toSorted((a, b) => a - b),
    'the fields have the same order',
  );
});

t.test('each rule has its message', async (t) => {
  const messageOf = (pointer: string, rule: ErrorRule) =>
    />([^<]*)<\/a><\/li>/.exec(again({}, [{ pointer, rule }]))?.[1];
  const messages = {
    required: 'Enter your policy number',
    minLength: 'Enter your policy number',
    maxLength: 'Policy number: use at most 100 characters',
    text: 'Policy number: remove the characters that cannot be read',
    type: 'Policy number: check what you entered',
  } as const;
  for (const [rule, message] of Object.entries(messages))
    t.equal(messageOf('/policy/number', rule as ErrorRule), message, rule);
  t.equal(
    messageOf('/policy/validTo', 'date_order'),
    'Valid to: choose a day that is not before the first day of your cover',
  );
  t.equal(
    messageOf('/incident/date', 'date_future'),
    'Date of the incident: choose a day that is not after today',
  );
  t.equal(
    messageOf('/policy/holder/phone', 'phone_digits'),
    'Phone: enter a number with at least three digits',
  );
  t.equal(
    messageOf('/incident/date', 'format'),
    'Date of the incident: enter a date that exists, with four digits of the year',
  );
});

t.test('hostile values and problems are escaped', async (t) => {
  const posted = postedForm();
  for (const name of [...posted.keys()]) posted.set(name, HOSTILE);
  const problems = [...posted.keys(), HOSTILE].map((pointer) => ({
    pointer,
    rule: 'value' as const,
    detail: HOSTILE,
  }));
  const { html } = renderForm(formView({}, { fields: posted, problems }));
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  t.match(html, `<textarea`);
  t.match(html, `>\n${HOSTILE_ESCAPED}</textarea>`);
});

/** The page after a check of the host with these problems. */
function afterCheck(problems: readonly Problem[], locale = 'en'): string {
  return renderForm(formView({}, { locale, fields: postedForm(), problems })).html;
}

const OF_HOST: Problem = {
  pointer: '/policy/number',
  rule: 'policy_unknown',
  detail: 'No such policy',
  messages: {},
};

t.test('a problem of the host has its own sentence in the language of the page', async (t) => {
  const problems = [
    { ...OF_HOST, rule: 'required', messages: { de: 'Unbekannte <Police>', fr: 'Inconnue' } },
  ];
  const german = afterCheck(problems, 'de');
  t.match(german, '<li><a href="#policy-number">Unbekannte &lt;Police&gt;</a></li>');
  t.match(control(german, '/policy/number'), ' aria-invalid="true" aria-describedby="policy-number-error"');
  t.match(afterCheck(problems), '<a href="#policy-number">No such policy</a>', 'else its detail');
  t.same(faults(german), []);
});

t.test('a region gets the sentence of its language, or its own', async (t) => {
  const { renderForm } = createStandaloneWidget({ locales: { 'de-AT': {} } });
  const textWith = (messages: Record<string, string>) =>
    renderForm(formView({}, { locale: 'de-AT', fields: postedForm(), problems: [{ ...OF_HOST, messages }] }))
      .html;
  t.match(textWith({ de: 'Deutsch' }), '>Deutsch</a>');
  t.match(textWith({ de: 'Deutsch', 'de-AT': 'Servus' }), '>Servus</a>');
});

t.test(
  'problems of the host without a field are lines of the summary, each with its own sentence',
  async (t) => {
    const html = afterCheck([
      { ...OF_HOST, pointer: '', detail: 'Not for <this> product' },
      { ...OF_HOST, pointer: '/policy/holder', detail: 'Unknown person' },
      { ...OF_HOST, pointer: '/policy/holder', detail: 'Unknown person' },
      { pointer: '/extra', rule: 'size', detail: 'is too long' },
    ]);
    t.match(
      html,
      `<ul id="problem-list"><li>Not for &lt;this&gt; product</li><li>Unknown person</li><li>${en.problems.form}</li></ul>`,
    );
    t.notMatch(html, ' aria-invalid');
    t.same(faults(html), []);
  },
);

t.test('a problem of the host with a person who has no row belongs to the list of people', async (t) => {
  const html = afterCheck([{ ...OF_HOST, pointer: '/policy/linkedContacts/7', detail: 'Too many people' }]);
  t.match(html, '<a href="#policy-linkedContacts">Too many people</a>');
});
