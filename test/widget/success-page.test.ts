// The success page: the reference, help, and the way on.
import t from 'tap';
import type { SentClaim, SuccessView } from '../../lib/core/widget.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, HOSTILE, HOSTILE_ESCAPED, markup, PAGE_VIEW, postedForm } from './views.js';

const { readForm, renderSuccess } = createStandaloneWidget();

const VIEW = {
  ...PAGE_VIEW,
  reference: 'REF-1',
  submittedAt: new Date('2026-03-02T10:00:30Z'),
  contact,
  clientName: 'Demo Insurance',
};

/** The claim of the whole form, as a session holds it. */
function toSentClaim(): SentClaim {
  const fields = postedForm({ '/incident/date': '', '/incident/description': '<b>' });
  const { policy, incident } = readForm(fields) as SentClaim;
  return { policy, ...(incident && { incident }) };
}

t.test('it shows the reference and the contact', async (t) => {
  const { html } = renderSuccess({ ...VIEW, redirectUrl: 'https://app.example/done' });
  t.match(html, '<title>Your claim has been sent – Demo Insurance</title>');
  t.match(html, '<strong dir="ltr" translate="no" data-reference><span>REF-1</span></strong>');
  t.match(html, '<time data-time datetime="2026-03-02T10:00:30.000Z">2 March 2026 at 10:00 UTC</time>');
  t.match(html, '<a href="mailto:help@insurer.example">');
  t.same(faults(html), []);
});

t.test(
  'each date of a receipt has a year of four digits, also of a claim that an older version stored',
  async (t) => {
    const { policy } = toSentClaim();
    const claim = { policy: { ...policy, validFrom: '0026-03-04' }, incident: { date: '0999-12-31' } };
    for (const locale of createStandaloneWidget().locales) {
      const { html } = renderSuccess({ ...VIEW, locale, claim });
      for (const date of ['0026-03-04', '0999-12-31'])
        t.match(html, `<bdi translate="no">${date}</bdi>`, locale);
    }
  },
);

