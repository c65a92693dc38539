// The theme of all clients: values of the custom properties of the stylesheet.
import { type ErrorDetail, invalidOptions } from '../core/errors.js';
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

/** Values of custom properties. What is left out stays as it is. */
export type ThemeValues = Readonly<Partial<Record<ThemeProperty, string>>>;

/** Values for the two colour schemes. The dark one applies if the browser prefers it. */
export interface Theme {
  /** Values for both schemes, unless `dark` has others. */
  light?: ThemeValues;
  /** Values for the dark scheme. */
  dark?: ThemeValues;
}

/**
 * Returns the theme as CSS.
 * @throws `options_invalid` for an unknown property, and for a value with a character that would end a declaration.
 */
export function themeStyle(theme: Theme = {}): Markup | undefined {
  const problems: ErrorDetail[] = [];
  const { light, dark, ...others } = theme;
  for (const name of Object.keys(others)) {
    problems.push({ pointer: `/theme/${name}`, rule: 'unknown_option', detail: 'must be light or dark' });
  }
  const [lightCss, darkCss] = Object.entries({ light, dark }).map(([scheme, values = {}]) =>
    Object.entries(values).map(([name, value]) => {
      const pointer = `/theme/${scheme}/${name}`;
      if (!(PROPERTIES as readonly string[]).includes(name)) {
        problems.push({
          pointer,
          rule: 'unknown_option',
          detail: `must be one of: ${PROPERTIES.join(', ')}`,
        });
      } else if (typeof value !== 'string' || !/^[^;{}<>\\\n\r]+$/.test(value)) {
        problems.push({ pointer, rule: 'value', detail: 'must be the value of a CSS declaration' });
      }
      return `--${name}:${value}`;
    }),
  );
  if (problems.length > 0) throw invalidOptions(problems);
  if (!lightCss?.length && !darkCss?.length) return undefined;
  return raw(`:root{${lightCss?.join(';')}}@media (prefers-color-scheme:dark){:root{${darkCss?.join(';')}}}`);
}
