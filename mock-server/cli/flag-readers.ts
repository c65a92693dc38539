// Reads the texts of flags; what makes no sense comes back as an Error that says what would.

import type { MockClientOptions } from '../options.js';
import { parseUrl } from '../parse-url.js';

/** When a key expires: a moment, or days from now. */
export type Expiry = Date | { days: number };

/** Any text but the empty one. */
export function readText([text = '']: readonly string[]): string | Error {
  return text === '' ? new Error('must not be empty') : text;
}

/** A whole number within a range. */
export function readInteger(minimum: number, maximum: number): (texts: readonly string[]) => number | Error {
  return ([text = '']) => {
    const isRight = /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
    return isRight ? Number(text) : new Error(`must be a whole number, ${minimum} to ${maximum}`);
  };
}

/** A share, such as 0.05. */
export function readShare([text = '']: readonly string[]): number | Error {
  const isRight = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1;
  return isRight ? Number(text) : new Error('must be a number from 0 to 1, such as 0.05');
}

/** Milliseconds, or a range of them: 200, 100-800. */
export function readDelay([text = '']: readonly string[]): number | readonly [number, number] | Error {
  const [, least, most] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = [Number(least), Number(most ?? least)] as const;
  if (least === undefined || range[0] > range[1] || range[1] > 60_000)
    return new Error('must be milliseconds, 0 to 60000, or a range of them, such as 100-800');
  return most === undefined ? range[0] : range;
}

/** A date, or a moment in ISO 8601. */
export function readMoment([text = '']: readonly string[]): Date | Error {
  const isForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z?)?$/.test(text);
  const moment = new Date(isForm ? (/T.*[^Z]$/.test(text) ? `${text}Z` : text) : Number.NaN);
  // A Date makes 2 March out of 30 February.
  const isMoment = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text.slice(0, 10));
  return isMoment ? moment : new Error('must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00');
}

/** `id:key`, for each client. */
export function readClients(texts: readonly string[]): MockClientOptions[] | Error {
  const clients: MockClientOptions[] = [];
  for (const text of texts) {
    const colon = text.indexOf(':');
    if (colon < 1 || colon === text.length - 1)
      return new Error('must look like id:key, such as demo:clk_test_demo');
    clients.push({ clientId: text.slice(0, colon), apiKey: text.slice(colon + 1) });
  }
  return clients;
}

/** On or off; a flag without a value is on. */
export function readSwitch([text = '']: readonly string[]): boolean | Error {
  if (['', '1', 'true', 'on', 'yes'].includes(text)) return true;
  return ['0', 'false', 'off', 'no'].includes(text) ? false : new Error('must be true or false');
}

/** The reason never quotes the text, which may hold a password. */
export function readDatabaseUrl([text = '']: readonly string[]): string | Error {
  const isUrl = /^postgres(?:ql)?:\/\//.test(text) && parseUrl(text) !== undefined && isDecodable(text);
  return isUrl ? text : new Error('must look like postgres://user:password@host:5432/database');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A day, or days from now: 2030-12-31, 90d. */
export function readExpiry([text = '']: readonly string[]): Expiry | Error {
  if (/^[1-9]\d{0,3}d$/.test(text)) return { days: Number.parseInt(text, 10) };
  // A Date makes 2 March out of 30 February.
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : Number.NaN);
  const isDate = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isDate
    ? date
    : new Error('must be a date, such as 2030-12-31, or 1 to 9999 days from now, such as 90d');
}

/** One of a few words. */
export function readOneOf<T extends string>(known: readonly T[]): (texts: readonly string[]) => T | Error {
  return ([text]) => known.find((each) => each === text) ?? new Error(`must be one of: ${known.join(', ')}`);
}
