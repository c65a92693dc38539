// The claim form on its first show: the whole configuration is in it.
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { CODE_MEMBERS } from '../../lib/core/claim-fields.js';
import { DECLINE_REASONS, type FormPhotos } from '../../lib/core/types.js';
import type { FormView } from '../../lib/core/widget.js';
import * as assets from '../../lib/generated/page-assets.js';
import { PHOTOS_SCRIPT, PHOTOS_STYLE } from '../../lib/generated/photo-assets.js';
import { createStandaloneWidget, STEP_KEYS } from '../../lib/widget/index.js';
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
  values,
} from './views.js';

const { locales, renderForm } = createStandaloneWidget();

const POLICY = {
  provider: 'Acme',
  number: 'A-1',
  validFrom: '2025-01-01T00:00:00Z',
  validTo: '2025-12-31',
  holder: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '123' },
  vehicle: { licensePlate: 'AB 123' },
  linkedContacts: [{ firstName: 'Bob', lastName: 'Ross', email: 'bob@example.com', phone: '456' }],
};

t.test('the page is whole, small and free of faults', async (t) => {
  const { html, contentSecurityPolicy } = renderForm(formView({ policy: POLICY }));
  t.match(html, /^<!doctype html>\n<html lang="en" dir="ltr">/);
  t.match(html, '<title>Report a claim – Demo Insurance</title>');
  t.match(html, '<meta name="viewport" content="width=device-width, initial-scale=1">');
  t.match(html, '<meta name="robots" content="noindex">');
  t.match(html, '<link rel="icon" href="data:,">');
  t.same(faults(html), []);
  t.equal(contentSecurityPolicy, undefined);
});

for (const locale of createStandaloneWidget().locales) {
  t.test(`${locale}: the page with its script has less than 45,000 bytes, 16,000 with gzip`, async (t) => {
    const contacts = locale === 'en' ? POLICY.linkedContacts : [];
    const policy = { ...POLICY, linkedContacts: contacts };
    const view = { ...formView({ policy }), locale, token: 't'.repeat(316), reportsStart: true } as const;
    const { html } = renderForm(view);
    const bytes = Buffer.byteLength(html);
    t.ok(bytes < 45_000, `${bytes} bytes`);
    t.ok(gzipSync(html).length < 16_000, `${gzipSync(html).length} bytes with gzip`);
    const declining = Buffer.byteLength(renderForm({ ...view, declineReasons: DECLINE_REASONS }).html);
    t.ok(declining - bytes < 1_700, `${declining - bytes} bytes to decline`);
  });
}

t.test('a form without the parts of a setting has neither their styles nor their scripts', async (t) => {
  // More than a day: a link that ends sooner has the part that tells it.
  const expiresAt = new Date('2025-01-03T10:00:00Z');
  const form = { fields: { '/incident/injured': 'hidden' } } as const;
  const { html } = renderForm(formView({}, { link: { ...formView().link, expiresAt, settings: { form } } }));
  t.equal(html.match(/<style\b/g)?.length, 1);
  t.equal(html.match(/<script nonce/g)?.length, 2, 'of the head and of the form');
  for (const [name, asset] of Object.entries<string>({ ...assets })) {
    const isOfForm = ['FORM_SCRIPT', 'HEAD_SCRIPT', 'STYLE'].includes(name);
    t.equal(html.includes(asset), isOfForm, name);
  }
});

t.test(
  'photos add at most 10,000 bytes to the form in each language, 4,000 with gzip; without them nothing',
  async (t) => {
    const { link } = formView();
    const withPhotos = (photos: FormPhotos) => ({ ...link, settings: { form: { photos } } });
    for (const locale of locales) {
      const photosPart = { style: PHOTOS_STYLE, script: PHOTOS_SCRIPT };
      const pageWith = (photos: FormPhotos) =>
        renderForm({ ...formView({}, { link: withPhotos(photos), photos: [], photosPart }), locale }).html;
      const hidden = pageWith({ need: 'hidden', heic: true });
      t.equal(hidden, renderForm({ ...formView(), locale }).html);
      const shown = pageWith({ need: 'optional', most: 10, heic: true });
      const added = Buffer.byteLength(shown) - Buffer.byteLength(hidden);
      t.ok(added <= 10_000, `${locale}: ${added} bytes`);
      t.match(shown, PHOTOS_SCRIPT);
      const zipped = gzipSync(shown).length - gzipSync(hidden).length;
      t.ok(zipped <= 4_000, `${locale}: ${zipped} bytes with gzip`);
    }
  },
);