t.test('the time of the submission is in UTC, whatever the time zone of the server', async (t) => {
  const { TZ } = process.env;
  t.teardown(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  process.env['TZ'] = 'America/New_York';
  t.match(renderSuccess(VIEW).html, '>2 March 2026 at 10:00 UTC</time>');
});

t.test('the time of the submission is in the language of the page', async (t) => {
  const { html } = renderSuccess({ ...VIEW, locale: 'de' });
  t.match(html, 'Gesendet am</span> <time data-time datetime="2026-03-02T10:00:30.000Z">2. März 2026');
});

t.test('Continue leads to the redirect, by itself too, and the user can stay', async (t) => {
  const { html } = renderSuccess({ ...VIEW, redirectUrl: 'https://app.example/done?a=1&b="2"' });
  const url = 'https://app.example/done?a=1&amp;b=&quot;2&quot;';
  t.match(
    html,
    `<a class="button primary" data-continue href="${url}" rel="noreferrer">Continue to app.example</a>`,
  );
  t.notMatch(html, 'http-equiv="refresh"', 'a user without JavaScript could not stop it');
  t.match(
    html,
    '<p>You will be taken back to app.example. Seconds left: <span class="seconds" data-seconds>60</span>',
  );
  t.match(html, /<button [^>]*data-stay>Stay on this page<\/button>/);
});

t.test('the way to stay stands before the answers', async (t) => {
  const view = { ...VIEW, redirectUrl: 'https://app.example/done', claim: toSentClaim() };
  const html = markup(renderSuccess(view).html);
  t.ok(html.indexOf('data-stay') < html.indexOf('data-answers'));
});

t.test('the page has a status for what its buttons do', async (t) => {
  t.match(markup(renderSuccess(VIEW).html), /<p class="vh" role="status" data-result-status><\/p>/);
});

t.test('a custom scheme is a way on as well', async (t) => {
  const { html } = renderSuccess({ ...VIEW, redirectUrl: 'myapp:done' });
  t.match(html, ' data-continue href="myapp:done"');
  t.match(html, 'the app that you came from');
  t.match(html, '>Continue</a>');
});

t.test('without a redirect there is no way on', async (t) => {
  const { html } = renderSuccess(VIEW);
  t.notMatch(markup(html), 'data-continue');
  t.notMatch(html, 'http-equiv');
});

t.test('the client decides when the page goes on by itself, or that it never does', async (t) => {
  const redirectUrl = 'https://app.example/done';
  const pageWith = (redirectAfterSeconds: number | 'never') =>
    markup(renderSuccess({ ...VIEW, redirectUrl, redirectAfterSeconds }).html);
  t.match(pageWith(300), 'data-seconds>300</span>');
  t.notMatch(pageWith('never'), 'data-seconds');
  t.match(pageWith('never'), 'data-continue');
});

t.test('a long reference is set in groups of four, and its text stays the reference', async (t) => {
  const groups = (reference: string) =>
    /data-reference>(.*?)<\/strong>/
      .exec(renderSuccess({ ...VIEW, reference }).html)?.[1]
      ?.replaceAll('</span><span>', '|')
      .replaceAll(/<\/?span>/g, '');
  t.equal(groups('S-8K2M9P4T6W1X3Z5B'), 'S-8K2M|9P4T|6W1X|3Z5B');
  t.equal(groups('2026-000123'), '2026-000123');
  t.equal(groups('Schaden 123456789'), 'Schaden 1234|5678|9');
});

t.test('the answers that were sent are on the receipt, escaped, and only those', async (t) => {
  const html = markup(renderSuccess({ ...VIEW, claim: toSentClaim() }).html);
  t.match(html, '<dt>Policy number</dt><dd><bdi translate="no">A-1</bdi></dd>');
  t.match(html, '<dt>Valid from</dt><dd><bdi translate="no">1 January 2025</bdi></dd>');
  t.match(
    html,
    '<dt>Person 1</dt><dd><bdi translate="no">Bob Ross</bdi>, <bdi translate="no">bob@example.com</bdi>, <bdi translate="no">456</bdi></dd>',
  );
  t.match(html, '<dt>Description</dt><dd><bdi translate="no">&lt;b&gt;</bdi></dd>');
  t.notMatch(html, '<dt>Date of the incident');
  t.same(faults(html), []);
});

t.test(
  'a claim without date or description is not called complete: the page says what we will ask',
  async (t) => {
    const whole = createStandaloneWidget().readForm(postedForm()) as SentClaim;
    const { date, description } = whole.incident ?? {};
    const thanks = (incident: SentClaim['incident'], more: Partial<SuccessView> = {}) => {
      const claim = { policy: whole.policy, ...(incident && { incident }) };
      return /<\/h1>\n<p>(.*?)<\/p>/.exec(markup(renderSuccess({ ...VIEW, claim, ...more }).html))?.[1];
    };
    const complete = 'Thank you. We have what we need for now and will be in touch.';
    const asks = 'Thank you. We will be in touch. We will ask you about:';
    t.equal(thanks({ date: date ?? '', description: description ?? '' }), complete);
    t.equal(thanks({ date: date ?? '' }), `${asks} What happened.`);
    t.equal(thanks({ description: description ?? '' }), `${asks} Date of the incident.`);
    t.equal(thanks(undefined), `${asks} Date of the incident, What happened.`);
    const form = { fields: { '/incident/date': 'hidden', '/incident/description': 'hidden' } } as const;
    t.equal(thanks(undefined, { form }), complete, 'the client does not ask for them');
    t.match(renderSuccess(VIEW).html, complete, 'without the claim, nothing is known to be missing');
  },
);

t.test(
  'a person can add something: by the phone number, or a mail with the reference in its subject',
  async (t) => {
    const html = markup(renderSuccess({ ...VIEW, reference: 'REF 1/ä' }).html);
    t.match(html, '<h2>Something to add?</h2>');
    t.match(
      html,
      '<a class="button" href="tel:+442079460000"><span>Phone <bdi dir="ltr" translate="no">+44 (0)20 7946 0000</bdi></span></a>',
    );
    t.match(
      html,
      '<a class="button" href="mailto:help@insurer.example?subject=Insurance%20claims%3A%20REF%201%2F%C3%A4">Email</a>',
    );
    t.same(faults(html), []);
    const without = markup(renderSuccess({ ...VIEW, contact: { email: 'n/a', phone: 'n/a' } }).html);
    t.notMatch(without, 'Something to add?');
  },
);

t.test('a redirect that would run something is treated as none', async (t) => {
  t.equal(renderSuccess({ ...VIEW, redirectUrl: 'javascript:alert(1)' }).html, renderSuccess(VIEW).html);
  t.equal(renderSuccess({ ...VIEW, redirectUrl: 'data:text/html,x' }).html, renderSuccess(VIEW).html);
});

t.test('hostile values are escaped', async (t) => {
  const { html } = renderSuccess({
    ...VIEW,
    reference: HOSTILE,
    clientName: HOSTILE,
    contact: { email: HOSTILE, phone: HOSTILE },
    redirectUrl: `https://app.example/${HOSTILE}`,
  });
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  t.match(html, `<strong dir="ltr" translate="no" data-reference><span>${HOSTILE_ESCAPED.slice(0, 20)}`);
});

t.test(
  'the receipt names the photos of the claim, or says how many there are, in every language',
  async (t) => {
    const photo = (index: number, name?: string) => ({
      id: String(index).repeat(64),
      type: 'image/jpeg' as const,
      size: 5,
      ...(name !== undefined && { name }),
    });
    const textOf = (photos: SentClaim['incident'], locale = 'en') => {
      const claim = { ...toSentClaim(), incident: photos ?? {} };
      return markup(renderSuccess({ ...VIEW, locale, claim }).html);
    };
    const named = textOf({ place: 'Home', photos: [photo(1, 'Front.jpg'), photo(2, '<b>.jpg')] });
    t.match(named, /Photos<.*>Front\.jpg<.*>&lt;b&gt;\.jpg</);
    t.match(textOf({ photos: [photo(1, 'Front.jpg'), photo(2)] }), /Photos<\/dt><dd><bdi[^>]*>2</);
    t.notMatch(textOf({}), 'Photos');
    for (const locale of createStandaloneWidget().locales)
      t.match(
        textOf({ photos: [photo(1)] }, locale),
        />\p{L}[\p{L}’ ]+<\/dt><dd><bdi[^>]*>[1\u0661]</u,
        locale,
      );
  },
);
