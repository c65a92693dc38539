// JSON Schema of a fault: for the control API, scenarios and options.
import { FAULT_EFFECTS, ROUTE_NAMES } from './control.js';
import { closed, idSchema, wholeNumber } from './schema-parts.js';

export const MAX_DELAY_MS = 60_000;

/** JSON Schema of a `Delay`. The format `delay` is in formats.ts. */
export const delaySchema = {
  type: ['integer', 'string'],
  minimum: 0,
  maximum: MAX_DELAY_MS,
  pattern: '^\\d{1,5}-\\d{1,5}$',
  format: 'delay',
  description: "Milliseconds, 0 to 60000, or a range such as '100-800'",
} as const;

const members = {
  userId: { ...idSchema, description: 'Only requests of this user' },
  route: { enum: ROUTE_NAMES },
  status: wholeNumber(200, 599),
  headers: {
    type: 'object',
    maxProperties: 50,
    propertyNames: { pattern: "^[\\w!#$%&'*+.^`|~-]{1,100}$", description: 'The name of a header' },
    additionalProperties: {
      type: 'string',
      maxLength: 4096,
      pattern: '^[\\t -~\\u0080-\\u00ff]*$',
      description: 'The value of a header, without line breaks',
    },
  },
  body: { description: 'Body of the response. An object or array is sent as JSON' },
  effect: { enum: Object.keys(FAULT_EFFECTS) },
  bytesPerSecond: wholeNumber(1, 10_000_000),
  delayMs: delaySchema,
  times: wholeNumber(1, 1_000_000),
  rate: { type: 'number', minimum: 0, maximum: 1 },
} as const;

const OUTCOMES = ['status', 'effect', 'body', 'delayMs'];
const required = (name: string) => ({ required: [name] });
const isSlow = { ...required('effect'), properties: { effect: { const: 'slow' } } };

const rules = {
  not: {
    anyOf: [
      { ...required('effect'), anyOf: ['status', 'body'].map(required) },
      { ...required('bytesPerSecond'), not: isSlow },
      {
        ...isSlow,
        required: ['effect', 'route'],
        properties: { ...isSlow.properties, route: { const: 'claimSubmitted' } },
      },
    ],
  },
  description:
    'A fault with status, effect, body or delayMs, with no effect beside status and body, with bytesPerSecond for slow only, and without slow for claimSubmitted',
} as const;

/** JSON Schema of a fault of one client, as scenarios have it. */
export const clientFaultSchema = { ...closed(members), ...rules, anyOf: OUTCOMES.map(required) };

const sharedMembers = { clientId: { ...idSchema, description: 'Only requests of this client' }, ...members };

export const faultSchema = { ...closed(sharedMembers), ...rules, anyOf: OUTCOMES.map(required) };

/** JSON Schema of one fault, or of `faults` beside the client of them all. */
export const nextFaultsSchema = {
  ...closed({ ...sharedMembers, faults: { type: 'array', minItems: 1, maxItems: 100, items: faultSchema } }),
  ...rules,
  anyOf: [...OUTCOMES, 'faults'].map(required),
};
