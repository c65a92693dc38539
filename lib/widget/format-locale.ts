// The locale in which a language writes dates and times. It is apart from `dates.ts`: a script that needs no more stays small.

/** English dates have the day first. Most readers would take the American order for another date. */
export function formatLocale(locale: string): string {
  return locale === 'en' ? 'en-GB' : locale;
}
