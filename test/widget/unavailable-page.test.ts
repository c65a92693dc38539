// The pages of a link with no form behind it: plain words, and no more than is known.
import t from 'tap';
import { ERRORS, type ErrorCode } from '../../lib/core/errors.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, HOSTILE, markup } from './views.js';

const { renderUnavailable } = createStandaloneWidget();

function heading(code: ErrorCode): string | undefined {
  const { html } = renderUnavailable({
    nonce: 'n0nce',
    locale: 'en',
    policy: '',
    code,
    status: ERRORS[code][0],
  });
  return /<h1>([^<]*)<\/h1>/.exec(html)?.[1];
}

t.test('each state of a link is told in words', (t) => {
  t.equal(heading('link_not_found'), 'This link does not work');
  t.equal(heading('link_expired'), 'This link has expired');
  t.equal(heading('link_revoked'), 'This link has been withdrawn');
  t.equal(heading('link_submitted'), 'This claim has been sent already');
  t.equal(heading('internal'), 'Something went wrong on our side');
  t.equal(heading('body_consumed'), 'Something went wrong on our side');
  t.equal(heading('body_too_large'), 'That was too much text');
  t.equal(heading('content_type_unsupported'), 'This page cannot be shown');
  t.equal(heading('request_invalid'), 'This page cannot be shown');
  t.end();
});

t.test('every error code has a page without faults', (t) => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const { html } = renderUnavailable({
      nonce: 'n0nce',
      locale: 'en',
      policy: '',
      code,
      status: ERRORS[code][0],
      contact,
    });
    t.same(faults(html), [], code);
  }
  t.end();
});

t.test('no page shows a status or a code', (t) => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const { html } = renderUnavailable({
      nonce: 'n0nce',
      locale: 'en',
      policy: '',
      code,
      status: ERRORS[code][0],
    });
    const text = markup(html).replace(/<[^>]*>/g, ' ');
    t.notMatch(text, /\d/, code);
    t.notMatch(text, /\b[a-z]+_[a-z]+\b/, code);
  }
  t.end();
});

t.test('only an error on our side offers to try again', (t) => {
  t.match(
    renderUnavailable({ nonce: 'n0nce', locale: 'en', policy: '', code: 'internal', status: 500 }).html,
    'href="">Try again</a>',
  );
  t.notMatch(
    renderUnavailable({ nonce: 'n0nce', locale: 'en', policy: '', code: 'link_expired', status: 410 }).html,
    'Try again',
  );
  t.end();
});

t.test('a page with an instance shows its id for the support', (t) => {
  const id = '2f6b9f0e-9c5b-4f0e-8f43-0d0d4a1f6a51';
  const view = { nonce: 'n0nce', locale: 'en', policy: '', code: 'internal', status: 500 } as const;
  const { html } = renderUnavailable({ ...view, instance: `urn:uuid:${id}` });
  t.match(html, `Reference for support: <code>${id}</code>`);
  t.same(faults(html), []);
  t.notMatch(renderUnavailable(view).html, 'Reference for support');
  t.end();
});

t.test('the client and its contact are shown where they are known, and not hinted at elsewhere', (t) => {
  const known = renderUnavailable({
    nonce: 'n0nce',
    locale: 'en',
    policy: '',
    code: 'link_expired',
    status: 410,
    contact,
    clientName: 'Demo Insurance',
  });
  t.match(known.html, '<title>This link has expired – Demo Insurance</title>');
  t.match(known.html, '<a href="tel:+442079460000">');
  const unknown = renderUnavailable({
    nonce: 'n0nce',
    locale: 'en',
    policy: '',
    code: 'link_not_found',
    status: 404,
  });
  t.match(unknown.html, '<title>This link does not work</title>');
  t.notMatch(markup(unknown.html), 'Need help?');
  t.end();
});

t.test('hostile values are escaped', (t) => {
  const { html } = renderUnavailable({
    nonce: 'n0nce',
    locale: 'en',
    policy: '',
    code: 'link_revoked',
    status: 410,
    clientName: HOSTILE,
    contact: { email: HOSTILE, phone: HOSTILE, link: HOSTILE },
  });
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  t.end();
});
