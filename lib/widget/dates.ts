// Dates as users of a language write them, for the server and the browser.

/** English dates have the day first. Most readers would take the American order for another date. */
function formatLocale(locale: string): string {
  return locale === 'en' ? 'en-GB' : locale;
}

/** Returns a calendar date, YYYY-MM-DD, with the month as a word. */
export function formatDay(day: string, locale: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString(formatLocale(locale), { dateStyle: 'long', timeZone: 'UTC' });
}

/** Returns date, time and the name of the time zone. Default: the time zone of the browser. */
export function formatTime(time: Date, locale: string, timeZone?: string): string {
  return time.toLocaleString(formatLocale(locale), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  });
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
