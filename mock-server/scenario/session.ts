// Sessions as scenarios and the control API write them.
import { extraSchema } from '../../lib/core/schemas.js';
import type { JsonObject, Session, SessionChanges, SessionLink } from '../../lib/index.js';
import { DURATION } from '../moment.js';
import { closed, idSchema } from '../schema-parts.js';

/** Makes all members optional, at every depth. The items of a list stay complete. */
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** A change of a session that is made later by the clock of its client. It has `status`, `camsReference` or both. */
export interface LaterChange extends SessionChanges {
  /**
   * Time since the session was set: by the start of the mock, a reset, `setSessions` or `addSession`. A number and
   * `milliseconds`, `seconds`, `minutes`, `hours` or `days`: `2 days`.
   */
  after: string;
}

/** A session of the mock, with everything that is stored. */
export interface MockSession extends Session {
  /** Changes that are still to come. `after` counts from now. */
  later?: readonly LaterChange[];
}

/**
 * A session in the shape of the documented listing, so that a response can be pasted in. All members are optional: the
 * seed gives those that are missing. A contact in `linkedContacts` is complete.
 */
export interface ScenarioSession extends DeepPartial<Omit<Session, 'date' | 'createdAt' | 'extra' | 'link'>> {
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
  date?: string;
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
  createdAt?: string;
  /** `extra` of the claim: any JSON object up to 16 KiB. Not in the listing. */
  extra?: JsonObject;
  /** The link that created the session, as the mock returns it. Not in the listing. */
  link?: SessionLink;
  /** Changes that are made later by the clock of the client. Not in the listing. */
  later?: readonly LaterChange[];
}

/** A moment of a scenario. `parseMoment` parses it. */
export const momentSchema = {
  type: 'string',
  format: 'moment',
  description:
    'A date and time that exists, in UTC: YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow',
} as const;

const text = { type: 'string', maxLength: 1000, format: 'text' } as const;
const calendarDate = { type: 'string', format: 'date' } as const;

const laterChange = {
  ...closed(
    {
      after: {
        type: 'string',
        pattern: DURATION,
        format: 'time-span',
        description: 'A time since the session was set, such as 30 minutes or 2 days',
      },
      status: idSchema,
      camsReference: idSchema,
    },
    ['after'],
  ),
  allOf: [
    {
      anyOf: [{ required: ['status'] }, { required: ['camsReference'] }],
      description: 'A change with status or camsReference',
    },
  ],
} as const;

export const scenarioSessionSchema = closed({
  reference: { ...idSchema, description: 'Unique within the client' },
  date: momentSchema,
  camsReference: idSchema,
  status: idSchema,
  createdAt: momentSchema,
  selectedPolicy: closed({
    number: text,
    provider: text,
    holder: closed({ firstName: text, lastName: text, id: idSchema, phone: text, email: text }),
    validFrom: calendarDate,
    validTo: calendarDate,
    linkedContacts: {
      type: 'array',
      maxItems: 100,
      items: {
        ...closed({ firstName: text, lastName: text, email: text, phone: text }),
        required: ['firstName', 'lastName', 'email'],
      },
    },
    vehicle: closed({ licensePlate: text }),
  }),
  incident: closed({
    date: calendarDate,
    description: { type: 'string', maxLength: 4000, format: 'text' },
  }),
  extra: extraSchema,
  link: { ...closed({ linkId: idSchema, extra: extraSchema }), required: ['linkId'] },
  later: { type: 'array', maxItems: 100, items: laterChange },
});

export const sessionsSchema = { type: 'array', maxItems: 1000, items: scenarioSessionSchema } as const;
