// JSON Schema of a session, as scenarios and the control API write it. Its type is in control/scenario.ts.
import {
  type FieldEntry,
  type FieldShape,
  MAX_ANSWER_LENGTH,
  membersBelow,
} from '../../lib/core/claim-fields.js';
import { PHOTO_TYPES } from '../../lib/core/photo-types.js';
import { extraSchema, linkRequestSchema, type MembersBelow } from '../../lib/core/schemas.js';
import { DURATION } from './moment.js';
import { closed, idSchema, userIdSchema } from './parts.js';

/** A moment of a scenario. `parseMoment` parses it. */
export const momentSchema = {
  type: 'string',
  format: 'moment',
  description:
    'A date and time that exists, in UTC: YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow',
} as const;

const text = { type: 'string', maxLength: 1000, format: 'text' } as const;
const calendarDate = { type: 'string', format: 'date' } as const;
const dayOfCover = {
  type: 'string',
  format: 'date-or-empty',
  description: 'YYYY-MM-DD, or empty if the form of the client lets its users leave it out',
} as const;

/** The schemas of the kinds that are not one line of text. */
const KINDS: Readonly<Partial<Record<FieldShape['kind'], object>>> = {
  date: calendarDate,
  time: {
    type: 'string',
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description: 'A time of the day, HH:MM',
  },
  choice: { ...text, description: 'Key of one of the incidentTypes in the form of the client' },
  boolean: { type: 'boolean' },
};

function fieldSchema(field: FieldEntry): object | undefined {
  if (field.kind === 'contacts') return undefined;
  return field.kind === 'textarea' ? { ...text, maxLength: field.maxLength } : (KINDS[field.kind] ?? text);
}

/** The members of an object of a claim that the table of fields has. */
function closedBelow<P extends '/policy' | '/incident'>(pointer: P, schemaOf: typeof fieldSchema) {
  const schemas = membersBelow(pointer, schemaOf, (members) => closed(members as Record<string, object>));
  return schemas as MembersBelow<P, { readonly additionalProperties: false }>;
}

const { number, provider, holder, vehicle, ...restOfPolicy } = closedBelow('/policy', (field) =>
  field.kind === 'date' ? dayOfCover : fieldSchema(field),
);
const { firstName, lastName, ...reach } = holder.properties;

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
    number,
    provider,
    holder: closed({ firstName, lastName, id: userIdSchema, ...reach }),
    ...restOfPolicy,
    linkedContacts: {
      type: 'array',
      maxItems: 100,
      items: {
        ...closed({ firstName: text, lastName: text, email: text, phone: text }),
        required: ['firstName', 'lastName', 'email'],
      },
    },
    vehicle,
  }),
  incident: closed({
    ...closedBelow('/incident', fieldSchema),
    answers: {
      type: 'object',
      additionalProperties: { type: ['string', 'boolean'], maxLength: MAX_ANSWER_LENGTH.textarea },
      description: 'Answers to the questions of the client, by their keys',
    },
    photos: {
      type: 'array',
      maxItems: 50,
      items: {
        ...closed({
          id: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'photoId of the photo' },
          type: { type: 'string', enum: PHOTO_TYPES },
          size: { type: 'integer', minimum: 1, description: 'Number of bytes' },
          name: { ...text, maxLength: 200, description: 'Name of its file' },
        }),
        required: ['id', 'type', 'size'],
      },
      description: 'Photos of the claim',
    },
  }),
  extra: extraSchema,
  link: { ...closed({ linkId: idSchema, extra: extraSchema }), required: ['linkId'] },
  notice: {
    ...closed({
      url: linkRequestSchema.properties.config.properties.privacyPolicyUrl,
      at: momentSchema,
      accepted: { enum: [true] },
    }),
    required: ['url'],
    description: 'The privacy policy that the submission was made with',
  },
  later: { type: 'array', maxItems: 100, items: laterChange },
});

export const sessionsSchema = { type: 'array', maxItems: 1000, items: scenarioSessionSchema } as const;
