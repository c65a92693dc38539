// Sessions between the shape of a scenario and the one that storages hold, without loss.
import type { Session } from '../../lib/index.js';
import type { ScenarioSession } from './scenario.js';

/** A moment of a file: `YYYY-MM-DDTHH:MM`, UTC; seconds, milliseconds and a Z may follow. */
export function readMoment(text: string): Date {
  return new Date(text.endsWith('Z') ? text : `${text}Z`);
}

/** As short as it can be without loss: `YYYY-MM-DDTHH:MM`, or with seconds and milliseconds. */
export function writeMoment(moment: Date): string {
  const iso = moment.toISOString();
  return iso.endsWith(':00.000Z') ? iso.slice(0, 16) : iso;
}

/** Whether a text of the right form names a day that there is: not the 31st of February, not the year 0. */
export function isMoment(text: string): boolean {
  const moment = readMoment(text);
  const isDay = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text.slice(0, 10));
  return isDay && !text.startsWith('0000');
}

/** Sessions of a scenario that has been checked. */
export function toSessions(sessions: readonly ScenarioSession[]): Session[] {
  return sessions.map(({ date, createdAt, ...session }) => ({
    ...structuredClone(session),
    date: readMoment(date),
    createdAt: readMoment(createdAt),
  }));
}

/** A session as a scenario writes it, in the documented order, with everything that is kept of it. */
export function toScenarioSession(session: Session): ScenarioSession {
  const { selectedPolicy: policy, incident } = session;
  const { firstName, lastName, id, phone, email } = policy.holder;
  return {
    reference: session.reference,
    date: writeMoment(session.date),
    camsReference: session.camsReference,
    status: session.status,
    createdAt: writeMoment(session.createdAt),
    selectedPolicy: {
      number: policy.number,
      provider: policy.provider,
      holder: { firstName, lastName, id, phone, email },
      validFrom: policy.validFrom,
      validTo: policy.validTo,
      linkedContacts: policy.linkedContacts.map((contact) => ({
        firstName: contact.firstName,
        lastName: contact.lastName,
        email: contact.email,
        ...(contact.phone !== undefined && { phone: contact.phone }),
      })),
      vehicle: { licensePlate: policy.vehicle.licensePlate },
    },
    ...(incident && {
      incident: {
        ...(incident.date !== undefined && { date: incident.date }),
        ...(incident.description !== undefined && { description: incident.description }),
      },
    }),
  };
}