t.test(
  'a form with photos works without JavaScript: a field for files, which the browser sends',
  async (t) => {
    const { link } = formView();
    const settings = { form: { photos: { need: 'required', most: 3, heic: true } } } as const;
    const stored = { id: 'a'.repeat(64), type: 'image/jpeg', size: 5 } as const;
    const photos = [{ ...stored, name: 'front.jpg' }, stored];
    const problems = [{ pointer: '/incident/photos', rule: 'required' as const, detail: '' }];
    const { html } = renderForm(formView({}, { link: { ...link, settings }, problems, photos }));
    t.match(html, '<li><bdi translate="no">front.jpg</bdi></li><li><bdi>Photo 2</bdi></li>');
    const down = renderForm(formView({}, { link: { ...link, settings } }));
    t.match(down.html, '<li>The photos cannot be shown now.</li>');
    t.match(html, '<form id="claim" class="card" method="post" novalidate enctype="multipart/form-data"');
    t.match(
      html,
      '<input type="file" id="incident-photos" name="photos" accept="image/jpeg,image/png,image/webp,image/heic" multiple',
    );
    t.notMatch(markup(html), 'capture');
    t.match(html, 'A photo may contain the place and the time where it was taken.');
    t.match(html, 'Up to 3 photos.');
    t.match(html, '<a href="#incident-photos">Add a photo of the damage</a>');
  },
);

t.test('what is shown after sending is not in the form', async (t) => {
  const { html } = renderForm(formView());
  for (const text of ['.success', '.entered', '.onward', 'data-countdown', 'data-stay'])
    t.notOk(html.includes(text), text);
});

t.test('the form has a receipt in words, for a response without a page', async (t) => {
  const [, json = ''] = /id="texts">(.*?)<\/script>/.exec(renderForm(formView()).html) ?? [];
  t.strictSame(JSON.parse(json).stored, {
    sent: 'Your claim has been sent',
    changed: 'Your changes were not saved',
    text: 'Your reference: {reference}\nNeed help? +44 (0)20 7946 0000, help@insurer.example',
  });
});

t.test('the form posts to its own URL, and leaves the messages to us', async (t) => {
  const [form = ''] = tags(renderForm(formView()).html, 'form');
  t.match(form, ' method="post" novalidate');
  t.notMatch(form, 'action');
  t.notMatch(form, 'data-callback-on-submit');
});

t.test('the script redirects at once if the link sets callbackOnSubmit', async (t) => {
  const view = formView();
  const { html } = renderForm({ ...view, link: { ...view.link, callbackOnSubmit: true } });
  t.match(tags(html, 'form')[0], / data-callback-on-submit>/);
});

t.test('the script reports the first answer only for a host that wants to know it', async (t) => {
  t.notMatch(tags(renderForm(formView()).html, 'form')[0], 'data-reports-start');
  const { html } = renderForm(formView({}, { reportsStart: true }));
  t.match(tags(html, 'form')[0], / data-reports-start>/);
});

t.test('a recipient declines in a form beside the claim form, which is closed at first', async (t) => {
  t.notMatch(markup(renderForm(formView()).html), /This is not for me|name="why"/);
  const { html } = renderForm(formView({}, { declineReasons: DECLINE_REASONS }));
  t.same(faults(html), []);
  const shown = markup(html);
  t.ok(shown.indexOf('<details class="decline">') > shown.indexOf('</form>'), 'after the claim form');
  t.match(shown, '<legend>What is the reason?</legend>');
  const radios = tags(html, 'input').filter((tag) => tag.includes(' name="why"'));
  t.same(
    radios,
    DECLINE_REASONS.map((why) => `<input id="why-${why}" type="radio" name="why" value="${why}" required>`),
  );
  for (const why of DECLINE_REASONS) t.match(shown, `<label for="why-${why}">`);
  const [claim = '', decline = ''] = shown.match(/<form[\s\S]*?<\/form>/g) ?? [];
  t.notMatch(claim, /decline|why/);
  t.equal(decline.split('<button').length, 2, 'one button');
});

