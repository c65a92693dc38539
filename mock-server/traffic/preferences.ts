// What one request asks to be done to itself: the Prefer header (RFC 7240), and parameters of the query.
import type { ErrorDetail } from '../../lib/index.js';
import { FAULT_EFFECTS, type FaultEffect } from '../control.js';
import { checkOneOf } from './check-members.js';
import type { AskedFault } from './faults.js';
import { MAX_DELAY_MS } from './faults-check.js';

/** What a request asks for, or everything that is wrong with how it does: a 422. */
export type Preferences =
  | {
      asked?: AskedFault;
      /** For the Preference-Applied header (RFC 7240, 3): what came by Prefer and is heeded; '' for none. */
      applied: string;
    }
  | { problems: readonly ErrorDetail[] };

/** Lower-case names. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const NAMES = ['code', 'delay', 'fault'] as const;
type Name = (typeof NAMES)[number];

/** What a preference says; undefined: its value is malformed. */
const READERS: Readonly<Record<Name, (value: string) => AskedFault | undefined>> = {
  code(value) {
    return /^[45]\d\d$/.test(value) ? { status: Number(value) } : undefined;
  },
  delay(value) {
    const [, least, most] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value) ?? [];
    if (least === undefined) return undefined;
    const range = [Number(least), Number(most ?? least)] as const;
    if (range[0] > range[1] || range[1] > MAX_DELAY_MS) return undefined;
    return { delayMs: most === undefined ? range[0] : range };
  },
  fault(value) {
    const effect = value.toLowerCase();
    return isEffect(effect) ? { effect } : undefined;
  },
};

const ALLOWED: Readonly<Record<Name, string>> = {
  code: 'must be a status, 400 to 599',
  delay: `must be whole milliseconds, 0 to ${MAX_DELAY_MS}, or a range of them such as 100-800`,
  fault: checkOneOf(FAULT_EFFECTS)(undefined) ?? '',
};

const NONE: Preferences = Object.freeze({ applied: '' });

/** Values by name, in the order they came; the first of each. */
type Values = Map<Name, string>;

/**
 * Reads what a request asks for. `code` and `fault` are one choice: where the query makes it or sets a delay, the
 * header's is not heeded. Preferences of other names are other people's.
 * @param url Path and query as they came.
 */
export function readPreferences(headers: Headers, url: string): Preferences {
  const { prefer } = headers;
  const query = queryOf(url);
  if (prefer === undefined && !query.includes('__')) return NONE;
  const problems: ErrorDetail[] = [];
  const fromHeader = prefer === undefined ? undefined : readHeader([prefer].flat().join(','), problems);
  const fromQuery = readQuery(query, problems);
  const asked = toAsked(fromHeader, (name) => ({ detail: `Prefer: ${name}` }), problems);
  const askedInQuery = toAsked(fromQuery, (name) => ({ parameter: `__${name}` }), problems);
  if (problems.length > 0) return { problems };

  if (hasOutcome(askedInQuery)) {
    delete asked.status;
    delete asked.effect;
  }
  if (askedInQuery.delayMs !== undefined) delete asked.delayMs;
  const merged: AskedFault = { ...asked, ...askedInQuery };
  if (Object.keys(merged).length === 0) return NONE;
  return { asked: merged, applied: toApplied(asked) };
}

/** The URL without the parameters that `readPreferences` reads; all else byte for byte. */
export function stripPreferences(url: string): string {
  const mark = url.indexOf('?');
  if (mark === -1 || !url.includes('__', mark)) return url;
  const pairs = url.slice(mark + 1).split('&');
  const kept = pairs.filter((pair) => !pair.startsWith('__'));
  if (kept.length === pairs.length) return url;
  return kept.length === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${kept.join('&')}`;
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** A token, a quoted string, or a character of the grammar; anything else is no part of it. */
const PIECE = /[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\.)*"|./gsu;

/** Preferences of the header. Of the same preference, RFC 7240 has the first one count. */
function readHeader(header: string, problems: ErrorDetail[]): Values {
  const values: Values = new Map();
  let preference: string[] = [];
  for (const [piece] of `${header},`.matchAll(PIECE)) {
    if (piece === '"') {
      problems.push({ rule: 'value', detail: 'Prefer: a quotation mark is not closed' });
      return values;
    }
    if (piece !== ',') {
      preference.push(piece);
      continue;
    }
    const parameters = preference.indexOf(';');
    const [name = '', ...value] = (parameters === -1 ? preference : preference.slice(0, parameters)).filter(
      (part) => !/^\s$/.test(part),
    );
    const known = NAMES.find((entry) => entry === name.toLowerCase());
    if (known && !values.has(known)) values.set(known, wordOf(value));
    preference = [];
  }
  return values;
}

/** What stands behind the name: `=` and a word; '' for none, and for what is no such thing. */
function wordOf([equals, word = '', ...rest]: readonly string[]): string {
  if (equals !== '=' || rest.length > 0) return '';
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : word;
}

function readQuery(query: string, problems: ErrorDetail[]): Values {
  const values: Values = new Map();
  for (const pair of query.split('&')) {
    if (!pair.startsWith('__')) continue;
    const [[parameter, value] = ['', '']] = new URLSearchParams(pair);
    const known = NAMES.find((name) => `__${name}` === parameter);
    if (known === undefined) {
      const detail = `is not known; there are ${NAMES.map((name) => `__${name}`).join(', ')}`;
      problems.push({ parameter: parameter.slice(0, 100), rule: 'unknown_option', detail });
    } else if (values.has(known)) {
      problems.push({ parameter, rule: 'repeated', detail: 'must not be given more than once' });
    } else {
      values.set(known, value);
    }
  }
  return values;
}

/** `where` names the source of a problem; a `detail` of it begins the sentence. */
function toAsked(
  values: Values | undefined,
  where: (name: Name) => { parameter: string } | { detail: string },
  problems: ErrorDetail[],
): AskedFault {
  const asked: AskedFault = {};
  function report(name: Name, problem: string): void {
    const place = where(name);
    problems.push(
      'detail' in place
        ? { rule: 'value', detail: `${place.detail} ${problem}` }
        : { ...place, rule: 'value', detail: problem },
    );
  }
  for (const [name, value] of values ?? []) {
    const read = READERS[name](value);
    if (read === undefined) report(name, ALLOWED[name]);
    else Object.assign(asked, read);
  }
  if (values?.has('code') && values.has('fault')) report('fault', 'must not be given together with code');
  return asked;
}

function toApplied(asked: AskedFault): string {
  const { status, effect, delayMs } = asked;
  const applied = [];
  if (status !== undefined) applied.push(`code=${status}`);
  if (effect !== undefined) applied.push(`fault=${effect}`);
  if (delayMs !== undefined) applied.push(`delay=${[delayMs].flat().join('-')}`);
  return applied.join(', ');
}

function hasOutcome({ status, effect }: AskedFault): boolean {
  return status !== undefined || effect !== undefined;
}

function isEffect(value: string): value is FaultEffect {
  return FAULT_EFFECTS.some((effect) => effect === value);
}
