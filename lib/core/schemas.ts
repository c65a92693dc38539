// JSON Schemas of request bodies (2020-12 in OpenAPI, draft-07 subset for ajv): for validation and documentation.

/**
 * Keyword that `npm run generate` adds to every string of a schema: no NUL and no lone surrogates. Databases reject
 * such text, and the caller would get a 500. Unknown members are not checked, because they are not stored.
 */
export const STORABLE = 'storable';

function textUpTo<const N extends number>(maxLength: N) {
  return { type: 'string', maxLength } as const;
}

/** Maximum length of a user id: identity providers issue subjects of up to 255 (OpenID Connect) or 256 characters (SAML). */
export const MAX_USER_ID_LENGTH = 256;
const name = textUpTo(100);
const phone = textUpTo(40);
const url = { type: 'string', minLength: 1, maxLength: 2048 } as const;
/** Pages show it as a link, so only http and https are allowed. */
const webUrl = { ...url, description: 'An http or https URL.' } as const;

const requiredPhone = { ...phone, minLength: 1 } as const;
const requiredEmail = {
  type: 'string',
  minLength: 1,
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
} as const;
const calendarDate = { type: 'string', format: 'date' } as const;
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

/** A person in the data that prefills the form. */
const person = {
  type: 'object',
  properties: { firstName: name, lastName: name, email: textUpTo(254), phone },
} as const;

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
        policy: {
          type: 'object',
          properties: {
            provider: textUpTo(200),
            number: textUpTo(100),
            validTo: textUpTo(40),
            validFrom: textUpTo(40),
            holder: person,
            vehicle: { type: 'object', properties: { licensePlate: textUpTo(32) } },
            linkedContacts: { type: 'array', maxItems: 20, items: person },
          },
        },
        initialStepKey: { ...textUpTo(100), minLength: 1 },
        privacyPolicyUrl: webUrl,
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

/** The validators check it, because a pattern for the digits of every script is not portable. */
const phoneRule = 'At least three digits';

/** The form of a client decides what is required; the validators check it. */
const NEEDED = 'Required, unless the form of the client says otherwise.';
const FIRST_DATE = 'From 1900-01-01 on.';
const needed = <const S extends object>(schema: S) => ({ ...schema, description: NEEDED });
const optionalEmail = {
  type: 'string',
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
} as const;

const incident = {
  type: 'object',
  properties: {
    date: {
      ...calendarDate,
      description:
        'From 1900-01-01 on, and not after today; one day later is accepted, because of time zones.',
    },
    time: { ...textUpTo(5), description: 'About when it was, HH:MM.' },
    place: textUpTo(200),
    type: { ...textUpTo(50), description: 'Key of one of the incidentTypes in the form of the client.' },
    description: textUpTo(4000),
    injured: { type: 'boolean' },
    policeReference: textUpTo(100),
    otherVehicle: {
      type: 'object',
      properties: { licensePlate: textUpTo(32), insurer: textUpTo(200) },
    },
    answers: {
      type: 'object',
      additionalProperties: { type: ['string', 'boolean'], maxLength: 2000 },
      description:
        'Answers to the questions in the form of the client, by their keys: true or false, YYYY-MM-DD, the key of an option, or a text. Other keys are rejected.',
    },
  },
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
        number: needed(textUpTo(100)),
        provider: needed(textUpTo(200)),
        validFrom: { ...calendarDate, description: `${NEEDED} ${FIRST_DATE}` },
        validTo: { ...calendarDate, description: `${NEEDED} ${FIRST_DATE}` },
        holder: {
          type: 'object',
          properties: {
            firstName: needed(name),
            lastName: needed(name),
            id: textUpTo(MAX_USER_ID_LENGTH),
            phone: { ...phone, description: `${phoneRule}. ${NEEDED}` },
            email: needed(optionalEmail),
          },
        },
        linkedContacts: {
          type: 'array',
          maxItems: 20,
          items: {
            type: 'object',
            required: ['firstName', 'lastName'],
            properties: {
              firstName: name,
              lastName: name,
              email: {
                ...optionalEmail,
                description:
                  'Required, unless the form of the client says email_or_phone and there is a phone.',
              },
              phone: { ...phone, description: `${phoneRule}.` },
            },
          },
        },
        vehicle: {
          type: 'object',
          properties: { licensePlate: needed(textUpTo(32)) },
        },
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
        number: textUpTo(100),
        provider: textUpTo(200),
        holder: {
          type: 'object',
          required: ['firstName', 'lastName', 'id', 'phone', 'email'],
          properties: { ...person.properties, id: textUpTo(MAX_USER_ID_LENGTH) },
        },
        validFrom: calendarDateOrEmpty,
        validTo: calendarDateOrEmpty,
        linkedContacts: {
          type: 'array',
          maxItems: 20,
          items: { ...person, required: ['firstName', 'lastName', 'email'] },
        },
        vehicle: {
          type: 'object',
          required: ['licensePlate'],
          properties: { licensePlate: textUpTo(32) },
        },
      },
    },
    incident,
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
