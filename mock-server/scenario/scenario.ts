// A scenario: a hand-written world as JSON, and the JSON Schema that it must match.

/** A session as a scenario writes it: the shape of the documented listing, so that an answer can be pasted in. */
export interface ScenarioSession {
  /** Unique within the client. */
  reference: string;
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
  date: string;
  camsReference: string;
  status: string;
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. */
  createdAt: string;
  selectedPolicy: {
    number: string;
    provider: string;
    holder: { firstName: string; lastName: string; id: string; phone: string; email: string };
    /** Calendar date, `YYYY-MM-DD`. */
    validFrom: string;
    /** Calendar date, `YYYY-MM-DD`. */
    validTo: string;
    /** The phone is kept, but not part of the documented listing. */
    linkedContacts: { firstName: string; lastName: string; email: string; phone?: string }[];
    vehicle: { licensePlate: string };
  };
  /** What the user told about the incident: kept, but not part of the documented listing. */
  incident?: {
    /** Calendar date, `YYYY-MM-DD`. */
    date?: string;
    description?: string;
  };
}

/** A user with exactly these sessions: nothing is made up for a user who is named. */
export interface ScenarioUser {
  userId: string;
  sessions: ScenarioSession[];
}

/** A client with its users; users that are not named get seeded sessions. */
export interface ScenarioClient {
  clientId: string;
  apiKey: string;
  name?: string;
  /** Origins (`https://app.example.com`) and custom schemes (`myapp:`). Absent: any https origin. */
  callbackOrigins?: string[];
  users: ScenarioUser[];
}

/** A whole world. */
export interface Scenario {
  /** For editors: where the schema is. */
  $schema?: string;
  clients: ScenarioClient[];
}

/** An id, a reference, a name. */
export const idSchema = { type: 'string', minLength: 1, maxLength: 100 } as const;

/** The id of a client. */
export const clientIdSchema = {
  ...idSchema,
  pattern: '^(?!__|verify$)',
  description: 'An id that is not "verify" and does not start with "__"',
} as const;

/** What a client sends as x-api-key. */
export const apiKeySchema = {
  type: 'string',
  pattern: '^[!-~]{1,200}$',
  description: 'A key of 1 to 200 printable ASCII characters without spaces',
} as const;

/** A moment in a file: `readMoment` reads it, `writeMoment` writes it. */
export const momentSchema = {
  type: 'string',
  pattern:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,3})?)?Z?$',
  description: 'A date and time in UTC, YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow',
} as const;

const text = { type: 'string', maxLength: 1000 } as const;
const calendarDate = { type: 'string', format: 'date' } as const;

const holder = {
  type: 'object',
  additionalProperties: false,
  required: ['firstName', 'lastName', 'id', 'phone', 'email'],
  properties: { firstName: text, lastName: text, id: idSchema, phone: text, email: text },
} as const;

const linkedContact = {
  type: 'object',
  additionalProperties: false,
  required: ['firstName', 'lastName', 'email'],
  properties: { firstName: text, lastName: text, email: text, phone: text },
} as const;

const vehicle = {
  type: 'object',
  additionalProperties: false,
  required: ['licensePlate'],
  properties: { licensePlate: text },
} as const;

const selectedPolicy = {
  type: 'object',
  additionalProperties: false,
  required: ['number', 'provider', 'holder', 'validFrom', 'validTo', 'linkedContacts', 'vehicle'],
  properties: {
    number: text,
    provider: text,
    holder,
    validFrom: calendarDate,
    validTo: calendarDate,
    linkedContacts: { type: 'array', maxItems: 100, items: linkedContact },
    vehicle,
  },
} as const;

const incident = {
  type: 'object',
  additionalProperties: false,
  properties: { date: calendarDate, description: { type: 'string', maxLength: 4000 } },
} as const;

/** JSON Schema of a `ScenarioSession`. */
export const scenarioSessionSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['reference', 'date', 'camsReference', 'status', 'createdAt', 'selectedPolicy'],
  properties: {
    reference: { ...idSchema, description: 'Unique within the client' },
    date: momentSchema,
    camsReference: idSchema,
    status: idSchema,
    createdAt: momentSchema,
    selectedPolicy,
    incident,
  },
} as const;

const user = {
  type: 'object',
  additionalProperties: false,
  required: ['userId', 'sessions'],
  properties: {
    userId: idSchema,
    sessions: {
      type: 'array',
      items: scenarioSessionSchema,
      description: 'All sessions of this user. Users that are not named get seeded ones',
    },
  },
} as const;

const client = {
  type: 'object',
  additionalProperties: false,
  required: ['clientId', 'apiKey', 'users'],
  properties: {
    clientId: clientIdSchema,
    apiKey: apiKeySchema,
    name: { ...idSchema, description: 'Shown on the standalone pages' },
    callbackOrigins: {
      type: 'array',
      items: idSchema,
      description: 'Where links may send users back to: https://app.example.com, myapp:',
    },
    users: { type: 'array', items: user },
  },
} as const;

/** JSON Schema (draft-07 and later) of a `Scenario`. The format `date` needs ajv-formats. */
export const scenarioSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://claimlink.example/schemas/scenario.json',
  title: 'claimlink scenario',
  type: 'object',
  additionalProperties: false,
  required: ['clients'],
  properties: {
    $schema: { type: 'string', description: 'For editors: where this schema is' },
    clients: { type: 'array', minItems: 1, items: client },
  },
} as const;
