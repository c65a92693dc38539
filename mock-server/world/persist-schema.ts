// The persist file: its shape as JSON, and the JSON Schema that it must match.
import type { WidgetConfig } from '../../lib/index.js';
import {
  apiKeySchema,
  clientIdSchema,
  idSchema,
  momentSchema,
  type ScenarioSession,
  scenarioSessionSchema,
} from '../scenario/scenario.js';

/** The version of the format that is written, and the newest one that is read. */
export const PERSIST_VERSION = 1;

/** An API key. Moments here and below: UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
export interface PersistedApiKey {
  id: string;
  /** SHA-256, lower-case hex. Absent: it is the `apiKey` of the client. */
  hash?: string;
  hint?: string;
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
}

/** What a clock is set to. */
export interface PersistedClock {
  /** Ahead of the real time by so many milliseconds. */
  offsetMs: number;
  /** Stands still at this moment. */
  frozenAt?: string;
}

/** A user whose sessions are known. */
export interface PersistedUser {
  userId: string;
  /** The user has seeded sessions besides. */
  seeded?: true;
  sessions: ScenarioSession[];
}

/** A link in whatever state. */
export interface PersistedLink {
  /** With access code and token: a secret. */
  url?: string;
  /** SHA-256 of the access code, lower-case hex. Absent: derived from `url`. */
  accessCodeHash?: string;
  userId: string;
  callbackUrl: string;
  callbackOnSubmit: boolean;
  config: WidgetConfig;
  createdAt: string;
  expiresAt: string;
  openedAt?: string;
  revokedAt?: string;
  submittedAt?: string;
  /** The session of the user that its submission made: there exactly when `submittedAt` is. */
  reference?: string;
  /** Was let expire on purpose, from this moment on. */
  expiredAt?: string;
}

/** A client with all that it has. */
export interface PersistedClient {
  clientId: string;
  apiKey: string;
  name?: string;
  callbackOrigins?: string[];
  /** It came while the mock ran. */
  added?: true;
  /** Absent: the real time. */
  clock?: PersistedClock;
  /** Absent: the `apiKey` alone. */
  apiKeys?: PersistedApiKey[];
  users: PersistedUser[];
  links?: PersistedLink[];
}

/** The whole file. */
export interface PersistedWorld {
  claimlink: 'world';
  version: number;
  seed: string;
  refDate: string;
  /** Signs the links, base64url: a secret. */
  linkSecret: string;
  /** What new clients begin with. Absent: the real time. */
  clock?: PersistedClock;
  clients: PersistedClient[];
}

const text = { type: 'string' } as const;
const yes = { type: 'boolean', const: true } as const;
const sha256 = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'A SHA-256 in lower-case hex, 64 digits',
} as const;

const contact = {
  type: 'object',
  additionalProperties: false,
  required: ['email', 'phone'],
  properties: { email: text, phone: text, link: text },
} as const;

const person = {
  type: 'object',
  additionalProperties: false,
  properties: { firstName: text, lastName: text, email: text, phone: text },
} as const;

const config = {
  type: 'object',
  additionalProperties: false,
  required: ['contact', 'currentUserId'],
  properties: {
    contact,
    currentUserId: { type: ['string', 'number'] },
    policy: {
      type: 'object',
      additionalProperties: false,
      properties: {
        provider: text,
        number: text,
        validTo: text,
        validFrom: text,
        holder: person,
        vehicle: { type: 'object', additionalProperties: false, properties: { licensePlate: text } },
        linkedContacts: { type: 'array', items: person },
      },
    },
    initialStepKey: text,
    privacyPolicyUrl: text,
  },
} as const;

const clock = {
  type: 'object',
  additionalProperties: false,
  required: ['offsetMs'],
  properties: { offsetMs: { type: 'number' }, frozenAt: momentSchema },
} as const;

const apiKey = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'createdAt'],
  properties: {
    id: text,
    hash: sha256,
    hint: text,
    createdAt: momentSchema,
    expiresAt: momentSchema,
    revokedAt: momentSchema,
  },
} as const;

const user = {
  type: 'object',
  additionalProperties: false,
  required: ['userId', 'sessions'],
  properties: {
    userId: idSchema,
    seeded: yes,
    sessions: { type: 'array', items: scenarioSessionSchema },
  },
} as const;

const link = {
  type: 'object',
  additionalProperties: false,
  required: ['userId', 'callbackUrl', 'callbackOnSubmit', 'config', 'createdAt', 'expiresAt'],
  properties: {
    url: { type: 'string', minLength: 1 },
    accessCodeHash: sha256,
    userId: idSchema,
    callbackUrl: text,
    callbackOnSubmit: { type: 'boolean' },
    config,
    createdAt: momentSchema,
    expiresAt: momentSchema,
    openedAt: momentSchema,
    revokedAt: momentSchema,
    submittedAt: momentSchema,
    reference: idSchema,
    expiredAt: momentSchema,
  },
} as const;

const client = {
  type: 'object',
  additionalProperties: false,
  required: ['clientId', 'apiKey', 'users'],
  properties: {
    clientId: clientIdSchema,
    apiKey: apiKeySchema,
    name: text,
    callbackOrigins: { type: 'array', items: text },
    added: yes,
    clock,
    apiKeys: { type: 'array', items: apiKey },
    users: { type: 'array', items: user },
    links: { type: 'array', items: link },
  },
} as const;

/** JSON Schema of a `PersistedWorld`. */
export const persistedWorldSchema = {
  title: 'claimlink world',
  type: 'object',
  additionalProperties: false,
  required: ['claimlink', 'version', 'seed', 'refDate', 'linkSecret', 'clients'],
  properties: {
    claimlink: { type: 'string', const: 'world' },
    version: { type: 'integer', minimum: 1, maximum: PERSIST_VERSION },
    seed: { type: 'string', minLength: 1, maxLength: 100 },
    refDate: momentSchema,
    linkSecret: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{43,}$',
      description: 'At least 32 bytes in base64url',
    },
    clock,
    clients: { type: 'array', items: client },
  },
} as const;