t.test('without a client name the page goes without', async (t) => {
  const { link, ...view } = formView();
  const { clientName: _, ...anonymous } = link;
  const { html } = renderForm({ ...view, link: anonymous });
  t.match(html, '<title>Report a claim</title>');
  t.match(html, '<span class="brand">Insurance claims</span>');
});

t.test('the contact is shown as mail, phone and web links', async (t) => {
  const links = tags(renderForm(formView()).html, 'a');
  t.ok(links.includes('<a href="mailto:help@insurer.example">'));
  t.ok(links.includes('<a href="tel:+442079460000">'));
  t.ok(links.includes('<a href="https://insurer.example/help" target="_blank" rel="noopener noreferrer">'));
});

t.test('a contact that makes no link is shown as text', async (t) => {
  const { html } = renderForm(
    formView({ contact: { email: 'by post', phone: 'at the desk', link: 'javascript:alert(1)' } }),
  );
  t.match(html, '<p><span class="desk">Email </span><bdi translate="no">by post</bdi></p>');
  t.match(html, '<p><span class="desk">Phone </span><bdi translate="no">at the desk</bdi></p>');
  t.notMatch(html, 'javascript:alert');
});

t.test('the privacy policy is linked at the start and, with JavaScript, before the button', async (t) => {
  const privacyPolicyUrl = 'https://insurer.example/privacy?a=1&b=2';
  const link =
    /<p class="(?:hint ?)?(js-only)?">(?:It takes[^<]*)?How we use your data: <a href="https:\/\/insurer\.example\/privacy\?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">/g;
  /** Returns the steps with the link: those that only the script shows are in parentheses. */
  const stepsOf = (initialStepKey: string) => {
    const { html } = renderForm(formView({ privacyPolicyUrl, initialStepKey }));
    return html
      .split(/<section class="step" data-step="/)
      .flatMap((step) =>
        Array.from(step.matchAll(link), ([, jsOnly]) =>
          jsOnly ? `(${step.split('"')[0]})` : step.split('"')[0],
        ),
      );
  };
  t.same(stepsOf('policy'), ['policy', '(review)']);
  t.same(stepsOf('contact'), ['policy', '(contact)', '(review)']);
  t.same(stepsOf('review'), ['policy', '(review)']);
  const { html } = renderForm(formView({ privacyPolicyUrl }));
  t.ok(html.search(link) < html.indexOf(' name="/policy/number"'));
  t.ok(html.lastIndexOf('privacy policy') < html.indexOf('id="send"'));
  t.notMatch(renderForm(formView()).html, 'privacy policy');
  t.notMatch(renderForm(formView({ privacyPolicyUrl: 'data:text/html,x' })).html, 'privacy policy');
});

t.test('every field is prefilled from the policy', async (t) => {
  const { html } = renderForm(formView({ policy: POLICY }));
  for (const [name, value] of postedForm())
    if (name.startsWith('/policy/') && value !== '')
      t.same(values(control(html, name), 'value'), [value], name);
});

t.test('a date is prefilled only from a real calendar date', async (t) => {
  const date = (validFrom: string) => {
    const { html } = renderForm(formView({ policy: { validFrom } }));
    return values(control(html, '/policy/validFrom'), 'value')[0];
  };
  for (const text of ['2024-02-29', ' 2024-02-29T10:00']) t.equal(date(text), '2024-02-29', text);
  for (const text of ['1900-01-01', '9999-12-31']) t.equal(date(text), text);
  for (const text of [
    '0026-03-04',
    '1899-12-31',
    '2025-02-29',
    '2025-13-01',
    '2025-01-011',
    '0000-01-01',
    '01.02.2025',
    'soon',
  ])
    t.equal(date(text), undefined, text);
});

t.test(
  'a prefilled code is shown without its invisible characters, and nothing invisible fills a field',
  async (t) => {
    const pasted = (text: string) => `\u202d${text}\u202c`;
    const holder = {
      ...POLICY.holder,
      email: pasted('ada@example.com'),
      phone: pasted('123'),
      firstName: '\u200b',
    };
    const linkedContacts = [{ ...POLICY.linkedContacts[0], phone: pasted('456') }, { firstName: '\u2060' }];
    const vehicle = { licensePlate: pasted('AB 123') };
    const { html } = renderForm(
      formView({ policy: { ...POLICY, number: pasted('A-1'), holder, vehicle, linkedContacts } }),
    );
    const fields = [...postedForm({ '/policy/holder/firstName': '' })];
    for (const [name, value] of fields)
      if (name.startsWith('/policy/'))
        t.same(values(control(html, name), 'value'), value === '' ? [] : [value], name);
    t.notMatch(html, /name="\/policy\/linkedContacts\/2/, 'no row of nothing');
    const hidden = { settings: { form: { fields: { '/policy/holder/email': 'hidden' } } } } as const;
    const view = formView({ policy: { holder } });
    const other = renderForm({ ...view, link: { ...view.link, ...hidden } }).html;
    t.same(
      values(control(other, '/policy/holder/email'), 'value'),
      ['ada@example.com'],
      'a field that is not asked',
    );
  },
);

t.test('the fields of codes are those that lose invisible characters', async (t) => {
  const { html } = renderForm(formView({ policy: POLICY }));
  const inputs = [...tags(html, 'input'), ...tags(html, 'textarea'), ...tags(html, 'select')];
  for (const tag of inputs) {
    const [name = ''] = values(tag, 'name');
    t.equal(tag.includes(' dir="ltr"'), CODE_MEMBERS.has(name.split('/').at(-1) ?? ''), name);
  }
});

t.test('a row of contacts is there to spare, and 20 are the most', async (t) => {
  const rows = (count: number): number => {
    const linkedContacts = Array.from({ length: count }, (_, index) => ({ firstName: `P${index}` }));
    const names = values(renderForm(formView({ policy: { linkedContacts } })).html, 'name');
    return names.filter((name) => /^\/policy\/linkedContacts\/\d+\/email$/.test(name)).length;
  };
  t.equal(rows(0), 1);
  t.equal(rows(3), 4);
  t.equal(rows(19), 20);
  t.equal(rows(25), 20);
});

t.test('an empty row of contacts is optional; a row with a text shows what it needs', async (t) => {
  const { html } = renderForm(formView({ policy: { linkedContacts: [{ firstName: 'Bob' }] } }));
  const legends = Array.from(html.matchAll(/<legend>(Person .*)<\/legend>/g), ([, legend]) => legend);
  t.same(legends.slice(0, 2), ['Person 1', 'Person 2 <span class="optional">(optional)</span>']);
  const isRequired = (row: number) =>
    ['firstName', 'lastName', 'email', 'phone'].map((member) =>
      control(html, `/policy/linkedContacts/${row}/${member}`).includes(' aria-required="true"'),
    );
  t.same(isRequired(0), [true, true, true, false]);
  t.same(isRequired(1), [false, false, false, false]);
  t.match(html, 'For each person we need the first name, last name and email address.');
});

t.test('wholly blank contacts are not prefilled', async (t) => {
  const { html } = renderForm(formView({ policy: { linkedContacts: [{}, { email: 'b@example.com' }] } }));
  t.match(control(html, '/policy/linkedContacts/0/email'), ' value="b@example.com"');
});

t.test('fields have the type, length and autocomplete that fit them', async (t) => {
  const { clientName: _, ...link } = formView().link;
  const { html } = renderForm(formView({}, { link }));
  t.match(control(html, '/policy/provider'), / maxlength="16000" data-max="200" /);
  t.match(control(html, '/policy/number'), / maxlength="16000" data-max="100" /);
  t.match(control(html, '/policy/validTo'), / type="date" /);
  t.match(control(html, '/policy/vehicle/licensePlate'), / maxlength="16000" data-max="32" /);
  t.match(control(html, '/incident/description'), / maxlength="16000" data-max="4000" /);
  t.match(
    control(html, '/policy/holder/firstName'),
    / maxlength="16000" data-max="100" autocomplete="given-name" /,
  );
  t.match(
    control(html, '/policy/holder/email'),
    / type="email" .* maxlength="16000" data-max="254" autocomplete="email" /,
  );
  t.match(
    control(html, '/policy/holder/phone'),
    / type="tel" .* maxlength="16000" data-max="40" autocomplete="tel" /,
  );
});

t.test('addresses, numbers and codes are typed from left to right in every language', async (t) => {
  const { renderForm: render } = createStandaloneWidget({ locales: { ar: {} } });
  const { html } = render({ ...formView(), locale: 'ar' });
  const names = [...tags(html, 'input'), ...tags(html, 'textarea')]
    .filter((tag) => tag.includes(' dir="ltr"'))
    .flatMap((tag) => values(tag, 'name'));
  t.same(names, [
    '/policy/number',
    '/policy/vehicle/licensePlate',
    '/policy/holder/phone',
    '/policy/holder/email',
    '/policy/linkedContacts/0/email',
    '/policy/linkedContacts/0/phone',
  ]);
});

t.test(
  'every field has a type and an autofill name; the form turns off those of other people and things',
  async (t) => {
    const { html } = renderForm(formView());
    const autofillNames: Record<string, string> = {
      '/policy/holder/firstName': 'given-name',
      '/policy/holder/lastName': 'family-name',
      '/policy/holder/phone': 'tel',
      '/policy/holder/email': 'email',
    };
    t.match(tags(html, 'form')[0], ' autocomplete="off"');
    const fields = [...tags(html, 'input'), ...tags(html, 'textarea')];
    t.ok(fields.length > 11);
    for (const tag of fields.filter((tag) => !tag.includes(' type="hidden"'))) {
      const [, name = ''] = / name="([^"]*)"/.exec(tag) ?? [];
      t.equal(/ autocomplete="([^"]*)"/.exec(tag)?.[1], autofillNames[name], name);
      // Without a type, an input takes one line of text.
      if (tag.startsWith('<input')) t.match(tag, / type="(?:date|tel|email|radio)"|^(?!.* type=)/, name);
    }
  },
);

