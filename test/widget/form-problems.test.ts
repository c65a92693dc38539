// The form shown again: what was typed is still there, and each problem stands by its field.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { control, faults, formView, HOSTILE, HOSTILE_ESCAPED, markup, postedForm, tags } from './views.js';

const { renderForm } = createStandaloneWidget();

function again(
  changes: Record<string, string>,
  problems: readonly { pointer?: string; detail: string }[],
): string {
  const details = problems.map((problem) => ({ rule: 'value' as const, ...problem }));
  return renderForm(
    formView({ policy: { provider: 'prefilled' } }, { fields: postedForm(changes), problems: details }),
  ).html;
}

function currentStep(html: string): string | undefined {
  return / data-step="([a-z]+)" data-current/.exec(markup(html))?.[1];
}

t.test('what was typed wins over the prefill', (t) => {
  const html = again({ '/incident/description': '\n<A bump>' }, []);
  t.match(control(html, '/policy/provider'), ' value="Acme"');
  t.match(html, /<textarea[^>]*>\n&lt;A bump&gt;<\/textarea>/);
  t.same(faults(html), []);
  t.end();
});

t.test('a problem marks its field, beside it and in the summary', (t) => {
  const html = again({ '/policy/number': '' }, [{ pointer: '/policy/number', detail: 'must not be empty' }]);
  t.match(control(html, '/policy/number'), ' aria-invalid="true" aria-describedby="policy-number-error"');
  t.match(
    html,
    '<p class="error" id="policy-number-error"><span class="vh">Error: </span>Policy number must not be empty.</p>',
  );
  t.match(html, '<li><a href="#policy-number">Policy number must not be empty.</a></li>');
  t.match(html, '<title>Error: Report a claim');
  t.equal(html.match(/ aria-invalid="true"/g)?.length, 1);
  t.same(faults(html), []);
  t.end();
});

t.test('the summary is an alert that takes the focus; without problems it is hidden', (t) => {
  const [summary] = tags(again({}, [{ pointer: '/policy/number', detail: 'is odd' }]), 'div').filter((tag) =>
    tag.includes('id="problems"'),
  );
  t.match(summary, / role="alert" tabindex="-1" aria-labelledby="problems-title" autofocus>/);
  const [hidden] = tags(renderForm(formView()).html, 'div').filter((tag) => tag.includes('id="problems"'));
  t.match(hidden, / hidden>/);
  t.end();
});

t.test('a hint stays part of the description of a field with a problem', (t) => {
  const html = again({}, [{ pointer: '/incident/description', detail: 'is odd' }]);
  t.match(
    control(html, '/incident/description'),
    ' aria-describedby="incident-description-hint incident-description-error"',
  );
  t.same(faults(html), []);
  t.end();
});

t.test('rows of contacts are moved up as readForm does, so that pointers meet them', (t) => {
  const html = again(
    {
      '/policy/linkedContacts/0/firstName': '',
      '/policy/linkedContacts/0/lastName': '',
      '/policy/linkedContacts/0/email': '',
      '/policy/linkedContacts/0/phone': '',
      '/policy/linkedContacts/1/firstName': 'Cleo',
    },
    [{ pointer: '/policy/linkedContacts/0/email', detail: 'must not be empty' }],
  );
  t.match(control(html, '/policy/linkedContacts/0/firstName'), ' value="Cleo"');
  t.match(control(html, '/policy/linkedContacts/0/email'), ' aria-invalid="true"');
  t.match(html, '<a href="#policy-linkedContacts-0-email">Person 1: Email must not be empty.</a>');
  t.same(faults(html), []);
  t.end();
});

t.test('a problem of the contacts as a whole stands by their group', (t) => {
  const html = again({}, [{ pointer: '/policy/linkedContacts', detail: 'must not have more than 20 items' }]);
  t.match(html, ' aria-describedby="policy-linkedContacts-hint policy-linkedContacts-error"');
  t.match(
    html,
    '<a href="#policy-linkedContacts">People we may also contact must not have more than 20 items.</a>',
  );
  t.same(faults(html), []);
  t.end();
});

t.test('a problem of no field is in the summary, without a link', (t) => {
  const html = again({}, [
    { pointer: '/policy/holder/id', detail: 'must be string' },
    { detail: 'Try later' },
    { pointer: '/constructor', detail: 'is odd' },
  ]);
  t.match(
    html,
    '<li>Something in the form must be string.</li><li>Try later.</li><li>Something in the form is odd.</li>',
  );
  t.equal(currentStep(html), 'policy');
  t.end();
});

t.test('of several problems of a field the first is told', (t) => {
  const html = again({}, [
    { pointer: '/policy/holder/email', detail: 'must not be empty' },
    { pointer: '/policy/holder/email', detail: 'must be an e-mail address' },
  ]);
  t.match(html, 'Email must not be empty.');
  t.notMatch(markup(html), 'must be an e-mail address');
  t.end();
});

t.test('the form opens at the first step with a problem', (t) => {
  t.equal(currentStep(again({}, [{ pointer: '/incident/date', detail: 'must be a date' }])), 'incident');
  t.equal(
    currentStep(
      again({}, [
        { pointer: '/policy/holder/email', detail: 'must not be empty' },
        { pointer: '/policy/validTo', detail: 'must be a date' },
      ]),
    ),
    'policy',
  );
  t.end();
});

t.test('a member that a detail names is called by its label', (t) => {
  const html = again({}, [{ pointer: '/policy/validTo', detail: 'must not be before validFrom' }]);
  t.match(html, 'Valid to must not be before “Valid from”.');
  t.end();
});

t.test('hostile values and details are escaped', (t) => {
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
  t.end();
});
