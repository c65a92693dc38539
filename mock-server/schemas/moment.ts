// Parses moments and durations.
import { isDate } from '../../lib/core/plain-data.js';

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
  return isDate(date) && isInClockRange(date.getTime()) ? date : undefined;
}

/** Milliseconds of each unit of a duration, the longest unit first. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const;

/** Form of a duration. */
export const DURATION = `^\\d{1,15} (?:${UNITS.map(([unit]) => unit).join('|')})s?$`;

/** 10,000 years: more than the range of a clock. */
export const MAX_DURATION_MS = 3_652_425 * 86_400_000;

/** Parses a duration such as `2 days` to milliseconds. Returns undefined for other text and for more than 10,000 years. */
export function parseDuration(text: string): number | undefined {
  const [number, name = ''] = text.split(' ');
  const [, unitMs = Number.NaN] = UNITS.find(([unit]) => unit === name.replace(/s$/, '')) ?? [];
  const ms = Number(number) * unitMs;
  return ms <= MAX_DURATION_MS && new RegExp(DURATION).test(text) ? ms : undefined;
}

/** Returns a duration in its longest unit without a fraction: `2 days`, `36 hours`. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms % each === 0) ?? ['millisecond', 1];
  return `${ms / unitMs} ${unit}${ms === unitMs ? '' : 's'}`;
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