t.test('a date has no placeholder: its message shows how to type it where it is typed as text', async (t) => {
  t.same(values(renderForm(formView()).html, 'placeholder'), []);
  for (const locale of locales) {
    const problems = [{ pointer: '/policy/validTo', rule: 'format', detail: '' }] as const;
    const { html } = renderForm(formView({}, { locale, fields: postedForm(), problems }));
    const [, message] = / id="policy-validTo-error">(.*)<\/p>/.exec(html) ?? [];
    t.notMatch(message, '2026-12-31', locale);
    const typed = renderForm(
      formView({}, { locale, fields: postedForm({ '/policy/validTo': '31.12.2026' }), problems }),
    );
    const [, example] = / id="policy-validTo-error">(.*)<\/p>/.exec(typed.html) ?? [];
    t.match(example, '2026-12-31', locale);
  }
});

t.test('the date of the incident has the latest date of the service', async (t) => {
  const { html } = renderForm(formView());
  t.match(control(html, '/incident/date'), ' max="2026-03-03"');
  t.notMatch(control(html, '/policy/validTo'), ' max=');
});

t.test('the button to the next step names it', async (t) => {
  const labels = (locale: string) =>
    Array.from(
      renderForm({ ...formView(), locale }).html.matchAll(/ data-next>([^<]*)</g),
      ([, label]) => label,
    );
  t.same(labels('en'), ['Next: Incident', 'Next: Contact', 'Next: Review']);
  t.same(labels('de'), ['Weiter: Schaden', 'Weiter: Kontakt', 'Weiter: Prüfen']);
});

