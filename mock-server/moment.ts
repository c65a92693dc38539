// Parses moments.

/** Moments of a mock's clock and reference date are in the years 1980 to 9000. */
const EARLIEST = Date.UTC(1980, 0, 1);
const LATEST = Date.UTC(9001, 0, 1) - 1;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?$/;
const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses a moment of a scenario: UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow.
 * Returns undefined for other text and for days that do not exist.
 */
export function parseMoment(text = ''): Date | undefined {
  return MOMENT.test(text) && !text.startsWith('0000') ? parseIso(text) : undefined;
}

/** Parses a date or ISO 8601 text in the years 1980 to 9000. Text without a zone is UTC. */
export function parseInstant(moment: unknown): Date | undefined {
  const date = typeof moment === 'string' && ISO_8601.test(moment) ? parseIso(moment) : moment;
  return date instanceof Date && isInClockRange(date.getTime()) ? date : undefined;
}

/** Returns whether a clock can show this time. */
export function isInClockRange(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

function parseIso(text: string): Date | undefined {
  const day = text.slice(0, 10);
  const midnight = new Date(day);
  // Date takes 31 February for 3 March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const date = new Date(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
