// Rules of a claim that JSON Schema cannot express, for the validators and for the scripts of the built-in form.

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
