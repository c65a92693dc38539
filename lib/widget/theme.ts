// Values of the custom properties of the stylesheet: the theme of all clients, and the brand of one client.
import { type OptionChecks, optionProblems } from '../core/assert-options.js';
import { isHexColour, mix, withContrast } from '../core/colour.js';
import { invalidOptions } from '../core/errors.js';
import type { Branding } from '../core/types.js';
import { type Markup, raw } from './html.js';

const PROPERTIES = [
  'page',
  'card',
  'line',
  'edge',
  'text',
  'muted',
  'accent',
  'accent-strong',
  'on-accent',
  'tint',
  'bad',
  'bad-tint',
  'good',
  'shadow',
  'font',
] as const;

/** Name of a custom property of the pages, without its two dashes. */
export type ThemeProperty = (typeof PROPERTIES)[number];

/** Values of custom properties. A property that is left out stays unchanged. */
export type ThemeValues = Readonly<Partial<Record<ThemeProperty, string>>>;

/** Values for the two colour schemes. The dark one applies if the browser prefers it. */
export interface Theme {
  /** Values for both schemes, unless `dark` has others. */
  light?: ThemeValues;
  /** Values for the dark scheme. */
  dark?: ThemeValues;
}

function cssValueProblem(value: unknown): string | undefined {
  const isValue = typeof value === 'string' && /^[^;{}<>\\\n\r]+$/.test(value);
  return isValue ? undefined : 'must be the value of a CSS declaration';
}

const VALUE_CHECKS = Object.fromEntries(
  PROPERTIES.map((name) => [name, cssValueProblem]),
) as OptionChecks<ThemeValues>;

/**
 * Returns the theme as CSS.
 * @throws `options_invalid` for an unknown property, and for a value with a character that would end a declaration.
 */
export function themeStyle(theme: Theme = {}): Markup | undefined {
  const { light = {}, dark = {} }: Theme = Object(theme);
  const problems = [
    ...optionProblems(theme, ['light', 'dark'], { pointer: '/theme' }),
    ...optionProblems(light, VALUE_CHECKS, { pointer: '/theme/light' }),
    ...optionProblems(dark, VALUE_CHECKS, { pointer: '/theme/dark' }),
  ];
  if (problems.length > 0) throw invalidOptions(problems);
  const [lightCss = '', darkCss = ''] = [light, dark].map((values) =>
    Object.entries(values)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';'),
  );
  return lightCss || darkCss ? rootStyle(lightCss, darkCss) : undefined;
}

/** The background of cards in the dark theme: `--card` of the stylesheet. */
export const DARK_CARD = '#17202c';
const WHITE = '#ffffff';

/** Contrast of the stronger accent (WCAG 2.2, 1.4.6): it is also used on a tinted background. */
const STRONG = 7;

/** Returns the colours of a client's brand as CSS. Storages have checked that the colour is readable. */
export function brandStyle({ primaryColor }: Branding = {}): Markup | undefined {
  if (primaryColor === undefined || !isHexColour(primaryColor)) return undefined;
  return rootStyle(accents(primaryColor, WHITE), accents(primaryColor, DARK_CARD));
}

/** Returns the declarations of the accents on a card with this background. */
function accents(primaryColor: string, card: string): string {
  const accent = withContrast(primaryColor, card);
  const strong = withContrast(accent, card, STRONG);
  return `--accent:${accent};--accent-strong:${strong};--tint:${mix(accent, card, 0.08)}`;
}

function rootStyle(light: string, dark: string): Markup {
  return raw(`:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`);
}
