// JSON Schema of a scenario. Its type is in control/scenario.ts.
import { BRANDING_TEXTS } from '../../lib/core/branding.js';
import { CLAIM_FIELDS } from '../../lib/core/claim-fields.js';
import { linkRequestSchema } from '../../lib/core/schemas.js';
import { plainText, SETTINGS, type SettingTexts } from '../../lib/core/settings.js';
import { DECLINE_REASONS, EVENT_TYPES, LINK_STATES, RECIPIENT_MEMBERS } from '../../lib/core/types.js';
import { clientFaultSchema } from './fault.js';
import { closed, idSchema, userIdSchema } from './parts.js';
import { momentSchema, scenarioSessionSchema } from './session.js';

const setting = (description: string) => ({ type: 'string', description }) as const;

const byLanguage = (text: object, description: string) =>
  ({ type: 'object', additionalProperties: text, description }) as const;

const choices = (description: string) =>
  ({
    type: 'array',
    maxItems: 30,
    items: closed(
      {
        key: setting('Stored if the user chooses it'),
        texts: byLanguage(setting('Shown to the user'), 'Texts by language, such as en'),
      },
      ['key', 'texts'],
    ),
    description,
  }) as const;

const questionTexts = byLanguage(
  closed({ label: setting('The question'), hint: setting('A hint below the question') }, ['label']),
  'Label and hint by language, such as en',
);

const question = closed(
  {
    key: setting('Key of the answer in incident.answers'),
    step: { type: 'string', enum: ['policy', 'incident', 'contact'] },
    required: { type: 'boolean' },
    kind: { type: 'string', enum: ['text', 'textarea', 'date', 'boolean', 'choice'] },
    texts: questionTexts,
    options: choices('The options of a choice, 2 to 30'),
  },
  ['key', 'step', 'kind', 'texts'],
);

const names = { type: 'array', items: { type: 'string' } } as const;

const form = {
  ...closed({
    fields: closed(
      Object.fromEntries(
        CLAIM_FIELDS.map((field) => [field, { type: 'string', enum: ['required', 'optional', 'hidden'] }]),
      ),
    ),
    incidentTypes: choices('The values of /incident/type'),
    questions: { type: 'array', maxItems: 20, items: question, description: 'Questions of the client' },
    contacts: { type: 'string', enum: ['email', 'email_or_phone'] },
    noticeConfirmation: {
      type: 'boolean',
      description: 'A claim needs a confirmation of the privacy policy of its link',
    },
    noticePlace: {
      type: 'string',
      enum: ['review', 'first'],
      description: 'Where the privacy policy of the link is shown',
    },
    emailSuggestion: {
      type: 'boolean',
      description: 'The form asks about an email address that looks like a typing error',
    },
    order: {
      ...closed({ policy: names, incident: names, contact: names }),
      description: 'Order of the fields and questions of a step',
    },
    emergency: {
      ...closed({
        phone: setting('The number that it calls, such as 112'),
        first: { type: 'boolean', description: 'At the top of the first step' },
      }),
      description: 'A button that calls the emergency services',
    },
    photos: {
      ...closed(
        {
          need: { type: 'string', enum: ['required', 'optional', 'hidden'] },
          most: { type: 'integer', minimum: 1, maximum: 50 },
          heic: { type: 'boolean', description: 'Whether HEIC is accepted' },
        },
        ['need'],
      ),
      description: 'Photos of the damage',
    },
    texts: byLanguage(
      closed({
        introduction: setting('Shown above the form'),
        nextSteps: setting('Shown on the receipt'),
        emergency: setting('Shown after the answer that a person was injured'),
        policyNumber: setting('Shown with the number of the policy'),
        contacts: setting('Shown with the list of people'),
        renewal: setting('Shown after the request for another link'),
      }),
      'Texts of the client by language, such as en',
    ),
  }),
  description: 'What the claim form asks',
} as const;

const recipientCheck = {
  ...closed(
    {
      id: setting('An answer counts for this id'),
      kind: { type: 'string', enum: ['text', 'date'] },
      texts: questionTexts,
    },
    ['id', 'kind', 'texts'],
  ),
  type: ['array', 'object'],
  minItems: 1,
  items: { type: 'string', enum: RECIPIENT_MEMBERS },
  description:
    'Members of the prefill: the page asks for the first one that a link has before it shows any. Or a question, which recipientAnswer of a link answers',
} as const;

/** The schemas of settings whose values have members. */
const WITH_MEMBERS: Readonly<Record<string, SettingSchema>> = { recipientCheck, form };

export interface SettingSchema {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly description?: string;
}

