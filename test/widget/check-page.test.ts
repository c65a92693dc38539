// The page that asks the recipient of a link.
import t from 'tap';
import type { CheckView } from '../../lib/core/widget.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import {
  contact,
  control,
  faults,
  HOSTILE,
  HOSTILE_ESCAPED,
  markup,
  PAGE_VIEW,
  postedForm,
  tags,
} from './views.js';

const { renderCheck } = createStandaloneWidget();

const VIEW = { ...PAGE_VIEW, contact, member: '/policy/number' } as const;
const render = (more: Partial<CheckView> = {}) => renderCheck({ ...VIEW, ...more }).html;

t.test('a wrong answer stays in its field, escaped, to be corrected', async (t) => {
  t.notMatch(control(render(), 'answer'), ' value=');
  const html = render({ problem: 'wrong', attemptsLeft: 4, answer: HOSTILE });
  t.match(control(html, 'answer'), ` value="${HOSTILE_ESCAPED}"`);
  t.match(control(html, 'answer'), ' aria-invalid="true"');
  t.same(faults(html), []);
  const withClaim = render({ problem: 'wrong', attemptsLeft: 4, answer: 'P-1', fields: postedForm() });
  t.equal(tags(withClaim, 'input').filter((tag) => tag.includes(' value="P-1"')).length, 1);
});

t.test('a date that exists stays in its field as well', async (t) => {
  const question = { id: 'born', kind: 'date', texts: { en: { label: 'Date of birth' } } } as const;
  const html = renderCheck({
    ...PAGE_VIEW,
    contact,
    question,
    problem: 'wrong',
    attemptsLeft: 4,
    answer: '1990-01-02',
  }).html;
  t.match(control(html, 'answer'), / type="date".* value="1990-01-02"/);
});

t.test('without a reason, the form that declines is open, and has our message at the reasons', async (t) => {
  const declineReasons = ['wrong_person', 'other'] as const;
  const closed = markup(render({ declineReasons }));
  t.notMatch(closed, /<details class="decline" open|Choose a reason/);
  const [, form = ''] = tags(closed, 'form');
  t.match(form, ' novalidate', 'the browser shows no message of its own');
  const html = render({ declineReasons, declineProblem: 'missing' });
  t.match(html, '<title>Error: ');
  t.match(html, '<details class="decline" open>');
  t.match(html, '<fieldset aria-describedby="why-error">');
  t.match(html, '<p class="error" id="why-error"><span class="vh">Error: </span>Choose a reason</p>');
  t.match(control(html, 'why'), ' autofocus');
  t.same(faults(html), []);
});
