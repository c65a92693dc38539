// JSON Schemas of responses and of the webhook. For documentation only: claimlink does not validate what it sends.
import { MAX_PROBLEMS, REQUEST_RULES, RESPONSE_CODES } from '../core/errors.js';
import { DELETED_BATCH } from '../core/life-events.js';
import { PHOTO_TYPES } from '../core/photo-types.js';
import { claimSubmissionSchema, extraSchema, storedClaimSchema } from '../core/schemas.js';
import { DECLINE_REASONS, type LifeEventType } from '../core/types.js';

const text = { type: 'string' } as const;
const minuteText = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$',
  description: 'Date and time, YYYY-MM-DDTHH:MM, UTC.',
} as const;

/** A day of a policy. The form of a client may let its users leave it out. */
const optionalDay = {
  type: 'string',
  pattern: '^(\\d{4}-\\d{2}-\\d{2})?$',
  description: 'Date, YYYY-MM-DD. Empty if the form of the client lets its users leave it out.',
} as const;

/** Returns the schema of an object with exactly these members, all of them required. */
function exactly<const P extends object>(properties: P) {
  const required = Object.keys(properties) as (keyof P & string)[];
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

/** One element of the listing, exactly as documented. */
export const sessionSchema = {
  $id: 'Session',
  ...exactly({
    reference: text,
    date: minuteText,
    camsReference: text,
    status: {
      type: 'string',
      description: 'A new session is "submitted". The host sets other values of its own.',
      examples: ['submitted', 'in_review', 'accepted', 'rejected'],
    },
    createdAt: minuteText,
    selectedPolicy: exactly({
      number: text,
      provider: text,
      holder: exactly({ firstName: text, lastName: text, id: text, phone: text, email: text }),
      validFrom: optionalDay,
      validTo: optionalDay,
      linkedContacts: {
        type: 'array',
        items: exactly({ firstName: text, lastName: text, email: text }),
      },
      vehicle: exactly({ licensePlate: text }),
    }),
  }),
} as const;

/** Response of `GET /:clientId/sessions/:userId`: a top-level array. */
export const sessionListSchema = { $id: 'SessionList', type: 'array', items: sessionSchema } as const;

/** Response of `POST /:clientId/link`. */
export const linkResponseSchema = {
  $id: 'LinkResponse',
  ...exactly({
    data: {
      type: 'string',
      description: 'The access URL: {base_url}/verify/<access_code>?token=<encoded_token>',
    },
  }),
} as const;

/** A claim that is posted as JSON, with the answer of the recipient. */
export const submittedClaimSchema = {
  ...claimSubmissionSchema,
  properties: {
    ...claimSubmissionSchema.properties,
    recipientAnswer: {
      ...text,
      description:
        'The answer to the question of a client with recipientCheck, instead of its cookie. Not stored.',
    },
  },
} as const;

/** What the form of a page asks for: its member `action`. Without it, the form submits a claim. */
export const FORM_ACTIONS = ['submit', 'check', 'start', 'decline', 'renew'] as const;

/** The members of a posted form that do not depend on the page. */
export const formSchema = {
  type: 'object',
  properties: {
    action: {
      type: 'string',
      enum: FORM_ACTIONS,
      description:
        'What the form asks for. Absent: submit. check: answer is the answer of the recipient. start: a person fills in the form. decline: the recipient does not report the claim, and why says why. renew: the recipient of an expired link asks for another one.',
    },
    answer: text,
    why: { type: 'string', enum: DECLINE_REASONS },
  },
} as const;

/** A form with photos. Its files come after its texts. */
export const photoFormSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['submit'] },
    photos: {
      type: 'array',
      items: text,
      description: 'The bytes of each photo. An empty file without a name is none.',
    },
  },
} as const;

/** Response to a claim that was posted as JSON. */
export const submissionResponseSchema = {
  $id: 'SubmissionResponse',
  ...exactly({
    data: {
      type: 'object',
      additionalProperties: false,
      required: ['reference', 'date'],
      properties: {
        reference: text,
        date: minuteText,
        redirectUrl: text,
        repeated: {
          type: 'boolean',
          description:
            'Present, and true, if an earlier claim of this link is stored: the response describes it.',
        },
        unchanged: {
          type: 'boolean',
          description:
            'Present if repeated. false: this claim differs from the stored one, and its changes are not stored.',
        },
        page: {
          type: 'string',
          description:
            'HTML that the script of the built-in form shows in place of the form. Only for a form with Prefer: return=representation.',
        },
        style: {
          type: 'string',
          description: 'Stylesheet of page, which the form is without. Only with page.',
        },
        script: { type: 'string', description: 'Script of page, which the form is without. Only with page.' },
      },
    },
  }),
} as const;

/** A photo as the routes of photos name it, and as a claim does. */
const photoSchema = exactly({
  id: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Identifies the photo within its link.' },
  type: { type: 'string', enum: PHOTO_TYPES, description: 'Read from the first bytes.' },
  size: { type: 'integer', minimum: 1, description: 'Number of bytes.' },
});

/** Response of a photo that was sent. */
export const photoResponseSchema = { $id: 'PhotoResponse', ...exactly({ data: photoSchema }) } as const;

/** Response of the photos of a link. */
export const photoListSchema = {
  $id: 'PhotoList',
  ...exactly({ data: { type: 'array', items: photoSchema } }),
} as const;

const instant = {
  type: 'string',
  format: 'date-time',
  description: 'Date and time in UTC (RFC 3339).',
} as const;

