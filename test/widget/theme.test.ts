// The theme of all clients.
import t from 'tap';
import { contrast } from '../../lib/core/colour.js';
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
    message: /theme\/light\/colour is not an option \(options are: page, card, /,
  });
});

t.test('borders of controls, the focus and signs reach 3:1 in both themes (WCAG 2.2, 1.4.11)', async (t) => {
  const themes = [...STYLE.matchAll(/:root\{[^}]*(--page:[^}]+)\}/g)].map(([, properties = '']) =>
    Object.fromEntries(
      [...properties.matchAll(/--([a-z-]+):\s*(#\w+)/g)].map(([, name, value]) => [name, value]),
    ),
  );
  t.equal(themes.length, 2);
  for (const theme of themes) {
    for (const part of ['edge', 'accent', 'bad', 'good', 'muted']) {
      for (const background of ['card', 'page']) {
        const colours = [theme[part], theme[background]].map(long) as [string, string];
        t.ok(contrast(...colours) >= 3, `${part} on ${background}: ${colours}`);
      }
    }
  }
});

/** Returns a colour with six digits. The stylesheet is minified. */
function long(colour = ''): string {
  return colour.length === 4 ? colour.replaceAll(/[^#]/g, '$&$&') : colour;
}

t.test('values that would end a declaration, and unknown members, are rejected, all at once', async (t) => {
  const theme = {
    light: { accent: 'red;} body { display: none' },
    dark: { font: '</style>', card: 1, line: '\\31' },
    print: {},
  } as unknown as Theme;
  t.throws(() => createStandaloneWidget({ theme }), {
    code: 'options_invalid',
    problems: [
      { pointer: '/theme/print', rule: 'unknown_option' },
      { pointer: '/theme/light/accent', rule: 'value' },
      { pointer: '/theme/dark/card', rule: 'value' },
      { pointer: '/theme/dark/line', rule: 'value' },
      { pointer: '/theme/dark/font', rule: 'value' },
    ],
  });
});
