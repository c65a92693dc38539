// Rules of a claim that JSON Schema cannot express, for the validators and for the scripts of the built-in form.
/** Invisible characters that are not spaces. NUL is not one of them: the service rejects it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const INVISIBLE = /[\p{DI}\u0001-\u0008\u000e-\u001f\u007f-\u009f\u2800\ufff9-\ufffb]/gu;

/** Returns what a person can see of a text, without spaces around it. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, '').trim();
}

/** Returns a code without invisible characters. Returns a text without any unchanged. */
export function withoutInvisible(code: string): string {
  const rest = code.replace(INVISIBLE, '');
  return rest === code ? code : rest.trim();
}

/** Returns whether a text is a time of the day, HH:MM. */
export function isTimeOfDay(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
}

/**
 * Returns whether a text is a date that a person can mean: YYYY-MM-DD, it exists, and it is in 1900 or later. A date input
 * takes two digits of a year for the year 26.
 */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1900') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Maximum number of contacts in a policy. */
export const MAX_CONTACTS = 20;

/** An e-mail address that the contract accepts. */
export const EMAIL = /^[^\s@]+@[^\s@]+$/;

const MIN_PHONE_DIGITS = 3;
const DAY_MS = 86_400_000;

/** Returns whether a phone number has at least three digits, of any script. */
export function hasPhoneDigits(phone: string): boolean {
  return (phone.match(/\p{Nd}/gu)?.length ?? 0) >= MIN_PHONE_DIGITS;
}

/** Returns the latest date of an incident, YYYY-MM-DD: tomorrow in UTC, for zones ahead of UTC. */
export function latestIncidentDate(time: Date): string {
  return new Date(time.getTime() + DAY_MS).toISOString().slice(0, 10);
}
