// The success page: the reference, help, and the way on.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, HOSTILE, HOSTILE_ESCAPED, PAGE_VIEW, tags } from './views.js';

const { renderSuccess } = createStandaloneWidget();

const VIEW = {
  ...PAGE_VIEW,
  reference: 'REF-1',
  submittedAt: new Date('2026-03-02T10:00:30Z'),
  contact,
  clientName: 'Demo Insurance',
};

t.test('it shows the reference and the contact', (t) => {
  const { html } = renderSuccess({ ...VIEW, redirectUrl: 'https://app.example/done' });
  t.match(html, '<title>Your claim has been sent – Demo Insurance</title>');
  t.match(html, '<strong data-reference>REF-1</strong>');
  t.match(html, '<time data-sent datetime="2026-03-02T10:00:30.000Z">2 March 2026 at 10:00 UTC</time>');
  t.match(html, '<a href="mailto:help@insurer.example">');
  t.same(faults(html), []);
  t.end();
});

t.test('the time of the submission is in UTC, whatever the time zone of the server', (t) => {
  const { TZ } = process.env;
  t.teardown(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  process.env['TZ'] = 'America/New_York';
  t.match(renderSuccess(VIEW).html, '>2 March 2026 at 10:00 UTC</time>');
  t.end();
});

t.test('the time of the submission is in the language of the page', (t) => {
  const { html } = renderSuccess({ ...VIEW, locale: 'de' });
  t.match(html, 'Gesendet am</span> <time data-sent datetime="2026-03-02T10:00:30.000Z">2. März 2026');
  t.end();
});

t.test('Continue leads to the redirect, by itself too, and the user can stay', (t) => {
  const { html } = renderSuccess({ ...VIEW, redirectUrl: 'https://app.example/done?a=1&b="2"' });
  const url = 'https://app.example/done?a=1&amp;b=&quot;2&quot;';
  t.match(
    html,
    `<a class="button primary" data-continue href="${url}" rel="noreferrer">Continue to app.example</a>`,
  );
  t.notMatch(html, 'http-equiv="refresh"', 'a user without JavaScript could not stop it');
  t.match(
    html,
    '<span data-target>You will be taken back to app.example.</span> Seconds left: <span class="seconds" data-seconds>20</span>',
  );
  t.match(html, /<button [^>]*data-stay>Stay on this page<\/button>/);
  t.end();
});

t.test('a custom scheme is a way on as well', (t) => {
  const { html } = renderSuccess({ ...VIEW, redirectUrl: 'myapp:done' });
  t.match(html, ' data-continue href="myapp:done"');
  t.match(html, 'the app that you came from');
  t.match(html, '>Continue</a>');
  t.end();
});

t.test('without a redirect there is no way on, and no script', (t) => {
  const { html } = renderSuccess(VIEW);
  t.notMatch(html, 'data-continue');
  t.notMatch(html, 'http-equiv');
  t.same(tags(html, 'script'), []);
  t.end();
});

t.test('a redirect that would run something is treated as none', (t) => {
  t.equal(renderSuccess({ ...VIEW, redirectUrl: 'javascript:alert(1)' }).html, renderSuccess(VIEW).html);
  t.equal(renderSuccess({ ...VIEW, redirectUrl: 'data:text/html,x' }).html, renderSuccess(VIEW).html);
  t.end();
});

t.test('hostile values are escaped', (t) => {
  const { html } = renderSuccess({
    ...VIEW,
    reference: HOSTILE,
    clientName: HOSTILE,
    contact: { email: HOSTILE, phone: HOSTILE },
    redirectUrl: `https://app.example/${HOSTILE}`,
  });
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  t.match(html, `<strong data-reference>${HOSTILE_ESCAPED}</strong>`);
  t.end();
});
