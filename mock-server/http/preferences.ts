// Reads the Prefer header (RFC 7240): the fault that a request asks for.
import type { Problem } from '../../lib/index.js';
import { checkWith } from '../control/check.js';
import type { Delay } from '../control/types.js';
import { MAX_DELAY_MS } from '../schemas/fault.js';
import type { AskedFault } from '../state/faults.js';

/** By the names of the preferences: `read` returns what a value asks for, or undefined for an invalid value. */
const PREFERENCES = {
  code: {
    read: (value: string): AskedFault | undefined =>
      /^[45]\d\d$/.test(value) ? { status: Number(value) } : undefined,
    allowed: 'must be a status, 400 to 599',
  },
  delay: {
    read(value: string): AskedFault | undefined {
      const delayMs = (/^\d{1,5}$/.test(value) ? Number(value) : value) as Delay;
      return checkWith('delay', delayMs).length === 0 ? { delayMs } : undefined;
    },
    allowed: `must be milliseconds, 0 to ${MAX_DELAY_MS}, or a range such as 100-800`,
  },
} as const;

/**
 * One preference of the list, in which a quoted string may contain commas. A quoted string without an end reaches to the
 * end of the header. No character can match in two ways, so the time is linear.
 */
const ELEMENT = /(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^",])+/gs;
/** A name and a value. Parameters may follow. */
const PREFERENCE = /^\s*(code|delay)\s*(?:=([^;]*))?(?:;|$)/i;

/**
 * Reads the preferences `code` and `delay`. Ignores preferences of other names, as RFC 7240 asks for.
 * `applied` is the value of Preference-Applied (RFC 7240, 3), '' without any. If there are `problems`, nothing is applied.
 */
export function readPreferences(header: string | readonly string[] = '') {
  const asked: AskedFault = {};
  const applied = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [element] of [header].flat().join(',').matchAll(ELEMENT)) {
    const [, word, text = ''] = PREFERENCE.exec(element) ?? [];
    const name = word?.toLowerCase() as keyof typeof PREFERENCES | undefined;
    // Of the same preference, the first one counts (RFC 7240, 2).
    if (name === undefined || applied.has(name)) continue;
    const value = text.trim().replace(/^"(.*)"$/s, '$1');
    const { read, allowed } = PREFERENCES[name];
    const preference = read(value);
    if (preference === undefined)
      problems.push({ parameter: 'Prefer', rule: 'value', detail: `${name} ${allowed}` });
    Object.assign(asked, preference);
    applied.set(name, `${name}=${value}`);
  }
  return { asked, applied: problems.length > 0 ? '' : [...applied.values()].join(', '), problems };
}
