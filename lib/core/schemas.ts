// JSON Schemas of request bodies (2020-12 in OpenAPI, draft-07 subset for ajv): for validation and documentation.
import {
  type ClaimField,
  type FIELDS,
  type FieldEntry,
  type FieldShape,
  MAX_ANSWER_LENGTH,
  membersBelow,
  NEEDED,
  PERSON,
  PHONE_RULE,
} from './claim-fields.js';
import { EMAIL, MAX_CONTACTS } from './claim-rules.js';
import { PHOTO_TYPES } from './photo-types.js';

/**
 * Keyword that `npm run generate` adds to every string of a schema: no NUL and no lone surrogates. Databases reject
 * such text, and the caller would get a 500. Unknown members are not checked, because they are not stored.
 */
export const STORABLE = 'storable';

function textUpTo<const N extends number>(maxLength: N) {
  return { type: 'string', maxLength } as const;
}

/** Returns the schema of a text with the limit of a field. */
function textOf({ maxLength }: { readonly maxLength: number }) {
  return textUpTo(maxLength);
}

/** Maximum length of a user id: identity providers issue subjects of up to 255 (OpenID Connect) or 256 characters (SAML). */
export const MAX_USER_ID_LENGTH = 256;
const url = { type: 'string', minLength: 1, maxLength: 2048 } as const;
/** Pages show it as a link, so only http and https are allowed. */
const webUrl = { ...url, description: 'An http or https URL.' } as const;

const requiredPhone = { ...textOf(PERSON.phone), minLength: 1 } as const;
const requiredEmail = { type: 'string', minLength: 1, maxLength: 254, pattern: EMAIL.source } as const;
const calendarDate = { type: 'string', format: 'date' } as const;
/** A prefilled date may be any text: the form shows a valid one. */
const anyDate = textUpTo(40);
/** The empty text of a date that the form of a client let the user leave out. */
const calendarDateOrEmpty = { type: 'string', format: 'date-or-empty' } as const;

/** Maximum size of `extra` as JSON. */
export const MAX_EXTRA_BYTES = 16_384;
/** Maximum number of levels of objects and arrays in `extra`. */
export const MAX_EXTRA_LEVELS = 32;

/** Data of the host, which claimlink stores unchanged. The validators limit its size and depth. */
export const extraSchema = {
  type: 'object',
  // The default of JSON Schema. Without it, some client generators make a type without members.
  additionalProperties: true,
  description: `Any JSON object of at most ${MAX_EXTRA_BYTES} bytes and ${MAX_EXTRA_LEVELS} levels: passed on unchanged.`,
} as const;

/** A person with limits only. */
const person = {
  type: 'object',
  properties: {
    firstName: textOf(PERSON.firstName),
    lastName: textOf(PERSON.lastName),
    email: textOf(PERSON.email),
    phone: textOf(PERSON.phone),
  },
} as const;

/** The schema of a text of a claim. */
export interface TextSchema {
  readonly type: 'string';
  readonly maxLength?: number;
  readonly format?: 'date';
  readonly pattern?: string;
  readonly description?: string;
}

/** The names of the members below a pointer. */
type NameBelow<P extends string, F extends string = ClaimField> = F extends `${P}/${infer N}/${string}`
  ? N
  : F extends `${P}/${infer N}`
    ? N
    : never;

/** The schemas of the members below a pointer, without the contacts. `O` has further keywords of the objects. */
export type MembersBelow<P extends string, O = unknown> = {
  readonly [N in Exclude<NameBelow<P>, 'linkedContacts'>]: `${P}/${N}` extends ClaimField
    ? (typeof FIELDS)[`${P}/${N}`]['kind'] extends 'boolean'
      ? { readonly type: 'boolean' }
      : TextSchema
    : O & { readonly type: 'object'; readonly properties: MembersBelow<`${P}/${N}`, O> };
};

/** Maximum length of a value that has one form, or is one of the client's keys. */
const VALUE_LENGTHS: Readonly<Partial<Record<FieldShape['kind'], number>>> = { time: 5, choice: 50 };

