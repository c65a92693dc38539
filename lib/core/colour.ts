// Contrast of colours (WCAG 2.2, relative luminance and contrast ratio), and the nearest colour that has enough of it.

/** Minimum contrast of text (WCAG 2.2, 1.4.3, level AA). */
export const MIN_CONTRAST = 4.5;

type Rgb = readonly [red: number, green: number, blue: number];

/** Returns whether a text is a colour in the form `#rrggbb`. */
export function isHexColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Returns the contrast ratio of two colours: 1 to 21. */
export function contrast(first: string, second: string): number {
  const [darker = 0, lighter = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * Returns the nearest colour of the same hue and saturation with at least this contrast against a background: darker
 * on a light background, lighter on a dark one. A colour with enough contrast is returned unchanged.
 */
export function withContrast(colour: string, background: string, ratio = MIN_CONTRAST): string {
  const step = luminance(background) > 0.5 ? -0.005 : 0.005;
  const [hue, saturation, start] = toHsl(parse(colour));
  let nearest = colour;
  for (let lightness = start; contrast(nearest, background) < ratio; lightness += step) {
    nearest = format(toRgb(hue, saturation, Math.min(Math.max(lightness, 0), 1)));
    if (lightness < 0 || lightness > 1) break;
  }
  return nearest;
}

/** Returns a mixture of two colours. `share` of the first one: 0 to 1. */
export function mix(first: string, second: string, share: number): string {
  const other = parse(second);
  return format(parse(first).map((value, index) => value * share + (other[index] ?? 0) * (1 - share)));
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = parse(colour).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns red, green and blue: 0 to 1. */
function parse(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

function format(rgb: readonly number[]): string {
  const number = rgb.reduce((digits, value) => digits * 256 + Math.round(value * 255), 0);
  return `#${number.toString(16).padStart(6, '0')}`;
}

/** Returns hue (0 to 6), saturation and lightness (0 to 1). */
function toHsl([red, green, blue]: Rgb): [hue: number, saturation: number, lightness: number] {
  const max = Math.max(red, green, blue);
  const range = max - Math.min(red, green, blue);
  const lightness = max - range / 2;
  if (range === 0) return [0, 0, lightness];
  const saturation = range / (1 - Math.abs(2 * lightness - 1));
  if (max === red) return [((green - blue) / range + 6) % 6, saturation, lightness];
  return [max === green ? (blue - red) / range + 2 : (red - green) / range + 4, saturation, lightness];
}

function toRgb(hue: number, saturation: number, lightness: number): Rgb {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const position = (offset + hue * 2) % 12;
    return lightness - amplitude * Math.max(-1, Math.min(position - 3, 9 - position, 1));
  };
  return [channel(0), channel(8), channel(4)];
}
