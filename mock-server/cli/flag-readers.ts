// Reads the texts of flags. For an invalid text each function returns an Error that says what is allowed.

import { parseUrl } from '../../lib/core/url.js';
import { type Delay, FAULT_EFFECTS, type Fault, type MockClientOptions, ROUTE_NAMES } from '../control.js';
import { parseMoment } from '../moment.js';

/** Expiry of a key: a date, days from now, or never. */
export type Expiry = Date | { days: number } | 'never';

export function readText(text: string): string | Error {
  return text === '' ? new Error('must not be empty') : text;
}

/** Reads a whole number within a range. */
export function readInteger(minimum: number, maximum: number): (text: string) => number | Error {
  return (text) => {
    const isRight = /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
    return isRight ? Number(text) : new Error(`must be a whole number, ${minimum} to ${maximum}`);
  };
}

/** Reads a share, such as 0.05. */
export function readShare(text: string): number | Error {
  const isRight = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1;
  return isRight ? Number(text) : new Error('must be a number from 0 to 1, such as 0.05');
}

/** Reads milliseconds or a range of them: 200, 100-800. */
export function readDelay(text: string): Delay | Error {
  const [, least, most] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (least === undefined || Number(most ?? least) > 60_000 || Number(least) > Number(most ?? least))
    return new Error('must be milliseconds, 0 to 60000, or a range of them, such as 100-800');
  return most === undefined ? Number(least) : `${Number(least)}-${Number(most)}`;
}

/** Reads a date, or a date and time, in ISO 8601. */
export function readMoment(text: string): Date | Error {
  const moment = parseMoment(text.includes('T') ? text : `${text}T00:00`);
  return moment ?? new Error('must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00');
}

/** Reads a client and its API key: `id:key`. */
export function readClient(text: string): MockClientOptions | Error {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1)
    return new Error('must look like id:key, such as demo:clk_test_demo');
  return { clientId: text.slice(0, colon), apiKey: text.slice(colon + 1) };
}

/** Reads any text. */
export function readAny(text: string): string {
  return text;
}

/** Reads on or off, in upper or lower case. A flag without a value is on. */
export function readSwitch(text: string): boolean | Error {
  const word = text.toLowerCase();
  if (['', '1', 'true', 'on', 'yes'].includes(word)) return true;
  return ['0', 'false', 'off', 'no'].includes(word) ? false : new Error('must be true or false');
}

/** Reads the URL of a database. The reason does not quote the text, which may contain a password. */
export function readDatabaseUrl(text: string): string | Error {
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

/** Reads a date, days from now, or never: 2030-12-31, 90d. */
export function readExpiry(text: string): Expiry | Error {
  if (text === 'never') return text;
  if (/^[1-9]\d{0,3}d$/.test(text)) return { days: Number.parseInt(text, 10) };
  const date = parseMoment(`${text}T00:00`);
  if (date !== undefined) return date;
  return new Error('must be a date, such as 2030-12-31, 1 to 9999 days from now, such as 90d, or never');
}

/** Reads a number of days: 7d, or 0. */
export function readDays(text: string): number | Error {
  const isRight = /^(?:0|0d|[1-9]\d{0,3}d)$/.test(text);
  return isRight ? Number.parseInt(text, 10) : new Error('must be days, such as 7d, or 0');
}

/** A number of days, weeks, months or years. */
export interface Age {
  count: number;
  unit: 'd' | 'w' | 'm' | 'y';
}

/** Reads an age: 30d, 2w, 6m, 3y. */
export function readAge(text: string): Age | Error {
  const [, count, unit] = /^([1-9]\d{0,2})([dwmy])$/.exec(text) ?? [];
  if (count === undefined)
    return new Error('must be 1 to 999 days, weeks, months or years, such as 30d, 2w, 6m or 3y');
  return { count: Number(count), unit: unit as Age['unit'] };
}

/** Reads an age that may be left out. */
export function readOptionalAge(text: string): Age | 'now' | Error {
  return text === '' ? 'now' : readAge(text);
}

/** Reads one of several words. */
export function readOneOf<const T extends string>(words: readonly T[]): (text: string) => T | Error {
  return (text) => words.find((word) => word === text) ?? new Error(`must be one of: ${words.join(', ')}`);
}

/** Members of a fault by their names in `--fault`. */
const FAULT_MEMBERS = new Map<string, readonly [key: keyof Fault, read: (text: string) => unknown]>([
  ['client', ['clientId', readText]],
  ['user', ['userId', readText]],
  ['route', ['route', readOneOf(ROUTE_NAMES)]],
  ['status', ['status', readInteger(200, 599)]],
  ['effect', ['effect', readOneOf(FAULT_EFFECTS)]],
  ['delay', ['delayMs', readDelay]],
  ['times', ['times', readInteger(1, 1_000_000)]],
  ['rate', ['rate', readShare]],
]);

/** Reads a fault: `route=createLink,status=503,times=2`. */
export function readFault(text: string): Fault | Error {
  const fault: Fault = {};
  for (const part of text.split(',')) {
    const [name = '', ...rest] = part.split('=');
    const [key, read] = FAULT_MEMBERS.get(name) ?? [];
    if (key === undefined || read === undefined || rest.length === 0)
      return new Error(
        `must be name=value pairs, such as status=503; names: ${[...FAULT_MEMBERS.keys()].join(', ')}`,
      );
    const value = read(rest.join('='));
    if (value instanceof Error) return new Error(`${name} ${value.message}`);
    Object.assign(fault, { [key]: value });
  }
  if (fault.status === undefined && fault.effect === undefined && fault.delayMs === undefined)
    return new Error('needs status, effect or delay');
  if (fault.status !== undefined && fault.effect !== undefined)
    return new Error('cannot have both status and effect');
  return fault;
}
