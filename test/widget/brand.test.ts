// The brand of a client on its pages: name, logo, colours and links.
import t from 'tap';
import { contrast } from '../../lib/core/colour.js';
import { STYLE } from '../../lib/generated/page-assets.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { DARK_CARD } from '../../lib/widget/theme.js';
import { faults, formView, HOSTILE } from './views.js';

const { renderCheck, renderForm, renderSuccess, renderUnavailable } = createStandaloneWidget();

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
      '<img class="logo" src="https://img.example/logo.svg?a=1&amp;b=2" alt="" width="160" height="40" referrerpolicy="no-referrer">',
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

t.test('a logo with the name in it has the name as its text, and no text beside it', async (t) => {
  const brand = (branding: object) =>
    /<header [\s\S]*?<\/header>/.exec(renderForm(formView({}, { branding })).html)?.[0] ?? '';
  const nameInLogo = true;
  t.match(brand({ ...BRANDING, nameInLogo }), / alt="Nordlicht &amp; Söhne" width="160"/);
  t.match(brand({ ...BRANDING, nameInLogo }), / referrerpolicy="no-referrer" translate="no">/);
  t.notMatch(brand({ ...BRANDING, nameInLogo }), 'class="brand"');
  t.match(brand({ ...BRANDING, nameInLogo: false }), 'class="brand"');
  t.match(brand({ displayName: 'Nordlicht', nameInLogo }), 'Nordlicht</span>', 'without a logo, the text');
});

t.test('a compact page has no header and no help, and keeps its languages', async (t) => {
  const { link, ...view } = formView({}, { branding: BRANDING, token: 't0ken' });
  const contact = link.config.contact;
  const render = (compact: { compact?: true }) => [
    renderForm({ ...view, link, ...compact }),
    renderCheck({ ...view, contact, member: '/policy/number', ...compact }),
    renderSuccess({ ...view, contact, reference: 'S-1', submittedAt: new Date(0), ...compact }),
    renderUnavailable({ ...view, contact, code: 'link_expired', status: 410, ...compact }),
  ];
  for (const { html } of render({})) t.match(html, /<header [\s\S]*<aside class="help"/);
  const compact = render({ compact: true });
  for (const { html } of compact) {
    t.notMatch(html, /<header|<aside|class="logo"|>Support</);
    t.match(html, '>Legal notice<');
    t.same(faults(html), []);
  }
  for (const { html } of compact.slice(0, 2))
    t.match(
      html,
      /<details class="lang">.*<input type="hidden" name="token" value="t0ken"><input type="hidden" name="view" value="compact">/,
    );
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
