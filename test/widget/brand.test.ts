// The brand of a client on its pages: name, logo, colours and links.
import t from 'tap';
import { contrast } from '../../lib/core/colour.js';
import { STYLE } from '../../lib/generated/page-assets.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { DARK_CARD } from '../../lib/widget/theme.js';
import { faults, formView, HOSTILE } from './views.js';

const { renderForm, renderSuccess, renderUnavailable } = createStandaloneWidget();

const BRANDING = {
  displayName: 'Nordlicht & Söhne',
  logoUrl: 'https://img.example/logo.svg?a=1&b=2',
  primaryColor: '#7a1f5c',
  supportUrl: 'https://nordlicht.example/help',
  imprintUrl: 'https://nordlicht.example/imprint',
};

t.test('every page shows name, logo and links of the brand', async (t) => {
  const { link, ...view } = formView({}, { branding: BRANDING });
  const contact = link.config.contact;
  const pages = [
    renderForm({ ...view, link }),
    renderSuccess({
      ...view,
      contact,
      reference: 'S-1',
      submittedAt: new Date(0),
      clientName: 'Demo Insurance',
    }),
    renderUnavailable({ ...view, contact, code: 'link_expired', status: 410, clientName: 'Demo Insurance' }),
  ];
  for (const { html } of pages) {
    t.match(html, /<title>[^<]* – Nordlicht &amp; Söhne<\/title>/);
    t.match(html, '<span class="brand" translate="no">Nordlicht &amp; Söhne</span>');
    t.match(
      html,
      '<img class="logo" src="https://img.example/logo.svg?a=1&amp;b=2" alt="" height="40" referrerpolicy="no-referrer">',
    );
    t.match(html, /<a href="https:\/\/nordlicht.example\/help"[^>]*>Support<span/);
    t.match(html, /<a href="https:\/\/nordlicht.example\/imprint"[^>]*>Legal notice<span/);
    t.notMatch(html, 'Demo Insurance');
    t.same(
      faults(html).filter((fault) => !fault.startsWith('<img class="logo"')),
      [],
    );
  }
});

t.test('the colours of a brand reach 4.5:1 in both themes, as text and behind text', async (t) => {
  t.match(STYLE, `--card:${DARK_CARD}`);
  const onDark = /prefers-color-scheme:dark\)\{.*?--on-accent:(#[0-9a-f]{6})/s.exec(STYLE)?.[1] ?? '';
  for (const primaryColor of ['#7a1f5c', '#000000', '#0000ff', '#757575', '#14508c']) {
    const { html } = renderForm(formView({}, { branding: { primaryColor } }));
    const colours = html.matchAll(/--accent:(#\w{6});--accent-strong:(#\w{6});--tint:(#\w{6})/g);
    const [light, dark] = Array.from(colours, ([, accent = '', strong = '', tint = '']) => ({
      accent,
      strong,
      tint,
    }));
    t.equal(light?.accent, primaryColor);
    for (const [{ accent, strong, tint } = { accent: '', strong: '', tint: '' }, card, onAccent] of [
      [light, '#ffffff', '#ffffff'],
      [dark, DARK_CARD, onDark],
    ] as const) {
      const pairs = [
        [accent, card],
        [accent, onAccent],
        [strong, onAccent],
        [strong, tint],
      ] as const;
      for (const [text, background] of pairs)
        t.ok(contrast(text, background) >= 4.5, `${primaryColor}: ${text} on ${background}`);
      t.ok(contrast(strong, card) >= 7, `${primaryColor}: ${strong} on ${card}`);
    }
  }
});

t.test('a page has a footer only if the brand has links', async (t) => {
  const { supportUrl, imprintUrl, ...others } = BRANDING;
  const footer = /<footer /;
  t.match(renderForm(formView({}, { branding: { ...others, supportUrl } })).html, footer);
  t.match(renderForm(formView({}, { branding: { ...others, imprintUrl } })).html, footer);
  t.notMatch(renderForm(formView({}, { branding: others })).html, footer);
});

t.test('a brand from a storage that did not check it cannot break out of the page', async (t) => {
  const branding = {
    displayName: HOSTILE,
    logoUrl: 'javascript:alert(1)',
    primaryColor: '#fff;}</style>',
    supportUrl: `https://a.example/${HOSTILE}`,
    imprintUrl: 'data:text/html,x',
  };
  const { html } = renderForm(formView({}, { branding }));
  t.same(faults(html), []);
  t.notMatch(html, '<x-evil');
  t.notMatch(html, '#fff;}');
});
