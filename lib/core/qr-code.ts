// QR codes of links, as SVG. The encoder is loaded with the first code.
import { assertOptions, type OptionChecks } from './assert-options.js';
import { isUrlText, isWebUrl } from './callback-url.js';
import { contrast, isHexColour, MIN_CONTRAST } from './colour.js';
import { invalidOption, invalidParameter } from './errors.js';

/** Colours of a QR code. */
export interface QrCodeOptions {
  /** Colour of the dark modules, `#rrggbb`. Default: `#000000`. */
  color?: string;
  /** Colour of the light modules and of the margin, `#rrggbb`. Default: `#ffffff`. */
  backgroundColor?: string;
}

/** Width of the margin in modules (ISO/IEC 18004, 6.3.8). */
const QUIET_ZONE = 4;

const hexColour = (value: unknown) =>
  typeof value === 'string' && isHexColour(value) ? undefined : 'must be a colour such as #14508c';

const CHECKS: OptionChecks<QrCodeOptions> = { color: hexColour, backgroundColor: hexColour };

/** Creates the code: see `qrCode` of the service. */
export async function createQrCode(url: string, options: QrCodeOptions = {}): Promise<string> {
  // The text of a request has ASCII only, and so has the code: readers disagree about the encoding of other characters.
  if (!isUrlText(url) || !isWebUrl(url) || !/^[!-~]+$/.test(url))
    throw invalidParameter(
      'url',
      'url',
      'must be an absolute http or https URL in ASCII, of at most 2048 characters',
    );
  assertOptions(options, CHECKS);
  const { color = '#000000', backgroundColor = '#ffffff' } = options;
  // Many readers do not find a light code on a dark background.
  const isDarker = contrast(color, '#ffffff') > contrast(backgroundColor, '#ffffff');
  if (!isDarker || contrast(color, backgroundColor) < MIN_CONTRAST)
    throw invalidOption(
      '/color',
      'value',
      `must be darker than backgroundColor (${backgroundColor}), with a contrast of ${MIN_CONTRAST}:1 or more`,
    );
  const { encodeQR } = await import('qr');
  const rows = encodeQR(url, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const size = rows.length;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="${backgroundColor}" d="M0 0h${size}v${size}H0z"/>` +
    `<path stroke="${color}" d="${rows.map(toPath).join('')}"/></svg>`
  );
}

/** Returns the dark modules of a row: one line of the width 1, through their middle, for each run of them. */
function toPath(row: readonly boolean[], y: number): string {
  const modules = row.map((isDark) => (isDark ? '1' : '0')).join('');
  let end = 0;
  return Array.from(modules.matchAll(/1+/g), ({ 0: { length }, index }, run) => {
    const move = run === 0 ? `M${index} ${y}.5` : `m${index - end} 0`;
    end = index + length;
    return `${move}h${length}`;
  }).join('');
}