/** Returns the schema of an object with these members, of which some are optional. A later version may add more. */
function members<const P extends object, const O extends object>(properties: P, optional: O) {
  const required = Object.keys(properties) as (keyof P & string)[];
  return { type: 'object', required, properties: { ...properties, ...optional } } as const;
}

const { reference, camsReference, status, selectedPolicy } = sessionSchema.properties;
const { linkedContacts: _, ...listedPolicy } = selectedPolicy.properties;
const { policy } = claimSubmissionSchema.properties;
const linkId = { ...text, description: 'Identifies the link, as linkId of createLink. Not secret.' } as const;

/** Returns the schema of a listed object with the members of the claim that a listing does not show. */
function withUnlisted<const S extends { properties: object }>(listed: S, claim: { properties: object }): S {
  // The first copy keeps the order of the listing, the last one its schemas.
  return { ...listed, properties: { ...listed.properties, ...claim.properties, ...listed.properties } };
}

/** Body of the webhook that docs/delivery.md describes: the session with all that claimlink stores of it. */
export const submissionWebhookSchema = {
  $id: 'SubmissionWebhook',
  ...members(
    {
      type: { type: 'string', enum: ['claim.submitted'] },
      timestamp: { ...instant, description: 'Time of the submission: the same in every attempt.' },
      data: members(
        {
          clientId: text,
          userId: text,
          session: members(
            {
              reference,
              date: instant,
              camsReference,
              status,
              createdAt: instant,
              selectedPolicy: withUnlisted(
                members(
                  {
                    ...listedPolicy,
                    holder: withUnlisted(listedPolicy.holder, policy.properties.holder),
                    linkedContacts: {
                      type: 'array',
                      items: members({ firstName: text, lastName: text, email: text }, { phone: text }),
                    },
                    vehicle: withUnlisted(listedPolicy.vehicle, policy.properties.vehicle),
                  },
                  {},
                ),
                policy,
              ),
            },
            {
              incident: {
                type: 'object',
                required: [],
                properties: storedClaimSchema.properties.incident.properties,
              },
              extra: { ...extraSchema, description: 'extra of the claim.' },
              link: members(
                { linkId },
                { extra: { ...extraSchema, description: 'config.extra of the link request.' } },
              ),
              notice: {
                ...members(
                  { url: text, at: instant },
                  { accepted: { type: 'boolean', description: 'true: the user has confirmed it.' } },
                ),
                description: 'The privacy policy of the link, at the time of the submission.',
              },
            },
          ),
        },
        { linkId },
      ),
    },
    {},
  ),
} as const;

/** Returns the schema of a webhook of one kind. */
function webhook<const T extends string>($id: string, type: T, data: object) {
  const timestamp = { ...instant, description: 'When it happened: the same in every attempt.' };
  return { $id, ...members({ type: { type: 'string', enum: [type] }, timestamp, data }, {}) } as const;
}

/** Body of the webhook of a kind of event that a `LifeStorage` records. */
export function lifeWebhookSchema(type: LifeEventType): { $id: string } {
  const $id = `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Webhook`;
  const texts = { type: 'array', maxItems: DELETED_BATCH, items: text };
  if (type === 'data.deleted')
    return webhook(
      $id,
      type,
      members(
        {
          clientId: text,
          why: { type: 'string', enum: ['user', 'retention', 'client'] },
          linkIds: {
            ...texts,
            description:
              'Links whose session was deleted, and deleted links without a session. An event may repeat a link that had a claim.',
          },
          references: { ...texts, description: 'The deleted sessions.' },
        },
        {},
      ),
    );
  const sequence = {
    type: 'integer',
    minimum: 1,
    description: 'Position among the moments of the link. Events may arrive in another order.',
  };
  const link = { clientId: text, userId: text, linkId, sequence, expiresAt: instant };
  const why = type === 'link.declined' ? { why: { type: 'string', enum: DECLINE_REASONS } } : {};
  return webhook($id, type, members({ ...link, ...why }, {}));
}

const rule = {
  type: 'string',
  enum: REQUEST_RULES,
  description: 'Stable name of the rule that the value breaks, for translations.',
} as const;

/** Response of every error (RFC 9457). */
export const problemSchema = {
  $id: 'Problem',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'urn:claimlink:problem:<code>' },
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: { type: 'string', enum: RESPONSE_CODES, description: 'Stable code of the error.' },
    instance: {
      type: 'string',
      description: 'urn:uuid:<id> of a 5xx. Name it to the support of the service.',
    },
    errors: {
      type: 'array',
      maxItems: MAX_PROBLEMS,
      description: 'The problems of a request with code request_invalid.',
      items: {
        type: 'object',
        required: ['rule', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer into the body; "" is the whole body.' },
          parameter: { type: 'string', description: 'Name of a path or query parameter.' },
          header: { type: 'string', description: 'Name of a request header.' },
          rule,
          detail: { type: 'string', description: 'The problem in English, without the value.' },
          messages: {
            type: 'object',
            additionalProperties: text,
            description:
              'Sentences for the user by BCP 47 tag. Present if a check of the host found the problem.',
          },
        },
      },
    },
  },
} as const;

/** Returns the schema of errors of a service whose own check of claims names further rules. */
export function openProblemSchema(): object {
  const { $id: _, properties, ...problem } = problemSchema;
  const { errors } = properties;
  const { enum: examples, ...open } = rule;
  const items = { ...errors.items, properties: { ...errors.items.properties, rule: { ...open, examples } } };
  return { ...problem, properties: { ...properties, errors: { ...errors, items } } };
}
