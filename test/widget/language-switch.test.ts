// The form that opens a page in another language: on each page that shows the same when it is opened again.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { contact, faults, formView, PAGE_VIEW, postedForm, tags, values } from './views.js';

const widget = createStandaloneWidget();
const TOKEN = 'a"b&c';
const view = { ...PAGE_VIEW, token: TOKEN };
const fields = postedForm();

/** Returns the switch of a page, or undefined. */
const switchOf = ({ html }: { html: string }) => /<details class="lang".*?<\/details>/s.exec(html)?.[0];

t.test(
  'the switch shows the language of the page, and is a GET with the token and each other language',
  async (t) => {
    const page = widget.renderForm({ ...formView(), token: TOKEN, locale: 'de' });
    const form = switchOf(page) ?? '';
    t.match(form, '<input type="hidden" name="token" value="a&quot;b&amp;c">');
    t.match(form, '<span class="vh">Sprache </span><span translate="no">Deutsch</span></summary>');
    t.match(form, '<button name="lang" value="ar" lang="ar">العربية</button>');
    t.match(form, '<button name="lang" value="fr" lang="fr">Français</button>');
    t.same(
      tags(form, 'button').flatMap((button) => values(button, 'value')),
      widget.locales.filter((locale) => locale !== 'de'),
    );
    t.notMatch(form, /action=|method="post"/);
    t.same(faults(page.html), []);
  },
);

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
    const buttons = html.matchAll(/<span aria-hidden="true">([^<]*)<\/span><span class="vh">([^<]*)</g);
    const names = Array.from(buttons, ([, text, name = '']) => {
      t.ok(name.startsWith(`${text}`) && name !== text, `${locale}: ${name}`);
      return name;
    });
    t.equal(new Set(names).size, 2, `${locale}: ${names}`);
  }
});

t.test('the switch stands before the first step, and after each later one that opens', async (t) => {
  const isFirst = (config: { initialStepKey?: string }) => {
    const { html } = widget.renderForm({ ...formView(config), token: TOKEN });
    return html.indexOf('class="lang"') < html.indexOf('<h1>');
  };
  t.equal(isFirst({}), true);
  t.equal(isFirst({ initialStepKey: 'policy' }), true);
  t.equal(isFirst({ initialStepKey: 'incident' }), false);
  t.equal(isFirst({ initialStepKey: 'review' }), false);
});

t.test('languages of the host are in the switch', async (t) => {
  const { renderForm } = createStandaloneWidget({ locales: { 'de-AT': {}, he: {} } });
  const form = switchOf(renderForm({ ...formView(), token: TOKEN })) ?? '';
  t.match(form, '<button name="lang" value="de-AT" lang="de-AT">Österreichisches Deutsch</button>');
  t.match(form, '<button name="lang" value="he" lang="he">עברית</button>');
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
