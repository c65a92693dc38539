// Dates as users of a language write them, for the server and the browser.
import { formatLocale } from './format-locale.js';

/** Returns a function with one formatter in UTC for each language: to create one takes a tenth of the time of a whole page. */
function createFormatters(options: Intl.DateTimeFormatOptions): (locale: string) => Intl.DateTimeFormat {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  return (locale) => {
    const formatter =
      formatters.get(locale) ??
      new Intl.DateTimeFormat(formatLocale(locale), { ...options, timeZone: 'UTC' });
    formatters.set(locale, formatter);
    return formatter;
  };
}

const TIME_PARTS = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

const dayFormatter = createFormatters({ dateStyle: 'long' });
// The script of the form leaves it out.
const timeFormatter = /* @__PURE__ */ createFormatters(TIME_PARTS);

/** Returns a calendar date, YYYY-MM-DD, with the month as a word. */
export function formatDay(day: string, locale: string): string {
  return dayFormatter(locale).format(new Date(`${day}T00:00:00Z`));
}

/** Returns date and time in UTC. */
export function formatTime(time: Date, locale: string): string {
  return timeFormatter(locale).format(time);
}

/** Returns date, time and the name of the time zone, in the time zone of the browser. */
export function formatLocalTime(time: Date, locale: string): string {
  return time.toLocaleString(formatLocale(locale), TIME_PARTS);
}

/** Returns a wait in words, such as "in 30 seconds" or "in 2 minutes". */
export function formatWait(seconds: number, locale: string): string {
  const [value, unit] =
    seconds <= 90
      ? ([seconds, 'second'] as const)
      : seconds <= 5400
        ? ([Math.ceil(seconds / 60), 'minute'] as const)
        : ([Math.ceil(seconds / 3600), 'hour'] as const);
  return new Intl.RelativeTimeFormat(formatLocale(locale)).format(value, unit);
}
