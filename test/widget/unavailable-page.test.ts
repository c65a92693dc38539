// The pages of a link with no form behind it: plain words, and no more than is known.
import t from 'tap';
import { ERRORS, type ErrorCode } from '../../lib/core/errors.js';
import type { UnavailableView } from '../../lib/core/widget.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, HOSTILE, markup, PAGE_VIEW } from './views.js';

const { renderUnavailable } = createStandaloneWidget();

const CODES = Object.keys(ERRORS) as ErrorCode[];

function pageOf(code: ErrorCode, more: Partial<UnavailableView> = {}): string {
  return renderUnavailable({ ...PAGE_VIEW, code, status: ERRORS[code][0], ...more }).html;
}

function heading(code: ErrorCode): string | undefined {
  return /<h1>([^<]*)<\/h1>/.exec(pageOf(code))?.[1];
}

t.test('each state of a link has its own words', (t) => {
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
  for (const code of CODES) t.same(faults(pageOf(code, { contact })), [], code);
  t.end();
});

t.test('no page shows a status or a code', (t) => {
  for (const code of CODES) {
    const text = markup(pageOf(code)).replace(/<[^>]*>/g, ' ');
    t.notMatch(text, /\d/, code);
    t.notMatch(text, /\b[a-z]+_[a-z]+\b/, code);
  }
  t.end();
});

t.test('only an error on our side offers to try again', (t) => {
  t.match(pageOf('internal'), 'href="">Try again</a>');
  t.notMatch(pageOf('link_expired'), 'Try again');
  t.end();
});

t.test('a page with an instance shows its id for the support', (t) => {
  const id = '2f6b9f0e-9c5b-4f0e-8f43-0d0d4a1f6a51';
  const html = pageOf('internal', { instance: `urn:uuid:${id}` });
  t.match(html, `Reference for support: <code>${id}</code>`);
  t.same(faults(html), []);
  t.notMatch(pageOf('internal'), 'Reference for support');
  t.end();
});

t.test('the client and its contact are shown where they are known, and not hinted at elsewhere', (t) => {
  const withContact = pageOf('link_expired', { contact, clientName: 'Demo Insurance' });
  t.match(withContact, '<title>This link has expired – Demo Insurance</title>');
  t.match(withContact, '<a href="tel:+442079460000">');
  const withoutContact = pageOf('link_not_found');
  t.match(withoutContact, '<title>This link does not work</title>');
  t.notMatch(markup(withoutContact), 'Need help?');
  t.end();
});

t.test('hostile values are escaped', (t) => {
  const html = pageOf('link_revoked', {
    clientName: HOSTILE,
    contact: { email: HOSTILE, phone: HOSTILE, link: HOSTILE },
  });
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  t.end();
});
