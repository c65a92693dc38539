// The page after a claim that differs from the one that was sent before.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, markup, PAGE_VIEW, postedForm } from './views.js';

const { renderChanged } = createStandaloneWidget();
const VIEW = {
  ...PAGE_VIEW,
  submittedAt: new Date('2026-03-02T10:00:30Z'),
  fields: postedForm({ '/incident/description': 'Corrected <b>' }),
  contact,
};

t.test('it says when the first claim was sent, that changes were not taken, whom to tell', async (t) => {
  const html = markup(renderChanged(VIEW).html);
  t.match(html, 'Your changes were not taken');
  t.match(
    html,
    'A claim was already sent with this link on <time data-time datetime="2026-03-02T10:00:30.000Z">2 March 2026 at 10:00 UTC</time>.',
  );
  t.match(html, 'Description: Corrected &lt;b&gt;');
  t.match(html, '<a href="mailto:help@insurer.example">');
  t.notMatch(html, 'has been sent</h1>');
  t.same(faults(html), []);
});

t.test('it shows the fields of an own form by their names', async (t) => {
  const fields = new URLSearchParams({ number: 'P-1', firstName: 'Ada <b>', email: '' });
  t.match(markup(renderChanged({ ...VIEW, fields }).html), '>number: P-1\nfirstName: Ada &lt;b&gt;</pre>');
});

t.test('Continue leads to the callback, and the page does not go on by itself', async (t) => {
  const html = markup(renderChanged({ ...VIEW, redirectUrl: 'https://app.example/done' }).html);
  t.match(html, 'data-continue href="https://app.example/done"');
  t.notMatch(html, 'data-seconds');
  t.notMatch(markup(renderChanged(VIEW).html), 'data-continue');
});
