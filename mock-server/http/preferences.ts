// Reads the Prefer header (RFC 7240): the fault that a request asks for.
import type { Problem } from '../../lib/index.js';
import type { AskedFault } from '../client/faults.js';
import type { Delay } from '../control.js';
import { MAX_DELAY_MS } from '../fault-schema.js';
import { checkWith } from '../scenario/schema-check.js';

type Name = 'code' | 'delay';

/** Returns what a preference asks for; undefined for an invalid value. */
const READERS: Readonly<Record<Name, (value: string) => AskedFault | undefined>> = {
  code: (value) => (/^[45]\d\d$/.test(value) ? { status: Number(value) } : undefined),
  delay(value) {
    const delayMs = (/^\d{1,5}$/.test(value) ? Number(value) : value) as Delay;
    return checkWith('delay', delayMs).length === 0 ? { delayMs } : undefined;
  },
};

const ALLOWED: Readonly<Record<Name, string>> = {
  code: 'must be a status, 400 to 599',
  delay: `must be milliseconds, 0 to ${MAX_DELAY_MS}, or a range such as 100-800`,
};

/**
 * One preference of the list, in which a quoted string may contain commas. A quoted string without an end reaches to the
 * end of the header. No character can match in two ways, so the time is linear.
 */
const ELEMENT = /(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^",])+/gs;
/** A name, and a value that is a token or a quoted string. Parameters follow. */
const PREFERENCE = /^\s*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*([^\s=;"]+|"(?:[^"\\]|\\.)*")\s*(?:;|$))?/s;

/**
 * Reads the preferences `code` and `delay`. Ignores preferences of other names, as RFC 7240 asks for.
 * `applied` is the value of Preference-Applied (RFC 7240, 3), '' without any. If there are `problems`, nothing is applied.
 */
export function readPreferences(header: string | readonly string[] = '') {
  const asked: AskedFault = {};
  const applied: string[] = [];
  const problems: Problem[] = [];
  const names = new Set<string>();
  for (const [name, value] of parseHeader([header].flat().join(','))) {
    // Of the same preference, the first one counts (RFC 7240, 2).
    if (!isName(name) || names.has(name)) continue;
    names.add(name);
    const preference = READERS[name](value);
    if (preference === undefined)
      problems.push({ parameter: 'Prefer', rule: 'value', detail: `${name} ${ALLOWED[name]}` });
    Object.assign(asked, preference);
    applied.push(`${name}=${value}`);
  }
  return { asked, applied: problems.length > 0 ? '' : applied.join(', '), problems };
}

/** Returns names in lower case and values; '' for a missing or malformed value. Parameters are left out. */
function parseHeader(header: string): [name: string, value: string][] {
  return [...header.matchAll(ELEMENT)].map(([element]) => {
    const [, name = '', value = ''] = PREFERENCE.exec(element) ?? [];
    return [name.toLowerCase(), unquote(value)];
  });
}

function unquote(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : word;
}

function isName(name: string): name is Name {
  return Object.hasOwn(READERS, name);
}
