// The pages of a link with no form behind it: plain words, and no more than is known.
import t from 'tap';
import { ERRORS, type ErrorCode } from '../../lib/core/errors.js';
import { DECLINE_REASONS } from '../../lib/core/types.js';
import type { SentClaim, UnavailableView } from '../../lib/core/widget.js';
import { DEVICE_TEXT_SCRIPT } from '../../lib/generated/page-assets.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, HOSTILE, HOSTILE_ESCAPED, markup, PAGE_VIEW, postedForm, tags } from './views.js';

const { renderUnavailable } = createStandaloneWidget();

const CODES = Object.keys(ERRORS) as ErrorCode[];

function pageOf(code: ErrorCode, more: Partial<UnavailableView> = {}): string {
  return renderUnavailable({ ...PAGE_VIEW, code, status: ERRORS[code][0], ...more }).html;
}

function heading(code: ErrorCode): string | undefined {
  return /<h1>([^<]*)<\/h1>/.exec(pageOf(code))?.[1];
}

t.test('each state of a link has its own words', async (t) => {
  t.equal(heading('link_not_found'), 'This link does not work');
  t.equal(heading('link_expired'), 'This link has expired');
  t.equal(heading('link_revoked'), 'This link has been withdrawn');
  t.equal(heading('link_submitted'), 'This claim has been sent already');
  t.equal(heading('internal'), 'Something went wrong on our side');
  t.equal(heading('body_consumed'), 'Something went wrong on our side');
  t.equal(heading('body_too_large'), 'That was too much text');
  t.equal(heading('content_type_unsupported'), 'This page cannot be shown');
  t.equal(heading('request_invalid'), 'This page cannot be shown');
});

t.test('every error code has a page without faults', async (t) => {
  for (const code of CODES) t.same(faults(pageOf(code, { contact })), [], code);
});

t.test('no page shows a status or a code', async (t) => {
  for (const code of CODES) {
    const text = markup(pageOf(code)).replace(/<[^>]*>/g, ' ');
    // The wait after too many requests.
    t.notMatch(text.replace('in 60 seconds', ''), /\d/, code);
    t.notMatch(text, /\b[a-z]+_[a-z]+\b/, code);
  }
});

t.test('only an error on our side offers to try again', async (t) => {
  t.match(pageOf('internal'), 'href="">Try again</a>');
  t.notMatch(markup(pageOf('link_expired')), 'Try again');
});

t.test('too many requests: the page says how long to wait', async (t) => {
  t.match(pageOf('too_many_requests', { retryAfterSeconds: 30 }), 'Try again in 30 seconds.');
  t.match(pageOf('too_many_requests', { retryAfterSeconds: 600 }), 'Try again in 10 minutes.');
  t.match(pageOf('too_many_requests', { retryAfterSeconds: 86_400 }), 'Try again in 24 hours.');
  t.match(pageOf('too_many_requests'), 'href="">Try again</a>');
});

t.test('a form that was sent to an ended link comes back as text, escaped', async (t) => {
  const html = markup(pageOf('link_expired', { fields: postedForm({ '/incident/description': '<b>' }) }));
  t.match(html, 'Policy number: A-1\n');
  t.match(html, 'Person 1: Bob Ross, bob@example.com, 456');
  t.match(html, 'Description: &lt;b&gt;');
  t.same(faults(html), []);
});

t.test('a form without any text gives nothing back', async (t) => {
  t.notMatch(
    markup(pageOf('link_expired', { fields: new URLSearchParams({ number: '' }) })),
    'What you entered',
  );
});

t.test('a failure after a form gives its text back, and does not say that it was not sent', async (t) => {
  const html = markup(pageOf('storage_unavailable', { fields: postedForm() }));
  t.match(html, 'We do not know whether your claim arrived.');
  t.match(html, 'Try again: a claim is never taken twice. Changes that you make now may not be saved.');
  t.match(html, 'Policy number: A-1');
  t.notMatch(html, 'We could not do that');
  t.match(markup(pageOf('storage_unavailable')), 'We could not do that');
});

