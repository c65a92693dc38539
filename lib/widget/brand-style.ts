// The colours of a client's brand, for the light and the dark theme.
import { isHexColour, mix, withContrast } from '../core/colour.js';
import type { Branding } from '../core/types.js';
import { type Markup, raw } from './html.js';

/** The background of cards in the dark theme: `--card` of the stylesheet. */
export const DARK_CARD = '#17202c';
const WHITE = '#ffffff';

/** Contrast of the stronger accent (WCAG 2.2, 1.4.6): it is also used on a tinted background. */
const STRONG = 7;

/** Returns custom properties that replace those of the stylesheet. Storages have checked that the colour is readable. */
export function brandStyle({ primaryColor }: Branding = {}): Markup | undefined {
  if (primaryColor === undefined || !isHexColour(primaryColor)) return undefined;
  const light = accents(withContrast(primaryColor, WHITE), WHITE);
  const dark = accents(withContrast(primaryColor, DARK_CARD), DARK_CARD);
  return raw(`:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`);
}

function accents(accent: string, card: string): string {
  const strong = withContrast(accent, card, STRONG);
  return `--accent:${accent};--accent-strong:${strong};--tint:${mix(accent, card, 0.08)}`;
}