/** Returns the schema of a field with its limit only. The contacts have one of their own. */
function valueSchema(field: FieldEntry, date: object): object | undefined {
  const { kind } = field;
  if (kind === 'contacts') return undefined;
  if (kind === 'boolean') return { type: 'boolean' };
  return kind === 'date'
    ? date
    : { type: 'string', maxLength: 'maxLength' in field ? field.maxLength : VALUE_LENGTHS[kind] };
}

function objectOf(properties: object) {
  return { type: 'object', properties };
}

/** Returns the schemas of the members of a policy with limits only, in the order of a session. */
function policyWith(date: object) {
  const { number, provider, holder, validFrom, validTo, vehicle, ...others } = membersBelow(
    '/policy',
    (field) => valueSchema(field, date),
    objectOf,
  ) as MembersBelow<'/policy'>;
  return {
    number,
    provider,
    holder: { type: 'object', properties: { ...person.properties, ...holder.properties } },
    validFrom,
    validTo,
    ...others,
    linkedContacts: { type: 'array', maxItems: MAX_CONTACTS, items: person },
    vehicle,
  } as const;
}

/** Returns the schemas of the members that prefill the form, in the order of a link request. */
function prefillMembers() {
  const { provider, number, validTo, validFrom, holder, vehicle, linkedContacts, ...others } =
    policyWith(anyDate);
  return { provider, number, validTo, validFrom, holder, vehicle, linkedContacts, ...others };
}

const stored = policyWith(calendarDateOrEmpty);

/** JSON Schema counts code points, the service UTF-16 code units: what `maxlength` of HTML counts. */
const LENGTHS = 'maxLength counts UTF-16 code units: an emoji has two.';

/** Body of `POST /:clientId/link`. Unknown members are allowed; they are not stored. */
export const linkRequestSchema = {
  $id: 'LinkRequest',
  type: 'object',
  description: LENGTHS,
  required: ['callbackUrl', 'config'],
  properties: {
    callbackUrl: { ...url, description: 'Target of the redirect after the claim: an absolute https URL.' },
    callbackOnSubmit: {
      type: 'boolean',
      // No `default`: client generators make a member with a default required.
      description: 'true: redirect at once. false or absent: show the success page first.',
    },
    config: {
      type: 'object',
      required: ['contact', 'currentUserId'],
      properties: {
        contact: {
          type: 'object',
          required: ['email', 'phone'],
          properties: { email: requiredEmail, phone: requiredPhone, link: webUrl },
        },
        currentUserId: {
          type: ['string', 'integer'],
          minLength: 1,
          maxLength: MAX_USER_ID_LENGTH,
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'The user. 42 and "42" are the same; a number must be a safe integer. At most 256 UTF-16 code units.',
        },
        policy: { type: 'object', properties: prefillMembers() },
        initialStepKey: { ...textUpTo(100), minLength: 1 },
        privacyPolicyUrl: webUrl,
        renews: {
          ...textUpTo(100),
          minLength: 1,
          description:
            'The linkId of the link that this one replaces. Ignored if it is of another client or user.',
        },
        extra: extraSchema,
      },
    },
  },
} as const;

/** Returns the schema of a link request with the allowed step keys, for documents. The validators check the key. */
export function linkRequestSchemaWith(stepKeys: readonly string[] | undefined): object {
  if (stepKeys === undefined) return linkRequestSchema;
  const { properties } = linkRequestSchema;
  const { config } = properties;
  const initialStepKey = { ...config.properties.initialStepKey, enum: [...new Set(stepKeys)] };
  return {
    ...linkRequestSchema,
    properties: {
      ...properties,
      config: { ...config, properties: { ...config.properties, initialStepKey } },
    },
  };
}

/** Returns the schema of a field in a claim. */
function fieldSchema(field: FieldEntry): object | undefined {
  const { kind, need, description = need === 'required' ? NEEDED : undefined } = field;
  const schema = valueSchema(field, calendarDate);
  return (
    schema && {
      ...schema,
      ...(kind === 'email' && { pattern: EMAIL.source }),
      ...(description !== undefined && { description }),
    }
  );
}

const { number, vehicle, holder, ...restOfPolicy } = membersBelow(
  '/policy',
  fieldSchema,
  objectOf,
) as MembersBelow<'/policy'>;
const { firstName, lastName, ...reach } = holder.properties;

/** Maximum number of photos that a claim names. */
const MAX_PHOTOS = 50;
/** Maximum length of the name of a photo. */
export const MAX_PHOTO_NAME = 200;

