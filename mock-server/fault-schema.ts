// JSON Schema of a fault: for the control API, scenarios and options.
import { FAULT_EFFECTS, ROUTE_NAMES } from './control.js';

/** Longest delay in milliseconds. */
export const MAX_DELAY_MS = 60_000;

export const idSchema = { type: 'string', minLength: 1, maxLength: 100 } as const;

/** JSON Schema of a `Delay`. The format `delay` is in formats.ts. */
export const delaySchema = {
  type: ['integer', 'string'],
  minimum: 0,
  maximum: MAX_DELAY_MS,
  pattern: '^\\d{1,5}-\\d{1,5}$',
  format: 'delay',
  description: "Milliseconds, 0 to 60000, or a range such as '100-800'",
} as const;

/** Members of a fault for one client. */
const members = {
  userId: { ...idSchema, description: 'Only requests of this user' },
  route: { enum: ROUTE_NAMES },
  status: { type: 'integer', minimum: 200, maximum: 599 },
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
  delayMs: delaySchema,
  times: { type: 'integer', minimum: 1, maximum: 1_000_000 },
  rate: { type: 'number', minimum: 0, maximum: 1 },
} as const;

const rules = {
  type: 'object',
  additionalProperties: false,
  anyOf: ['status', 'effect', 'body', 'delayMs'].map((name) => ({ required: [name] })),
  not: { required: ['effect'], anyOf: [{ required: ['status'] }, { required: ['body'] }] },
  description: 'A fault with status, effect, body or delayMs, and with no effect beside status and body',
} as const;

/** JSON Schema of a fault of one client, as scenarios have it. */
export const clientFaultSchema = { ...rules, properties: members } as const;

/** JSON Schema of a `Fault`. */
export const faultSchema = {
  ...rules,
  properties: { clientId: { ...idSchema, description: 'Only requests of this client' }, ...members },
} as const;