/** Returns the schema of each setting. Its description is what the setting does, as a sentence. */
export function settingSchemas(settings: SettingTexts): Record<string, SettingSchema> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { json, effect }]) => {
      if (json === undefined) return [name, WITH_MEMBERS[name] ?? { type: 'object' }];
      const text = plainText(effect).replace(/^true /, '');
      return [name, { type: json, description: text.charAt(0).toUpperCase() + text.slice(1) }];
    }),
  );
}

/** The settings of a client. `assertClientSettings` checks their values. */
export const settingMembers = {
  name: { ...idSchema, description: 'Shown on the standalone pages' },
  callbackOrigins: {
    type: 'array',
    maxItems: 100,
    items: {
      ...idSchema,
      description: 'An origin, such as https://app.example.com, or a custom scheme, such as myapp:',
    },
    description: 'Where links may send users back to',
  },
  locale: setting('Language of the standalone pages, such as de'),
  branding: {
    ...closed(settingSchemas(BRANDING_TEXTS)),
    description: 'Brand on the standalone pages',
  },
  frameAncestors: {
    type: 'array',
    maxItems: 100,
    items: setting('An origin, such as https://app.example.com'),
    description: 'Origins that may show the standalone pages in a frame',
  },
  settings: {
    ...closed(settingSchemas(SETTINGS)),
    description: 'Further settings of the standalone pages',
  },
} as const;

/** Members of a client that options, scenarios and the control API share. */
export const clientMembers = {
  clientId: { ...idSchema, description: 'An id that is not "verify" and does not start with "__"' },
  apiKey: {
    type: 'string',
    pattern: '^[!-~]{1,200}$',
    description: 'A key of 1 to 200 printable ASCII characters without spaces',
  },
  controlToken: {
    type: 'string',
    pattern: '^[!-~]{16,200}$',
    description: 'A text of 16 to 200 printable ASCII characters without spaces',
  },
  ...settingMembers,
} as const;

const { currentUserId: _, contact, ...configMembers } = linkRequestSchema.properties.config.properties;
const { callbackUrl } = linkRequestSchema.properties;

const user = {
  userId: userIdSchema,
  sessions: {
    type: 'array',
    items: scenarioSessionSchema,
    description: 'All sessions of this user. Without this member the user has seeded sessions',
  },
} as const;

const MOMENT_TYPES = [
  ...EVENT_TYPES.filter((type) => type.startsWith('link.')),
  'link.unlocked',
  'claim.repeated',
];

export const recipientAnswerSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  description:
    'The right answer to the question of the client, for settings whose recipientCheck is a question',
} as const;

const link = {
  userId: userIdSchema,
  state: { enum: LINK_STATES },
  config: closed({ contact: { type: 'object', properties: contact.properties }, ...configMembers }),
  callbackUrl,
  callbackOnSubmit: { type: 'boolean' },
  recipientAnswer: recipientAnswerSchema,
  photos: {
    type: 'array',
    maxItems: 50,
    items: { type: 'string', minLength: 1 },
    description:
      'Photos of the link: data URLs, and in a file also names of files, relative to its folder. The client has form.photos',
  },
  reference: idSchema,
  createdAt: momentSchema,
  expiresAt: momentSchema,
  openedAt: momentSchema,
  submittedAt: momentSchema,
  revokedAt: momentSchema,
  moments: {
    type: 'array',
    maxItems: 100,
    items: closed(
      {
        type: { enum: MOMENT_TYPES },
        at: momentSchema,
        why: { enum: DECLINE_REASONS },
        unchanged: { type: 'boolean' },
      },
      ['type'],
    ),
    description: 'What became of the link beside its state, in this order',
  },
} as const;

const faults = { type: 'array', maxItems: 1000, items: clientFaultSchema } as const;

const client = {
  ...clientMembers,
  users: { type: 'array', maxItems: 100_000, items: closed(user, ['userId']) },
  links: { type: 'array', maxItems: 10_000, items: closed(link, ['userId']) },
  clock: closed({ now: momentSchema, isFrozen: { type: 'boolean' } }),
  faults,
} as const;

/** JSON Schema (draft-07) of a `Scenario`. Formats other than `date` are claimlink's own; editors ignore them. */
export const scenarioSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://claimlink.example/schemas/scenario.json',
  title: 'claimlink scenario',
  ...closed(
    {
      $schema: { type: 'string', description: 'Tells editors where this schema is' },
      clients: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        items: closed(client, ['clientId', 'apiKey']),
      },
      faults,
    },
    ['clients'],
  ),
};