/** The photos that a claim names. */
const photos = {
  type: 'array',
  maxItems: MAX_PHOTOS,
  items: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { ...textUpTo(64), description: 'photoId: 64 lower-case hex digits.' },
      type: { type: 'string', enum: PHOTO_TYPES, description: 'Media type. The store says it.' },
      size: { type: 'integer', description: 'Number of bytes. The store says it.' },
      name: { ...textUpTo(MAX_PHOTO_NAME), description: 'Name of the file.' },
    },
  },
  description:
    'Photos of the link, by their ids. A form without this member has all photos of the link. Required, with a photo, if the form of the client says so.',
} as const;

const incident = {
  type: 'object',
  properties: {
    ...(membersBelow('/incident', fieldSchema, objectOf) as MembersBelow<'/incident'>),
    answers: {
      type: 'object',
      additionalProperties: { type: ['string', 'boolean'], maxLength: MAX_ANSWER_LENGTH.textarea },
      description:
        'Answers to the questions in the form of the client, by their keys: true or false, YYYY-MM-DD, the key of an option, or a text. Other keys are rejected.',
    },
    photos,
  },
} as const;

/** The photos of a stored claim. The compiled schema has those of a submission: `parseSession` checks what is required here. */
const storedPhotos = {
  ...photos,
  items: { ...photos.items, required: ['id', 'type', 'size'] },
  description: 'Photos of the claim.',
} as const;

/**
 * The claim posted to `/verify/:accessCode`. Unknown members are allowed; they are not stored. What a client requires is
 * in its form.
 */
export const claimSubmissionSchema = {
  $id: 'ClaimSubmission',
  type: 'object',
  description: `${LENGTHS} A text in which nothing can be seen counts as absent. Codes lose invisible characters.`,
  required: ['policy'],
  properties: {
    policy: {
      type: 'object',
      properties: {
        number,
        ...restOfPolicy,
        holder: {
          type: 'object',
          properties: { firstName, lastName, id: textUpTo(MAX_USER_ID_LENGTH), ...reach },
        },
        linkedContacts: {
          type: 'array',
          maxItems: MAX_CONTACTS,
          items: {
            type: 'object',
            required: ['firstName', 'lastName'],
            properties: {
              ...person.properties,
              email: {
                ...person.properties.email,
                pattern: EMAIL.source,
                description:
                  'Required, unless the form of the client says email_or_phone and there is a phone.',
              },
              phone: { ...person.properties.phone, description: PHONE_RULE },
            },
          },
        },
        vehicle,
      },
    },
    incident,
    noticeAccepted: {
      type: 'boolean',
      description:
        'The user has read the privacy policy of the link. It must be true if the client asks for a confirmation.',
    },
    extra: extraSchema,
  },
} as const;

/**
 * What a session that the host adds has beside ids, dates and status. Texts may be empty: a session of another system
 * may lack what the pages ask for. Unknown members are not stored.
 */
export const storedClaimSchema = {
  $id: 'StoredClaim',
  type: 'object',
  required: ['selectedPolicy'],
  properties: {
    selectedPolicy: {
      type: 'object',
      required: ['number', 'provider', 'holder', 'validFrom', 'validTo', 'linkedContacts', 'vehicle'],
      properties: {
        ...stored,
        holder: {
          type: 'object',
          required: ['firstName', 'lastName', 'id', 'phone', 'email'],
          properties: { ...stored.holder.properties, id: textUpTo(MAX_USER_ID_LENGTH) },
        },
        linkedContacts: {
          ...stored.linkedContacts,
          items: { ...person, required: ['firstName', 'lastName', 'email'] },
        },
        vehicle: { type: 'object', required: ['licensePlate'], properties: stored.vehicle.properties },
      },
    },
    incident: { ...incident, properties: { ...incident.properties, photos: storedPhotos } },
    extra: extraSchema,
    link: {
      type: 'object',
      required: ['linkId'],
      properties: { linkId: { ...textUpTo(100), minLength: 1 }, extra: extraSchema },
    },
    // Its time is no JSON: the validators check it.
    notice: {
      type: 'object',
      required: ['url'],
      properties: { url: webUrl, accepted: { type: 'boolean', enum: [true] } },
    },
  },
} as const;