t.test('a claim that was not checked was not sent, and its text is given back', async (t) => {
  for (const code of ['settings_unknown', 'validation_unavailable', 'recipient_check_unavailable'] as const) {
    const html = markup(pageOf(code, { fields: postedForm() }));
    t.match(html, 'Your claim was not sent.');
    t.notMatch(html, 'may not be saved');
    t.match(html, 'Policy number: A-1');
    t.notMatch(html, 'We do not know');
    t.match(markup(pageOf(code)), 'We could not do that');
  }
});

t.test('a submitted link shows reference and time, and the answers only with a claim', async (t) => {
  const receipt = { reference: 'REF-1', submittedAt: new Date('2026-03-02T10:00:30Z') };
  const short = markup(pageOf('link_submitted', { receipt }));
  t.match(short, '<h1 id="success-title" tabindex="-1">This claim has been sent already</h1>');
  t.match(short, 'REF-1');
  t.match(short, '2 March 2026 at 10:00 UTC');
  t.notMatch(short, 'What you sent');
  t.match(pageOf('link_submitted', { receipt, contact }), '?subject=Insurance%20claims%3A%20REF-1">Email');
  t.notMatch(short, 'data-continue');
  const claim = createStandaloneWidget().readForm(postedForm()) as SentClaim;
  const redirectUrl = 'https://app.example/done';
  const whole = markup(pageOf('link_submitted', { receipt: { ...receipt, claim, redirectUrl } }));
  t.match(whole, '<h1 id="success-title" tabindex="-1">Your claim has been sent</h1>');
  t.match(whole, '<dd><bdi translate="no">A-1</bdi></dd>');
  const { incident: _, ...little } = claim;
  t.match(
    pageOf('link_submitted', { receipt: { ...receipt, claim: little } }),
    'We will ask you about: Date of the incident, What happened.',
  );
  t.match(whole, `data-continue href="${redirectUrl}"`);
  t.notMatch(whole, 'data-seconds', 'a receipt that is shown again stays');
});

t.test('a page with an instance shows its id for the support', async (t) => {
  const id = '2f6b9f0e-9c5b-4f0e-8f43-0d0d4a1f6a51';
  const html = pageOf('internal', { instance: `urn:uuid:${id}` });
  t.match(html, `Reference for support: <code dir="ltr" translate="no">${id}</code>`);
  t.same(faults(html), []);
  t.notMatch(pageOf('internal'), 'Reference for support');
});

t.test('a link that its recipient has declined thanks, and its script clears what the tab has', async (t) => {
  for (const declined of DECLINE_REASONS) {
    const html = pageOf('link_revoked', { declined, linkId: 'a1', contact });
    t.match(html, '<h1>Thank you for telling us</h1>');
    t.match(html, 'No claim was sent, and this link is now closed.');
    t.match(html, '<template id="entered-template" data-link="a1" data-clear></template>');
    t.same(faults(html), []);
  }
  t.notMatch(pageOf('link_revoked', { linkId: 'a1' }), 'data-clear>');
});

t.test('a link that has ended says which number to call for another one', async (t) => {
  const number = '<bdi dir="ltr" translate="no"><a href="tel:+442079460000">+44 (0)20 7946 0000</a></bdi>';
  const locked = 'Ask us for a new link, or to unlock this one, phone';
  for (const [code, text] of [
    ['link_expired', 'Ask us for a new link, phone'],
    ['link_revoked', 'Ask us for a new link, phone'],
    ['link_locked', locked],
  ] as const) {
    t.match(pageOf(code, { contact }), `<p>${text} ${number}.</p>`, code);
    t.notMatch(markup(pageOf(code)), /\{phone\}|phone/, `${code} without a contact`);
  }
  t.match(
    pageOf('link_expired', { contact, locale: 'de' }),
    `<p>Bitten Sie bei uns, Telefon ${number}, um einen neuen Link.</p>`,
  );
});

t.test('an expired link has a button for another one where the host wants it', async (t) => {
  t.notMatch(markup(pageOf('link_expired')), '<form');
  const html = pageOf('link_expired', { renewal: 'offered' });
  const [form = ''] = /<form[\s\S]*?<\/form>/.exec(html) ?? [];
  t.match(form, ' method="post"');
  t.match(form, ' name="action" value="renew"');
  t.match(form, 'Ask for a new link</button>');
  t.notMatch(html, 'Ask us for');
  t.same(faults(html), []);
});

