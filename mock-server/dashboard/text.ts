// How values read on the page.

/** A moment to the second, UTC: `2026-01-31 14:05:09`. */
export function toSecond(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

/** Milliseconds: `250 ms`, `1.25 s`. */
export function toDuration(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** JSON with indentation. Any other text stays unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Joins the parts that are set. */
export function join(parts: readonly (string | number | false | undefined)[], separator = ' · '): string {
  return parts.filter(Boolean).join(separator);
}

/** Choices of a field: none of the values, or one of them. */
export function toChoices(none: string, values: readonly string[]) {
  return [['', none], ...values.map((value) => [value, value] as const)] as const;
}
