// How moments, durations and bodies read on the page.

/** A moment to the second, UTC: `2026-01-31 14:05:09`. */
export function toSecond(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

/** The time of a day, UTC: `14:05:09.123`. */
export function toTimeOfDay(moment: Date): string {
  return moment.toISOString().slice(11, 23);
}

/** Milliseconds: `<1 ms`, `250 ms`, `1.25 s`. */
export function toDuration(ms: number): string {
  if (ms > 0 && ms < 1) return '<1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** Units of time in milliseconds, largest first. */
export const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000 } as const;

/** A span in its two largest units: `1 days 2 hours` reads badly, so units are short: `1 d 2 h`. */
export function toSpan(ms: number): string {
  let rest = Math.round(ms / UNITS.seconds) * UNITS.seconds;
  const parts: string[] = [];
  for (const [name, length] of Object.entries(UNITS)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${name === 'minutes' ? 'min' : name[0]}`);
  }
  return parts.slice(0, 2).join(' ') || `${ms} ms`;
}

/** JSON with indentation. Any other text stays as it is. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Quotes a word for a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
