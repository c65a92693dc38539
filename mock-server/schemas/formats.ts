// The formats of the mock's JSON Schemas.
import { parseUrl } from '../../lib/core/url.js';
import { idProblem } from '../../lib/core/validators.js';
import { isFaultHeader, isFaultLocation, MAX_DELAY_MS } from './fault.js';
import { parseDuration, parseInstant, parseMoment } from './moment.js';

function isDate(text: string): boolean {
  return parseMoment(`${text}T00:00`) !== undefined;
}

/** Returns whether a text has a format. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  // The schema has the maximum length.
  id: (text) => idProblem(text, text.length) === undefined,
  text: (text) => !text.includes('\0') && text.isWellFormed(),
  date: isDate,
  'date-or-empty': (text) => text === '' || isDate(text),
  moment: (text) => parseMoment(text) !== undefined,
  'time-span': (text) => parseDuration(text) !== undefined,
  instant: (text) => parseInstant(text) !== undefined,
  delay(text) {
    const [least = 0, most = 0] = text.split('-').map(Number);
    return least <= most && most <= MAX_DELAY_MS;
  },
  'fault-header': isFaultHeader,
  'fault-location': isFaultLocation,
  'web-url'(text) {
    const url = parseUrl(text);
    return url !== undefined && /^https?:/.test(text) && url.username + url.password === '';
  },
  'web-origin': (text) => text === '*' || (/^https?:/.test(text) && parseUrl(text)?.origin === text),
};
