// The theme of all clients.
import t from 'tap';
import { STYLE } from '../../lib/generated/page-assets.js';
import { createStandaloneWidget, type Theme } from '../../lib/widget/index.js';
import { faults, formView } from './views.js';

t.test('a theme replaces custom properties of the stylesheet, and a brand those of the theme', async (t) => {
  const theme = {
    light: { accent: '#0b5d3b', font: '"Inter", sans-serif', shadow: 'none' },
    dark: { accent: '#7fd6ae' },
  };
  const { renderForm } = createStandaloneWidget({ theme });
  const { html } = renderForm(formView({}, { branding: { primaryColor: '#7a1f5c' } }));
  const css =
    ':root{--accent:#0b5d3b;--font:"Inter", sans-serif;--shadow:none}' +
    '@media (prefers-color-scheme:dark){:root{--accent:#7fd6ae}}';
  t.match(html, css);
  t.ok(html.indexOf(STYLE) < html.indexOf(css) && html.indexOf(css) < html.indexOf('--accent:#7a1f5c'));
  t.same(faults(html), []);
});

t.test('every property of a theme is one of the stylesheet', async (t) => {
  const values: Record<string, string> = {};
  for (const [, name = ''] of STYLE.matchAll(/--([a-z-]+):/g)) values[name] = 'inherit';
  t.doesNotThrow(() => createStandaloneWidget({ theme: { light: values } }));
  const unknown = { light: { ...values, colour: 'red' } } as Theme;
  t.throws(() => createStandaloneWidget({ theme: unknown }), {
    code: 'options_invalid',
    message: /theme\/light\/colour must be one of: page, card, /,
  });
});

t.test('values that would end a declaration, and unknown members, are refused, all at once', async (t) => {
  const theme = {
    light: { accent: 'red;} body { display: none' },
    dark: { font: '</style>', card: 1 },
    print: {},
  } as unknown as Theme;
  t.throws(() => createStandaloneWidget({ theme }), {
    code: 'options_invalid',
    details: [
      { pointer: '/theme/print', rule: 'unknown_option' },
      { pointer: '/theme/light/accent', rule: 'value' },
      { pointer: '/theme/dark/font', rule: 'value' },
      { pointer: '/theme/dark/card', rule: 'value' },
    ],
  });
});
