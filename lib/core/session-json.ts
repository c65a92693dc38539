// Session -> wire JSON: the documented members only, in the documented order and date shapes.
import type { Session } from './types.js';

const remembered = new WeakMap<Session, string>();

/** The JSON of one session: made once for an object that a storage has frozen, and gives again. */
export function sessionJson(session: Session): string {
  // What a database gives is new each time, and a map of what never comes again only burdens the garbage collector.
  if (!Object.isFrozen(session)) return JSON.stringify(toWire(session));
  let json = remembered.get(session);
  if (json === undefined) {
    json = JSON.stringify(toWire(session));
    remembered.set(session, json);
  }
  return json;
}

/** A listing as it is sent. */
export interface ListJson {
  json: string;
  /** The same, encoded; absent where it is not worth while. */
  bytes?: Uint8Array;
}

const rememberedLists = new WeakMap<readonly Session[], ListJson>();

/** Up to here a string is sent faster, in one piece with the headers; above, bytes that need not be encoded again. */
const LONGEST_STRING = 1024;

/** The JSON array of a listing: made once for a list that is frozen with its sessions, and given again until it changes. */
export function sessionListJson(sessions: readonly Session[]): ListJson {
  const known = rememberedLists.get(sessions);
  if (known !== undefined) return known;
  const json = writeList(sessions);
  // A list that stays may still hold a session that changes.
  if (!Object.isFrozen(sessions) || !sessions.every(Object.isFrozen)) return { json };
  const list = json.length > LONGEST_STRING ? { json, bytes: Buffer.from(json) } : { json };
  rememberedLists.set(sessions, list);
  return list;
}

function writeList(sessions: readonly Session[]): string {
  let json = '[';
  for (let i = 0; i < sessions.length; i++) {
    const session = sessions[i];
    if (session !== undefined) json += i === 0 ? sessionJson(session) : `,${sessionJson(session)}`;
  }
  return `${json}]`;
}

function toWire(session: Session) {
  const { selectedPolicy: policy } = session;
  return {
    reference: text(session.reference, 'reference'),
    date: minute(session.date),
    camsReference: text(session.camsReference, 'camsReference'),
    status: text(session.status, 'status'),
    createdAt: minute(session.createdAt),
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

/** `YYYY-MM-DDTHH:MM`, UTC. */
function minute(date: Date): string {
  const iso = date.toISOString();
  if (iso.length === 24) return iso.slice(0, 16);
  throw new RangeError('The storage returned a session with a date outside the years 0 to 9999.');
}

/** `YYYY-MM-DD`; a longer ISO 8601 text is cut. */
function day(value: unknown, member: string): string {
  const date = text(value, member).slice(0, 10);
  if (/^\d{4}-\d{2}-\d{2}$/.test(date)) return date;
  throw new TypeError(`The storage returned a session whose ${member} is no date, YYYY-MM-DD.`);
}

/** JSON.stringify would leave an undefined member out without a word, and the contract documents all of them. */
function text(value: unknown, member: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`The storage returned a session whose ${member} is not a string.`);
}
