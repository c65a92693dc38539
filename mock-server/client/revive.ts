// Turns the moments of JSON into Dates.

/** Names of the moments in responses and events. */
const MOMENTS = [
  'now',
  'time',
  'date',
  'refDate',
  'takenAt',
  'createdAt',
  'openedAt',
  'submittedAt',
  'revokedAt',
  'expiresAt',
];

/** Members with moments of their own. Text in other members may come from a caller and stays as it is. */
const PARTS = ['clock', 'clients', 'link', 'request'];

/** Returns a copy of a response or an event, with Dates. */
export function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  const copy = withDates(value as Record<string, unknown>, MOMENTS);
  for (const name of PARTS) if (name in copy) copy[name] = revive(copy[name]);
  return copy;
}

/** Returns a copy whose named members are Dates. Other members stay as they are. */
export function withDates<T extends object>(value: T, names: readonly (keyof T)[]): T {
  const copy = { ...value };
  for (const name of names) {
    const moment: unknown = copy[name];
    if (typeof moment === 'string') Object.assign(copy, { [name]: new Date(moment) });
  }
  return copy;
}
