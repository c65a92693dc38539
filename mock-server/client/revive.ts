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
const PARTS = [
  ...['clock', 'clients', 'link', 'request'],
  // In a persist file.
  ...['current', 'snapshots', 'content', 'sessions', 'session', 'links'],
];

/** Returns a copy of a response, an event or the state of a persist file, with Dates. */
export function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of PARTS) if (name in copy) copy[name] = revive(copy[name]);
  for (const name of MOMENTS) {
    const moment = copy[name];
    if (typeof moment === 'string') copy[name] = new Date(moment);
  }
  return copy;
}
