// The form that opens a page in another language: on each page that shows the same when it is opened again.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, formView, PAGE_VIEW, postedForm, tags, values } from './views.js';

const widget = createStandaloneWidget();
const TOKEN = 'a"b&c';
const view = { ...PAGE_VIEW, token: TOKEN };
const fields = postedForm();

/** Returns the switch of a page, or undefined. */
const switchOf = ({ html }: { html: string }) => /<form class="lang".*?<\/form>/s.exec(html)?.[0];

t.test('the switch is a GET with the token and every language by its name', async (t) => {
  const page = widget.renderForm({ ...formView(), token: TOKEN, locale: 'de' });
  const form = switchOf(page) ?? '';
  t.match(form, '<input type="hidden" name="token" value="a&quot;b&amp;c">');
  t.match(form, '<label class="vh" for="lang">Sprache</label>');
  t.match(form, '<option value="de" lang="de" selected>Deutsch<');
  t.match(form, '<option value="ar" lang="ar">العربية<');
  t.match(form, '<option value="fr" lang="fr">Français<');
  t.same(
    tags(form, 'option').flatMap((option) => values(option, 'value')),
    widget.locales,
  );
  t.notMatch(form, /action=|method="post"/);
  t.same(faults(page.html), []);
});

t.test('each button with the same text says by its name what it changes, in every language', async (t) => {
  const policy = {
    provider: 'Acme',
    number: 'A-1',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    vehicle: { licensePlate: 'AB 1' },
  };
  for (const locale of widget.locales) {
    const { html } = widget.renderForm({ ...formView({ policy }), token: TOKEN, locale });
    const labelled = [...html.matchAll(/<button class="button quiet" aria-label="([^"]*)">([^<]*)</g)];
    const spoken = [...html.matchAll(/<span aria-hidden="true">([^<]*)<\/span><span class="vh">([^<]*)</g)];
    const buttons = [
      ...labelled.map(([, name, text]) => [name, text]),
      ...spoken.map(([, text, name]) => [name, text]),
    ];
    const names = buttons.map(([name = '', text]) => {
      t.ok(name.startsWith(`${text}`) && name !== text, `${locale}: ${name}`);
      return name;
    });
    t.equal(new Set(names).size, 3, `${locale}: ${names}`);
  }
});

t.test('languages of the host are in the switch', async (t) => {
  const { renderForm } = createStandaloneWidget({ locales: { 'de-AT': {}, he: {} } });
  const form = switchOf(renderForm({ ...formView(), token: TOKEN })) ?? '';
  t.match(form, '<option value="de-AT" lang="de-AT">Österreichisches Deutsch<');
  t.match(form, '<option value="he" lang="he">עברית<');
});

t.test('the question has the switch, and no page does without a token', async (t) => {
  t.ok(switchOf(widget.renderCheck({ ...view, member: '/policy/number', contact })));
  t.notOk(switchOf(widget.renderCheck({ ...PAGE_VIEW, member: '/policy/number', contact })));
  t.notOk(switchOf(widget.renderForm(formView())));
});

t.test('what was sent to a link that has ended is not told as arrived', async (t) => {
  const told = (
    code: 'link_expired' | 'link_revoked' | 'link_locked' | 'link_not_found' | 'link_submitted',
  ) => widget.renderUnavailable({ ...view, code, status: 410, fields }).html;
  for (const code of ['link_expired', 'link_revoked', 'link_locked'] as const)
    t.match(told(code), '<p>Your claim was not sent. ', code);
  t.match(told('link_not_found'), '<p>We do not know whether your claim arrived. ');
  t.match(told('link_submitted'), '<p>We have got the claim that was made with this link.</p>');
  const { html } = widget.renderUnavailable({ ...view, code: 'link_expired', status: 410 });
  t.notMatch(html, '<p>Your claim was not sent.');
});