t.test('the button that sends has no autocomplete: Firefox would restore it as disabled', async (t) => {
  const [send] = tags(renderForm(formView()).html, 'button').filter((tag) => tag.includes(' id="send"'));
  t.match(send, ' autocomplete="off"');
});

t.test('the form starts at initialStepKey, and at the first step without one that it knows', async (t) => {
  t.same(STEP_KEYS, ['policy', 'incident', 'contact', 'review']);
  t.equal(currentStep(renderForm(formView()).html), 'policy');
  t.equal(currentStep(renderForm(formView({ initialStepKey: 'incident' })).html), 'incident');
  t.equal(currentStep(renderForm(formView({ initialStepKey: 'contact' })).html), 'contact');
  t.equal(currentStep(renderForm(formView({ initialStepKey: 'review' })).html), 'review');
  t.equal(currentStep(renderForm(formView({ initialStepKey: 'constructor' })).html), 'policy');
});

t.test(
  'a form that opens takes no focus: a page around it keeps it, and no keyboard covers a phone',
  async (t) => {
    for (const initialStepKey of STEP_KEYS)
      t.notMatch(renderForm(formView({ initialStepKey })).html, / autofocus[ >]/, initialStepKey);
  },
);

t.test('what the form begins with is at its first step, and at the step that opens', async (t) => {
  const form = { texts: { en: { introduction: 'Dear you' } } };
  const stepsWith = (text: string, initialStepKey: string) => {
    const view = formView({ initialStepKey });
    const { html } = renderForm({ ...view, link: { ...view.link, settings: { form } } });
    const [, ...steps] = html.split('data-step="');
    return steps.filter((step) => step.includes(text)).map((step) => step.split('"')[0]);
  };
  for (const text of ['Dear you', 'It takes a few minutes']) {
    t.same(stepsWith(text, 'policy'), ['policy'], text);
    t.same(stepsWith(text, 'contact'), ['policy', 'contact'], text);
    t.same(stepsWith(text, 'review'), ['policy', 'review'], text);
  }
});

