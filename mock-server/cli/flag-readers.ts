// Reads the texts of flags. For an invalid text each function returns an Error that says what is allowed.

import { parseUrl } from '../../lib/core/url.js';
import { type Delay, FAULT_EFFECTS, type Fault, ROUTE_NAMES } from '../control.js';
import { parseMoment } from '../moment.js';
import type { MockClientOptions } from '../options.js';

/** Expiry of a key: a date, days from now, or never. */
export type Expiry = Date | { days: number } | 'never';

/** Reads a text, which must not be empty. */
export function readText([text = '']: readonly string[]): string | Error {
  return text === '' ? new Error('must not be empty') : text;
}

/** Reads a whole number within a range. */
export function readInteger(minimum: number, maximum: number): (texts: readonly string[]) => number | Error {
  return ([text = '']) => {
    const isRight = /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
    return isRight ? Number(text) : new Error(`must be a whole number, ${minimum} to ${maximum}`);
  };
}

/** Reads a share, such as 0.05. */
export function readShare([text = '']: readonly string[]): number | Error {
  const isRight = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1;
  return isRight ? Number(text) : new Error('must be a number from 0 to 1, such as 0.05');
}

const DELAY_RULE = 'must be milliseconds, 0 to 60000, or a range of them, such as 100-800';

/** Reads milliseconds or a range of them: 200, 100-800. */
export function readDelay([text = '']: readonly string[]): Delay | Error {
  const [, least, most] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (least === undefined || Number(most ?? least) > 60_000 || Number(least) > Number(most ?? least))
    return new Error(DELAY_RULE);
  return most === undefined ? Number(least) : `${Number(least)}-${Number(most)}`;
}

/** Reads a date, or a date and time, in ISO 8601. */
export function readMoment([text = '']: readonly string[]): Date | Error {
  const moment = parseMoment(text.includes('T') ? text : `${text}T00:00`);
  return moment ?? new Error('must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00');
}

/** Reads `id:key` for each client. */
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

/** Reads on or off. A flag without a value is on. */
export function readSwitch([text = '']: readonly string[]): boolean | Error {
  if (['', '1', 'true', 'on', 'yes'].includes(text)) return true;
  return ['0', 'false', 'off', 'no'].includes(text) ? false : new Error('must be true or false');
}

/** Reads the URL of a database. The reason does not quote the text, which may contain a password. */
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

/** Reads a date, days from now, or never: 2030-12-31, 90d. */
export function readExpiry([text = '']: readonly string[]): Expiry | Error {
  if (text === 'never') return text;
  if (/^[1-9]\d{0,3}d$/.test(text)) return { days: Number.parseInt(text, 10) };
  const date = parseMoment(`${text}T00:00`);
  return (
    date ?? new Error('must be a date, such as 2030-12-31, 1 to 9999 days from now, such as 90d, or never')
  );
}

/** Reads a number of days: 7d, or 0. */
export function readDays([text = '']: readonly string[]): number | Error {
  const isRight = /^(?:0|0d|[1-9]\d{0,3}d)$/.test(text);
  return isRight ? Number.parseInt(text, 10) : new Error('must be days, such as 7d, or 0');
}

/** Reads one of several words. */
export function readOneOf<const T extends string>(
  words: readonly T[],
): (texts: readonly string[]) => T | Error {
  return ([text]) => words.find((word) => word === text) ?? new Error(`must be one of: ${words.join(', ')}`);
}

type FaultMember = (text: string, fault: Fault) => Error | undefined;

/** Returns a reader that stores its value in a member of the fault. */
function member<K extends keyof Fault>(
  key: K,
  read: (texts: readonly string[]) => Fault[K] | Error,
): FaultMember {
  return (text, fault) => {
    const value = read([text]);
    if (value instanceof Error) return value;
    fault[key] = value;
    return undefined;
  };
}

const FAULT_MEMBERS: Readonly<Record<string, FaultMember>> = {
  client: member('clientId', readText),
  user: member('userId', readText),
  route: member('route', readOneOf(ROUTE_NAMES)),
  status: member('status', readInteger(200, 599)),
  effect: member('effect', readOneOf(FAULT_EFFECTS)),
  delay: member('delayMs', readDelay),
  times: member('times', readInteger(1, 1_000_000)),
  rate: member('rate', readShare),
};

/** Reads faults: `route=createLink,status=503,times=2`. */
export function readFaults(texts: readonly string[]): Fault[] | Error {
  const faults: Fault[] = [];
  for (const text of texts) {
    const fault: Fault = {};
    for (const part of text.split(',')) {
      const [name = '', ...rest] = part.split('=');
      const read = Object.hasOwn(FAULT_MEMBERS, name) ? FAULT_MEMBERS[name] : undefined;
      if (read === undefined || rest.length === 0)
        return new Error(
          `must be name=value pairs, such as status=503; names: ${Object.keys(FAULT_MEMBERS).join(', ')}`,
        );
      const reason = read(rest.join('='), fault);
      if (reason) return new Error(`${name} ${reason.message}`);
    }
    if (fault.status === undefined && fault.effect === undefined && fault.delayMs === undefined)
      return new Error('needs status, effect or delay');
    if (fault.status !== undefined && fault.effect !== undefined)
      return new Error('cannot have both status and effect');
    faults.push(fault);
  }
  return faults;
}