t.test('after the request, a sentence stands instead of the button', async (t) => {
  const html = pageOf('link_expired', { renewal: 'requested', status: 200, contact, linkId: 'a1' });
  t.match(html, '<h1>You have asked for a new link</h1>');
  t.match(html, 'We have received your request. This link is no longer valid.');
  t.notMatch(markup(html), '<form');
  t.match(html, 'data-link="a1"><section', 'what the tab has is shown again');
  t.same(faults(html), []);
});

t.test(
  'the text of a link that took no claim was not sent; that of a submitted one may differ',
  async (t) => {
    const differs = 'It may differ from what was sent.';
    for (const more of [{ renewal: 'requested' }, { renewal: 'offered' }, {}] as const) {
      const html = pageOf('link_expired', { linkId: 'a1', ...more });
      t.match(html, 'This text is still in this tab. It was not sent.');
      t.notMatch(html, differs);
    }
    t.notMatch(pageOf('link_revoked', { linkId: 'a1' }), differs);
    t.match(pageOf('link_submitted', { linkId: 'a1' }), differs);
  },
);

t.test('the client says where and when the new link comes, once the user has asked for it', async (t) => {
  const form = { texts: { en: { renewal: 'You get it\nby <SMS> today.' } } };
  const html = pageOf('link_expired', { renewal: 'requested', form, contact });
  t.match(html, '<p class="own">You get it\nby &lt;SMS&gt; today.</p>\n<p>If you hear nothing, contact us.');
  t.match(
    pageOf('link_expired', { renewal: 'requested', form, contact, locale: 'de' }),
    '<p class="own" lang="en" dir="auto">You get it',
  );
  t.notMatch(markup(pageOf('link_expired', { renewal: 'offered', form })), 'SMS');
  t.notMatch(markup(pageOf('link_revoked', { form })), 'SMS');
});

t.test('the request for another link sends the late claim along, until the user deletes it', async (t) => {
  const fields = postedForm({ '/incident/description': HOSTILE });
  const html = pageOf('link_expired', { renewal: 'offered', fields, linkId: 'a1' });
  t.same(faults(html), []);
  const section = html.slice(html.indexOf('<section class="entered"'));
  const inputs = tags(section, 'input').filter((tag) => tag.includes(' form="renew"'));
  t.equal(inputs.length, [...fields].length);
  t.match(section, HOSTILE_ESCAPED);
  t.notMatch(markup(pageOf('link_expired', { fields })), 'form="renew"');
});

t.test('the client and its contact are shown where they are known, and only there', async (t) => {
  const withContact = pageOf('link_expired', { contact, clientName: 'Demo Insurance' });
  t.match(withContact, '<title>This link has expired – Demo Insurance</title>');
  t.match(withContact, '<a href="tel:+442079460000">');
  const withoutContact = pageOf('link_not_found');
  t.match(withoutContact, '<title>This link does not work</title>');
  t.notMatch(markup(withoutContact), 'Need help?');
});

t.test('hostile values are escaped', async (t) => {
  const html = pageOf('link_revoked', {
    clientName: HOSTILE,
    contact: { email: HOSTILE, phone: HOSTILE, link: HOSTILE },
  });
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
});

t.test(
  'keepDraft: device: an ended page finds the text on the device, and hides it if the client asks its recipients',
  async (t) => {
    const view = { ...PAGE_VIEW, contact, code: 'link_expired', status: 410, linkId: 'a1b2' } as const;
    const shown = renderUnavailable({ ...view, deviceDraft: { clientId: 'demo', isShown: true } }).html;
    t.match(shown, 'data-key="claimlink-draft:demo:a1b2">');
    t.ok(shown.includes(DEVICE_TEXT_SCRIPT));
    t.match(shown, '<p class="js-only">Your text stays on this device.</p>\n<p>Your claim was not sent.</p>');
    t.match(shown, '>Remove from this device</button>');
    const hidden = renderUnavailable({ ...view, deviceDraft: { clientId: 'demo', isShown: false } }).html;
    t.match(hidden, 'data-key="claimlink-draft:demo:a1b2" data-hides>');
    t.notOk(renderUnavailable(view).html.includes(DEVICE_TEXT_SCRIPT));
  },
);