t.test('hostile values are escaped wherever they stand', async (t) => {
  const holder = { firstName: HOSTILE, lastName: HOSTILE, email: HOSTILE, phone: HOSTILE };
  const view = formView({
    contact: { email: `${HOSTILE}@x`, phone: `1${HOSTILE}`, link: `https://x.example/${HOSTILE}` },
    currentUserId: HOSTILE,
    policy: {
      provider: HOSTILE,
      number: HOSTILE,
      validFrom: HOSTILE,
      validTo: HOSTILE,
      holder,
      vehicle: { licensePlate: HOSTILE },
      linkedContacts: [holder],
    },
    initialStepKey: HOSTILE,
    privacyPolicyUrl: `https://x.example/?${HOSTILE}`,
  });
  const { html } = renderForm({ ...view, link: { ...view.link, clientName: HOSTILE, callbackUrl: HOSTILE } });
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  // Title, header, two titles for the script, nine fields of text, phone, mail, and the two links.
  const shown = markup(html).split(HOSTILE_ESCAPED).length - 1;
  t.ok(shown >= 15, `${shown} times`);
});

const PRIVACY = 'https://insurer.example/privacy';

/** A form that asks for a confirmation. */
function confirmingForm(changes: Partial<FormView> = {}): string {
  const view = formView({ privacyPolicyUrl: PRIVACY }, changes);
  const link = { ...view.link, settings: { form: { noticeConfirmation: true } } };
  return renderForm({ ...view, link }).html;
}

t.test('with noticeConfirmation, the last step has a checkbox that is not ticked', async (t) => {
  const html = confirmingForm();
  const checkbox = control(html, '/noticeAccepted');
  t.match(checkbox, ' type="checkbox" value="true" autocomplete="off" aria-required="true"');
  t.notMatch(checkbox, / checked/);
  t.ok(html.indexOf(checkbox) > html.indexOf('data-step="review"'));
  t.ok(html.indexOf(checkbox) < html.indexOf('id="send"'));
  t.match(html, '<label for="noticeAccepted">I have read the privacy policy</label>');
  t.same(faults(html), []);
});

t.test('the policy is linked beside the checkbox, also without JavaScript', async (t) => {
  const [, review = ''] = confirmingForm().split('data-step="review"');
  t.match(review, new RegExp(`<p>How we use your data: <a href="${PRIVACY}"`));
});

t.test('a form without noticeConfirmation or without a privacy policy has no checkbox', async (t) => {
  t.equal(control(renderForm(formView({ privacyPolicyUrl: PRIVACY })).html, '/noticeAccepted'), '');
  const view = formView({ privacyPolicyUrl: PRIVACY });
  const off = { ...view.link, settings: { form: { noticeConfirmation: false } } };
  t.equal(control(renderForm({ ...view, link: off }).html, '/noticeAccepted'), '');
  const { link } = formView();
  const asking = { ...link, settings: { form: { noticeConfirmation: true } } };
  t.equal(control(renderForm({ ...formView(), link: asking }).html, '/noticeAccepted'), '');
});

