// Calendar dates as an `<input type="date">` takes them.

/** Tells whether a text is a date that exists, as YYYY-MM-DD, from the year 1 on. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
