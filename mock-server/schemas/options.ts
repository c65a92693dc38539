// JSON Schemas of the options of a mock.
import { EVENT_TYPES, LINK_FORMATS } from '../../lib/core/types.js';
import { WEBHOOK_SECRET } from '../../lib/webhooks/request.js';
import { LOG_FORMATS } from './defaults.js';
import { delaySchema, faultSchema } from './fault.js';
import { closed, wholeNumber } from './parts.js';
import { clientMembers } from './scenario.js';

/** JSON Schemas of the options that only a server has. */
const SERVER_OPTION_SCHEMAS = {
  port: wholeNumber(0, 65_535),
  host: { type: 'string', pattern: '^[\\w.:%-]+$', description: 'A host name or an IP address' },
  log: { enum: LOG_FORMATS },
  persistFile: { type: 'string', minLength: 1 },
  allowedHosts: {
    type: 'array',
    items: {
      type: 'string',
      pattern: '^[\\w-]+(?:\\.[\\w-]+)*\\.?$',
      description: 'A host name without scheme and port, such as host.docker.internal',
    },
  },
  corsOrigins: {
    type: 'array',
    items: {
      type: 'string',
      format: 'web-origin',
      description: 'A web origin, such as http://localhost:5173, or *',
    },
  },
  tls: closed({ cert: { type: 'string' }, key: { type: 'string' } }, ['cert', 'key']),
  controlToken: clientMembers.controlToken,
  controlOrigins: {
    type: 'array',
    items: {
      type: 'string',
      format: 'web-origin',
      pattern: '^http',
      description: 'A web origin, such as http://localhost:5173',
    },
  },
};

/** JSON Schema of each option of `MockFetchOptions` that JSON can express; a Date is checked as text. */
export const FETCH_OPTION_SCHEMAS = {
  // createClaimlink checks it in detail.
  publicUrl: { type: 'string' },
  seed: {
    type: ['integer', 'string'],
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    minLength: 1,
    maxLength: 100,
    description: 'A whole number, or text of 1 to 100 characters',
  },
  refDate: { type: 'string', format: 'instant', description: 'A date in the years 1980 to 9000' },
  clients: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: closed(clientMembers, ['clientId', 'apiKey']),
  },
  sessionCount: wholeNumber(0, 10_000),
  scenario: { type: 'object' },
  latencyMs: delaySchema,
  webhook: {
    type: 'string',
    format: 'web-url',
    description: 'An http or https URL without user and password',
  },
  events: { type: 'array', maxItems: EVENT_TYPES.length, items: { enum: EVENT_TYPES } },
  webhookSecret: {
    type: 'string',
    pattern: WEBHOOK_SECRET.source,
    description: 'A text of whsec_ and 24 to 64 bytes in base64',
  },
  faults: { type: 'array', maxItems: 100, items: faultSchema },
  linkTtlSeconds: wholeNumber(60, 2_592_000),
  linkFormat: { enum: LINK_FORMATS },
  stepKeys: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
};

/** JSON Schemas of the options of a server. */
export const OPTION_SCHEMAS = { ...SERVER_OPTION_SCHEMAS, ...FETCH_OPTION_SCHEMAS };