t.test('the checkbox is ticked again only in a form that was sent ticked', async (t) => {
  const sent = (value: string) =>
    confirmingForm({ fields: new URLSearchParams({ '/noticeAccepted': value }) });
  t.match(control(sent('true'), '/noticeAccepted'), ' checked');
  for (const value of ['', 'on', 'false']) t.notMatch(control(sent(value), '/noticeAccepted'), ' checked');
});

t.test('a missing confirmation is explained at the checkbox, and opens the last step', async (t) => {
  const problems = [{ pointer: '/noticeAccepted', rule: 'accepted', detail: 'must be true' }] as const;
  const html = confirmingForm({ fields: new URLSearchParams(), problems });
  t.match(control(html, '/noticeAccepted'), ' aria-invalid="true" aria-describedby="noticeAccepted-error"');
  t.match(html, '<a href="#noticeAccepted">Confirm that you have read the privacy policy</a>');
  t.equal(currentStep(html), 'review');
  t.same(faults(html), []);
});

t.test('a problem with the confirmation has no target in a form without one', async (t) => {
  const problems = [{ pointer: '/noticeAccepted', rule: 'policy', detail: 'No', messages: {} }];
  const { html } = renderForm(formView({}, { fields: new URLSearchParams(), problems }));
  t.match(html, '<ul id="problem-list"><li>No</li></ul>');
  t.same(faults(html), []);
});

t.test('a date is a group with its label: Firefox tells its parts without one', async (t) => {
  const html = markup(renderForm(formView()).html);
  const group =
    /<div class="field date" role="group" aria-labelledby="([^"]+)">\s*<label for="[^"]+" id="([^"]+)">/g;
  const groups = [...html.matchAll(group)];
  t.equal(groups.length, html.match(/ type="(?:date|time)"/g)?.length);
  for (const [, labelledby, id] of groups) t.equal(labelledby, id);
});

t.test(
  'with less than a day left, the page has how much, for a script that counts by its own clock',
  async (t) => {
    const expiresAt = new Date('2025-01-01T11:00:00Z');
    const view = formView();
    const { html } = renderForm({ ...view, link: { ...view.link, expiresAt } });
    const [note = ''] = tags(html, 'p').filter((tag) => tag.includes('id="until"'));
    t.match(note, ' data-left="3600000"');
    t.match(note, ' data-after="What you have typed stays in this tab after that."');
    t.match(markup(html), /This link works until <time [^>]*>1 January 2025 at 11:00 UTC<\/time>\./);
    const later = new Date('2025-01-03T11:00:00Z');
    t.notMatch(
      renderForm({ ...view, link: { ...view.link, expiresAt: later } }).html,
      /id="until"|data-left/,
    );
  },
);

t.test(
  'keepDraft: device: the form has the notes of the text on the device, and the script of the setting',
  async (t) => {
    const deviceDraft = { clientId: 'demo', isShown: true };
    const { html } = renderForm(formView({ policy: POLICY }, { deviceDraft }));
    t.same(faults(html), []);
    t.ok(html.includes(assets.DEVICE_DRAFT_SCRIPT));
    t.match(html, '<details id="device" data-key="claimlink-draft:demo:a1b2" data-life="691200000" hidden>');
    t.match(html, 'Your text stays on this device.');
    t.notMatch(html, 'data-prefill', 'the fields of the form are those of the prefill');
  },
);

t.test(
  'keepDraft: device: a form with the fields that were sent says what its link has prefilled',
  async (t) => {
    const more = {
      deviceDraft: { clientId: 'demo', isShown: true },
      fields: postedForm({ '/policy/number': '' }),
    };
    const { html } = renderForm(formView({ policy: POLICY }, more));
    const prefill = new URLSearchParams(/data-prefill="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&'));
    t.equal(prefill.get('/policy/number'), 'A-1');
    t.equal(prefill.get('/policy/linkedContacts/0/email'), 'bob@example.com');
  },
);
