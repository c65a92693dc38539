// Sessions -> JSON of the listing: the documented members only, in the documented order and date shapes.
//
// The JSON of a frozen list of frozen sessions is cached, because writing it is most of the work of a listing from
// memory. Frozen objects cannot change, so the JSON stays correct. A database returns new, unfrozen objects for each
// call; their JSON is not cached. The cache also has the bytes, so that adapters do not encode the text for each
// response. It is weak: an entry lives as long as its list.
import type { ListedSession } from '../core/storage.js';

/** The JSON of a listing. */
export interface ListJson {
  text: string;
  /** The text in UTF-8. Present if the list is cached. */
  bytes?: Uint8Array;
}

const cachedLists = new WeakMap<readonly ListedSession[], ListJson>();

/** Returns the JSON array of a listing. */
export function sessionListJson(sessions: readonly ListedSession[]): ListJson {
  const cached = cachedLists.get(sessions);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(sessions.map(toListed));
  if (!Object.isFrozen(sessions) || !sessions.every(Object.isFrozen)) return { text };
  const list = { text, bytes: Buffer.from(text) };
  cachedLists.set(sessions, list);
  return list;
}

/** The checks turn a storage that returns incomplete sessions into a 500. JSON.stringify would omit the members. */
function toListed(session: ListedSession) {
  const { selectedPolicy: policy } = session;
  return {
    reference: text(session.reference, 'reference'),
    date: toMinute(session.date),
    camsReference: text(session.camsReference, 'camsReference'),
    status: text(session.status, 'status'),
    createdAt: toMinute(session.createdAt),
    selectedPolicy: {
      number: text(policy.number, 'selectedPolicy.number'),
      provider: text(policy.provider, 'selectedPolicy.provider'),
      holder: {
        firstName: text(policy.holder.firstName, 'holder.firstName'),
        lastName: text(policy.holder.lastName, 'holder.lastName'),
        id: text(policy.holder.id, 'holder.id'),
        phone: text(policy.holder.phone, 'holder.phone'),
        email: text(policy.holder.email, 'holder.email'),
      },
      validFrom: day(policy.validFrom, 'selectedPolicy.validFrom'),
      validTo: day(policy.validTo, 'selectedPolicy.validTo'),
      linkedContacts: policy.linkedContacts.map((contact) => ({
        firstName: text(contact.firstName, 'linkedContacts.firstName'),
        lastName: text(contact.lastName, 'linkedContacts.lastName'),
        email: text(contact.email, 'linkedContacts.email'),
      })),
      vehicle: { licensePlate: text(policy.vehicle.licensePlate, 'vehicle.licensePlate') },
    },
  };
}

/** Returns a time as the listing shows it: YYYY-MM-DDTHH:MM, UTC. @throws RangeError for another year. */
export function toMinute(date: Date): string {
  const iso = date.toISOString();
  if (iso.length === 24) return iso.slice(0, 16);
  throw new RangeError('The storage returned a session with a date outside the years 0 to 9999.');
}

/** Returns `YYYY-MM-DD`, or "" for a day that the form of the client let the user leave out. Cuts a longer ISO 8601 text. */
function day(value: unknown, member: string): string {
  const date = text(value, member).slice(0, 10);
  if (date === '' || /^\d{4}-\d{2}-\d{2}$/.test(date)) return date;
  throw new TypeError(`The storage returned a session whose ${member} is not a date, YYYY-MM-DD.`);
}

function text(value: unknown, member: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`The storage returned a session whose ${member} is not a string.`);
}
